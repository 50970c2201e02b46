package physics

import (
	"convect/kernels"
	"convect/stencil"
)

// buildWalls uploads what the walls prescribe and the weights of the wall sums, for what a flow carries.
func (u *scalar) buildWalls(flow *stencil.Flow) (err error) {
	u.transport = stencil.Transport{Flow: flow, Scheme: u.of.scheme}
	u.axis = u.findAxis()
	sources := u.anyTerm(given)
	for _, s := range u.walls.sides {
		if u.boundary.Fixed(s) {
			if u.wallShare[s], err = u.grid.NewWall(u.boundary.Share(s)); err != nil {
				return err
			}
		}
		sources = sources || u.feeds(s)
		if u.walls.anyOn(s, func(w Wall) bool { return w.Flow.Rule().Passes }) {
			if u.transport.Inflow[s], err = u.grid.NewWall(u.outside(s, 0)); err != nil {
				return err
			}
		}
	}
	if sources {
		if u.source, err = u.grid.NewField("source", nil); err != nil {
			return err
		}
	}
	if err := u.buildTies(); err != nil {
		return err
	}
	if err := u.buildCrossings(); err != nil {
		return err
	}
	if err := u.findCrossingTies(0); err != nil {
		return err
	}
	u.room = u.body()
	return u.setWalls(0, true)
}

// feeds tells whether a side or a part of it adds to the sources: a flux is prescribed, or it is tied.
func (u *scalar) feeds(s kernels.Side) bool {
	return u.walls.anyOn(s, func(w Wall) bool { return u.of.at(&w).feeds() })
}

// setWalls uploads the prescribed values, fluxes and what enters at time t: all of them, or those that depend on time.
func (u *scalar) setWalls(t float64, all bool) error {
	changed := all || u.anyTerm(varying)
	for _, s := range u.walls.sides {
		if !all && !u.walls.varies(s) {
			continue
		}
		changed = changed || u.walls.anyOn(s, func(w Wall) bool { return w.Varies && u.of.at(&w).feeds() })
		if u.boundary.Fixed(s) {
			if err := u.boundary.SetValues(s, u.fixed(s, t)); err != nil {
				return err
			}
		}
		if b := u.transport.Inflow[s]; b != nil {
			u.dev.Upload(b, u.outside(s, t))
		}
	}
	u.setWells(t)
	if err := u.renewTies(t, all); err != nil {
		return err
	}
	if changed && u.source != nil {
		return u.renewSources(t, all)
	}
	return nil
}

// fixed returns the fixed values of a side at time t.
func (u *scalar) fixed(s kernels.Side, t float64) []float64 {
	v, met := u.walls.nodes(s, func(w *Wall, x [3]float64, met *span) float64 {
		c := u.of.at(w)
		if !c.Kind.Rule().Holds {
			return 0
		}
		return met.take(value(c.Value, x, t))
	})
	met.each(u.met.value)
	return v
}

// fluxes returns what enters each node's part of a side by conduction, integrated, and passes each part to seen, unless it is nil.
func (u *scalar) fluxes(s kernels.Side, t float64, seen func(x [3]float64, q float64)) []float64 {
	v, met := u.walls.integrate(s, func(w *Wall, x [3]float64, met *span) float64 {
		c := u.of.at(w)
		if !c.Kind.Rule().Gives {
			return 0
		}
		return met.take(value(c.Value, x, t))
	}, seen)
	met.each(u.met.flux)
	return v
}

// outside returns the value of the fluid behind each node of a side: what enters with it.
func (u *scalar) outside(s kernels.Side, t float64) []float64 {
	v, met := u.walls.nodes(s, func(w *Wall, x [3]float64, met *span) float64 {
		c := u.of.at(w)
		if !w.Flow.Rule().Passes {
			return c.outside(x, t)
		}
		return met.take(c.outside(x, t))
	})
	met.each(u.met.value)
	return v
}

// feeds tells whether the wall adds to the sources.
func (c Condition) feeds() bool { return c.Kind.Rule().Gives && c.Value != nil || c.ties() }

// ties tells whether the wall ties its nodes to a value outside.
func (c Condition) ties() bool { return c.Kind.Rule().Ties && c.Coefficient != nil }

// outside is what fluid that enters at a point of a wall brings.
func (c Condition) outside(x [3]float64, t float64) float64 {
	if rule := c.Kind.Rule(); rule.Holds || rule.Warm && c.Inflow == nil {
		return value(c.Value, x, t)
	}
	return value(c.Inflow, x, t)
}

// column is the value of the column of fluid outside: that of entering fluid first, so that a wall held at one temperature may
// open to fluid of another.
func (c Condition) column(x [3]float64, t float64) float64 {
	if c.Inflow != nil {
		return value(c.Inflow, x, t)
	}
	return c.outside(x, t)
}
