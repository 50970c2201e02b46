package giles

// Plain makes one Jacobi sweep of Laplace's equation in single precision on one core, the paper's "Gold" code: the plain reference of LaplaceJacobi. Arrays are
// [z][y][x] without halo, n nodes along x, y and z.
func Plain(out, u []float32, n [3]int) {
	row, plane := n[0], n[0]*n[1]
	copy(out[:plane], u[:plane])
	copy(out[(n[2]-1)*plane:], u[(n[2]-1)*plane:])
	for k := 1; k < n[2]-1; k++ {
		for j := range n[1] {
			from := j*row + k*plane
			if j == 0 || j == n[1]-1 {
				copy(out[from:from+row], u[from:from+row])
				continue
			}
			o, c := out[from:from+row], u[from:from+row]
			low, high := u[from-row:][:row], u[from+row:][:row]
			below, above := u[from-plane:][:row], u[from+plane:][:row]
			o[0], o[row-1] = c[0], c[row-1]
			for i := 1; i < row-1; i++ {
				o[i] = ((c[i-1] + c[i+1]) + (low[i] + high[i]) + (below[i] + above[i])) * (1.0 / 6)
			}
		}
	}
}
