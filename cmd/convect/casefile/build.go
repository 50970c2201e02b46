package casefile

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/physics"
)

// BuildOptions change what Build does.
type BuildOptions struct {
	// Restart leaves the initial state alone: a checkpoint takes its place.
	Restart bool
	// Uniform takes the references in the place of fields from files, and a linear
	// temperature between the walls in that of one for the start, for a trial on another grid.
	Uniform bool
}

// Build evaluates everything that needs arrays or other files (cell properties, walls, the initial state) and checks
// it: values are finite, materials positive, through-flow and heat of a closed box balanced. Its memory is that of up
// to ten arrays of the size of the grid. Errors are [Errors] where the case is wrong, else those of files it names.
func (c *Case) Build(options BuildOptions) error {
	c.d.errors, c.uniform = nil, options.Uniform
	if !options.Uniform {
		c.checkFiles(options.Restart)
	}
	if c.buildTables(); len(c.d.errors) > 0 {
		return c.d.errors
	}
	if err := c.buildMaterials(); err != nil {
		return err
	}
	c.buildWalls()
	c.checkSurfaceNames()
	c.buildWells()
	if !options.Restart {
		if err := c.buildInitial(); err != nil {
			return err
		}
	} else {
		c.Parameters.Initial = physics.Initial{Temperature: physics.Constant(0)}
	}
	c.checkWalls()
	if len(c.d.errors) == 0 {
		c.checkBalance(options)
		c.checkViscosity()
		c.checkLightness()
	}
	if len(c.d.errors) > 0 {
		c.d.errors.sort()
		return c.d.errors
	}
	return nil
}

// coordinates returns the nondimensional nodes of an axis.
func (c *Case) coordinates(d int) []float64 {
	e := &c.Parameters.Extent
	x := e.Coordinates(d)
	if e.Periodic[d] {
		x = x[:e.Cells[d]]
	}
	return x
}

// checkTimes are the times at which what depends on time is looked at, nondimensional: the fewer, from 5 to 1025, the more points there are.
func (c *Case) checkTimes(varies bool, points float64) []float64 {
	if !varies {
		return []float64{0}
	}
	const cost = 1e6
	n := 4
	for n < 1024 && 2*float64(n)*points < cost {
		n *= 2
	}
	times := make([]float64, n+1)
	for i := range times {
		times[i] = float64(i) / float64(n) * c.Controls.End
	}
	return times
}

// wallPoints is about the number of nodes of all walls.
func (c *Case) wallPoints() float64 {
	n := c.Extent().Cells
	points := 0.0
	for d := range n {
		others := float64(max(n[(d+1)%3], 1) * max(n[(d+2)%3], 1))
		if n[d] > 0 {
			points += 2 * others
		}
	}
	return points
}

// checkNodes refuses a field that is not finite on a node of the grid; the first one is named.
func (c *Case) checkNodes(f *field) {
	if !f.varies() {
		return
	}
	for _, t := range c.checkTimes(f.inTime, c.Nodes()) {
		if !c.checkNodesAt(f, t) {
			return
		}
	}
}

// checkNodesAt is checkNodes at a time; it tells whether all is well.
func (c *Case) checkNodesAt(f *field, t float64) bool {
	var x [3][]float64
	for d := range x {
		x[d] = c.coordinates(d)
	}
	for _, z := range x[2] {
		for _, y := range x[1] {
			for _, x := range x[0] {
				if !c.checkPoint(f, [3]float64{x, y, z}, t) {
					return false
				}
			}
		}
	}
	return true
}

// checkPoint refuses a field that is not finite at a point.
func (c *Case) checkPoint(f *field, x [3]float64, t float64) bool {
	v := f.at(&c.Scales, x, t)
	if math.IsNaN(v) || math.IsInf(v, 0) || !f.limit.ok(v) {
		where := [3]float64{x[0] * c.Scales.Length, x[1] * c.Scales.Length, x[2] * c.Scales.Length}
		when := ""
		if f.inTime {
			when = fmt.Sprintf(", t = %.6g", t*c.Scales.Time)
		}
		f.value.refuse(f.limit.words+" everywhere", "is %g at %s%s", v, c.pointName(where), when)
		return false
	}
	return true
}

// checkWalls refuses wall values that are not finite on the wall's nodes.
func (c *Case) checkWalls() {
	c.eachWall(c.checkWall)
}

// eachWall visits the walls and patches with the spans that they cover.
func (c *Case) eachWall(visit func(w *wall, side kernels.Side, spans [3][2]float64)) {
	for _, side := range sides() {
		if w := &c.plan.walls[side]; c.isWall(side) {
			visit(w, side, [3][2]float64{{math.Inf(-1), math.Inf(1)}, {math.Inf(-1), math.Inf(1)}, {math.Inf(-1), math.Inf(1)}})
		}
	}
	for i := range c.plan.patches {
		p := &c.plan.patches[i]
		visit(&p.wall, p.side, p.spans)
	}
}

func (c *Case) checkWall(w *wall, side kernels.Side, spans [3][2]float64) {
	for _, f := range w.fields() {
		if f.varies() {
			c.checkOnWall(f, side, spans)
		}
	}
}

func (c *Case) checkOnWall(f *field, side kernels.Side, spans [3][2]float64) {
	for _, t := range c.checkTimes(f.inTime, c.wallPoints()) {
		if !c.onWall(side, spans, func(x [3]float64) bool { return c.checkPoint(f, x, t) }) {
			return
		}
	}
}

// onWall visits the nodes of a side within spans until visit returns false, and tells whether it never did.
func (c *Case) onWall(side kernels.Side, spans [3][2]float64, visit func(x [3]float64) bool) bool {
	var x [3][]float64
	for d := range x {
		x[d] = c.coordinates(d)
		if d == side.Axis() {
			x[d] = []float64{c.wallAt(side)}
		}
	}
	for _, z := range x[2] {
		for _, y := range x[1] {
			for _, x := range x[0] {
				if p := [3]float64{x, y, z}; c.covers(spans, side, p) && !visit(p) {
					return false
				}
			}
		}
	}
	return true
}

// wallAt returns the coordinate of a wall along its normal.
func (c *Case) wallAt(side kernels.Side) float64 {
	if side.High() {
		return c.Parameters.Extent.Size[side.Axis()]
	}
	return 0
}

// covers tells whether spans hold a point of a side.
func (c *Case) covers(spans [3][2]float64, side kernels.Side, x [3]float64) bool {
	p := physics.Patch{Side: side, Range: spans}
	return p.Holds(&c.Parameters.Extent, x)
}
