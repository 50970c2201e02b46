package physics

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// Slots of the device's reductions that a step uses.
const (
	slotFlow        = 0 // kernels.SurveySlots slots, of which stencil.StatisticsSlots of the flow
	slotAdvection   = slotFlow + kernels.SurveyGain
	slotContent     = slotFlow + kernels.SurveyContent
	slotHeatFlux    = slotFlow + kernels.SurveyHeatFlux
	slotDissipation = slotFlow + kernels.SurveyDissipation
	slotGuess       = slotFlow + kernels.SurveySlots // 2
	slotPsi         = slotGuess + 2                  // 2
	slotWallFlux    = slotPsi + 2                    // 6
	slotWallMean    = slotWallFlux + 6               // 6
	slotSteady      = slotWallMean + 6
	slotExcursion   = slotSteady + 1
	slotLeft        = slotExcursion + 1
	slotMotion      = slotLeft + 1
	slotRange       = slotMotion + 1
)

// sbdf holds the coefficients of one step.
type sbdf struct {
	dt         float64
	a0, a1, a2 float64    // of T^(n+1), T^n, T^(n-1), over dt
	e1, e2     float64    // of N^n, N^(n-1)
	guess      [3]float64 // extrapolation of temperature and pressure, of those of t^n, t^(n-1), t^(n-2)
}

// coefficients returns those of SBDF2 for a step dt after previous, which came after older; of IMEX Euler where previous is 0.
func coefficients(dt, previous, older float64) sbdf {
	if previous == 0 {
		return sbdf{dt: dt, a0: 1, a1: -1, e1: 1, guess: [3]float64{1}}
	}
	w := dt / previous
	c := sbdf{dt: dt, a0: (1 + 2*w) / (1 + w), a1: -(1 + w), a2: w * w / (1 + w), e1: 1 + w, e2: -w}
	c.guess = [3]float64{1 + w, -w}
	if older > 0 { // the parabola through three
		two, three := dt+previous, dt+previous+older
		c.guess = [3]float64{two * three / (previous * (previous + older)), -dt * three / (previous * older), dt * two / ((previous + older) * older)}
	}
	return c
}

// stepTemperature advances the temperature to time t, the end of the step, and leaves what flowed in through walls in wallFlow,
// until dropWallFlow. The tolerance of the solve is taken slack times.
func (m *model) stepTemperature(c sbdf, t, slack float64, clock *clock) (multigrid.Result, error) {
	if err := m.setWalls(t, false); err != nil {
		return multigrid.Result{}, err
	}
	guess, rhs, residual := m.scratch.borrow("extrapolated temperature"), m.scratch.borrow("heat right side"), m.scratch.borrow("heat residual")
	defer m.scratch.giveBack(guess)
	defer m.scratch.giveBack(rhs)
	reference, left := m.predict(c, guess, rhs, residual)
	clock.lap("heat right side")
	m.diffusionSolver.SetMassScale(c.a0 * m.capacity / c.dt)
	m.diffusion.SetMassScale(c.a0 * m.capacity / c.dt)
	increment := m.scratch.reuse("heat increment", m.advectionPrev)
	defer m.scratch.giveBack(increment)
	m.diffusionSolver.Lend(residual)
	result, finished, err := m.diffusionSolver.SolveFromZero(increment, rhs, slack*reference, left, m.ending(guess, rhs, residual))
	m.diffusionSolver.Lend(nil)
	if err != nil {
		m.scratch.giveBack(residual)
		return result, err
	}
	clock.lap("diffusion solve")
	m.temperatureOlder.Swap(m.temperaturePrev)
	m.temperaturePrev.Swap(m.temperature)
	if !finished {
		increment.Exchange(1)
		m.dev.Settle(kernels.SettleArgs{A: m.diffusion.Elliptic(), X: guess.Buffer, U: increment.Buffer, F: rhs.Buffer, R: residual.Buffer})
		m.temperature.Swap(guess)
	}
	m.advectionPrev.Swap(m.advection)
	m.wallFlow = residual
	clock.lap("heat update")
	return result, nil
}

// dropWallFlow gives back the field of the wall flows when they have been read, or will not be.
func (m *model) dropWallFlow() {
	m.scratch.giveBack(m.wallFlow)
	m.wallFlow = nil
}

// singlePass returns the device where it ends a step in one pass, from a correction that a solve leaves in single precision; else nil.
func (m *model) singlePass() kernels.Finisher {
	d, ok := m.dev.(kernels.Finisher)
	if !ok || !d.Finishes(m.diffusion.Elliptic()) {
		return nil
	}
	return d
}

