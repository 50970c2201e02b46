package main

import (
	"time"

	"convect/physics"
)

// walltime stops a run before a limit of wall time: as soon as two more steps like the longest one so far, and the
// checkpoint, might not fit.
type walltime struct {
	started, last time.Time
	limit         time.Duration // 0: none
	longest       time.Duration // step
	stop          func()
	now           func() time.Time
}

func newWalltime(started time.Time, limit time.Duration, stop func()) *walltime {
	return &walltime{started: started, limit: limit, stop: stop, now: time.Now}
}

// Observe measures the step and stops the run when the limit is near.
func (w *walltime) Observe(s *physics.Simulation, e physics.Event) error {
	w.observe(s.Grid().Nodes(), e)
	return nil
}

func (w *walltime) observe(nodes int, e physics.Event) {
	now := w.now()
	if !e.Start {
		w.longest = max(w.longest, now.Sub(w.last))
	}
	w.last = now
	if w.limit > 0 && now.Sub(w.started)+2*w.longest+checkpointTime(nodes) > w.limit {
		w.stop()
	}
}

// checkpointTime is a generous guess of the time that a checkpoint takes: eight fields, which are all that one holds, at 100 MB/s
// and a tenth of a second.
func checkpointTime(nodes int) time.Duration {
	const fields, bytes, rate = 8, 8, 100e6
	return time.Duration((0.1 + fields*bytes*float64(nodes)/rate) * float64(time.Second))
}
