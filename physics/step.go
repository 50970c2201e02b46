package physics

import "convect/kernels"

// Slots of the device's reductions that each scalar has of its own, from its first one on.
const (
	ownMeasured    = 0 // kernels.MeasuredSlots slots, of which stencil.StatisticsSlots of the flow
	ownAdvection   = ownMeasured + kernels.MeasuredGain
	ownContent     = ownMeasured + kernels.MeasuredContent
	ownFlux        = ownMeasured + kernels.MeasuredHeatFlux
	ownDissipation = ownMeasured + kernels.MeasuredDissipation
	ownWallFlux    = ownMeasured + kernels.MeasuredSlots // 6
	ownWallMean    = ownWallFlux + 6                     // 6
	ownRange       = ownWallMean + 6
	ownSlots       = ownRange + 1
)

// Slots of a model beside them, from its first one on.
const (
	slotGuess     = 0             // 2
	slotPsi       = slotGuess + 2 // 2
	slotSteady    = slotPsi + 2
	slotExcursion = slotSteady + 1
	slotLeft      = slotExcursion + 1
	slotMotion    = slotLeft + 1
	slotDensity   = slotMotion + 1  // 2
	slotViscosity = slotDensity + 2 // 2
	ownOfModel    = slotViscosity + 2
	// Of measurements that are read before others are made.
	slotDivergence = slotSteady
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
