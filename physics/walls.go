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

	coverings [6]*covering // by side; nil: not yet asked for

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
	v, _ := w.integrate(s, func(c *Wall, x [3]float64, _ *span) float64 {
		if !c.Flow.Rule().Gives {
			return 0
		}
		return value(c.FlowValue, x, t)
	}, nil)
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
	v := make([]float64, w.grid.Box.WallNodes(s))
	c := w.coveringOf(s)
	conditions := w.conditions(s, c)
	across, _ := w.grid.Box.WallShape(s)
	if s.Axis() == kernels.Z {
		across = len(v) // above each node
	}
	met := overPoints(across, len(v), func(first, last int) (met span) {
		for i := first; i < last; i++ {
			w.pressColumn(s, b, t, c, conditions, v, i, across, &met)
		}
		return met
	})
	met.each(func(p float64) float64 {
		w.pressure = math.Max(w.pressure, math.Abs(p))
		return p
	})
	return v
}

// pressColumn sets the fixed pressures of the nodes of a side above each other, from node i on every so many, from the top down. Fluid of each kind of condition has a column
// of its own.
func (w *walls) pressColumn(s kernels.Side, b *buoyancy, t float64, c *covering, conditions []Wall, v []float64, i, across int, met *span) {
	z := w.x[kernels.Z]
	p, above := make([]float64, len(conditions)), make([]float64, len(conditions))
	x := w.point(s, i)
	lowest := 0
	if s == kernels.Top {
		lowest = len(z) - 1
	}
	for k := len(z) - 1; k >= lowest; k-- {
		x[kernels.Z] = z[k]
		for m := range conditions {
			if !conditions[m].Flow.Rule().Column {
				continue
			}
			here := b.outside(&conditions[m], x, t)
			if k < len(z)-1 {
				p[m] -= b.factor * (above[m] + here) / 2 * (z[k+1] - z[k])
			}
			above[m] = here
		}
		n := i
		switch {
		case s.Axis() != kernels.Z:
			n += across * k
		case k > lowest: // on the way to the bottom
			continue
		}
		switch m := c.kindOf(n); {
		case conditions[m].Flow.Rule().Column:
			v[n] = met.take(p[m])
		case conditions[m].Flow.Rule().Holds:
			v[n] = met.take(value(conditions[m].FlowValue, x, t))
		}
	}
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
