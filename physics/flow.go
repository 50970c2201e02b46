package physics

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// flow is the Darcy flow u = -(K/μ) (∇p - Ra b ẑ), ∇·u = 0, and what solves its pressure.
type flow struct {
	*domain
	*stencil.Flow // velocities

	boundary                              *stencil.Boundary
	mobility                              *stencil.Operator // -∇·(K/μ)∇
	viscosity                             *viscosity        // of scalars; nil: none
	buoyancy                              buoyancy
	pressure, pressurePrev, pressureOlder *stencil.Field // p' now, one and two steps ago
	solver                                *multigrid.Solver

	rise       float64       // K with which buoyancy moves fluid up at most
	through    [6][2]float64 // what prescribed velocities carry in and out through each side
	hasPressed bool          // a wall of fixed pressure exists: its p' follows the mean column
	outside    [6][]float64  // p of the nodes of pressed sides; it changes where the conditions vary in time
	pressed    []float64     // room for p' of a side
}

// newFlow finds the nodes that walls fix.
func newFlow(d *domain) (f *flow, err error) {
	f = &flow{domain: d}
	f.boundary, err = stencil.NewBoundary(d.grid, d.walls.fixed(pressed))
	if err == nil {
		d.wells.findExits(f.boundary)
	}
	f.hasPressed = err == nil && !f.boundary.Singular()
	return f, err
}

func pressed(c Wall) bool { return c.Flow.Rule().Holds }

// buildOperators makes the mobility, which follows the viscosity as a function of scalars, and the velocities.
func (f *flow) buildOperators(scalars []*scalar) (err error) {
	k := stencil.Coefficients{Stencil: f.p.Stencil, Constant: f.p.Permeability.Constant, Cells: f.p.Permeability.Cells}
	if f.mobility, err = stencil.NewOperator(f.boundary, k); err != nil {
		return fmt.Errorf("permeability: %w", err)
	}
	if f.viscosity, err = buildViscosity(f.domain, f.mobility, scalars); err != nil {
		return fmt.Errorf("viscosity: %w", err)
	}
	f.Flow, err = stencil.NewFlow(f.mobility)
	return err
}

func (f *flow) buildSolver() (err error) {
	options := f.p.Pressure
	if f.viscosity != nil && !f.p.Permeability.Varies() {
		easy := options.WithDefaults() // a mobility as smooth as the temperature
		options.Pre, options.Post = easy.Pre, easy.Post
	}
	options.Mixed = f.p.Mixed
	if f.solver, err = multigrid.New(f.mobility, options); err != nil {
		return fmt.Errorf("pressure solver: %w", err)
	}
	return nil
}

func (f *flow) buildFields() (err error) {
	if err := f.buoyancy.build(f.grid); err != nil {
		return err
	}
	for _, p := range []struct {
		f    **stencil.Field
		name string
	}{{&f.pressure, "pressure"}, {&f.pressurePrev, "pressure_previous"}, {&f.pressureOlder, "pressure_older"}} {
		if *p.f, err = f.grid.NewField(p.name, f.boundary); err != nil {
			return err
		}
	}
	return nil
}

// stateFields returns the fields that a checkpoint must hold.
func (f *flow) stateFields() []*stencil.Field {
	return []*stencil.Field{f.pressure, f.pressurePrev, f.pressureOlder}
}

// setWalls sets the prescribed velocities at time t: all of them, or those that depend on time.
func (f *flow) setWalls(t float64, all bool) error {
	moved := false
	for _, s := range f.walls.sides {
		if all || f.walls.varies(s) {
			if err := f.shareFlow(s, t); err != nil {
				return err
			}
		}
		if !all && !f.walls.varies(s) || !f.walls.anyOn(s, func(c Wall) bool { return c.Flow.Rule().Gives }) {
			continue
		}
		inward := f.walls.velocities(s, t)
		if err := f.SetWallVelocity(s, inward); err != nil {
			return fmt.Errorf("%s: velocity: %w", s, err)
		}
		f.through[s], moved = f.walls.through(s, inward), true
	}
	if err := f.wells.setRates(t, all); err != nil {
		return err
	}
	if all && len(f.wells.all) == 0 || !all && !moved && !f.wells.vary() {
		return nil // what stays as it is was looked at when the case was read
	}
	return f.checkThrough()
}

// throughTolerance is the largest imbalance of prescribed velocities, relative to what flows, that counts as rounding.
const throughTolerance = 1e-8

// checkThrough fails where velocities that vary in time and the rates of wells do not add up to nothing, and no other wall lets fluid pass.
func (f *flow) checkThrough() error {
	in, out := f.wells.in, f.wells.out
	for _, flow := range f.through {
		in, out = in+flow[0], out+flow[1]
	}
	if !f.hasPressed && len(f.wells.held.all) == 0 && math.Abs(in-out) > throughTolerance*(in+out) {
		return fmt.Errorf("%s do not balance: %.6g flows in, %.6g out, and nothing else can leave or enter", f.wells.throughText(), in, out)
	}
	return nil
}

