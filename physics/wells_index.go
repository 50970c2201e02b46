package physics

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// equivalent returns ln r_o of a source with given weights on the nodes of a plane: the distance at which the exact pressure of a line source is that which the grid has at the
// source, the mean by the weights (Peaceman, Soc. Pet. Eng. J. 18, 183, 1978; 23, 531, 1983). Distances are ρ, ρ² = √(k_b/k_a) a² + √(k_a/k_b) b², in which an
// anisotropic medium is isotropic. It solves -∇·k∇p = δ as the stencil does on the cells around, with the exact p = -ln ρ/(2π √(k_a k_b)) at their ends, so that it holds for any
// widths and any place between nodes. Beyond walls the cells are mirrored.
func equivalent(g *stencil.Grid, points kernels.Stencil, axes [2]int, at [2]float64, k [2]float64) float64 {
	a, b := patchAround(g, axes[0], at[0]), patchAround(g, axes[1], at[1])
	na, nb := len(a), len(b)
	rho := func(x, y float64) float64 {
		return math.Sqrt(math.Sqrt(k[1]/k[0])*x*x + math.Sqrt(k[0]/k[1])*y*y)
	}
	mean := math.Sqrt(k[0] * k[1])
	p, f := make([]float64, na*nb), make([]float64, na*nb)
	for n := range p {
		i, j := n%na, n/na
		if i == 0 || j == 0 || i == na-1 || j == nb-1 {
			p[n] = -math.Log(rho(a[i], b[j])) / (2 * math.Pi * mean)
		}
	}
	for i, u := range hats(a) {
		for j, v := range hats(b) {
			f[patchReach+i+na*(patchReach+j)] = u * v
		}
	}
	solvePatch(a, b, k, points, p, f)
	sum := 0.0
	for n, weight := range f {
		sum += weight * p[n]
	}
	return -2 * math.Pi * mean * sum
}

// patchReach is the number of cells on either side of a well that an equivalent radius is found on.
const patchReach = 24

// patchAround returns the nodes around a place along an axis, relative to it.
func patchAround(g *stencil.Grid, d int, x float64) []float64 {
	h, n := g.Widths[d], g.Cells[d]
	ends := coordinatesOf(h)
	cell := 0
	for cell < n-1 && x > ends[cell+1] {
		cell++
	}
	width := func(i int) float64 {
		if g.Periodic[d] {
			return h[((i%n)+n)%n]
		}
		for i < 0 || i >= n {
			if i < 0 {
				i = -1 - i
			} else {
				i = 2*n - 1 - i
			}
		}
		return h[i]
	}
	at := make([]float64, 2*patchReach+2)
	low := patchReach
	at[low] = ends[cell] - x
	for i := low + 1; i < len(at); i++ {
		at[i] = at[i-1] + width(cell+i-low-1)
	}
	for i := low - 1; i >= 0; i-- {
		at[i] = at[i+1] - width(cell+i-low)
	}
	return at
}

// hats returns the linear weights of the nodes beside 0.
func hats(x []float64) [2]float64 {
	part := -x[patchReach] / (x[patchReach+1] - x[patchReach])
	switch {
	case part < placeSlack:
		return [2]float64{1, 0}
	case part > 1-placeSlack:
		return [2]float64{0, 1}
	}
	return [2]float64{1 - part, part}
}

// solvePatch solves A p = f within a patch by conjugate gradients; p holds the values of its edge.
func solvePatch(a, b []float64, k [2]float64, points kernels.Stencil, p, f []float64) {
	na, nb := len(a), len(b)
	inside := func(n int) bool { i, j := n%na, n/na; return i > 0 && j > 0 && i < na-1 && j < nb-1 }
	r, d, q := make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p))
	applyPatch(a, b, k, points, p, q)
	rr := 0.0
	for n := range r {
		if inside(n) {
			r[n] = f[n] - q[n]
			rr += r[n] * r[n]
		}
	}
	copy(d, r)
	for least := 1e-26 * rr; rr > least; {
		applyPatch(a, b, k, points, d, q)
		dq := 0.0
		for n := range d {
			if inside(n) {
				dq += d[n] * q[n]
			}
		}
		alpha, before := rr/dq, rr
		rr = 0
		for n := range d {
			if inside(n) {
				p[n], r[n] = p[n]+alpha*d[n], r[n]-alpha*q[n]
				rr += r[n] * r[n]
			}
		}
		for n := range d {
			d[n] = r[n] + rr/before*d[n]
		}
	}
}

// applyPatch computes A x: along each direction of each cell the differences of its edges, weighted across by the mass of linear elements (27 points) or the lumped one (7 points).
func applyPatch(a, b []float64, k [2]float64, points kernels.Stencil, x, out []float64) {
	clear(out)
	own, other := 0.5, 0.0
	if points == kernels.TwentySevenPoint {
		own, other = 1./3, 1./6
	}
	na := len(a)
	for j := range len(b) - 1 {
		for i := range na - 1 {
			ha, hb := a[i+1]-a[i], b[j+1]-b[j]
			n := [4]int{i + na*j, i + 1 + na*j, i + na*(j+1), i + 1 + na*(j+1)}
			for _, way := range [2]struct {
				c     float64
				edges [2][2]int
			}{{k[0] * hb / ha, [2][2]int{{n[0], n[1]}, {n[2], n[3]}}}, {k[1] * ha / hb, [2][2]int{{n[0], n[2]}, {n[1], n[3]}}}} {
				first, second := x[way.edges[0][1]]-x[way.edges[0][0]], x[way.edges[1][1]]-x[way.edges[1][0]]
				flow := [2]float64{way.c * (own*first + other*second), way.c * (own*second + other*first)}
				for e, edge := range way.edges {
					out[edge[0]] -= flow[e]
					out[edge[1]] += flow[e]
				}
			}
		}
	}
}
