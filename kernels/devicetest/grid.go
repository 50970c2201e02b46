package devicetest

import "convect/kernels"

// Axis is an axis array: the value of node or cell i is element i + HaloWidth.
type Axis []float64

// At returns the value of node or cell i, which may lie in the halo.
func (a Axis) At(i int) float64 { return a[i+kernels.HaloWidth] }

// Grid is a tensor-product grid on the host, its numbers rounded to an element type.
type Grid struct {
	Box      kernels.Box
	Elem     kernels.Elem
	Periodic [3]bool
	H, RH, W [3]Axis // cell widths, their reciprocals (0 where h is 0), dual widths
}

// Uniform returns the widths of n cells of width h.
func Uniform(n int, h float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = h
	}
	return w
}

// NewGrid builds a grid from the widths of the cells of each axis: one less than nodes between walls, as many as
// nodes on a periodic axis, nil on an absent y axis, which makes the grid flat.
func NewGrid(elem kernels.Elem, widths [3][]float64, periodic [3]bool) *Grid {
	flat := widths[kernels.Y] == nil
	var n [3]int
	for d := range n {
		n[d] = len(widths[d])
		if !periodic[d] {
			n[d]++
		}
	}
	g := &Grid{Box: kernels.NewBox(n, flat), Elem: elem, Periodic: periodic}
	for d := range n {
		g.setAxis(d, widths[d])
	}
	return g
}

// setAxis fills the arrays of one axis: h is zero beyond walls and wrapped at periodic ends, w = (h[i-1]+h[i])/2.
// An absent axis has h = w = 1 at node 0 and its low neighbour, and 1/h = 0.
func (g *Grid) setAxis(d int, widths []float64) {
	const halo = kernels.HaloWidth
	length := g.Box.N[d] + 2*halo
	g.H[d], g.RH[d], g.W[d] = make(Axis, length), make(Axis, length), make(Axis, length)
	if !present(g.Box, d) {
		for i := -1; i <= 0; i++ {
			g.H[d][i+halo], g.W[d][i+halo] = 1, 1
		}
		return
	}
	h := func(cell int) float64 {
		if g.Periodic[d] {
			cell = wrap(cell, len(widths))
		}
		if cell < 0 || cell >= len(widths) {
			return 0
		}
		return round(g.Elem, widths[cell])
	}
	for e := range length {
		i := e - halo
		g.H[d][e] = h(i)
		g.W[d][e] = round(g.Elem, (h(i-1)+h(i))/2)
		if h(i) > 0 {
			g.RH[d][e] = round(g.Elem, 1/h(i))
		}
	}
}

// Shape tells what the axis arrays hold.
func (g *Grid) Shape() kernels.Shape {
	s := kernels.Shape{Width: [3]float64{1, 1, 1}, Periodic: g.Periodic}
	for d, n := range g.Box.N {
		if !present(g.Box, d) {
			continue
		}
		cells := n
		if !g.Periodic[d] {
			cells--
		}
		s.Width[d] = g.H[d].At(0)
		for i := range cells {
			if g.H[d].At(i) != g.H[d].At(0) {
				s.Width[d] = 0
			}
		}
	}
	return s
}

// volume returns the dual volume V = wx wy wz of a node.
func (g *Grid) volume(n Node) float64 {
	return g.W[0].At(n[0]) * g.W[1].At(n[1]) * g.W[2].At(n[2])
}

// area returns the area A_f of a dual face of node n normal to axis d.
func (g *Grid) area(d int, n Node) float64 {
	p, q := others(d)
	return g.W[p].At(n[p]) * g.W[q].At(n[q])
}

// present tells whether the grid has axis d.
func (g *Grid) present(d int) bool { return present(g.Box, d) }

// inner tells whether the dual face between n and its high neighbour along d lies within the domain, a periodic
// end included.
func (g *Grid) inner(d int, n Node) bool {
	return g.present(d) && (g.Periodic[d] || (n[d] >= 0 && n[d] < g.Box.N[d]-1))
}

// face is one of the dual faces of a node.
type face struct {
	axis int
	at   Node         // the node at which the face is stored, the one below it
	sign float64      // of the outward normal
	wall bool         // on the wall named by side
	side kernels.Side // low or high end of the axis
	area float64
}

// faces returns the dual faces of a node.
func (g *Grid) faces(n Node) []face {
	fs := make([]face, 0, 6)
	for d := range n {
		if !g.present(d) {
			continue
		}
		low, high := shift(n, d, -1), n
		area := g.area(d, n)
		fs = append(fs,
			face{d, low, -1, !g.inner(d, low), kernels.Side(2 * d), area},
			face{d, high, 1, !g.inner(d, high), kernels.Side(2*d + 1), area})
	}
	return fs
}

// onSide tells whether a node lies on a side of the box.
func onSide(box kernels.Box, s kernels.Side, n Node) bool {
	if s.High() {
		return n[s.Axis()] == box.N[s.Axis()]-1
	}
	return n[s.Axis()] == 0
}

// wallIndex returns the element of a node in the wall arrays of a side.
func wallIndex(box kernels.Box, s kernels.Side, n Node) int {
	p, q := others(s.Axis())
	return n[p] + n[q]*box.N[p]
}

// walls returns the sides of the domain that are walls.
func (g *Grid) walls() (sides []kernels.Side) {
	for s := kernels.Left; s <= kernels.Top; s++ {
		if d := s.Axis(); g.present(d) && !g.Periodic[d] {
			sides = append(sides, s)
		}
	}
	return sides
}
