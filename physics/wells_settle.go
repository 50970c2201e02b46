package physics

import (
	"errors"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// settle solves again until the rates of the wells that hold a pressure belong to the pressure.
func (f *flow) settle(result multigrid.Result, rhs *stencil.Field, reference float64) (multigrid.Result, error) {
	h := &f.wells.held
	if len(h.all) == 0 {
		return result, nil
	}
	column, err := f.column()
	if err != nil {
		return result, err
	}
	if err := f.beginHeld(); err != nil {
		return result, err
	}
	solves := heldSolves
	if f.viscosity != nil {
		solves = heldSolvesViscous
	}
	means, last := make([]float64, len(h.all)), answer{}
	for range solves {
		if h.response == nil {
			if err := f.respond(rhs); err != nil {
				return result, err
			}
		}
		if err := f.wells.means(f.pressure, column, means); err != nil {
			return result, err
		}
		if f.viscosity != nil {
			last = h.learn(last, means)
		}
		change, size, err := f.wells.balance(means, f)
		if err != nil {
			return result, err
		}
		f.wells.sum()
		settled := change <= heldTolerance*size+f.heldRounding(means)
		if settled && f.viscosity == nil {
			return result, nil
		}
		if result, err = f.solveAgain(result, rhs, reference); err != nil || settled { // what belongs to the last rates, where R is not theirs to rounding
			return result, err
		}
	}
	return result, errors.New("the rates of the wells that hold a pressure do not settle")
}

// solveAgain solves for the pressure with the present rates.
func (f *flow) solveAgain(result multigrid.Result, rhs *stencil.Field, reference float64) (multigrid.Result, error) {
	f.source(rhs)
	f.wells.feed(rhs)
	again, err := f.solver.Solve(f.pressure, rhs, reference)
	if err == nil {
		again.Iterations += result.Iterations
	}
	return again, err
}

// respond finds how the pressure answers to the rates.
func (f *flow) respond(rhs *stencil.Field) error {
	h := &f.wells.held
	unit, err := f.grid.NewField("response of the pressure", f.boundary)
	if err != nil {
		return err
	}
	defer unit.Free()
	learned := f.solver.Learned // belongs to the state, and the response to none
	f.solver.Learned = multigrid.Learned{}
	defer func() { f.solver.Learned = learned }()
	columns := make([][]float64, len(h.all))
	for n, c := range h.all {
		rhs.Fill(0)
		unit.Fill(0)
		for _, at := range c.nodes {
			part := &c.well.parts[at.part]
			if err := part.Download(part.gets, rhs); err != nil {
				return err
			}
			part.gets[at.node] += at.weight
			part.Upload(rhs, part.gets)
		}
		if _, err := f.solver.Solve(unit, rhs, 0); err != nil {
			return err
		}
		columns[n] = make([]float64, len(h.all))
		if err := f.wells.means(unit, nil, columns[n]); err != nil {
			return err
		}
	}
	h.response = columns
	return nil
}

// bore returns what the fluid in a well adds to its pressure from where it holds it to a height.
func (l *well) bore(f *flow, z, t float64) float64 {
	top := l.of.To
	if !l.of.Line {
		top = l.of.At[kernels.Z]
	}
	b := f.buoyancy.of(func(u *scalar) float64 { return value(l.of.bring(u.place), l.x, t) })
	return f.buoyancy.factor * b * (z - top)
}
