package casefile

import (
	"math"
	"slices"
	"strings"

	"convect/kernels"
	"convect/physics"
)

// balanceTolerance is the largest imbalance, relative to what flows, that counts as rounding.
const balanceTolerance = 1e-10

// checkBalance refuses what cannot be: through-flow that does not add up in a box with no other opening, and a steady
// state (asked for, or of conduction at the start) where prescribed heat does not add up and nothing can take it.
func (c *Case) checkBalance(options BuildOptions) {
	pressed := slices.ContainsFunc(c.plan.wells, func(w well) bool { return w.holding() }) || c.prescribes(func(w *wall) bool { return w.flow.of.kind.Rule().Holds })
	through := len(c.plan.wells) > 0 || c.prescribes(func(w *wall) bool { return w.flow.of.kind.Rule().Gives })
	if through && !pressed {
		c.checkVelocities()
	}
	c.checkSolutes(options.Restart)
	if c.Parameters.Isothermal || c.loses() || c.prescribes(func(w *wall) bool { return w.takesHeat() }) {
		return
	}
	conduction := c.Parameters.Initial.Conduction && !options.Restart
	if !conduction && (c.Controls.Steady == 0 || pressed || through) {
		return
	}
	at := 0.0 // the time of the state that there is to be
	if !conduction {
		at = c.Controls.End
	}
	net, gross := c.heat(at)
	if math.Abs(net) <= balanceTolerance*gross {
		return
	}
	unit := c.Scales.HeatFlux * math.Pow(c.Scales.Length, float64(c.dimensions()-1))
	const accepted = "heat fluxes and heat_source that add up to nothing, or a wall with a temperature"
	if c.Controls.Steady > 0 && !pressed && !through {
		c.refuseAt("time", "steady", accepted, "no steady state exists: heat comes in at a net rate of %.6g and no wall has a temperature", net*unit)
		return
	}
	c.refuseAt("initial", "temperature", accepted+", or another start",
		"no steady conduction exists: heat comes in at a net rate of %.6g and no wall has a temperature", net*unit)
}

// takesHeat tells whether a wall takes whatever heat there is.
func (w *wall) takesHeat() bool {
	return w.heat().takes()
}

// refuseAt reports a fault of a key that need not be given.
func (c *Case) refuseAt(sectionName, key, accepted, format string, args ...any) {
	s, _ := c.root.get(sectionName).section()
	s.get(key).refuse(accepted, format, args...)
}

func (c *Case) dimensions() int {
	if c.flat() {
		return 2
	}
	return 3
}

// checkVelocities adds up the prescribed velocities and the rates of wells.
func (c *Case) checkVelocities() {
	varies := c.prescribes(func(w *wall) bool { return w.flow.inTime() })
	times, what, v := c.checkTimes(varies, c.wallPoints()), "prescribed velocities", c.root.get("boundaries")
	const accepted = "velocities that add up to nothing over the walls, or a wall that is open or has a pressure"
	for i := range c.plan.wells {
		times, what, v = append(times, c.plan.wells[i].times(c)...), "wells and the prescribed velocities", c.root.get("wells")
	}
	for _, t := range times {
		net, gross := c.overWalls(prescribedVelocity, t)
		rate, rates := c.wellRates(t)
		unit := math.Pow(c.Scales.Length, float64(c.dimensions()-1))
		net, gross = net*unit+rate, gross*unit+rates
		if math.Abs(net) <= balanceTolerance*gross {
			continue
		}
		v.refuse(strings.Replace(accepted, "velocities", c.closing(), 1), "the %s do not balance: %.6g flows in, %.6g out (t = %.6g) and nothing else can leave or enter",
			what, (gross+net)/2, (gross-net)/2, t*c.Scales.Time)
		return
	}
}

// closing says what must add up to nothing.
func (c *Case) closing() string {
	if len(c.plan.wells) > 0 {
		return "rates and velocities"
	}
	return "velocities"
}

// heat adds up the prescribed heat fluxes and sources at a time, nondimensional: net, and that of magnitudes.
func (c *Case) heat(t float64) (net, gross float64) {
	walls, sides := c.overWalls(prescribedHeat, t)
	net, gross = c.amount(c.Parameters.HeatSource, t)
	return net + walls/c.Scales.HeatFlux, gross + sides/c.Scales.HeatFlux
}

