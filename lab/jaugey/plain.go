package jaugey

// Plain makes one Jacobi sweep of Poisson's equation in the plane, F = h² f: the plain reference of Poisson2D. Arrays are [z][x] without halo.
func Plain(out, u, f []float64, nx, nz int) {
	copy(out, u)
	for k := 1; k < nz-1; k++ {
		for i := 1; i < nx-1; i++ {
			c := i + nx*k
			out[c] = (u[c-1] + u[c+1] + u[c-nx] + u[c+nx] + f[c]) / 4
		}
	}
}
