package physics

import (
	"encoding/binary"
	"slices"

	"convect/kernels"
	"convect/kernels/parallel"
)

// covering tells which patches cover the nodes of a side, and the parts of their dual faces. Neither changes in a run.
type covering struct {
	kinds [][]*Patch        // what points can be covered by: patches that replace parts of the wall's condition, one after the other
	known map[string]uint16 // the kinds by the numbers of these patches
	nodes []uint16          // the kind of each node; nil: all are alike
	used  []bool            // the kinds that nodes are of
	cut   []bool            // the kinds that parts of dual faces are of
	parts []wallPart        // of dual faces, those of a node after each other; nil: not asked for
}

// wallPart is a part of the dual face of a node: up to the edges of patches.
type wallPart struct {
	node int
	kind uint16
	area float64
	x    [3]float64 // where it is evaluated
}

// fewPoints is the number of points below which other processors are not asked to help.
const fewPoints = 2048

// span is a range of values; the zero value holds none.
type span struct {
	low, high float64
	some      bool
}

// take widens the range to a value, and returns it. Once a value is no number, neither are the ends.
func (m *span) take(v float64) float64 {
	switch {
	case !m.some || v != v:
		m.low, m.high, m.some = v, v, true
	case v < m.low:
		m.low = v
	case v > m.high:
		m.high = v
	}
	return v
}

// joined returns the range that holds two.
func (m span) joined(o span) span {
	if o.some {
		m.take(o.low)
		m.take(o.high)
	}
	return m
}

// each passes the ends of the range, if it holds values.
func (m span) each(take func(v float64) float64) {
	if m.some {
		take(m.low)
		take(m.high)
	}
}

// coveringOf returns that of a side.
func (w *walls) coveringOf(s kernels.Side) *covering {
	if w.coverings[s] != nil {
		return w.coverings[s]
	}
	c := &covering{known: map[string]uint16{}}
	if w.kindAt(s, w.point(s, 0), c); w.patched(s) {
		c.nodes = make([]uint16, w.grid.Box.WallNodes(s))
		for n := range c.nodes {
			c.nodes[n] = w.kindAt(s, w.point(s, n), c)
		}
	}
	c.used = slices.Repeat([]bool{true}, len(c.kinds))
	w.coverings[s] = c
	return c
}

// patched tells whether a side has patches.
func (w *walls) patched(s kernels.Side) bool {
	for i := range w.p.Patches {
		if w.p.Patches[i].Side == s {
			return true
		}
	}
	return false
}

// kindAt returns by what a point of a side is covered, which is added to the kinds if it is new.
func (w *walls) kindAt(s kernels.Side, x [3]float64, c *covering) uint16 {
	var key []byte
	var all []*Patch
	for i := range w.p.Patches {
		if p := &w.p.Patches[i]; p.Side == s && p.Holds(&w.p.Extent, x) {
			key, all = binary.AppendUvarint(key, uint64(i)), append(all, p)
		}
	}
	kind, ok := c.known[string(key)]
	if !ok {
		kind = uint16(len(c.kinds))
		c.known[string(key)] = kind
		c.kinds = append(c.kinds, all)
	}
	return kind
}

// kindOf returns the kind of a node.
func (c *covering) kindOf(n int) uint16 {
	if c.nodes == nil {
		return 0
	}
	return c.nodes[n]
}

// conditions returns the condition of each kind.
func (w *walls) conditions(s kernels.Side, c *covering) []Wall {
	all := make([]Wall, len(c.kinds))
	for n, patches := range c.kinds {
		all[n] = w.p.Walls[s]
		for _, p := range patches {
			p.replace(&all[n])
		}
	}
	return all
}

// alike tells of which kinds of a side no value depends on position.
func (w *walls) alike(s kernels.Side, c *covering) []bool {
	all := make([]bool, len(c.kinds))
	for n, patches := range c.kinds {
		all[n] = w.p.Walls[s].Alike && !slices.ContainsFunc(patches, func(p *Patch) bool { return !p.Wall.Alike })
	}
	return all
}

// evaluator evaluates f at points of a side by their kind, where no value depends on position once for all of them.
type evaluator struct {
	conditions []Wall
	alike      []bool
	once       []float64
	met        span // of what f has taken once
}

// evaluator returns one for the kinds that are used.
func (w *walls) evaluator(s kernels.Side, c *covering, used []bool, f func(c *Wall, x [3]float64, met *span) float64) *evaluator {
	e := &evaluator{conditions: w.conditions(s, c), alike: w.alike(s, c), once: make([]float64, len(c.kinds))}
	for n := range e.alike {
		if e.alike[n] = e.alike[n] && n < len(used) && used[n]; e.alike[n] {
			e.once[n] = f(&e.conditions[n], w.point(s, 0), &e.met)
		}
	}
	return e
}

