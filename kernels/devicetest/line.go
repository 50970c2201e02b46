package devicetest

import "convect/kernels"

// column is the vertical tridiagonal part T of an operator on the free nodes of one column (i,j): upper[k] ties node
// k to node k+1 (the last to the first where the column is periodic), and beside[k] is what is left of the diagonal.
type column struct {
	upper, beside []float64
	free          []bool
	periodic      bool
}

// column returns T on column (i,j).
func (o *Operator) column(i, j int) column {
	n := o.Box.N[kernels.Z]
	c := column{make([]float64, n), make([]float64, n), make([]bool, n), o.Periodic[kernels.Z]}
	for k := range n {
		node := Node{i, j, k}
		c.free[k] = o.Mask.At(node) != 0
		c.beside[k] = o.mass(node)
		if o.Stencil == kernels.TwentySevenPoint {
			for _, e := range o.elementsAt(node) {
				upper, beside := e.inColumn()
				c.beside[k] += beside
				if e.low[kernels.Z] == k {
					c.upper[k] += upper
				}
			}
			continue
		}
		c.upper[k] = o.conductance(kernels.Z, node)
		for d := range kernels.Z {
			if o.present(d) {
				c.beside[k] += o.conductance(d, shift(node, d, -1)) + o.conductance(d, node)
			}
		}
	}
	return c
}

// inColumn returns the conductance between two nodes of an element that lie above each other, and what ties each of them to the
// nodes beside their column: less the sum of both entries of its matrix.
func (e *element) inColumn() (upper, beside float64) {
	const above = 1 << kernels.Z
	upper = e.volume() * e.w(kernels.Z) * e.mass(kernels.Z, 0, above)
	for d := range kernels.Z {
		c := e.volume() * e.w(d)
		upper -= c * e.mass(d, 0, above)
		beside += c * (e.mass(d, 0, 0) + e.mass(d, 0, above))
	}
	return upper, beside
}

// network returns T as conductances between free nodes, and from each to ground, to which fixed nodes are tied.
func (c column) network() (between [][]float64, ground []float64) {
	n := len(c.upper)
	ground = append(ground, c.beside...)
	for range n {
		between = append(between, make([]float64, n))
	}
	tie := func(a, b int, g float64) {
		if c.free[b] {
			between[a][b] += g
		} else {
			ground[a] += g
		}
	}
	for k, g := range c.upper {
		if above := (k + 1) % n; k+1 < n || c.periodic {
			tie(k, above, g)
			tie(above, k, g)
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
			pivot[k] += between[k][m]
		}
		if !c.free[k] || pivot[k] == 0 {
			continue
		}
		for m := k + 1; m < n; m++ {
			part := between[k][m] / pivot[k]
			if part == 0 {
				continue
			}
			right[m].addScaled(part, right[k])
			ground[m] += part * ground[k]
			for p := k + 1; p < n; p++ {
				if p != m {
					between[m][p] += part * between[k][p]
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
			x[k].addScaled(between[k][m]/pivot[k], x[m])
		}
	}
	return x
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