// pressWalls sets the fixed values of p' at time t: the prescribed pressure less that of the column of mean
// buoyancy.
func (f *flow) pressWalls(t float64) error {
	if !f.hasPressed {
		return nil
	}
	var column []float64
	for _, s := range f.walls.sides {
		if !f.boundary.Fixed(s) {
			continue
		}
		fresh := f.outside[s] == nil || f.walls.varies(s)
		if fresh {
			f.outside[s] = f.walls.pressures(s, &f.buoyancy, t)
		}
		if s == kernels.Top { // where the column is zero
			if fresh {
				if err := f.boundary.SetValues(s, f.outside[s]); err != nil {
					return err
				}
			}
			continue
		}
		if column == nil {
			var err error
			if column, err = f.column(); err != nil {
				return err
			}
		}
		f.pressed = f.pressed[:0]
		fast, _ := f.grid.Box.WallShape(s)
		for k := 0; len(f.pressed) < len(f.outside[s]); k++ { // rows in z; the bottom is the first plane
			level := column[0]
			if s.Axis() != kernels.Z {
				level = column[k]
			}
			for _, p := range f.outside[s][len(f.pressed):][:fast] {
				f.pressed = append(f.pressed, p-level)
			}
		}
		if err := f.boundary.SetValues(s, f.pressed); err != nil {
			return err
		}
	}
	return nil
}

// column returns p_h at the z nodes: ∂p_h/∂z = Ra b̄ by the trapezoidal rule, zero at the top.
func (f *flow) column() ([]float64, error) {
	mean, err := f.Mean()
	if err != nil {
		return nil, fmt.Errorf("mean column: %w", err)
	}
	p := make([]float64, len(mean))
	z := f.walls.x[kernels.Z]
	for k := len(p) - 2; k >= 0; k-- {
		p[k] = p[k+1] - f.buoyancy.factor*(mean[k]+mean[k+1])/2*(z[k+1]-z[k])
	}
	return p, nil
}

// solve finds the pressure at time t from the scalars that are buoyant, starting from the extrapolated pressure, and updates
// the velocities. The residual is measured against reference; 0: the norm of the right side.
func (f *flow) solve(c sbdf, t, reference float64, clock *clock) (multigrid.Result, error) {
	f.buoyancy.renew()
	f.Average(f.buoyancy.field())
	if err := f.pressWalls(t); err != nil {
		return multigrid.Result{}, err
	}
	if f.viscosity != nil {
		if err := f.prepareHeld(); err != nil {
			return multigrid.Result{}, err
		}
		f.viscosity.renew()
		if err := f.solver.Refresh(); err != nil {
			return multigrid.Result{}, err
		}
		clock.lap("mobility")
	}
	room, rhs := f.scratch.borrow("room of the pressure solve"), f.scratch.borrow("pressure right side")
	defer f.scratch.giveBack(room)
	defer f.scratch.giveBack(rhs)
	f.source(rhs)
	f.wells.feed(rhs)
	f.extrapolate(c)
	f.boundary.Impose(f.pressure)
	clock.lap("buoyancy")
	f.solver.SetScratch(room)
	result, err := f.solver.Solve(f.pressure, rhs, reference)
	f.solver.SetScratch(nil)
	if err != nil {
		return result, err
	}
	if len(f.wells.held.all) > 0 {
		f.solver.SetScratch(room)
		result, err = f.settle(result, rhs, reference)
		f.solver.SetScratch(nil)
		if err != nil {
			return result, err
		}
	}
	clock.lap("pressure solve")
	f.move()
	clock.lap("velocity")
	return result, nil
}

// source computes the right side of the pressure equation.
func (f *flow) source(rhs *stencil.Field) { f.Source(rhs, f.buoyancy.field(), f.buoyancy.factor) }

// move computes the velocities of the present pressure and buoyancy, and lets out what wells bring to fixed nodes.
func (f *flow) move() {
	f.update()
	f.wells.leave(f.Flow)
}

// update computes the velocities of the present pressure and buoyancy.
func (f *flow) update() { f.Update(f.pressure, f.buoyancy.field(), f.buoyancy.factor) }

// rederive computes the velocities of a state at time t again.
func (f *flow) rederive(t float64) error {
	if law := f.buoyancy.law; law != nil {
		law.tabulate()
	}
	f.buoyancy.renew()
	f.Average(f.buoyancy.field())
	if err := f.pressWalls(t); err != nil {
		return err
	}
	if f.viscosity != nil {
		f.viscosity.tabulate()
		f.viscosity.update()
	}
	f.move()
	return nil
}

// extrapolate puts the first guess into the pressure, and the pressures of the steps before into those before it.
func (f *flow) extrapolate(c sbdf) {
	terms := []stencil.Sum{{C: c.guess[0], X: f.pressure}, {C: c.guess[1], X: f.pressurePrev}, {C: c.guess[2], X: f.pressureOlder}}
	for len(terms) > 1 && terms[len(terms)-1].C == 0 {
		terms = terms[:len(terms)-1]
	}
	f.pressureOlder.Combine(terms...)
	f.pressureOlder.Swap(f.pressurePrev)
	f.pressurePrev.Swap(f.pressure)
}

func (f *flow) free() {
	for _, p := range f.stateFields() {
		p.Free()
	}
	f.buoyancy.free()
	f.viscosity.free()
	if f.solver != nil {
		f.solver.Free()
	}
	if f.Flow != nil {
		f.Flow.Free()
	}
	if f.mobility != nil {
		f.mobility.Free()
	}
	if f.boundary != nil {
		f.boundary.Free()
	}
}