// nodes evaluates f on every node of a side, on several processors, and returns the range of what f has taken.
func (w *walls) nodes(s kernels.Side, f func(c *Wall, x [3]float64, met *span) float64) ([]float64, span) {
	v := make([]float64, w.grid.Box.WallNodes(s))
	c := w.coveringOf(s)
	e := w.evaluator(s, c, c.used, f)
	return v, e.met.joined(overPoints(len(v), len(v), func(first, last int) (met span) {
		for n := first; n < last; n++ {
			if kind := c.kindOf(n); e.alike[kind] {
				v[n] = e.once[kind]
			} else {
				v[n] = f(&e.conditions[kind], w.point(s, n), &met)
			}
		}
		return met
	}))
}

// overPoints joins ranges of parts of n things, which few points in all are not worth to be shared out for.
func overPoints(n, points int, of func(first, last int) span) span {
	if points < fewPoints {
		return of(0, n)
	}
	return parallel.Fold(n, of, span.joined)
}

// integrate returns for every node of a side the integral of f over its dual face, cut exactly along the edges of patches, by the midpoint of each part, and the range of
// what f has taken. Each part is passed to seen, unless it is nil.
func (w *walls) integrate(s kernels.Side, f func(c *Wall, x [3]float64, met *span) float64, seen func(x [3]float64, q float64)) ([]float64, span) {
	c := w.cutOf(s)
	e := w.evaluator(s, c, c.cut, f)
	q, met := eachPart(c.parts, func(p *wallPart, met *span) float64 {
		if e.alike[p.kind] {
			return e.once[p.kind]
		}
		return f(&e.conditions[p.kind], p.x, met)
	})
	met = e.met.joined(met)
	n := w.grid.Box.WallNodes(s)
	if len(q) == n && seen == nil { // every node has one part
		return q, met
	}
	v := make([]float64, n)
	for n := range c.parts {
		p := &c.parts[n]
		v[p.node] += q[n]
		if seen != nil {
			seen(p.x, q[n])
		}
	}
	return v, met
}

// parts passes to take, one after the other, the integral of f over each part of the dual faces of the nodes of a side. f is evaluated on several processors.
func (w *walls) parts(s kernels.Side, f func(p *wallPart, c *Wall) float64, take func(p *wallPart, q float64)) {
	c := w.cutOf(s)
	conditions := w.conditions(s, c)
	q, _ := eachPart(c.parts, func(p *wallPart, _ *span) float64 { return f(p, &conditions[p.kind]) })
	for n := range c.parts {
		take(&c.parts[n], q[n])
	}
}

// cutOf returns the covering of a side with the parts of its dual faces, which are kept where they are needed at every step.
func (w *walls) cutOf(s kernels.Side) *covering {
	c := w.coveringOf(s)
	if c.parts != nil {
		return c
	}
	parts := w.cutFaces(s, c)
	if !w.varies(s) {
		once := *c
		c = &once
	}
	c.parts, c.cut = parts, make([]bool, len(c.kinds))
	for n := range parts {
		c.cut[parts[n].kind] = true
	}
	return c
}

// eachPart returns the integrals of f over parts, and what it has taken.
func eachPart(parts []wallPart, f func(p *wallPart, met *span) float64) ([]float64, span) {
	q := make([]float64, len(parts))
	return q, overPoints(len(parts), len(parts), func(first, last int) (met span) {
		for n := first; n < last; n++ {
			q[n] = parts[n].area * f(&parts[n], &met)
		}
		return met
	})
}

// cutFaces returns the parts of the dual faces of the nodes of a side.
func (w *walls) cutFaces(s kernels.Side, c *covering) []wallPart {
	all, kind := make([]wallPart, 0, w.grid.Box.WallNodes(s)), func([3]float64) uint16 { return 0 }
	if w.patched(s) {
		kind = func(x [3]float64) uint16 { return w.kindAt(s, x, c) }
	}
	for n := range w.grid.Box.WallNodes(s) {
		var cuts [3][]float64
		node := [3]int{}
		node[0], node[1], node[2] = w.grid.WallIndex(s, n)
		for d := range 3 {
			cuts[d] = w.cuts(s, d, node[d])
		}
		for i := range (len(cuts[0]) - 1) * (len(cuts[1]) - 1) * (len(cuts[2]) - 1) {
			across := len(cuts[2]) - 1
			of := [3]int{i / across / (len(cuts[1]) - 1), i / across % (len(cuts[1]) - 1), i % across}
			part, x := 1.0, w.point(s, n)
			for d, i := range of {
				if d != s.Axis() && w.grid.Cells[d] > 0 {
					part *= cuts[d][i+1] - cuts[d][i]
					x[d] = w.midpoint(d, node[d], cuts[d], i)
				}
			}
			all = append(all, wallPart{n, kind(x), part, x})
		}
	}
	return all
}
