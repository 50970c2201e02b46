package physics

import (
	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// PartPlan is what the device runs for one part of a step; of a solve, on one level.
type PartPlan struct {
	Part    string
	Cells   [3]int // of a level; zero: the whole grid
	Choices []kernels.Choice
}

// Plan returns what the device would run in the steps of a model that is made for it, nil where the device does not tell. It solves
// nothing.
func Plan(dev kernels.Device, p Parameters) ([]PartPlan, error) {
	m, err := newModel(dev, p, false)
	if err != nil {
		return nil, err
	}
	defer m.free()
	return m.plan(), nil
}

// Plan returns what the device runs in a step, nil where it does not tell. It is for the end of a run.
func (s *Simulation) Plan() []PartPlan { return s.model.plan() }

// plan lists the kernels of a step in the order of its parts.
func (m *model) plan() (parts []PartPlan) {
	device, ok := m.dev.(kernels.Planner)
	if !ok {
		return nil
	}
	guess, rhs, work := m.scratch.borrow("planned guess"), m.scratch.borrow("planned right side"), m.scratch.borrow("planned residual")
	flow := *m.flow.Flow
	defer func() {
		for _, f := range []*stencil.Field{guess, rhs, work} {
			m.scratch.giveBack(f)
		}
		*m.flow.Flow = flow
	}()
	part := func(name string, f func()) { parts = append(parts, PartPlan{Part: name, Choices: device.Plan(f)}) }
	levels := func(name string, of []multigrid.LevelPlan) {
		for _, l := range of {
			parts = append(parts, PartPlan{name, l.Cells, l.Choices})
		}
	}
	for _, u := range m.scalars {
		c, mass := u.guided(coefficients(1, 1, 1)), u.diffusion.MassScale()
		part(u.of.rightSide, func() { u.predict(c, guess, rhs, work) })
		scale := mass // that of the last step
		if scale == 0 {
			scale = c.a0 * u.capacity
		}
		u.diffusion.SetMassScale(scale)
		u.solver.SetMassScale(scale)
		u.solver.SetScratch(work)
		start := multigrid.FromZero
		if u.singlePass() {
			start = multigrid.ForCompletion
		}
		levels(u.of.solve, u.solver.Plan(u.advectionPrev, rhs, start))
		u.solver.SetScratch(nil)
		part(u.of.update, func() { u.planEnd(guess, rhs, work) })
		u.diffusion.SetMassScale(mass)
		u.solver.SetMassScale(mass)
	}
	if m.flow.buoyancy.sum != nil {
		part("sum of buoyancy", m.flow.buoyancy.renew)
	}
	if m.flow.viscosity != nil {
		part("mobility", m.flow.viscosity.update)
	}
	part("buoyancy", func() { m.flow.source(rhs) })
	m.flow.solver.SetScratch(work)
	levels("pressure solve", m.flow.solver.Plan(m.flow.pressure, rhs, multigrid.FromGuess))
	m.flow.solver.SetScratch(nil)
	part("velocity, advection and diagnostics", func() {
		m.flow.update()
		for _, u := range m.scalars {
			u.transfer()
		}
	})
	return parts
}

// planEnd ends a step in one pass, if there is one for where the first cycles of the solve suffice, and as it ends where they do not.
func (u *scalar) planEnd(guess, rhs, work *stencil.Field) {
	end, increment := u.ending(guess, rhs, work), u.advectionPrev
	if e := u.solver.Correction(increment); end != nil && e != nil {
		end(e, 1) // the sums of a plan say nothing, and a failure is listed
	}
	increment.Exchange(1)
	u.conserve(guess, increment, rhs, work)
}
