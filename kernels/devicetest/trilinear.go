package devicetest

import (
	"math/bits"

	"convect/kernels"
)

// corners is the number of corner patterns: bit d of a pattern tells which end along axis d. Flat cells use those
// without bit 1.
const corners = 8

// element is a trilinear element: the cell above node low along every present axis.
type element struct {
	o   *Operator
	low Node
	h   [3]float64
	k   [3]float64
}

// elementsAt returns the cells around a node that lie within the domain or wrap around its ends.
func (o *Operator) elementsAt(n Node) []element {
	cells := make([]element, 0, corners)
	for corner := range corners {
		if o.absent(corner) {
			continue
		}
		e := element{o: o, low: n}
		for d := range n {
			e.low[d] -= corner >> d & 1
			e.h[d] = 1
		}
		inside := true
		for d := range n {
			e.k[d] = o.conductivity(d, e.low)
			if o.present(d) {
				e.h[d] = o.H[d].At(e.low[d])
				inside = inside && e.h[d] > 0
			}
		}
		if inside {
			cells = append(cells, e)
		}
	}
	return cells
}

// absent tells whether a pattern names the high end of an absent axis.
func (o *Operator) absent(pattern int) bool { return !o.present(kernels.Y) && pattern&2 != 0 }

// node returns a corner of the cell.
func (e *element) node(corner int) Node {
	n := e.low
	for d := range n {
		n[d] += corner >> d & 1
	}
	return n
}

// cornerOf returns the pattern of a node of the cell.
func (e *element) cornerOf(n Node) (corner int) {
	for d := range n {
		corner |= (n[d] - e.low[d]) << d
	}
	return corner
}

// volume returns hx hy hz.
func (e *element) volume() float64 { return e.h[0] * e.h[1] * e.h[2] }

// w returns k_d / h_d², zero along an absent axis.
func (e *element) w(d int) float64 {
	if !e.o.present(d) {
		return 0
	}
	return e.k[d] / (e.h[d] * e.h[d])
}

// mass returns Π M over the axes across d between the corners a and b: 1/3 or 1/6 each.
func (e *element) mass(d, a, b int) float64 {
	m := 1.0
	for p := range 3 {
		if p == d || !e.o.present(p) {
			continue
		}
		m /= 3
		if (a^b)>>p&1 == 1 {
			m /= 2
		}
	}
	return m
}

// terms calls visit with the coefficients of (A u) of one of the element's nodes, and the node that each belongs to.
func (e *element) terms(n Node, visit func(to Node, c float64)) {
	own := e.cornerOf(n)
	for corner := range corners {
		if e.o.absent(corner) {
			continue
		}
		for d := range 3 {
			c := e.volume() * e.w(d) * e.mass(d, own, corner)
			if (own^corner)>>d&1 == 1 {
				c = -c
			}
			visit(e.node(corner), c)
		}
	}
}

// diagonal returns what the element gives to the diagonal of A at any of its nodes.
func (e *element) diagonal() (s float64) {
	for d := range 3 {
		s += e.volume() * e.w(d) * e.mass(d, 0, 0)
	}
	return s
}

// differences holds the negative difference -δ of the edge along axis d above each corner without bit d.
type differences [3][corners]sum

// gradient returns -δ = u_low - u_high.
func (e *element) gradient(u Field) (g differences) {
	for d := range 3 {
		for corner := range corners {
			if e.o.present(d) && corner>>d&1 == 0 && !e.o.absent(corner) {
				g[d][corner].add(u.At(e.node(corner)))
				g[d][corner].add(-u.At(e.node(corner | 1<<d)))
			}
		}
	}
	return g
}

// buoyant adds b = hz Ra θ to the differences in z.
func (e *element) buoyant(g *differences, t Field, mean []float64, rayleigh float64) {
	for corner := range 1 << kernels.Z {
		if !e.o.absent(corner) {
			g[kernels.Z][corner].addScaled(e.h[kernels.Z]*rayleigh, e.o.buoyancy(e.node(corner), t, mean))
		}
	}
}

// natural returns c_d Σ M M (-δ) of the edge along d above a corner without bit d.
func (e *element) natural(g *differences, d, corner int) (s sum) {
	for other := range corners {
		if other>>d&1 == 0 && !e.o.absent(other) {
			s.addScaled(e.volume()*e.w(d)*e.mass(d, corner, other), g[d][other])
		}
	}
	return s
}

