package islam_test

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/lab/islam"
)

// smoothed is what HierarchicalSmooth does.
type smoothed struct {
	omega  []float64
	tile   [2]int
	margin int
}

// smoothWeights are those of the sweeps.
var smoothWeights = []float64{0.57, 1.2, 0.9, 0.75}

// checkSmooth runs all operators, with tiles, margins and numbers of sweeps in turn.
func checkSmooth(t testing.TB, one func(string, func(*devicetest.Bench))) {
	tilings := []smoothed{{tile: [2]int{2, 3}, margin: 1}, {tile: [2]int{4, 2}, margin: 2}, {tile: [2]int{3, 5}}, {tile: [2]int{100, 4}, margin: 1},
		{tile: [2]int{8, 100}, margin: 5}}
	for i, c := range devicetest.OperatorCases() {
		s := tilings[i%len(tilings)]
		s.omega = smoothWeights[:1+(i+i/5)%len(smoothWeights)]
		one(fmt.Sprintf("%v-tiles-%dx%d-margin-%d-%d-sweeps", c, s.tile[0], s.tile[1], s.margin, len(s.omega)), func(b *devicetest.Bench) {
			o := b.Operator(c)
			u, f, before := b.Noise(o.Box), b.Noise(o.Box), b.Noise(o.Box)
			us, fs, out := b.Put(u.V), b.Put(f.V), b.Put(before.V)
			a := islam.HierarchicalSmoothArgs{A: o.Upload(&b.Memory), Periodic: o.Periodic, Out: out.Buffer, U: us.Buffer, F: fs.Buffer,
				Sweeps: len(s.omega), Tile: s.tile, Margin: s.margin}
			copy(a.Omega[:], s.omega)
			check := func(what string, u devicetest.Field) {
				b.Helper()
				got := b.Call(func() { on(t, b.Device).HierarchicalSmooth(a) }, out)
				want, size := s.of(o, u, f)
				b.Nodes(what, got[0], before, want, size, float64(len(s.omega)*devicetest.RelaxedRoundings))
			}
			check("Out", u)
			if a.U = nil; !c.Large() {
				check("Out from zero", devicetest.NewField(o.Box))
			}
		})
	}
}

// sum is a number, and a bound of what was added to it.
type sum struct{ value, size float64 }

// block holds the nodes low..high-1 of a box and a rim of one layer; those beyond periodic ends have places of their own.
type block struct {
	o         *devicetest.Operator
	low, high devicetest.Node
	v         []sum
}

// place returns where a node of the block or its rim is held.
func (c *block) place(n devicetest.Node) int {
	i := 0
	for d := kernels.Z; d >= 0; d-- {
		i = i*(c.high[d]-c.low[d]+2) + n[d] - c.low[d] + 1
	}
	return i
}

// of sweeps block after block, each from u, and takes over the tiles.
func (s smoothed) of(o *devicetest.Operator, u, f devicetest.Field) (value, size devicetest.Field) {
	value, size = devicetest.NewField(o.Box), devicetest.NewField(o.Box)
	magnitude := devicetest.NewField(o.Box)
	devicetest.EachNode(o.Box, func(n devicetest.Node) { magnitude.Set(n, math.Abs(f.At(n))) })
	for z := 0; z < o.Box.N[2]; z += s.tile[1] {
		for y := 0; y < o.Box.N[1]; y += s.tile[0] {
			low := devicetest.Node{0, y, z}
			high := devicetest.Node{o.Box.N[0], min(y+s.tile[0], o.Box.N[1]), min(z+s.tile[1], o.Box.N[2])}
			c := blockAround(o, low, high, s.margin, u)
			for _, omega := range s.omega {
				c.sweep(f, magnitude, omega)
			}
			each(low, high, func(n devicetest.Node) {
				s := c.v[c.place(n)]
				value.Set(n, s.value)
				size.Set(n, s.size)
			})
		}
	}
	return value, size
}

// blockAround copies the block of a tile with its rim.
func blockAround(o *devicetest.Operator, low, high devicetest.Node, margin int, u devicetest.Field) *block {
	c := &block{o: o, low: low, high: high}
	for d := kernels.Y; d <= kernels.Z; d++ {
		if d == kernels.Z || !o.Box.Flat() {
			c.low[d], c.high[d] = low[d]-margin, high[d]+margin
		}
		if !o.Periodic[d] {
			c.low[d], c.high[d] = max(c.low[d], 0), min(c.high[d], o.Box.N[d])
		}
	}
	c.v = make([]sum, c.place(c.high)+1)
	first, end := c.low, c.high
	for d := range first {
		first[d], end[d] = first[d]-1, end[d]+1
	}
	each(first, end, func(n devicetest.Node) {
		if at, inside := c.within(n); inside {
			c.v[c.place(n)] = sum{u.At(at), math.Abs(u.At(at))}
		}
	})
	return c
}

// within returns the node of the box that one of the block is, and whether there is one.
func (c *block) within(n devicetest.Node) (at devicetest.Node, inside bool) {
	for d, count := range c.o.Box.N {
		at[d] = n[d]
		if c.o.Periodic[d] {
			at[d] = (n[d]%count + count) % count
		}
		if at[d] < 0 || at[d] >= count {
			return at, false
		}
	}
	return at, true
}

// sweep makes one sweep on the block. Along x it is as long as the box.
func (c *block) sweep(f, magnitude devicetest.Field, omega float64) {
	next := append([]sum(nil), c.v...)
	value, size := devicetest.NewField(c.o.Box), devicetest.NewField(c.o.Box)
	each(c.low, c.high, func(n devicetest.Node) {
		at, _ := c.within(n)
		each(devicetest.Node{-1, -1, -1}, devicetest.Node{2, 2, 2}, func(to devicetest.Node) {
			near, there := devicetest.Node{n[0] + to[0], n[1] + to[1], n[2] + to[2]}, devicetest.Node{at[0] + to[0], at[1] + to[1], at[2] + to[2]}
			if c.o.Box.Flat() && to[1] != 0 || c.o.Stencil == kernels.SevenPoint && to[0]*to[0]+to[1]*to[1]+to[2]*to[2] > 1 {
				return
			}
			if wide := c.o.Box.N[0]; c.o.Periodic[0] {
				near[0] = (near[0] + wide) % wide
			}
			value.Set(there, c.v[c.place(near)].value)
			size.Set(there, c.v[c.place(near)].size)
		})
		own := &next[c.place(n)]
		own.value, _ = c.o.Relaxed(at, f, value, omega)
		_, bound := c.o.Relaxed(at, magnitude, size, omega)
		own.size = max(own.size, bound)
	})
	c.v = next
}
