package physics

import (
	"math"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// step advances the scalar over a step whose walls are set, and leaves what flowed in through walls in wallFlow,
// until dropWallFlow. The tolerance of the solve is taken slack times.
func (u *scalar) step(c sbdf, slack float64, clock *clock) (multigrid.Result, error) {
	guess, rhs, residual := u.scratch.borrow("extrapolation"), u.scratch.borrow("right side"), u.scratch.borrow(u.of.residual)
	defer u.scratch.giveBack(guess)
	defer u.scratch.giveBack(rhs)
	if err := u.hold(); err != nil {
		return multigrid.Result{}, err
	}
	c = u.guided(c)
	reference, left := u.predict(c, guess, rhs, residual)
	if u.leavesNorm() {
		u.solver.AddRightSide(slack)
		left = multigrid.NotMeasured
	}
	clock.lap(u.of.rightSide)
	u.solver.SetMassScale(c.a0 * u.capacity / c.dt)
	u.diffusion.SetMassScale(c.a0 * u.capacity / c.dt)
	increment := u.scratch.reuse("increment", u.advectionPrev)
	defer u.scratch.giveBack(increment)
	u.solver.SetScratch(residual)
	result, finished, err := u.solver.SolveFromZero(increment, rhs, slack*reference, left, u.ending(guess, rhs, residual))
	u.solver.SetScratch(nil)
	if err != nil {
		u.scratch.giveBack(residual)
		return result, err
	}
	clock.lap(u.of.solve)
	u.older.Swap(u.before)
	u.before.Swap(u.now)
	if !finished {
		increment.Exchange(1)
		u.conserve(guess, increment, rhs, residual)
		u.now.Swap(guess)
	}
	u.advectionPrev.Swap(u.advection)
	u.wallFlow = residual
	clock.lap(u.of.update)
	return result, nil
}

// conserve adds an increment to the guess and computes the residual of the equation there.
func (u *scalar) conserve(guess, increment, rhs, residual *stencil.Field) {
	u.dev.Conserve(kernels.ConserveArgs{A: u.diffusion.Elliptic(), X: guess.Buffer, U: increment.Buffer, F: rhs.Buffer, R: residual.Buffer})
}

// dropWallFlow gives back the field of the wall flows when they have been read, or will not be.
func (u *scalar) dropWallFlow() {
	u.scratch.giveBack(u.wallFlow)
	u.wallFlow = nil
}

// singlePass tells whether the device ends a step in one pass, from a correction that a solve leaves in single precision, and whether the prediction or the solve
// makes the right side of that.
func (u *scalar) singlePass() bool {
	d := kernels.Optional{Device: u.dev}
	return !u.diffusion.Tied() && d.ConservesMeasured(u.diffusion.Elliptic()) && (d.PredictsSingle(u.ties.untied.Elliptic()) || u.solver.MeasuresFirst())
}

// ending returns what ends a step in one pass, nil where the device cannot. It puts the new values into the field of the oldest ones, which the prediction
// has used, and the residual of the equation into residual, which the solver does not need while it calls.
func (u *scalar) ending(guess, rhs, residual *stencil.Field) multigrid.Completion {
	if !u.singlePass() {
		return nil
	}
	return func(e *stencil.Field, scale float64) (float64, error) {
		out := u.scratch.reuse("result of a single pass", u.older)
		defer u.scratch.giveBack(out)
		e.Exchange(1)
		kernels.Optional{Device: u.dev}.ConserveMeasured(kernels.ConserveMeasuredArgs{A: u.diffusion.Elliptic(), Out: out.Buffer, X: guess.Buffer, E: e.Buffer, F: rhs.Buffer,
			R: residual.Buffer, Scale: scale, Slot: u.slots + slotLeft})
		s, err := u.dev.Scalars()
		if err != nil {
			return 0, err
		}
		return math.Sqrt(s[u.slots+slotLeft]), nil
	}
}

// leavesNorm tells whether the norm of the residual that a step begins with is left to the solve, which measures it on its way.
func (u *scalar) leavesNorm() bool {
	return !u.predictsSingle() && !u.diffusion.Tied() && u.solver.MeasuresFirst()
}

// predictsSingle tells whether the prediction makes the right side of a single pass in single precision, too.
func (u *scalar) predictsSingle() bool {
	return u.singlePass() && kernels.Optional{Device: u.dev}.PredictsSingle(u.ties.untied.Elliptic())
}

// predict computes the guess and, into rhs, the residual of the equation there, at fixed nodes too; work is lost. It returns the norm
// against which the diffusion solve is measured, the content that changes the scalar in one step, and that of the residual, without the latter and 0 where
// the solve adds it. Before the first step there is no history and the initial residual serves (0).
func (u *scalar) predict(c sbdf, guess, rhs, work *stencil.Field) (reference, left float64) {
	u.ties.untied.SetMassScale(u.capacity / c.dt)
	for _, f := range []*stencil.Field{u.now, u.before, u.older} {
		f.Exchange(1)
	}
	// 1, the sum of the weights, is in T: differences of temperatures are small.
	a := kernels.PredictArgs{A: u.ties.untied.Elliptic(), T: u.now.Buffer, TPrev: u.before.Buffer, N: u.advection.Buffer,
		NPrev: u.advectionPrev.Buffer, Omega: -c.guess[1] - c.guess[2], A0: c.a0, A2: c.a2, E1: c.e1, E2: c.e2, Walls: u.boundary.Walls(guess),
		Periodic: u.grid.Periodic, G: guess.Buffer, F: rhs.Buffer, Work: work.Buffer, Norms: c.guess[1] != 0, OnlyChange: u.leavesNorm(), Slot: u.slots + slotGuess}
	if c.guess[2] != 0 {
		a.TOlder, a.Bend = u.older.Buffer, -c.guess[2]
	}
	if u.source != nil {
		a.Source = u.source.Buffer
	}
	if u.predictsSingle() {
		a.Single, a.Inverse = u.solver.SingleRightSide()
	}
	u.dev.Predict(a)
	if u.diffusion.Tied() {
		left = u.release(rhs, guess, work)
	}
	if !a.Norms {
		return left, left
	}
	s, err := u.dev.Scalars()
	if err != nil {
		return 0, 0 // kept by the device, returned by the solve that follows
	}
	if !u.diffusion.Tied() && !a.OnlyChange {
		left = math.Sqrt(s[u.slots+slotGuess+1])
	}
	mass := u.capacityV / float64(u.grid.Nodes()) * c.a0 / c.dt
	return mass*math.Sqrt(s[u.slots+slotGuess]) + left, left
}

// norm returns the 2-norm of a field; 0 where the device has failed, which the solve that follows returns.
func (u *scalar) norm(f *stencil.Field) float64 {
	f.Reduce(kernels.Dot, f, u.slots+slotLeft)
	s, err := u.dev.Scalars()
	if err != nil {
		return 0
	}
	return math.Sqrt(s[u.slots+slotLeft])
}
