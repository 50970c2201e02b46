package devicetest

import (
	"math"

	"convect/kernels"
)

// conductivity returns K of axis d in the cell at node n.
func (o *Operator) conductivity(d int, n Node) float64 {
	if o.Cells[0] == nil {
		return o.K[d]
	}
	return o.Cells[d].At(n)
}

// section returns A_f k_f = g_f h of the dual face between n and its high neighbour along d,
// Σ_{a,b in {-1,0}} K_d[n + a p + b q] h_p h_q / 4, with p and q the other two axes.
func (o *Operator) section(d int, n Node) float64 {
	p, q := others(d)
	var s float64
	for a := -1; a <= 0; a++ {
		for b := -1; b <= 0; b++ {
			cell := n
			cell[p] += a
			cell[q] += b
			s += o.conductivity(d, cell) * o.H[p].At(cell[p]) * o.H[q].At(cell[q]) / 4
		}
	}
	return s
}

// conductance returns g_f of the dual face between n and its high neighbour along d.
func (o *Operator) conductance(d int, n Node) float64 {
	return o.RH[d].At(n[d]) * o.section(d, n)
}

// mass returns s m_n.
func (o *Operator) mass(n Node) float64 {
	if o.Mass != nil {
		return o.MassScale * o.Mass.At(n)
	}
	return o.MassScale * o.volume(n)
}

// terms calls visit with the coefficients of (A u)_n less the mass, Σ_faces g_f (u_n - u_neighbour) or the trilinear elements around n
// instead of faces, and the node that each belongs to, some nodes more than once.
func (o *Operator) terms(n Node, visit func(to Node, c float64)) {
	if o.Stencil == kernels.TwentySevenPoint {
		for _, e := range o.elementsAt(n) {
			e.terms(n, visit)
		}
		return
	}
	for d := range n {
		if !o.present(d) {
			continue
		}
		low, high := shift(n, d, -1), shift(n, d, 1)
		gLow, gHigh := o.conductance(d, low), o.conductance(d, n)
		visit(n, gLow)
		visit(low, -gLow)
		visit(n, gHigh)
		visit(high, -gHigh)
	}
}

// at returns (A u)_n = s m_n u_n + the terms of the neighbours.
func (o *Operator) at(n Node, u Field) (s sum) {
	s.add(o.mass(n) * u.At(n))
	t := o.coefficients()
	own := u.Box.Index(n[0], n[1], n[2])
	for i, c := range t.of(n) {
		if c.size > 0 { // else beyond a wall
			v := u.V[own+t.to[i]]
			s.value += c.value * v
			s.size += c.size * math.Abs(v)
		}
	}
	return s
}

// diagonal returns D_n = s m_n + Σ_faces g_f, or the same of trilinear elements.
func (o *Operator) diagonal(n Node) float64 {
	return o.mass(n) + o.coefficients().diagonal[nodeNumber(o.Box, n)]
}

// diagonalTerms returns D_n without mass.
func (o *Operator) diagonalTerms(n Node) (s float64) {
	if o.Stencil == kernels.TwentySevenPoint {
		for _, e := range o.elementsAt(n) {
			s += e.diagonal()
		}
		return s
	}
	for d := range n {
		if o.present(d) {
			s += o.conductance(d, shift(n, d, -1)) + o.conductance(d, n)
		}
	}
	return s
}

// residualAt returns (F - A U)_n.
func (o *Operator) residualAt(n Node, f, u Field) (s sum) {
	s.add(f.At(n))
	s.addScaled(-1, o.at(n, u))
	return s
}

// relaxed returns U + Omega mask D^-1 (F - A U) at a node, and U where D is zero.
func (o *Operator) relaxed(n Node, f, u Field, omega float64) sum {
	d := o.diagonal(n)
	if d == 0 || o.Mask.At(n) == 0 {
		return exact(u.At(n))
	}
	var s sum
	s.add(u.At(n))
	s.addScaled(omega/d, o.residualAt(n, f, u))
	return s
}

// masked returns mask s.
func (o *Operator) masked(n Node, s sum) sum {
	return sum{o.Mask.At(n) * s.value, o.Mask.At(n) * s.size}
}

// apply returns mask (A X).
func (o *Operator) apply(x Field) result {
	return compute(o.Box, func(n Node) sum { return o.masked(n, o.at(n, x)) })
}

// residual returns mask (F - A U).
func (o *Operator) residual(f, u Field) result {
	return compute(o.Box, func(n Node) sum { return o.masked(n, o.residualAt(n, f, u)) })
}

// smooth returns one damped Jacobi sweep U + Omega mask D^-1 (F - A U).
func (o *Operator) smooth(u, f Field, omega float64) result {
	return compute(o.Box, func(n Node) sum { return o.relaxed(n, f, u, omega) })
}

// redBlack relaxes the nodes with (i+j+k) mod 2 = colour. Their neighbours have the other colour, so that the
// order of the nodes does not matter.
func (o *Operator) redBlack(u, f Field, omega float64, colour int) result {
	return compute(o.Box, func(n Node) sum {
		if (n[0]+n[1]+n[2])%2 != colour {
			return exact(u.At(n))
		}
		return o.relaxed(n, f, u, omega)
	})
}

// massUpdate returns U + mask R / (s m).
func (o *Operator) massUpdate(u, r Field) result {
	return compute(o.Box, func(n Node) sum {
		if o.Mask.At(n) == 0 {
			return exact(u.At(n))
		}
		var s sum
		s.add(u.At(n))
		s.add(r.At(n) / o.mass(n))
		return s
	})
}

// consistent returns F - V ΣF/ΣV: a right side that an operator with constants as null space can reach.
func consistent(g *Grid, f Field) Field {
	return removeMean(g, f, true).value
}

// wrapHalo fills all halo layers of a field along the periodic axes.
func (g *Grid) wrapHalo(x Field) { halo(x, g.Periodic, kernels.HaloWidth) }
