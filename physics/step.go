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

// stepTemperature advances the temperature to time t, the end of the step. On return the residual field holds, at nodes
// of fixed temperature, minus the heat that flowed in through their walls. The tolerance of the solve is taken slack times.
func (m *model) stepTemperature(c sbdf, t, slack float64, clock *clock) (multigrid.Result, error) {
	if err := m.setWalls(t, false); err != nil {
		return multigrid.Result{}, err
	}
	reference, left := m.predict(c)
	clock.lap("heat right side")
	m.diffusionSolver.SetMassScale(c.a0 * m.capacity / c.dt)
	m.diffusion.SetMassScale(c.a0 * m.capacity / c.dt)
	increment := m.advectionPrev // N^(n-1) has done its work
	result, finished, err := m.diffusionSolver.SolveFromZero(increment, m.rhs, slack*reference, left, m.finish())
	if err != nil {
		return result, err
	}
	clock.lap("diffusion solve")
	m.temperatureOlder.Swap(m.temperaturePrev)
	m.temperaturePrev.Swap(m.temperature)
	if !finished {
		increment.Exchange(1)
		m.dev.Settle(kernels.SettleArgs{A: m.diffusion.Elliptic(), X: m.guess.Buffer, U: increment.Buffer, F: m.rhs.Buffer, R: m.residual.Buffer})
		m.temperature.Swap(m.guess)
	}
	m.advectionPrev.Swap(m.advection)
	clock.lap("heat update")
	return result, nil
}

// finish returns what ends a step with a correction that a solve leaves in single precision, where the device can: it puts the temperature into the
// field of the oldest one, which has done its work.
func (m *model) finish() multigrid.Finish {
	d, ok := m.dev.(kernels.Finisher)
	if !ok || !d.Finishes(m.diffusion.Elliptic()) {
		return nil
	}
	return func(e *stencil.Field, scale float64) (float64, error) {
		e.Exchange(1)
		d.Finish(kernels.FinishArgs{A: m.diffusion.Elliptic(), Out: m.temperatureOlder.Buffer, X: m.guess.Buffer, E: e.Buffer, F: m.rhs.Buffer,
			R: m.residual.Buffer, Scale: scale, Slot: slotLeft})
		s, err := m.dev.Scalars()
		if err != nil {
			return 0, err
		}
		return math.Sqrt(s[slotLeft]), nil
	}
}

// predict computes the guess and, into rhs, the residual of the heat equation there, at fixed nodes too. It returns the norm
// against which the diffusion solve is measured, the heat that changes the temperature in one step, and that of the residual. Before the
// first step there is no history and the initial residual serves (0).
func (m *model) predict(c sbdf) (reference, left float64) {
	m.diffusion.SetMassScale(m.capacity / c.dt)
	for _, f := range []*stencil.Field{m.temperature, m.temperaturePrev, m.temperatureOlder} {
		f.Exchange(1)
	}
	// 1, the sum of the weights, is in T: differences of temperatures are small.
	a := kernels.PredictArgs{A: m.diffusion.Elliptic(), T: m.temperature.Buffer, TPrev: m.temperaturePrev.Buffer, N: m.advection.Buffer,
		NPrev: m.advectionPrev.Buffer, Omega: -c.guess[1] - c.guess[2], A0: c.a0, A2: c.a2, E1: c.e1, E2: c.e2, Walls: m.heatBoundary.Walls(m.guess),
		Periodic: m.grid.Periodic, G: m.guess.Buffer, F: m.rhs.Buffer, Work: m.residual.Buffer, Norms: c.guess[1] != 0, Slot: slotGuess}
	if c.guess[2] != 0 {
		a.TOlder, a.Bend = m.temperatureOlder.Buffer, -c.guess[2]
	}
	if m.source != nil {
		a.Source = m.source.Buffer
	}
	if m.finish() != nil {
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
	m.flow.Source(m.rhs, m.temperature, m.p.Rayleigh)
	m.extrapolatePressure(c)
	m.flowBoundary.Impose(m.pressure)
	clock.lap("buoyancy")
	result, err := m.pressureSolver.Solve(m.pressure, m.rhs, reference)
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
// sample. The residual field holds the wall flows; those of a state at rest in time are put there first.
func (m *model) measure(static bool) {
	m.survey()
	if static {
		m.staticResidual()
	}
	if m.viscosity != nil {
		m.temperature.Excursion(m.viscosity.centre, slotExcursion)
	}
	if m.grid.Flat() {
		m.flow.Streamfunction(m.guess, slotPsi)
	}
	for _, s := range m.walls.sides {
		if m.wallShare[s] != nil {
			m.residual.WallSum(s, m.wallShare[s], slotWallFlux+int(s))
		}
		if s.Axis() == m.thermal.axis {
			m.temperature.WallSum(s, m.wallArea[s], slotWallMean+int(s))
		}
	}
}

// survey computes the advection of the present state and the statistics of its flow and heat.
func (m *model) survey() {
	m.transport.Survey(m.conduction, m.advection, m.temperature, m.thermal.axis, m.thermal.enclosed, slotFlow)
}

// staticResidual puts into the residual field the wall flows of a state at rest in time (before the first step):
// what conduction and advection carry into the nodes of fixed temperature.
func (m *model) staticResidual() {
	m.rhs.Copy(m.advection)
	if m.source != nil {
		m.rhs.Combine(stencil.Sum{C: 1, X: m.advection}, stencil.Sum{C: 1, X: m.source})
	}
	m.conduction.Residual(m.residual, m.rhs, m.temperature)
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
