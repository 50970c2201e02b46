package devicetest

import "convect/kernels"

// entry is an entry of a row of a matrix.
type entry struct {
	node  Node
	value float64
}

// matrix returns the rows of the free nodes, for values that are zero at fixed nodes.
func matrix(o *Operator) map[Node][]entry {
	rows := map[Node][]entry{}
	EachNode(o.Box, func(n Node) {
		if o.Mask.At(n) == 0 {
			return
		}
		row := []entry{{n, o.diagonal(n)}}
		if o.Stencil == kernels.TwentySevenPoint {
			rows[n] = append(row, o.neighbours(n)...)
			return
		}
		for _, f := range o.faces(n) {
			beyond := shift(n, f.axis, int(f.sign))
			other := image(o.Box, beyond, o.Periodic, 1)
			if !f.wall && o.Mask.At(other) == 1 {
				row = append(row, entry{other, -o.conductance(f.axis, f.at)})
			}
		}
		rows[n] = row
	})
	return rows
}

// neighbours returns the entries of a row of trilinear elements beside the diagonal, the same node's several times.
func (o *Operator) neighbours(n Node) (row []entry) {
	for _, e := range o.elementsAt(n) {
		e.terms(n, func(to Node, c float64) {
			if at := image(o.Box, to, o.Periodic, 1); to != n && o.Mask.At(at) == 1 {
				row = append(row, entry{at, c})
			}
		})
	}
	return row
}

// solve solves A U = F by conjugate gradients with diagonal preconditioning, in float64 whatever the element type.
func solve(o *Operator, f Field, singular bool) Field {
	rows := matrix(o)
	dot := func(x, y Field) float64 { return reduce(kernels.Dot, o.Grid, x, y, 0, o.Mask).value }
	field := func(point func(n Node, row []entry) float64) Field {
		x := NewField(o.Box)
		for n, row := range rows {
			x.Set(n, point(n, row))
		}
		return x
	}
	project := func(r Field) Field {
		if singular {
			return consistent(o.Grid, r)
		}
		return r
	}
	u := NewField(o.Box)
	r := project(field(func(n Node, _ []entry) float64 { return f.At(n) }))
	z := field(func(n Node, row []entry) float64 { return r.At(n) / row[0].value })
	p, rz := z, dot(r, z)
	for floor := 1e-32 * rz; rz > floor; {
		q := field(func(_ Node, row []entry) (s float64) {
			for _, e := range row {
				s += e.value * p.At(e.node)
			}
			return s
		})
		alpha := rz / dot(p, q)
		u = field(func(n Node, _ []entry) float64 { return u.At(n) + alpha*p.At(n) })
		r = project(field(func(n Node, _ []entry) float64 { return r.At(n) - alpha*q.At(n) }))
		z = field(func(n Node, row []entry) float64 { return r.At(n) / row[0].value })
		next := dot(r, z)
		p, rz = field(func(n Node, _ []entry) float64 { return z.At(n) + next/rz*p.At(n) }), next
	}
	if singular {
		u = removeMean(o.Grid, u, false).value
	}
	return u
}
