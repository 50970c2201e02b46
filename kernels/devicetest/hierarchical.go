package devicetest

import (
	"math"

	"convect/kernels"
)

// blocks describes the sweeps of kernels.HierarchicalSmoothArgs.
type blocks struct {
	omega  []float64
	tile   [2]int
	margin int
}

// block holds the nodes low..high-1 of a box and a rim of one layer; those beyond periodic ends have places of their own.
type block struct {
	o         *Operator
	low, high Node
	v         []sum
}

// place returns where a node of the block or its rim is held.
func (c *block) place(n Node) int {
	i := 0
	for d := kernels.Z; d >= 0; d-- {
		i = i*(c.high[d]-c.low[d]+2) + n[d] - c.low[d] + 1
	}
	return i
}

// hierarchicalSmooth sweeps block after block, each from u, and takes over the tiles.
func (o *Operator) hierarchicalSmooth(u, f Field, b blocks) result {
	out := result{NewField(o.Box), NewField(o.Box)}
	magnitude := NewField(o.Box)
	EachNode(o.Box, func(n Node) { magnitude.Set(n, math.Abs(f.At(n))) })
	for z := 0; z < o.Box.N[2]; z += b.tile[1] {
		for y := 0; y < o.Box.N[1]; y += b.tile[0] {
			low := Node{0, y, z}
			high := Node{o.Box.N[0], min(y+b.tile[0], o.Box.N[1]), min(z+b.tile[1], o.Box.N[2])}
			c := o.blockAround(low, high, b.margin, u)
			for _, omega := range b.omega {
				c.sweep(f, magnitude, omega)
			}
			eachWithin(low, high, func(n Node) {
				s := c.v[c.place(n)]
				out.value.Set(n, s.value)
				out.size.Set(n, s.size)
			})
		}
	}
	return out
}

// blockAround copies the block of a tile with its rim.
func (o *Operator) blockAround(low, high Node, margin int, u Field) *block {
	c := &block{o: o, low: low, high: high}
	for d := kernels.Y; d <= kernels.Z; d++ {
		if o.present(d) {
			c.low[d], c.high[d] = low[d]-margin, high[d]+margin
		}
		if !o.Periodic[d] {
			c.low[d], c.high[d] = max(c.low[d], 0), min(c.high[d], o.Box.N[d])
		}
	}
	first := shift(shift(shift(c.low, 0, -1), 1, -1), 2, -1)
	c.v = make([]sum, c.place(c.high)+1)
	eachWithin(first, shift(shift(shift(c.high, 0, 1), 1, 1), 2, 1), func(n Node) {
		if at, inside := c.within(n); inside {
			c.v[c.place(n)] = sum{u.At(at), math.Abs(u.At(at))}
		}
	})
	return c
}

// within returns the node of the box that one of the block is, and whether there is one.
func (c *block) within(n Node) (at Node, inside bool) {
	for d := range n {
		at[d] = n[d]
		if c.o.Periodic[d] {
			at[d] = wrap(n[d], c.o.Box.N[d])
		}
		if at[d] < 0 || at[d] >= c.o.Box.N[d] {
			return at, false
		}
	}
	return at, true
}

// sweep makes one sweep on the block. Along x it is as long as the box.
func (c *block) sweep(f, magnitude Field, omega float64) {
	next := append([]sum(nil), c.v...)
	value, size := NewField(c.o.Box), NewField(c.o.Box)
	eachWithin(c.low, c.high, func(n Node) {
		at, _ := c.within(n)
		eachWithin(Node{-1, -1, -1}, Node{2, 2, 2}, func(to Node) {
			near, there := Node{n[0] + to[0], n[1] + to[1], n[2] + to[2]}, Node{at[0] + to[0], at[1] + to[1], at[2] + to[2]}
			if !c.o.present(kernels.Y) && to[1] != 0 || c.o.Stencil == kernels.SevenPoint && to[0]*to[0]+to[1]*to[1]+to[2]*to[2] > 1 {
				return
			}
			if c.o.Periodic[0] {
				near[0] = wrap(near[0], c.o.Box.N[0])
			}
			value.Set(there, c.v[c.place(near)].value)
			size.Set(there, c.v[c.place(near)].size)
		})
		own := &next[c.place(n)]
		own.value = c.o.relaxed(at, f, value, omega).value
		own.size = max(own.size, c.o.relaxed(at, magnitude, size, omega).size)
	})
	c.v = next
}