// ending returns what ends a step in one pass, nil where the device cannot. It puts the temperature into the field of the oldest one, which the prediction
// has used, and the residual of the heat equation into residual, which the solver does not need while it calls.
func (m *model) ending(guess, rhs, residual *stencil.Field) multigrid.Finish {
	d := m.singlePass()
	if d == nil {
		return nil
	}
	return func(e *stencil.Field, scale float64) (float64, error) {
		out := m.scratch.reuse("temperature of a single pass", m.temperatureOlder)
		defer m.scratch.giveBack(out)
		e.Exchange(1)
		d.Finish(kernels.FinishArgs{A: m.diffusion.Elliptic(), Out: out.Buffer, X: guess.Buffer, E: e.Buffer, F: rhs.Buffer,
			R: residual.Buffer, Scale: scale, Slot: slotLeft})
		s, err := m.dev.Scalars()
		if err != nil {
			return 0, err
		}
		return math.Sqrt(s[slotLeft]), nil
	}
}

// predict computes the guess and, into rhs, the residual of the heat equation there, at fixed nodes too; work is lost. It returns the norm
// against which the diffusion solve is measured, the heat that changes the temperature in one step, and that of the residual. Before the
// first step there is no history and the initial residual serves (0).
func (m *model) predict(c sbdf, guess, rhs, work *stencil.Field) (reference, left float64) {
	m.diffusion.SetMassScale(m.capacity / c.dt)
	for _, f := range []*stencil.Field{m.temperature, m.temperaturePrev, m.temperatureOlder} {
		f.Exchange(1)
	}
	// 1, the sum of the weights, is in T: differences of temperatures are small.
	a := kernels.PredictArgs{A: m.diffusion.Elliptic(), T: m.temperature.Buffer, TPrev: m.temperaturePrev.Buffer, N: m.advection.Buffer,
		NPrev: m.advectionPrev.Buffer, Omega: -c.guess[1] - c.guess[2], A0: c.a0, A2: c.a2, E1: c.e1, E2: c.e2, Walls: m.heatBoundary.Walls(guess),
		Periodic: m.grid.Periodic, G: guess.Buffer, F: rhs.Buffer, Work: work.Buffer, Norms: c.guess[1] != 0, Slot: slotGuess}
	if c.guess[2] != 0 {
		a.TOlder, a.Bend = m.temperatureOlder.Buffer, -c.guess[2]
	}
	if m.source != nil {
		a.Source = m.source.Buffer
	}
	if m.singlePass() != nil {
		a.Single, a.Inverse = m.diffusionSolver.SingleRightSide()
	}
	m.dev.Predict(a)
	if !a.Norms {
		return 0, 0
	}
	s, err := m.dev.Scalars()
	if err != nil {
		return 0, 0 // kept by the device, returned by the solve that follows
	}
	mass := m.capacityV / float64(m.grid.Nodes()) * c.a0 / c.dt
	left = math.Sqrt(s[slotGuess+1])
	return mass*math.Sqrt(s[slotGuess]) + left, left
}

// solveFlow solves the pressure at time t from the temperature, starting from the extrapolated pressure, and updates
// the velocities. The residual is measured against reference; 0: the norm of the right side.
func (m *model) solveFlow(c sbdf, t, reference float64, clock *clock) (multigrid.Result, error) {
	m.flow.Average(m.temperature)
	if err := m.pressWalls(t); err != nil {
		return multigrid.Result{}, err
	}
	if m.viscosity != nil {
		m.viscosity.renew(m.temperature)
		if err := m.pressureSolver.Refresh(); err != nil {
			return multigrid.Result{}, err
		}
		clock.lap("mobility")
	}
	room, rhs := m.scratch.borrow("room of the pressure solve"), m.scratch.borrow("pressure right side")
	defer m.scratch.giveBack(room)
	defer m.scratch.giveBack(rhs)
	m.flow.Source(rhs, m.temperature, m.p.Rayleigh)
	m.extrapolatePressure(c)
	m.flowBoundary.Impose(m.pressure)
	clock.lap("buoyancy")
	m.pressureSolver.Lend(room)
	result, err := m.pressureSolver.Solve(m.pressure, rhs, reference)
	m.pressureSolver.Lend(nil)
	if err != nil {
		return result, err
	}
	clock.lap("pressure solve")
	m.flow.Update(m.pressure, m.temperature, m.p.Rayleigh)
	clock.lap("velocity")
	return result, nil
}

