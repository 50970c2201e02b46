package physics

import (
	"math"
	"slices"

	"convect/kernels"
)

// crossing is what is measured of a scalar at a surface.
type crossing struct {
	held, tied kernels.Buffer // of a patch: its part in what the fixed nodes of the side lack, and in their ties; nil: none

	prescribed             float64 // what enters by given fluxes and, of ties, from outside
	lacking, released      float64 // of a patch: what fixed nodes lack; what ties carry away
	measured               float64 // carried by the flow in the state measured last
	carried, carriedBefore float64 // the same in the state of the last step, and one step ago
}

// buildCrossings uploads the weights of patches.
func (u *scalar) buildCrossings() (err error) {
	u.crossings = make([]crossing, len(u.surfaces))
	for n, on := range u.surfaces {
		c := &u.crossings[n]
		if on.passes {
			c.carriedBefore = math.NaN()
		}
		if on.patch == nil || u.wallShare[on.Side] == nil {
			continue
		}
		share := u.boundary.Share(on.Side)
		part := u.walls.within(on.Side, on.patch, func(n int) bool { return share[n] > 0 }, func(node bool, w Wall, _ [3]float64) float64 {
			if node && u.of.at(&w).Kind.Rule().Holds {
				return 1
			}
			return 0
		})
		for e := range part {
			part[e] *= share[e]
		}
		if !anyButZero(part) {
			continue
		}
		if c.held, err = u.grid.NewWall(part); err != nil {
			return err
		}
	}
	return nil
}

// findCrossingTies uploads the part that patches have in the ties of a side.
func (u *scalar) findCrossingTies(t float64) (err error) {
	for _, s := range u.walls.sides {
		if u.ties.sides[s] == nil {
			continue
		}
		for _, n := range u.patchesOn(s) {
			c, patch := &u.crossings[n], u.surfaces[n].patch
			ties := make([]float64, u.grid.Box.WallNodes(s))
			u.walls.parts(s, func(p *wallPart, w *Wall) float64 { return u.coefficient(s, u.of.at(w), p.x, t) }, func(p *wallPart, v float64) {
				if patch.Holds(&u.p.Extent, p.x) {
					ties[p.node] += v
				}
			})
			switch {
			case c.tied != nil:
				u.dev.Upload(c.tied, ties)
				continue
			case !anyButZero(ties):
				continue
			}
			if c.tied, err = u.grid.NewWall(ties); err != nil {
				return err
			}
		}
	}
	return nil
}

// anyButZero tells whether a value is not 0.
func anyButZero(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}

// prescribe notes what enters by fluxes and ties from outside through patches of a side, part by part. It returns what takes the parts, nil where there are no patches.
func (u *scalar) prescribe(s kernels.Side) func(x [3]float64, q float64) {
	patches := u.patchesOn(s)
	for _, n := range patches {
		u.crossings[n].prescribed = 0
	}
	if len(patches) == 0 {
		return nil
	}
	return func(x [3]float64, q float64) {
		for _, n := range patches {
			if u.surfaces[n].patch.Holds(&u.p.Extent, x) {
				u.crossings[n].prescribed += q
			}
		}
	}
}

// measureCarried queues what the flow carries in through surfaces, with the advection of the present state.
func (u *scalar) measureCarried() {
	for n, on := range u.surfaces {
		if !on.passes {
			continue
		}
		fluid := &u.spare
		if u.place == 0 {
			fluid = &on.fluid
		}
		slot := u.tally.take(fluid, &u.crossings[n].measured)
		u.transport.WallThrough(u.now, on.Side, on.weights, slot)
	}
}

// measureCrossings queues what the nodes of patches lack and lose.
func (u *scalar) measureCrossings() {
	for n, on := range u.surfaces {
		c := &u.crossings[n]
		if c.held != nil {
			u.wallFlow.WallSum(on.Side, c.held, u.tally.take(&c.lacking))
		}
		if c.tied != nil {
			u.now.WallSum(on.Side, c.tied, u.tally.take(&c.released))
		}
	}
}

// crossed returns what enters through a surface by conduction, from a balance.
func (u *scalar) crossed(n int, b *balance) float64 {
	on, c := u.surfaces[n], &u.crossings[n]
	if on.patch == nil {
		return u.prescribed[on.Side] + b.wall[on.Side]
	}
	return c.prescribed - c.lacking - c.released
}

// beginCrossings takes what was measured as the initial state, or that from which a run goes on, and writes what crosses surfaces in it.
func (u *scalar) beginCrossings(b *balance, into []SurfaceSample) {
	for n := range u.crossings {
		c := &u.crossings[n]
		c.carried = c.measured
		into[n].Scalars[u.place] = u.crossed(n, b) + c.carried
	}
}

// keepCrossings takes what was measured as that of a step, and writes what crossed surfaces in it.
func (u *scalar) keepCrossings(b *balance, s sbdf, into []SurfaceSample) {
	for n := range u.crossings {
		c := &u.crossings[n]
		flow := u.crossed(n, b) + s.e1*c.carried
		if s.e2 != 0 {
			flow += s.e2 * c.carriedBefore
		}
		into[n].Scalars[u.place] = flow
		c.carriedBefore, c.carried = c.carried, c.measured
	}
}

// crossingNumbers lists what was carried through surfaces one step ago, by name. States of earlier versions lack it, and so do those of other walls.
func (u *scalar) crossingNumbers() map[string]*float64 {
	numbers := map[string]*float64{}
	for n, on := range u.surfaces {
		if on.passes {
			numbers[u.of.prefix+"carried_"+on.name+"_previous"] = &u.crossings[n].carriedBefore
		}
	}
	return numbers
}
