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
	slotFlow        = 0                                  // stencil.StatisticsSlots slots
	slotGuess       = slotFlow + stencil.StatisticsSlots // 2
	slotContent     = slotGuess + 2
	slotAdvection   = slotContent + 1
	slotHeatFlux    = slotAdvection + 1
	slotDissipation = slotHeatFlux + 1
	slotPsi         = slotDissipation + 1 // 2
	slotWallFlux    = slotPsi + 2         // 6
	slotWallMean    = slotWallFlux + 6    // 6
	slotSteady      = slotWallMean + 6
	slotExcursion   = slotSteady + 1
)

// sbdf holds the coefficients of one step.
type sbdf struct {
	dt         float64
	a0, a1, a2 float64 // of T^(n+1), T^n, T^(n-1), over dt
	e1, e2     float64 // of N^n, N^(n-1)
	omega      float64 // extrapolation: (1+ω) T^n - ω T^(n-1)
}

// coefficients returns those of SBDF2 for steps dt after previous, of IMEX Euler where previous is 0.
func coefficients(dt, previous float64) sbdf {
	if previous == 0 {
		return sbdf{dt: dt, a0: 1, a1: -1, e1: 1}
	}
	w := dt / previous
	return sbdf{dt: dt, a0: (1 + 2*w) / (1 + w), a1: -(1 + w), a2: w * w / (1 + w), e1: 1 + w, e2: -w, omega: w}
}

// stepTemperature advances the temperature to time t, the end of the step. On return the residual field holds, at nodes
// of fixed temperature, minus the heat that flowed in through their walls.
func (m *model) stepTemperature(c sbdf, t float64, clock *clock) (multigrid.Result, error) {
	m.transport.Advect(m.advection, m.temperature)
	clock.lap("advection")
	if err := m.setWalls(t, false); err != nil {
		return multigrid.Result{}, err
	}
	m.heatResidual(c)
	reference := m.changeScale(c)
	clock.lap("heat right side")
	m.diffusionSolver.SetMassScale(c.a0 * m.porosity / c.dt)
	m.increment.Fill(0)
	result, err := m.diffusionSolver.Solve(m.increment, m.rhs, reference)
	if err != nil {
		return result, err
	}
	clock.lap("diffusion solve")
	m.balance.SetMassScale(c.a0 * m.porosity / c.dt)
	m.balance.Residual(m.residual, m.rhs, m.increment)
	m.diffusion.SetMassScale(c.a0 * m.porosity / c.dt)
	m.diffusion.MassUpdate(m.increment, m.residual)
	m.guess.Combine(stencil.Sum{C: 1, X: m.guess}, stencil.Sum{C: 1, X: m.increment})
	m.temperaturePrev.Swap(m.temperature)
	m.temperature.Swap(m.guess)
	m.advectionPrev.Swap(m.advection)
	clock.lap("heat update")
	return result, nil
}

// heatResidual computes the guess G and, into rhs, the residual R of the heat equation at G, at fixed nodes too.
// Sums are ordered so that equal temperatures cancel exactly.
func (m *model) heatResidual(c sbdf) {
	now, prev := m.temperature, m.temperaturePrev
	m.guess.Combine(stencil.Sum{C: 1, X: now}, stencil.Sum{C: c.omega, X: now}, stencil.Sum{C: -c.omega, X: prev})
	m.impose(m.guess)
	m.increment.Combine(stencil.Sum{C: c.a0, X: m.guess}, stencil.Sum{C: -c.a0, X: now},
		stencil.Sum{C: -c.a2, X: now}, stencil.Sum{C: c.a2, X: prev})
	m.rhs.Combine(stencil.Sum{C: c.e1, X: m.advection}, stencil.Sum{C: c.e2, X: m.advectionPrev})
	if m.source != nil {
		m.rhs.Combine(stencil.Sum{C: 1, X: m.rhs}, stencil.Sum{C: 1, X: m.source})
	}
	m.capacity.SetMassScale(m.porosity / c.dt)
	m.capacity.Residual(m.rhs, m.rhs, m.increment)
	m.conduction.Residual(m.rhs, m.rhs, m.guess)
}

// changeScale returns the norm against which the diffusion solve is measured: the heat that changes the temperature
// in one step. Before the first step there is no history and the initial residual serves (0).
func (m *model) changeScale(c sbdf) float64 {
	if c.omega == 0 {
		return 0
	}
	m.increment.Combine(stencil.Sum{C: 1, X: m.guess}, stencil.Sum{C: -1, X: m.temperature})
	for i, f := range []*stencil.Field{m.increment, m.rhs} {
		m.dev.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: m.grid.Box, X: f.Buffer, Y: f.Buffer,
			Mask: m.heatBoundary.Mask, Slot: slotGuess + i})
	}
	s, err := m.dev.Scalars()
	if err != nil {
		return 0 // kept by the device, returned by the solve that follows
	}
	mass := m.capacityV / float64(m.grid.Nodes()) * c.a0 / c.dt
	return mass*math.Sqrt(s[slotGuess]) + math.Sqrt(s[slotGuess+1])
}

// solveFlow solves the pressure at time t from the temperature, starting from the extrapolated pressure, and updates
// the velocities.
func (m *model) solveFlow(c sbdf, t float64, clock *clock) (multigrid.Result, error) {
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
	m.pressurePrev.Combine(stencil.Sum{C: 1 + c.omega, X: m.pressure}, stencil.Sum{C: -c.omega, X: m.pressurePrev})
	m.pressurePrev.Swap(m.pressure)
	m.flowBoundary.Impose(m.pressure)
	clock.lap("buoyancy")
	result, err := m.pressureSolver.Solve(m.pressure, m.rhs, 0)
	if err != nil {
		return result, err
	}
	clock.lap("pressure solve")
	m.flow.Update(m.pressure, m.temperature, m.p.Rayleigh)
	clock.lap("velocity")
	return result, nil
}

// measure queues the reductions of a sample; the residual field holds the wall flows.
func (m *model) measure() {
	m.flow.Statistics(slotFlow)
	a := &m.thermal
	m.transport.HeatFlux(m.conduction, m.temperature, a.axis, slotHeatFlux)
	if a.enclosed {
		m.conduction.Dissipation(m.temperature, slotDissipation)
	}
	m.content(m.temperature, slotContent)
	if m.viscosity != nil {
		m.guess.Fill(m.viscosity.centre)
		m.temperature.Reduce(kernels.MaxDiff, m.guess, slotExcursion)
	}
	if m.grid.Flat() {
		m.flow.Streamfunction(m.guess, slotPsi)
	}
	m.advectionPrev.Reduce(kernels.Sum, nil, slotAdvection)
	for _, s := range m.walls.sides {
		if m.wallShare[s] != nil {
			m.residual.WallSum(s, m.wallShare[s], slotWallFlux+int(s))
		}
		if s.Axis() == a.axis {
			m.temperature.WallSum(s, m.wallArea[s], slotWallMean+int(s))
		}
	}
}

// content queues Σ φV T.
func (m *model) content(t *stencil.Field, slot int) {
	if e := m.capacity.Elliptic(); e.Mass != nil {
		m.dev.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: m.grid.Box, X: t.Buffer, Y: e.Mass, Slot: slot})
		return
	}
	t.Reduce(kernels.VolumeSum, nil, slot)
}

// staticResidual puts into the residual field the wall flows of a state at rest in time (before the first step):
// what conduction and advection carry into the nodes of fixed temperature.
func (m *model) staticResidual() {
	m.transport.Advect(m.advection, m.temperature)
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
	if m.capacity.Elliptic().Mass == nil {
		content *= m.porosity
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