// extrapolatePressure puts the first guess into the pressure, and the pressures of the steps before into those before it.
func (m *model) extrapolatePressure(c sbdf) {
	terms := []stencil.Sum{{C: c.guess[0], X: m.pressure}, {C: c.guess[1], X: m.pressurePrev}, {C: c.guess[2], X: m.pressureOlder}}
	for len(terms) > 1 && terms[len(terms)-1].C == 0 {
		terms = terms[:len(terms)-1]
	}
	m.pressureOlder.Combine(terms...)
	m.pressureOlder.Swap(m.pressurePrev)
	m.pressurePrev.Swap(m.pressure)
}

// measure computes the advection of the present state, which the next step begins with, and queues the reductions of a
// sample. The wall flows are those of the step, or of a state at rest in time, and are given back.
func (m *model) measure(static bool) {
	m.survey()
	if static {
		m.restingWallFlow()
	}
	if m.viscosity != nil {
		m.temperature.Excursion(m.viscosity.centre, slotExcursion)
	}
	if m.grid.Flat() {
		psi := m.scratch.borrow("stream function")
		m.flow.Streamfunction(psi, slotPsi)
		m.scratch.giveBack(psi)
	}
	for _, s := range m.walls.sides {
		if m.wallShare[s] != nil {
			m.wallFlow.WallSum(s, m.wallShare[s], slotWallFlux+int(s))
		}
		if s.Axis() == m.thermal.axis {
			m.temperature.WallSum(s, m.wallArea[s], slotWallMean+int(s))
		}
	}
	m.dropWallFlow()
}

// survey computes the advection of the present state and the statistics of its flow and heat.
func (m *model) survey() {
	m.transport.Survey(m.conduction, m.advection, m.temperature, m.thermal.axis, m.thermal.enclosed, slotFlow)
}

// restingWallFlow computes the wall flows of a state at rest in time (before the first step): what conduction and
// advection carry into the nodes of fixed temperature.
func (m *model) restingWallFlow() {
	rhs := m.scratch.borrow("heat right side")
	defer m.scratch.giveBack(rhs)
	rhs.Copy(m.advection)
	if m.source != nil {
		rhs.Combine(stencil.Sum{C: 1, X: m.advection}, stencil.Sum{C: 1, X: m.source})
	}
	m.wallFlow = m.scratch.borrow("heat residual")
	m.conduction.Residual(m.wallFlow, rhs, m.temperature)
}

// read turns the reductions into a sample's numbers and returns the heat content and the sum of the advection.
func (m *model) read(s *Sample) (content, advection float64, budget heatBudget, err error) {
	v, err := m.dev.Scalars()
	if err != nil {
		return 0, 0, budget, fmt.Errorf("diagnostics: %w", err)
	}
	volume := m.grid.Volume()
	s.SpeedRMS = math.Sqrt(v[slotFlow+stencil.SpeedSquared] / volume)
	s.SpeedMax = v[slotFlow+stencil.SpeedMax]
	s.Divergence = v[slotFlow+stencil.DivergenceMax]
	s.Streamfunction, s.StreamfunctionMid = math.NaN(), math.NaN()
	if m.grid.Flat() {
		s.Streamfunction, s.StreamfunctionMid = v[slotPsi], v[slotPsi+1]
	}
	for _, side := range m.walls.sides {
		if m.wallShare[side] != nil {
			budget.wall[side] = -v[slotWallFlux+int(side)]
		}
		if side.Axis() == m.thermal.axis {
			budget.mean[side] = v[slotWallMean+int(side)] / m.thermal.area
		}
	}
	content, advection = v[slotContent], v[slotAdvection]
	if m.conduction.Elliptic().Mass == nil {
		content *= m.capacity
	}
	s.TemperatureMean = content / m.capacityV
	if m.viscosity != nil {
		m.viscosity.excursion = v[slotExcursion]
	}
	m.thermal.nusselt(s, m.withPrescribed(budget), m.grid.Size[m.thermal.axis], v[slotHeatFlux], v[slotDissipation])
	return content, advection, budget, nil
}

// withPrescribed adds the prescribed fluxes of the walls of the thermal axis.
func (m *model) withPrescribed(b heatBudget) *heatBudget {
	for end := range 2 {
		side := kernels.Side(2*m.thermal.axis + end)
		if m.thermal.active[end] {
			b.wall[side] += m.prescribed[side]
		}
	}
	return &b
}
