package devicetest

import (
	"math"

	"convect/kernels"
)

// column is the vertical tridiagonal part T of an operator on the free nodes of one column (i,j): upper[k] ties node
// k to node k+1 (the last to the first where the column is periodic), and beside[k] is what is left of the diagonal. terms[k] are the
// sizes of what upper[k] is added up from, which may cancel with 27 points.
type column struct {
	upper, beside, terms []float64
	free                 []bool
	periodic             bool
}

// column returns T on column (i,j).
func (o *Operator) column(i, j int) column {
	n := o.Box.N[kernels.Z]
	c := column{make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n), o.Periodic[kernels.Z]}
	for k := range n {
		node := Node{i, j, k}
		c.free[k] = o.Mask.At(node) != 0
		c.beside[k] = o.mass(node)
		if o.Stencil == kernels.TwentySevenPoint {
			for _, e := range o.elementsAt(node) {
				upper, beside, terms := e.inColumn()
				c.beside[k] += beside
				if e.low[kernels.Z] == k {
					c.upper[k] += upper
					c.terms[k] += terms
				}
			}
			continue
		}
		c.upper[k] = o.conductance(kernels.Z, node)
		c.terms[k] = c.upper[k]
		for d := range kernels.Z {
			if o.present(d) {
				c.beside[k] += o.conductance(d, shift(node, d, -1)) + o.conductance(d, node)
			}
		}
	}
	return c
}

// inColumn returns the conductance between two nodes of an element that lie above each other, and what ties each of them to the
// nodes beside their column: less the sum of both entries of its matrix. terms is the size of what the conductance is made of.
func (e *element) inColumn() (upper, beside, terms float64) {
	const above = 1 << kernels.Z
	upper = e.volume() * e.w(kernels.Z) * e.mass(kernels.Z, 0, above)
	terms = upper
	for d := range kernels.Z {
		c := e.volume() * e.w(d)
		upper -= c * e.mass(d, 0, above)
		terms += c * e.mass(d, 0, above)
		beside += c * (e.mass(d, 0, 0) + e.mass(d, 0, above))
	}
	return upper, beside, terms
}

// network returns T as conductances between free nodes, and from each to ground, to which fixed nodes are tied. The size of a
// conductance is that of its terms.
func (c column) network() (between [][]sum, ground []float64) {
	n := len(c.upper)
	ground = append(ground, c.beside...)
	for range n {
		between = append(between, make([]sum, n))
	}
	tie := func(a, b int, g, terms float64) {
		if c.free[b] {
			between[a][b].value += g
			between[a][b].size += terms
		} else {
			ground[a] += g
		}
	}
	for k, g := range c.upper {
		if above := (k + 1) % n; k+1 < n || c.periodic {
			tie(k, above, g, c.terms[k])
			tie(above, k, g, c.terms[k])
		}
	}
	return between, ground
}

// solve returns x with T x = r at free nodes and zero at fixed ones. Free nodes are eliminated from the lowest up,
// as nodes of a network: what remains between the others is what the eliminated node conducted between them.
func (c column) solve(r []sum) []sum {
	n := len(r)
	between, ground := c.network()
	right, x := append([]sum(nil), r...), make([]sum, n)
	pivot := make([]float64, n)
	for k := range n {
		pivot[k] = ground[k]
		for m := k + 1; m < n; m++ {
			pivot[k] += between[k][m].value
		}
		if !c.free[k] || pivot[k] == 0 {
			continue
		}
		for m := k + 1; m < n; m++ {
			part := between[k][m].over(pivot[k])
			if part.size == 0 {
				continue
			}
			right[m].addProduct(part, right[k])
			ground[m] += part.value * ground[k]
			for p := k + 1; p < n; p++ {
				if p != m {
					between[m][p].addProduct(part, between[k][p])
				}
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		if !c.free[k] || pivot[k] == 0 {
			continue
		}
		x[k].addScaled(1/pivot[k], right[k])
		for m := k + 1; m < n; m++ {
			x[k].addProduct(between[k][m].over(pivot[k]), x[m])
		}
	}
	return x
}

// over returns a sum over a number.
func (s sum) over(pivot float64) sum { return sum{s.value / pivot, s.size / math.Abs(pivot)} }

// addProduct adds c times t. An error of t counts c times, and what c has lost by cancellation counts with t.
func (s *sum) addProduct(c, t sum) {
	s.addScaled(c.value, t)
	s.size += (c.size - math.Abs(c.value)) * math.Abs(t.value)
}

// lineSmooth returns U + Omega T^-1 (F - A U), T the vertical tridiagonal part of A.
func (o *Operator) lineSmooth(u, f Field, omega float64) result {
	out := result{NewField(o.Box), NewField(o.Box)}
	r := make([]sum, o.Box.N[kernels.Z])
	eachWithin(Node{}, Node{o.Box.N[0], o.Box.N[1], 1}, func(n Node) {
		c := o.column(n[0], n[1])
		for k := range r {
			node := Node{n[0], n[1], k}
			r[k] = o.masked(node, o.residualAt(node, f, u))
		}
		for k, x := range c.solve(r) {
			node := Node{n[0], n[1], k}
			s := exact(u.At(node))
			if c.free[k] {
				s = sum{}
				s.add(u.At(node))
				s.addScaled(omega, x)
			}
			out.value.Set(node, s.value)
			out.size.Set(node, s.size)
		}
	})
	return out
}
