package physics

import (
	"math"

	"convect/kernels"
)

// The steady window: the longer of this time, in which heat diffuses as much as the slowest scalar does in a window, and this many steps.
const (
	steadyTime  = 0.01
	steadySteps = 50
)

// firstPatience is the number of windows without a change between the first two probes of a state in which a disturbance grows; from
// then on each pause is twice the one before.
const firstPatience = 4

// steadyWatch remembers the start of the present window; its values are the scalars' reference fields.
type steadyWatch struct {
	step    float64
	time    float64
	nusselt float64 // of the temperature
	reached float64 // the Controls.Steady by which the run was found steady at the present step; 0: not found
	// Windows without a change to let pass before the next probe, and those that have passed. 0 before the first one.
	patience, waited float64
}

// pinSteady starts a window at the present step.
func (s *Simulation) pinSteady() {
	if s.controls.Steady == 0 {
		return
	}
	s.steady = steadyWatch{step: float64(s.step), time: s.time, nusselt: s.sample.Heat().Transfer(), patience: s.steady.patience, waited: s.steady.waited}
	for _, u := range s.model.scalars {
		u.reference.Copy(u.now)
	}
}

// watchSteady tells at the end of a window whether the state is steady, and starts the next: Nu and T have stayed the same within the
// window, no wall and no source will change, and a disturbance decays. Where it grows, growth is its rate the first time that this is found.
func (s *Simulation) watchSteady() (steady bool, growth float64, err error) {
	w := &s.steady
	if s.controls.Steady == 0 || float64(s.step)-w.step < steadySteps || s.time-w.time < steadyTime*s.model.slowness() || !s.follow.rests(s.time) {
		return false, 0, nil
	}
	still, err := s.still()
	if err != nil {
		return false, 0, err
	}
	s.pinSteady()
	switch {
	case !still:
		w.patience, w.waited = 0, 0
		return false, 0, nil
	case w.waited < w.patience:
		w.waited++
		return false, 0, nil
	}
	rate, err := s.probe()
	if err != nil {
		return false, 0, err
	}
	if rate > 0 {
		if w.patience == 0 {
			growth = rate
		}
		w.patience, w.waited = math.Max(firstPatience, 2*w.patience), 0
		return false, growth, nil
	}
	w.reached = s.controls.Steady
	return true, 0, nil
}

// still tells whether Nu and all scalars are those of the start of the window.
func (s *Simulation) still() (bool, error) {
	m := s.model
	for _, u := range m.scalars {
		u.now.Reduce(kernels.MaxDiff, u.reference, u.slots+slotSteady)
		v, err := m.dev.Scalars()
		if err != nil {
			return false, err
		}
		if !(v[u.slots+slotSteady] < s.controls.Steady*s.steadySpan(u)) {
			return false, nil
		}
	}
	change, before := math.Abs(s.sample.Heat().Transfer()-s.steady.nusselt), math.Abs(s.steady.nusselt)
	return math.IsNaN(change) || change < s.controls.Steady*before, nil
}

// steadySpan returns what changes of a scalar are compared with: its range; of another than the first +Inf where nothing can change it.
func (s *Simulation) steadySpan(u *scalar) float64 {
	if u.difference > 0 || u == s.model.scalars[0] {
		return u.difference
	}
	return math.Inf(1)
}

// slowness returns how many times as long as heat the slowest scalar takes to diffuse; at least 1.
func (m *model) slowness() float64 {
	most := 1.0
	for _, u := range m.scalars[1:] {
		most = math.Max(most, u.capacityV/m.grid.Volume()/u.of.diffusivity.Min())
	}
	return most
}

// wasSteady tells whether a run that is resumed was found steady before, by a criterion at least as strict as its own.
func (s *Simulation) wasSteady() bool {
	return s.steady.reached > 0 && s.controls.Steady >= s.steady.reached
}
