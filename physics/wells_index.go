package physics

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"convect/kernels"
	"convect/stencil"
)

// patch is the cells around a well across it, on which its equivalent radius is found. Beyond walls the cells are mirrored, and so are wells near them: a closed wall has an image of the
// same sign behind it, one of fixed pressure an image of the other.
type patch struct {
	axes   [2]patchAxis
	k      [2]float64 // permeabilities along the axes
	points kernels.Stencil
	images []image // the well itself first
}

// patchAxis are the nodes of a patch along an axis, relative to the well, which lies between node low and the next.
type patchAxis struct {
	x   []float64
	low int
}

// image is a well or its image: where it lies relative to the well, and its sign.
type image struct {
	at   [2]float64
	sign float64
}

// patchReach is the number of cells on either side of a well that an equivalent radius is found on; where the medium couples one axis more than the other, cells that grow by patchGrowth
// follow along it until the patch reaches as far as along the other. An image counts within imageReach cells: farther away the pressure of the grid is the exact one.
const (
	patchReach  = 24
	patchGrowth = 1.08
	imageReach  = 8
)

// equivalent returns ln r_o of a source with given weights on the nodes of a plane: the distance at which the exact pressure of a line source is that which the grid has at the
// source, the mean by the weights (Peaceman, Soc. Pet. Eng. J. 18, 183, 1978; 23, 531, 1983). Distances are ρ, ρ² = √(k_b/k_a) a² + √(k_a/k_b) b², in which an
// anisotropic medium is isotropic. It solves -∇·k∇p = δ as the stencil does on the cells around, with the exact p = -ln ρ/(2π √(k_a k_b)) at their ends, so that it holds for any
// widths, any place between nodes, and beside walls. walls are the signs of the images behind both walls of each axis; 0: none.
func equivalent(g *stencil.Grid, points kernels.Stencil, axes [2]int, at, k [2]float64, walls [2][2]float64) float64 {
	p := &patch{k: k, points: points}
	for n, d := range axes {
		p.axes[n] = axisAround(g, d, at[n])
	}
	p.stretch()
	p.reflect([2]float64{g.Size[axes[0]], g.Size[axes[1]]}, at, walls)
	value, mean := p.solve(), math.Sqrt(k[0]*k[1])
	logarithm := -2 * math.Pi * mean * value
	for _, of := range p.images[1:] {
		logarithm -= of.sign * math.Log(p.distance(of.at[0], of.at[1]))
	}
	return logarithm
}

// distance is ρ.
func (p *patch) distance(a, b float64) float64 {
	ratio := math.Sqrt(p.k[1] / p.k[0])
	return math.Sqrt(ratio*a*a + b*b/ratio)
}

// axisAround returns the nodes around a place along an axis.
func axisAround(g *stencil.Grid, d int, x float64) patchAxis {
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
	return patchAxis{at, low}
}

// stretch adds cells until the patch reaches equally far in ρ along both axes. What the well does there is smooth, so that their widths do not matter.
func (p *patch) stretch() {
	reach := 0.0
	for n, a := range p.axes {
		reach = math.Max(reach, p.along(n, math.Min(-a.x[0], a.x[len(a.x)-1])))
	}
	for n := range p.axes {
		a := &p.axes[n]
		last := len(a.x) - 1
		for h := a.x[last] - a.x[last-1]; p.along(n, a.x[len(a.x)-1]) < reach; {
			h *= patchGrowth
			a.x = append(a.x, a.x[len(a.x)-1]+h)
		}
		var before []float64
		for h, end := a.x[1]-a.x[0], a.x[0]; p.along(n, -end) < reach; {
			h *= patchGrowth
			end -= h
			before = append([]float64{end}, before...)
		}
		a.x, a.low = append(before, a.x...), a.low+len(before)
	}
}

// along is the length in ρ of a length along an axis.
func (p *patch) along(axis int, length float64) float64 {
	at := [2]float64{}
	at[axis] = length
	return p.distance(at[0], at[1])
}

// reflect finds the images of the well that lie near it.
func (p *patch) reflect(size, at [2]float64, walls [2][2]float64) {
	var along [2][]image
	for n := range along {
		along[n] = []image{{sign: 1}}
		for end, offset := range [2]float64{-2 * at[n], 2 * (size[n] - at[n])} {
			a := p.axes[n]
			if walls[n][end] != 0 && offset > a.x[a.low-imageReach] && offset < a.x[a.low+1+imageReach] {
				of := image{sign: walls[n][end]}
				of.at[n] = offset
				along[n] = append(along[n], of)
			}
		}
	}
	for _, b := range along[1] {
		for _, a := range along[0] {
			p.images = append(p.images, image{[2]float64{a.at[0], b.at[1]}, a.sign * b.sign})
		}
	}
}

// hats returns the linear weights of a place between a node and the next.
func (a *patchAxis) hats(x float64) (node int, weights [2]float64) {
	for node = a.low - patchReach; a.x[node+1] < x; node++ {
	}
	part := (x - a.x[node]) / (a.x[node+1] - a.x[node])
	switch {
	case part < placeSlack:
		return node, [2]float64{1, 0}
	case part > 1-placeSlack:
		return node, [2]float64{0, 1}
	}
	return node, [2]float64{1 - part, part}
}

