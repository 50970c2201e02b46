package checkpoint

import (
	"math"
	"time"
)

// Policy tells when checkpoints are due, besides at the end of a run and on request. At most one part is set; with
// none there are no others.
type Policy struct {
	Wall     time.Duration // of wall time since the last one or the start
	Interval float64       // at the first step at or after each multiple of this time, nondimensional
	Steps    int64         // at each multiple of so many steps
}

// Due tells whether a step that ended at time t, after one that ended at before, is one of the policy; elapsed is
// the wall time since the last checkpoint.
func (p Policy) Due(step int64, before, t float64, elapsed time.Duration) bool {
	switch {
	case p.Wall > 0:
		return elapsed >= p.Wall
	case p.Interval > 0:
		return p.multiples(t) > p.multiples(before)
	case p.Steps > 0:
		return step%p.Steps == 0
	}
	return false
}

// multiples returns how many intervals fit into t. A time that misses a multiple by rounding counts as on it.
func (p Policy) multiples(t float64) float64 {
	return math.Floor(t / p.Interval * (1 + 1e-12))
}
