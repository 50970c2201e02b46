package devicetest

import (
	"math"

	"convect/kernels"
)

// dispersivities are the lengths of dispersion.
type dispersivities struct{ longitudinal, transverse float64 }

// cellVelocity returns the velocity at the centre of a cell: along each axis the mean of the faces that touch the cell.
func (g *Grid) cellVelocity(q flow, cell Node) (u [3]sum) {
	for d := range u {
		if !g.present(d) {
			continue
		}
		faces := 0.0
		g.nodesOf(cell, func(n Node) {
			if n[d] == cell[d] {
				faces++
			}
		})
		g.nodesOf(cell, func(n Node) {
			if n[d] == cell[d] {
				u[d].add(q[d].At(n) / faces)
			}
		})
	}
	return u
}

// cellSpeed returns |u| at the centre of a cell, with the size of what it is made of.
func (g *Grid) cellSpeed(q flow, cell Node) (s sum) {
	for _, u := range g.cellVelocity(q, cell) {
		s.value = math.Hypot(s.value, u.value)
		s.size += u.size
	}
	return s
}

// dispersivity returns K + length |u| in the cells of the domain, and the largest of what is added.
func (g *Grid) dispersivity(q flow, k func(cell Node) float64, length float64) (r result, most sum) {
	r = result{NewField(g.Box), NewField(g.Box)}
	g.cellsOf(func(cell Node) {
		var s, more sum
		s.add(k(cell))
		more.addScaled(length, g.cellSpeed(q, cell))
		s.addScaled(1, more)
		r.value.Set(cell, s.value)
		r.size.Set(cell, s.size)
		most.value, most.size = math.Max(most.value, more.value), math.Max(most.size, more.size)
	})
	return r, most
}

// spreading returns E(u) of a cell. u_d u_e/|u| changes by no more than twice what a component does.
func (g *Grid) spreading(q flow, cell Node, l dispersivities) (e [3][3]sum) {
	u, speed := g.cellVelocity(q, cell), g.cellSpeed(q, cell)
	for d := range e {
		for c := range e {
			if d == c {
				e[d][c].addScaled(l.transverse, speed)
			}
			if speed.value > 0 {
				e[d][c].value += (l.longitudinal - l.transverse) * u[d].value * u[c].value / speed.value
			}
			e[d][c].size += 2 * (l.longitudinal + l.transverse) * speed.size
		}
	}
	return e
}

// difference returns T at the upper end of an edge less T at the lower one, over the width of the cell; 0 where it lies beyond a wall.
func (g *Grid) difference(t Field, n Node, d int) (s sum) {
	if g.inner(d, n) {
		s.add(t.At(shift(n, d, 1)) / g.H[d].At(n[d]))
		s.add(-t.At(n) / g.H[d].At(n[d]))
	}
	return s
}

// edgesAlong calls visit for the lower ends of the edges of a cell along an axis.
func (g *Grid) edgesAlong(cell Node, d int, visit func(n Node)) {
	g.nodesOf(cell, func(n Node) {
		if n[d] == cell[d] {
			visit(n)
		}
	})
}

// meanSlope returns the mean of the differences of a cell's edges along an axis.
func (g *Grid) meanSlope(t Field, cell Node, d int) (s sum) {
	edges := 0.0
	g.edgesAlong(cell, d, func(Node) { edges++ })
	g.edgesAlong(cell, d, func(n Node) { s.addScaled(1/edges, g.difference(t, n, d)) })
	return s
}

// elementSlope returns the difference along an edge as trilinear elements have it: the parts of an edge are twice as much of the edges that
// lie with it across each axis as of those that do not.
func (g *Grid) elementSlope(t Field, cell, edge Node, d int) (s sum) {
	g.edgesAlong(cell, d, func(n Node) {
		weight := 1.0
		for across := range n {
			if across == d || !g.present(across) {
				continue
			}
			part := 1.0 / 3
			if n[across] == edge[across] {
				part = 2.0 / 3
			}
			weight *= part
		}
		s.addScaled(weight, g.difference(t, n, d))
	})
	return s
}

// vanLeer returns the mean 2ab/(a+b) of slopes of one sign. It changes by no more than twice what a slope does.
func vanLeer(a, b sum) sum {
	s := sum{size: 2 * (a.size + b.size)}
	if a.value*b.value > 0 {
		s.value = 2 * a.value * b.value / (a.value + b.value)
	}
	return s
}

// limitedSlope returns the slope along an axis at an edge.
func (g *Grid) limitedSlope(t Field, edge Node, d, along int) sum {
	at := func(n Node) sum {
		return vanLeer(g.difference(t, n, along), g.difference(t, shift(n, along, -1), along))
	}
	return vanLeer(at(edge), at(shift(edge, d, 1)))
}

// edgeFlux returns what flows along an edge of a cell by dispersion, up its axis, with E of the cell.
func (g *Grid) edgeFlux(t Field, form kernels.Spreading, e *[3][3]sum, cell, edge Node, d int) (s sum) {
	along := g.difference(t, edge, d)
	if form == kernels.SpreadTrilinear {
		along = g.elementSlope(t, cell, edge, d)
	}
	add := func(e, slope sum) {
		s.value += e.value * slope.value
		s.size += e.size * slope.size
	}
	add(e[d][d], along)
	for across := range e {
		if across == d || !g.present(across) {
			continue
		}
		slope := g.meanSlope(t, cell, across)
		if form == kernels.SpreadLimited {
			slope = g.limitedSlope(t, edge, d, across)
		}
		add(e[d][across], slope)
	}
	edges, area := 0.0, 1.0
	g.edgesAlong(cell, d, func(Node) { edges++ })
	for across := range e {
		if across != d && g.present(across) {
			area *= g.H[across].At(cell[across])
		}
	}
	var flux sum
	flux.addScaled(-area/edges, s)
	return flux
}

// disperse returns what dispersion brings to every node, what it carries along an axis times distance, and its dissipation.
func (g *Grid) disperse(q flow, t Field, form kernels.Spreading, l dispersivities, axis int) (gain result, carried, dissipated sum) {
	gain = result{NewField(g.Box), NewField(g.Box)}
	add := func(n Node, c float64, s sum) {
		for d := range n {
			n[d] = wrap(n[d], g.Box.N[d])
		}
		gain.value.Set(n, gain.value.At(n)+c*s.value)
		gain.size.Set(n, gain.size.At(n)+s.size)
	}
	g.cellsOf(func(cell Node) {
		e := g.spreading(q, cell, l)
		for d := range 3 {
			if !g.present(d) {
				continue
			}
			g.edgesAlong(cell, d, func(n Node) {
				f := g.edgeFlux(t, form, &e, cell, n, d)
				add(n, -1, f)
				add(shift(n, d, 1), 1, f)
				if d == axis {
					carried.addScaled(g.H[d].At(cell[d]), f)
				}
			})
		}
	})
	EachNode(g.Box, func(n Node) {
		dissipated.addScaled(-t.At(n), sum{gain.value.At(n), math.Copysign(gain.size.At(n), 1)})
	})
	return gain, carried, dissipated
}
