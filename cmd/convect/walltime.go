package main

import (
	"time"

	"convect/physics"
)

// Of a limit of a minute or more at least this part is used, whatever the next step and its checkpoint may take.
const (
	usedPart = 0.8
	usedFrom = time.Minute
)

// walltime stops a run before a limit of wall time, counted from the start of the process: as soon as two more steps like the longest one
// so far, and a checkpoint, might not fit. It never stops a run before its first step, so that one that is resumed again and again gets on. It
// is the last observer of a run. The limit is passed by one step and its checkpoint at most.
type walltime struct {
	started, last time.Time
	limit         time.Duration // 0: none
	longest       time.Duration // step, without its checkpoint
	spent         time.Duration // on checkpoints so far
	checkpoints   func() (all, longest time.Duration)
	stop          func()
	now           func() time.Time
}

// newWalltime takes the time of the start, the limit, what the checkpoints of this process took, and what stops the run.
func newWalltime(started time.Time, limit time.Duration, checkpoints func() (all, longest time.Duration), stop func()) *walltime {
	return &walltime{started: started, limit: limit, checkpoints: checkpoints, stop: stop, now: time.Now}
}

// Observe measures the step and stops the run when the limit is near.
func (w *walltime) Observe(s *physics.Simulation, e physics.Event) error {
	w.observe(s.Grid().Nodes(), e)
	return nil
}

func (w *walltime) observe(nodes int, e physics.Event) {
	now := w.now()
	spent, checkpoint := w.checkpoints()
	step := now.Sub(w.last) - (spent - w.spent)
	w.last, w.spent = now, spent
	if e.Start {
		return
	}
	w.longest = max(w.longest, step)
	if checkpoint == 0 {
		checkpoint = checkpointTime(nodes)
	}
	reserve := 2*w.longest + checkpoint
	if w.limit >= usedFrom {
		reserve = min(reserve, time.Duration((1-usedPart)*float64(w.limit)))
	}
	if w.limit > 0 && now.Sub(w.started)+reserve > w.limit {
		w.stop()
	}
}

// checkpointTime is a generous guess of the time that a checkpoint takes, as long as none has been measured: eight fields, which are all
// that one holds, at 100 MB/s and a tenth of a second.
func checkpointTime(nodes int) time.Duration {
	const fields, bytes, rate = 8, 8, 100e6
	return time.Duration((0.1 + fields*bytes*float64(nodes)/rate) * float64(time.Second))
}
