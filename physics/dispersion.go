package physics

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/stencil"
)

// Dispersion are the lengths by which the flow spreads what it carries along it and across it, nondimensional. Where both are 0 there is none.
//
//	E(u) = Transverse |u| I + (Longitudinal - Transverse) u u / |u|
type Dispersion struct{ Longitudinal, Transverse float64 }

// any tells whether there is dispersion.
func (l Dispersion) any() bool { return l != Dispersion{} }

// Largest returns the larger length: no direction spreads more than it times |u|.
func (l Dispersion) Largest() float64 { return math.Max(l.Longitudinal, l.Transverse) }

// ballast is the part of the largest dispersion that stands in the matrix of a step. Of the flux by dispersion all is extrapolated in time, as advection
// is, and the matrix holds the increment back by ballast length |u| in all directions. Of a mode with the rates a of what is implicit and e of dispersion, both
// per step, of which the matrix has m = ballast · (at least e), a step Δt = ω times the one before is stable if (1 + 2ω)(e - m) ≤ 2(1 + ω) + a + m, which
// holds for any rate where ballast is at least (1 + 2ω)/(2 + 2ω), 0.8 for the largest growth of 1.5.
const ballast = (1 + 2*growth) / (2 + 2*growth)

// Offsets of the sums by dispersion from its slot.
const (
	spreadFlux        = iota // carried along the axis times distance
	spreadDissipation        // of dispersion
	spreadHeld               // the most by which the matrix of the next step is raised
	spreadSlots
)

// dispersion spreads a scalar by the flow.
type dispersion struct {
	Dispersion
	form kernels.Spreading
	held *stencil.Dispersivity // of the diffusion operator
	slot int                   // the first of its slots
	base float64               // the least diffusivity
}

// buildDispersion makes the diffusion operator one of the increment alone. What is conducted remains.
func (u *scalar) buildDispersion() (err error) {
	if !u.of.dispersion.any() {
		return nil
	}
	e := &dispersion{Dispersion: u.of.dispersion, form: spreadingOf(u.p.Stencil, u.of.scheme), base: u.of.diffusivity.Min()}
	if e.slot, err = u.dev.Reserve(u.of.Name+" dispersion", spreadSlots); err != nil {
		return err
	}
	u.ties.untied = u.diffusion.Untied()
	if e.held, err = stencil.NewDispersivity(u.diffusion, ballast*e.Largest()); err != nil {
		return fmt.Errorf("dispersion: %w", err)
	}
	u.dispersion = e
	return nil
}

// spreadingOf returns the form of the fluxes: limited as transport is.
func spreadingOf(s kernels.Stencil, scheme kernels.Scheme) kernels.Spreading {
	switch {
	case scheme != kernels.Central:
		return kernels.SpreadLimited
	case s == kernels.TwentySevenPoint:
		return kernels.SpreadTrilinear
	}
	return kernels.SpreadEdges
}

// hold renews the matrix of a step by the flow that disperse has seen. Any velocity would do: it only holds the increment back.
func (u *scalar) hold() error {
	e := u.dispersion
	if e == nil {
		return nil
	}
	most, err := e.held.Update(u.transport.Flow)
	if err != nil {
		return err
	}
	u.solver.Stiffen(1 + most/e.base)
	return u.solver.Refresh()
}

// disperse adds what dispersion brings to the advection of the present state.
func (u *scalar) disperse() {
	if e := u.dispersion; e != nil {
		u.transport.Disperse(u.advection, u.now, e.Longitudinal, e.Transverse, e.form, u.axis.axis, e.held, e.slot)
	}
}

// spread returns what dispersion carries along the axis times distance, and its dissipation, and keeps by how much the matrix of the next step is raised.
func (e *dispersion) spread(v []float64) (flux, dissipation float64) {
	if e == nil {
		return 0, 0
	}
	e.held.Read(v)
	return v[e.slot+spreadFlux], v[e.slot+spreadDissipation]
}

// guided returns a step as the scalar takes it. With dispersion the guess is the line that advection is extrapolated by: what the matrix holds back beyond
// the rate of a mode is stable with it, and not with a parabola.
func (u *scalar) guided(c sbdf) sbdf {
	if u.dispersion != nil {
		c.guess = [3]float64{c.e1, c.e2}
	}
	return c
}