// amount adds up what a source (nil: none) gives at a time, nondimensional: net, and that of magnitudes.
func (c *Case) amount(q physics.Func, t float64) (net, gross float64) {
	if q == nil {
		return 0, 0
	}
	var w, x [3][]float64
	for d := range x {
		x[d], w[d] = c.coordinates(d), c.dualWidths(d)
	}
	for k := range x[2] {
		for j := range x[1] {
			for i := range x[0] {
				v := w[0][i] * w[1][j] * w[2][k] * q(x[0][i], x[1][j], x[2][k], t)
				net, gross = net+v, gross+math.Abs(v)
			}
		}
	}
	return net, gross
}

// dualWidths returns the width of each node's volume along an axis; 1 where the axis is absent.
func (c *Case) dualWidths(d int) []float64 {
	w := make([]float64, len(c.coordinates(d)))
	ends := c.Extent().Coordinates(d)
	for n := range w {
		cuts := c.cuts(d, n, ends, nil)
		w[n] = cuts[1] - cuts[0]
	}
	return w
}

// cuts returns the ends of a node's dual width with the given edges that lie within; 0 and 1 for an absent axis. ends are
// those of the cells of the axis.
func (c *Case) cuts(d, node int, ends, edges []float64) []float64 {
	e := &c.Parameters.Extent
	n := e.Cells[d]
	if n == 0 {
		return []float64{0, 1}
	}
	low, high := ends[node], ends[node]
	switch {
	case node > 0:
		low -= (ends[node] - ends[node-1]) / 2
	case e.Periodic[d]:
		low -= (ends[n] - ends[n-1]) / 2
	}
	if node < n {
		high += (ends[node+1] - ends[node]) / 2
	}
	cuts := []float64{low, high}
	for _, edge := range edges {
		if low < 0 && edge-e.Size[d] > low { // around the periodic end
			edge -= e.Size[d]
		}
		if edge > low && edge < high {
			cuts = append(cuts, edge)
		}
	}
	if low < 0 && len(cuts) > 2 {
		cuts = append(cuts, 0) // where wrapping begins
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// prescribed is a half of a wall's condition: its prescribed value, nil where it is of another kind, and whether a
// patch sets this half.
type prescribed func(w *wall) (f *field, set bool)

func prescribedVelocity(w *wall) (*field, bool) {
	if w.flow.of.kind.Rule().Gives {
		return w.flow.value(), w.flow.given
	}
	return nil, w.flow.given
}

func prescribedHeat(w *wall) (*field, bool) {
	return w.heat().prescribed()
}

// overWalls integrates a prescribed value as the model does: over each node's part of the wall, cut along the edges
// of patches, by the midpoint of each part.
func (c *Case) overWalls(of prescribed, t float64) (net, gross float64) {
	for _, side := range sides() {
		if !c.isWall(side) {
			continue
		}
		var points, widths [3][]float64
		for d := range 3 {
			points[d], widths[d] = c.parts(side, d)
		}
		for k, z := range points[2] {
			for j, y := range points[1] {
				for i, x := range points[0] {
					p := [3]float64{x, y, z}
					f := c.conditionAt(side, p, of)
					if f == nil {
						continue
					}
					v := widths[0][i] * widths[1][j] * widths[2][k] * f.at(&c.Scales, p, t)
					net, gross = net+v, gross+math.Abs(v)
				}
			}
		}
	}
	return net, gross
}

// conditionAt returns what is prescribed at a point of a side: by the last patch there that says so, or the wall.
func (c *Case) conditionAt(side kernels.Side, x [3]float64, of prescribed) *field {
	for i := len(c.plan.patches) - 1; i >= 0; i-- {
		p := &c.plan.patches[i]
		if p.side != side || !c.covers(p.spans, side, x) {
			continue
		}
		if f, set := of(&p.wall); set {
			return f
		}
	}
	f, _ := of(&c.plan.walls[side])
	return f
}

// parts returns where each part of the nodes' dual widths along an axis of a side is evaluated, and its width: the
// node itself where its width is whole.
func (c *Case) parts(side kernels.Side, d int) (points, widths []float64) {
	if d == side.Axis() {
		return []float64{c.wallAt(side)}, []float64{1}
	}
	var edges []float64
	for _, p := range c.plan.patches {
		if p.side == side {
			edges = append(edges, p.spans[d][:]...)
		}
	}
	ends := c.Extent().Coordinates(d)
	for n, x := range c.coordinates(d) {
		cuts := c.cuts(d, n, ends, edges)
		for i := range len(cuts) - 1 {
			if len(cuts) > 2 {
				x = (cuts[i] + cuts[i+1]) / 2
			}
			if x < 0 {
				x += c.Extent().Size[d]
			}
			points, widths = append(points, x), append(widths, cuts[i+1]-cuts[i])
		}
	}
	return points, widths
}