// outflow returns the part of a cell in the outflow of one of its nodes.
func (e *element) outflow(g *differences, n Node) (s sum) {
	own := e.cornerOf(n)
	for d := range 3 {
		if !e.o.present(d) {
			continue
		}
		sign := 1.0
		if own>>d&1 == 1 {
			sign = -1
		}
		s.addScaled(sign, e.natural(g, d, own&^(1<<d)))
	}
	return s
}

// alone returns the flux F⁰ of the edge along d above a corner without bit d: c_d (-δ), with the part of the dual face in the cell.
func (e *element) alone(g *differences, d, corner int) (s sum) {
	part := 0.0
	for other := range corners {
		if other>>d&1 == 0 && !e.o.absent(other) {
			part += e.mass(d, corner, other)
		}
	}
	s.addScaled(e.volume()*e.w(d)*part, g[d][corner])
	return s
}

// potential returns φ, whose differences times w are what the fluxes are beyond those of edges alone: what is left of r is split into the parts of the three
// directions, of which only the modes along the direction are not zero.
func (e *element) potential(g *differences) (phi [corners]float64) {
	count := 0.0
	for s := range corners {
		if e.o.absent(s) {
			continue
		}
		count++
		var r, eigenvalue float64
		for d := range 3 {
			if s>>d&1 == 0 {
				continue
			}
			eigenvalue += 2 * e.w(d)
			for corner := range corners {
				if corner>>d&1 == 0 && !e.o.absent(corner) {
					r += 2 * character(s, corner) * (e.natural(g, d, corner).value - e.alone(g, d, corner).value)
				}
			}
		}
		if eigenvalue > 0 {
			for corner := range corners {
				phi[corner] += character(s, corner) * r / eigenvalue
			}
		}
	}
	for corner := range phi {
		phi[corner] /= count
	}
	return phi
}

// character returns (-1)^(s·corner).
func character(s, corner int) float64 { return float64(1 - 2*(bits.OnesCount(uint(s&corner))&1)) }

// flux returns the flux nearest to those of edges alone, along the edge of axis d above a corner. Its size is that of its terms: the
// natural flux, and a part of all b, of which direction d can have no more than c_d b.
func (e *element) flux(g, buoyancy *differences, d, corner int) sum {
	phi := e.potential(g)
	s := sum{value: e.alone(g, d, corner).value + e.w(d)*(phi[corner]-phi[corner|1<<d]), size: e.natural(g, d, corner).size}
	for other := range 1 << kernels.Z {
		s.size += e.volume() * e.w(d) * buoyancy[kernels.Z][other].size
	}
	return s
}

// edges calls visit with the cells around the edge between n and its high neighbour along d, and the corner of n.
func (o *Operator) edges(d int, n Node, visit func(e *element, corner int)) {
	for _, e := range o.elementsAt(n) {
		if corner := e.cornerOf(n); corner>>d&1 == 0 {
			visit(&e, corner)
		}
	}
}

// trilinearSource is buoyancySource without walls.
func (o *Operator) trilinearSource(n Node, t Field, mean []float64, rayleigh float64) (s sum) {
	for _, e := range o.elementsAt(n) {
		var g differences
		e.buoyant(&g, t, mean, rayleigh)
		s.addScaled(-1, e.outflow(&g, n))
	}
	return s
}

// trilinearFlux returns A_f Q_f of the dual face between n and its high neighbour along d.
func (o *Operator) trilinearFlux(d int, n Node, p, t Field, mean []float64, rayleigh float64) (s sum) {
	o.edges(d, n, func(e *element, corner int) {
		g := e.gradient(p)
		var b differences
		e.buoyant(&b, t, mean, rayleigh)
		e.buoyant(&g, t, mean, rayleigh)
		s.addScaled(1, e.flux(&g, &b, d, corner))
	})
	return s
}

// conducted returns the flux of u alone through the dual face between n and its high neighbour along d.
func (o *Operator) conducted(d int, n Node, u Field) (s sum) {
	o.edges(d, n, func(e *element, corner int) {
		g := e.gradient(u)
		s.addScaled(1, e.natural(&g, d, corner))
	})
	return s
}
