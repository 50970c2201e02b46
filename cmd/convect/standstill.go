package main

import (
	"fmt"
	"math"

	"github.com/rs/zerolog"

	"convect/physics"
)

// standstill says when a state that no longer changes is not steady. It is a physics.Observer.
type standstill struct {
	log   zerolog.Logger
	scale physics.Scales
}

// Observe logs a warning where a disturbance of a state at rest grows.
func (w *standstill) Observe(s *physics.Simulation, e physics.Event) error {
	if e.Growth > 0 {
		w.log.Warn().Msg(standstillText(s.Step(), s.Time(), e.Growth, w.scale))
	}
	return nil
}

// standstillText is the warning; time and rate are nondimensional.
func standstillText(step int64, time, rate float64, scale physics.Scales) string {
	how := ""
	if !math.IsInf(rate, 0) {
		how = fmt.Sprintf(" (e-fold in %s)", scale.TimeText(1/rate, 3))
	}
	return fmt.Sprintf("nothing changes any more at step %d, t = %s, but a small disturbance of this state grows%s: it is not steady and the run goes on; "+
		"a larger perturbation in initial starts the flow sooner", step, scale.TimeText(time, 6), how)
}
