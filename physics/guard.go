package physics

import (
	"fmt"
	"math"
)

// guardSteps is the number of steps from one look at the ranges of the scalars to the next.
const guardSteps = 10

// leastStep is the least part of the time in which a scalar diffuses through the smallest cell, or the flow that buoyancy and walls can drive
// passes it, that the Courant number may ask of a step.
const leastStep = 1e-6

// RangeError tells that a scalar lies farther outside the range that walls, entering fluid, the initial state, fluxes and
// sources allow than that range is wide: the numbers have nothing to do with the case any more. All are nondimensional.
type RangeError struct {
	Name      string  // of the scalar
	Low, High float64 // the range
	Beyond    float64 // how far outside of it the scalar lies
}

// Error says so in one sentence.
func (e *RangeError) Error() string {
	return fmt.Sprintf("the %s lies %.3g outside the range from %.6g to %.6g that walls, entering fluid, initial state and sources allow: the computation has blown up",
		e.Name, e.Beyond, e.Low, e.High)
}

// StallError tells that the Courant number asks for steps far below all that happens in the smallest cell: the flow is not that of
// the case any more. Both are nondimensional.
type StallError struct {
	Step  float64 // Δt asked for
	Scale float64 // the time of diffusion or through-flow of the smallest cell
}

// Error says so in one sentence.
func (e *StallError) Error() string {
	return fmt.Sprintf("the flow asks for steps of %.3g, a millionth or less of the %.3g in which heat or fluid passes the smallest cell: the computation has blown up", e.Step, e.Scale)
}

// TemperatureRange returns the range of temperatures that the run may reach by now, nondimensional: the hull of those of walls, entering fluid
// and the initial state so far, wider by what fluxes and sources can have added. Without a temperature it is 0 to 0.
func (s *Simulation) TemperatureRange() (low, high float64) {
	if u := s.model.temperature(); u != nil {
		return u.within(s.time)
	}
	return 0, 0
}

// within returns the range that a scalar may reach until a time.
func (u *scalar) within(t float64) (low, high float64) { return u.met.within(&u.room, t) }

// reach returns the width of the range that a scalar may reach by now.
func (s *Simulation) reach(u *scalar) float64 {
	low, high := u.within(s.time)
	return high - low
}

// Foreseen returns the ranges of the temperature and of the concentration of the first solute, nondimensional, of the present state and all that walls and entering fluid
// will bring until the end.
func (s *Simulation) Foreseen() (v Values) {
	of := func(n int, u *scalar) {
		low, high := u.within(s.time)
		least, most := s.follow.extremes(u)
		v.Low[n], v.High[n] = math.Min(low, least), math.Max(high, most)
	}
	if u := s.model.temperature(); u != nil {
		of(0, u)
	}
	if n := firstSolute(s.model.p.Isothermal); n < len(s.model.scalars) {
		of(1, s.model.scalars[n])
	}
	return v
}

// LargestHeating returns the largest heat flux through a wall and the largest heat source, of either sign, that have been prescribed so far, nondimensional.
func (s *Simulation) LargestHeating() (flux, source float64) {
	if s.model.p.Isothermal {
		return 0, 0
	}
	met := s.model.temperature().met
	in, out := &met.heating, &met.cooling
	return math.Max(in.flux, out.flux), math.Max(in.source, out.source)
}

// looks tells whether the ranges of the scalars are watched at the present step.
func (s *Simulation) looks() bool {
	return s.step%guardSteps == 0 || s.time >= s.controls.End || s.controls.outputDue(s.time, s.step)
}

// queueRange queues the reductions that readRange reads.
func (s *Simulation) queueRange() {
	for _, u := range s.model.scalars {
		low, high := u.within(s.time)
		u.now.Excursion((low+high)/2, u.slot+ownRange)
	}
}

// readRange fails where a scalar lies farther outside its range than that is wide, or is not a number.
func (s *Simulation) readRange() error {
	v, err := s.model.dev.Scalars()
	if err != nil {
		return err
	}
	for _, u := range s.model.scalars {
		low, high := u.within(s.time)
		beyond := v[u.slot+ownRange] - (high-low)/2
		if high > low && !(beyond <= high-low) {
			return &StepError{Step: s.step, Time: s.time, Field: u.of.Name, Err: &RangeError{Name: u.of.Name, Low: low, High: high, Beyond: beyond}}
		}
	}
	return nil
}

// checkRange looks at the ranges of the present scalars.
func (s *Simulation) checkRange() error {
	s.queueRange()
	return s.readRange()
}

// checkStep fails where the Courant number asks for a step that nothing in the case can need. What output times ask for is no matter.
func (s *Simulation) checkStep() error {
	step := s.controls.Courant / s.rate // +Inf at rest
	if step >= leastStep*s.model.cellTime() {
		return nil
	}
	if scale := s.cellTime(); step < leastStep*scale {
		return &StepError{Step: s.step, Time: s.time, Field: "velocity", Err: &StallError{Step: step, Scale: scale}}
	}
	return nil
}

// cellTime returns the shorter of the times in which a scalar diffuses through the smallest cell, and fluid passes it that is driven by the whole
// ranges of the scalars and all that walls and wells prescribe.
func (s *Simulation) cellTime() float64 {
	m := s.model
	h, mobility, capacity := m.grid.MinWidth(), m.p.Permeability.Max(), math.Inf(1)
	if v := m.flow.viscosity; v != nil {
		mobility *= v.greatestFluidity(s.reach)
	}
	for _, u := range m.scalars {
		capacity = math.Min(capacity, u.room.capacity)
	}
	speed := m.walls.speed + m.wells.fastest() + mobility*(m.flow.buoyancy.drive(1, s.reach)+m.walls.pressure/h)
	return math.Min(m.cellTime(), capacity*h/speed)
}
