package physics

import (
	"math"

	"convect/kernels"
)

// The steady window: the longer of this time and this many steps.
const (
	steadyTime  = 0.01
	steadySteps = 50
)

// steadyWatch remembers the start of the present window; its temperature is the model's reference field.
type steadyWatch struct {
	step    float64
	time    float64
	nusselt float64
	reached float64 // the Controls.Steady by which the run was found steady at the present step; 0: not found
}

// pinSteady starts a window at the present step.
func (s *Simulation) pinSteady() {
	if s.controls.Steady == 0 {
		return
	}
	s.steady = steadyWatch{step: float64(s.step), time: s.time, nusselt: s.sample.Nusselt()}
	s.model.reference.Copy(s.model.temperature)
}

// watchSteady tells at the end of a window whether Nu and T have stayed the same within it, and starts the next.
func (s *Simulation) watchSteady() (bool, error) {
	w := &s.steady
	if s.controls.Steady == 0 || float64(s.step)-w.step < steadySteps || s.time-w.time < steadyTime {
		return false, nil
	}
	m := s.model
	m.temperature.Reduce(kernels.MaxDiff, m.reference, slotSteady)
	v, err := m.dev.Scalars()
	if err != nil {
		return false, err
	}
	change := math.Abs(s.sample.Nusselt() - w.nusselt)
	still := v[slotSteady] < s.controls.Steady*s.difference &&
		(math.IsNaN(change) || change < s.controls.Steady*math.Abs(w.nusselt))
	s.pinSteady()
	if still {
		w.reached = s.controls.Steady
	}
	return still, nil
}

// wasSteady tells whether a run that is resumed was found steady before, by a criterion at least as strict as its own.
func (s *Simulation) wasSteady() bool {
	return s.steady.reached > 0 && s.controls.Steady >= s.steady.reached
}
