package physics

import (
	"math"
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// walls evaluates wall conditions and patches on a grid.
type walls struct {
	grid  *stencil.Grid
	p     *Parameters
	x     [3][]float64   // node coordinates
	sides []kernels.Side // that are walls

	speed, pressure float64 // the largest velocity and pressure that have been prescribed so far, positive
}

func newWalls(g *stencil.Grid, p *Parameters) *walls {
	w := &walls{grid: g, p: p}
	for d := range 3 {
		w.x[d] = g.Coordinates(d)
	}
	for s := kernels.Left; s <= kernels.Top; s++ {
		if g.Wall(s) {
			w.sides = append(w.sides, s)
		}
	}
	return w
}

// at returns the condition at a point of a side: that of the last patch that holds it, edges included.
func (w *walls) at(s kernels.Side, x [3]float64) Wall {
	c := w.p.Walls[s]
	for i := range w.p.Patches {
		if p := &w.p.Patches[i]; p.Side == s && p.Holds(&w.p.Extent, x) {
			p.replace(&c)
		}
	}
	return c
}

// point returns the coordinates of element n of a wall array.
func (w *walls) point(s kernels.Side, n int) [3]float64 {
	i, j, k := w.grid.WallIndex(s, n)
	return [3]float64{w.x[0][i], w.x[1][j], w.x[2][k]}
}

// nodes evaluates f on every node of a side.
func (w *walls) nodes(s kernels.Side, f func(c Wall, x [3]float64) float64) []float64 {
	v := make([]float64, w.grid.Box.WallNodes(s))
	for n := range v {
		x := w.point(s, n)
		v[n] = f(w.at(s, x), x)
	}
	return v
}

// integrate returns for every node of a side the integral of f over its dual face, cut exactly along the edges of
// patches, by the midpoint of each part.
func (w *walls) integrate(s kernels.Side, f func(c Wall, x [3]float64) float64) []float64 {
	return w.integrateSeen(s, f, func([3]float64, float64) {})
}

// integrateSeen is integrate, and passes each part to seen.
func (w *walls) integrateSeen(s kernels.Side, f func(c Wall, x [3]float64) float64, seen func(x [3]float64, q float64)) []float64 {
	v := make([]float64, w.grid.Box.WallNodes(s))
	w.parts(s, nil, f, func(n int, x [3]float64, q float64) {
		v[n] += q
		seen(x, q)
	})
	return v
}

// parts passes to take the integral of f over each part of the dual faces of the nodes of a side, with where it was evaluated. Before those of a node at, unless
// it is nil, is told which one.
func (w *walls) parts(s kernels.Side, at func(n int), f func(c Wall, x [3]float64) float64, take func(n int, x [3]float64, q float64)) {
	for n := range w.grid.Box.WallNodes(s) {
		if at != nil {
			at(n)
		}
		var cuts [3][]float64
		node := [3]int{}
		node[0], node[1], node[2] = w.grid.WallIndex(s, n)
		for d := range 3 {
			cuts[d] = w.cuts(s, d, node[d])
		}
		for a := range len(cuts[0]) - 1 {
			for b := range len(cuts[1]) - 1 {
				for c := range len(cuts[2]) - 1 {
					part, x := 1.0, w.point(s, n)
					for d, i := range [3]int{a, b, c} {
						if d != s.Axis() && w.grid.Cells[d] > 0 {
							part *= cuts[d][i+1] - cuts[d][i]
							x[d] = w.midpoint(d, node[d], cuts[d], i)
						}
					}
					take(n, x, part*f(w.at(s, x), x))
				}
			}
		}
	}
}

// midpoint is the point at which a part of a dual face is evaluated: the node itself where the face is whole, which
// is as accurate and keeps values at walls exact. Along a periodic axis it is wrapped into the domain.
func (w *walls) midpoint(d, node int, cuts []float64, i int) float64 {
	if len(cuts) == 2 {
		return w.x[d][node]
	}
	x := (cuts[i] + cuts[i+1]) / 2
	if x < 0 {
		x += w.grid.Size[d]
	}
	return x
}

// cuts returns the ends of the dual width of a node along d with the patch edges of the side within it.
func (w *walls) cuts(s kernels.Side, d, node int) []float64 {
	if d == s.Axis() || w.grid.Cells[d] == 0 {
		return []float64{0, 0}
	}
	widths, n := w.grid.Widths[d], w.grid.Cells[d]
	x := w.x[d][node]
	lo, hi := x, x
	if node > 0 || w.grid.Periodic[d] {
		lo -= widths[(node-1+n)%n] / 2
	}
	if node < n || w.grid.Periodic[d] {
		hi += widths[node%n] / 2
	}
	cuts := []float64{lo, hi}
	for i := range w.p.Patches {
		if p := &w.p.Patches[i]; p.Side == s {
			cuts = p.edges(d, lo, hi, w.grid.Size[d], cuts)
		}
	}
	if lo < 0 && len(cuts) > 2 {
		cuts = append(cuts, 0) // where wrapping begins
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// value evaluates f at a point and time; nil is 0.
func value(f Func, x [3]float64, t float64) float64 {
	if f == nil {
		return 0
	}
	return f(x[0], x[1], x[2], t)
}

// fixed returns wall arrays telling the nodes for which is holds, nil where none.
func (w *walls) fixed(is func(c Wall) bool) [6][]bool {
	var fixed [6][]bool
	for _, s := range w.sides {
		f := make([]bool, w.grid.Box.WallNodes(s))
		for n := range f {
			f[n] = is(w.at(s, w.point(s, n)))
		}
		if slices.Contains(f, true) {
			fixed[s] = f
		}
	}
	return fixed
}

// velocities returns the inward velocity through each node's part of a side, averaged over it.
func (w *walls) velocities(s kernels.Side, t float64) []float64 {
	v := w.integrate(s, func(c Wall, x [3]float64) float64 {
		if !c.Flow.Rule().Gives {
			return 0
		}
		return value(c.FlowValue, x, t)
	})
	for n := range v {
		v[n] /= w.grid.WallArea(s, n)
		w.speed = math.Max(w.speed, math.Abs(v[n]))
	}
	return v
}

// through returns what flows in and out through a side with inward velocities.
func (w *walls) through(s kernels.Side, inward []float64) (flow [2]float64) {
	for n, v := range inward {
		flow[0] += math.Max(v, 0) * w.grid.WallArea(s, n)
		flow[1] += math.Max(-v, 0) * w.grid.WallArea(s, n)
	}
	return flow
}

// pressures returns the fixed pressures of a side at time t: the prescribed value, or the column of the outside
// fluid from the top down, by the trapezoidal rule on the grid's nodes as the interior has it.
func (w *walls) pressures(s kernels.Side, b *buoyancy, t float64) []float64 {
	p := w.nodes(s, func(c Wall, x [3]float64) float64 {
		switch rule := c.Flow.Rule(); {
		case rule.Column:
			return w.column(b, &c, x, t)
		case rule.Holds:
			return value(c.FlowValue, x, t)
		}
		return 0
	})
	for _, v := range p {
		w.pressure = math.Max(w.pressure, math.Abs(v))
	}
	return p
}

// column is the pressure at x of fluid at rest behind an open wall.
func (w *walls) column(b *buoyancy, c *Wall, x [3]float64, t float64) float64 {
	z := w.x[kernels.Z]
	p := 0.0
	above := math.NaN()
	for k := len(z) - 1; k >= 0 && z[k] >= x[2]; k-- {
		x := [3]float64{x[0], x[1], z[k]}
		here := b.outside(c, x, t)
		if k < len(z)-1 {
			p -= b.factor * (above + here) / 2 * (z[k+1] - z[k])
		}
		above = here
	}
	return p
}

// anyOn tells whether a condition holds on a wall or one of its patches.
func (w *walls) anyOn(s kernels.Side, is func(c Wall) bool) bool {
	for c := range w.p.Conditions(s) {
		if is(*c) {
			return true
		}
	}
	return false
}

// varies tells whether a value of a wall or of one of its patches depends on time.
func (w *walls) varies(s kernels.Side) bool { return w.anyOn(s, func(c Wall) bool { return c.Varies }) }