// each calls visit with the nodes among which a well or image is shared out, and their weights.
func (p *patch) each(of image, visit func(i, j int, weight float64)) {
	i, u := p.axes[0].hats(of.at[0])
	j, v := p.axes[1].hats(of.at[1])
	for b, y := range v {
		for a, x := range u {
			visit(i+a, j+b, x*y)
		}
	}
}

// solve returns the mean pressure of the well by its weights, of a rate of 1.
func (p *patch) solve() (value float64) {
	na, nb := len(p.axes[0].x), len(p.axes[1].x)
	inside := func(i, j int) bool { return i > 0 && j > 0 && i < na-1 && j < nb-1 }
	unknown := func(i, j int) int { return i - 1 + (na-2)*(j-1) }
	band := na - 1
	if nb < na { // the shorter axis runs first
		unknown, band = func(i, j int) int { return j - 1 + (nb-2)*(i-1) }, nb-1
	}
	n := (na - 2) * (nb - 2)
	matrix, rhs := mat.NewSymBandDense(n, band, nil), mat.NewVecDense(n, nil)
	for _, of := range p.images {
		p.each(of, func(i, j int, weight float64) {
			if inside(i, j) {
				row := unknown(i, j)
				rhs.SetVec(row, rhs.AtVec(row)+of.sign*weight)
			}
		})
	}
	p.couplings(func(from, to [2]int, c float64) {
		if !inside(from[0], from[1]) {
			return
		}
		row := unknown(from[0], from[1])
		if !inside(to[0], to[1]) {
			rhs.SetVec(row, rhs.AtVec(row)-c*p.exact(to))
			return
		}
		if column := unknown(to[0], to[1]); column >= row {
			matrix.SetSymBand(row, column, matrix.At(row, column)+c)
		}
	})
	var factors mat.BandCholesky
	solution := mat.NewVecDense(n, nil)
	if !factors.Factorize(matrix) || factors.SolveVecTo(solution, rhs) != nil && math.IsNaN(solution.AtVec(0)) {
		return math.NaN()
	}
	p.each(p.images[0], func(i, j int, weight float64) { value += weight * solution.AtVec(unknown(i, j)) })
	return value
}

// exact returns the exact pressure at a node of the patch's edge.
func (p *patch) exact(node [2]int) (value float64) {
	for _, of := range p.images {
		rho := p.distance(p.axes[0].x[node[0]]-of.at[0], p.axes[1].x[node[1]]-of.at[1])
		value -= of.sign * math.Log(rho) / (2 * math.Pi * math.Sqrt(p.k[0]*p.k[1]))
	}
	return value
}

// couplings calls visit with what each cell gives to the matrix: along each direction the differences of its edges, weighted across by the mass of linear elements (27 points) or the
// lumped one (7 points).
func (p *patch) couplings(visit func(from, to [2]int, c float64)) {
	weights := [2]float64{1. / 2, 0}
	if p.points == kernels.TwentySevenPoint {
		weights = [2]float64{1. / 3, 1. / 6}
	}
	x, y := p.axes[0].x, p.axes[1].x
	for j := range len(y) - 1 {
		for i := range len(x) - 1 {
			ha, hb := x[i+1]-x[i], y[j+1]-y[j]
			for axis, c := range [2]float64{p.k[0] * hb / ha, p.k[1] * ha / hb} {
				node := func(edge, end int) [2]int {
					if axis == 0 {
						return [2]int{i + end, j + edge}
					}
					return [2]int{i + edge, j + end}
				}
				for n := range 16 {
					edge, other, end, to := n&1, n>>1&1, n>>2&1, n>>3
					visit(node(edge, end), node(other, to), c*weights[edge^other]*float64(1-2*(end^to)))
				}
			}
		}
	}
}

// resistance is ln(r_o/r_w) + skin of a connection as a function of the ratio k_b/k_a, which may lie between that of its cells.
type resistance struct {
	low, high float64   // of ln(k_b/k_a)
	values    []float64 // at the nodes of Chebyshev between them; one where both are the same
}

// resistanceNodes are enough for 0.02 % over a ratio of 10⁴.
const resistanceNodes = 9

// newResistance finds a resistance between two ratios. of gives it for one.
func newResistance(low, high float64, of func(ratio float64) float64) resistance {
	r := resistance{low: math.Log(low), high: math.Log(high)}
	if high-low <= 1e-9*low {
		r.high = r.low
		r.values = []float64{of(low)}
		return r
	}
	for n := range resistanceNodes {
		r.values = append(r.values, of(math.Exp(r.node(n))))
	}
	return r
}

// node is the place of a value.
func (r *resistance) node(n int) float64 {
	return (r.low+r.high)/2 - (r.high-r.low)/2*math.Cos(math.Pi*float64(n)/(resistanceNodes-1))
}

// at returns the resistance at a ratio, by the barycentric formula (Berrut & Trefethen, SIAM Rev. 46, 501, 2004).
func (r *resistance) at(ratio float64) float64 {
	if len(r.values) == 1 {
		return r.values[0]
	}
	x := math.Min(math.Max(math.Log(ratio), r.low), r.high)
	above, below, sign := 0.0, 0.0, 1.0
	for n, v := range r.values {
		if x == r.node(n) {
			return v
		}
		weight := sign / (x - r.node(n))
		if n == 0 || n == resistanceNodes-1 {
			weight /= 2
		}
		above, below, sign = above+weight*v, below+weight, -sign
	}
	return above / below
}
