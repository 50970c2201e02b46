package live

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"convect/physics"
)

// viewPart is the part of the time of a run that fields for viewers may take between its steps, and allPart that with what is made of them beside the steps.
const (
	viewPart = 0.01
	allPart  = 0.02
)

// idlePause is how often a paused run looks whether anything else is due.
const idlePause = time.Second

// Steering is what viewers can ask of a run. Its methods are called between two steps, on the goroutine of the run. A *[Refusal] is told to the viewer alone; any other error
// ends the run.
type Steering interface {
	// Do carries out an action, pause and resume after they are, and returns a sentence on it.
	Do(action, value string) (said string, err error)
	// Idle is called once a second while the run is paused: for what is due by the clock.
	Idle() error
}

// Refusal is why something that a viewer has asked for is not done.
type Refusal struct{ Err error }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Err }

// Actions of a Steering.
const (
	Pause      = "pause"
	Resume     = "resume"
	Snapshot   = "snapshot"
	Checkpoint = "checkpoint"
	Stop       = "stop"
	End        = "end"   // value: the new end, in the unit of the case
	Every      = "every" // value: the new output.every, as in a case file
)

// errOver is told to who asks for something once the run makes no more steps.
var errOver = &Refusal{errors.New("the run makes no more steps")}

// Hook serves viewers and steering between the steps of a run. It is a physics.Observer, behind all those that write.
type Hook struct {
	ctx      context.Context // of the run
	steering Steering

	waiting  atomic.Int32 // calls that wait for the end of a step
	calls    chan *call
	commands chan *call
	over     chan struct{}
	paused   atomic.Bool
	pauses   sync.Mutex    // of the two that follow
	spent    time.Duration // of all pauses that are over
	since    time.Time     // beginning of the present one; zero: none
	served   time.Time     // when fields were taken last
	took     time.Duration // what that took
	beside   atomic.Int64  // nanoseconds that were spent since then on what was taken
	last     physics.Event
}

// call is something to do between two steps.
type call struct {
	do   func(s *physics.Simulation) error
	done chan error
}

// NewHook returns the hook of a run that has yet to begin.
func NewHook() *Hook {
	return &Hook{calls: make(chan *call), commands: make(chan *call), over: make(chan struct{})}
}

// Attach tells, before the first step, with which context the run ends, and who steers it.
func (h *Hook) Attach(ctx context.Context, steering Steering) { h.ctx, h.steering = ctx, steering }

// Paused tells whether the run waits, and Waited how long it has waited in all.
func (h *Hook) Paused() bool { return h.paused.Load() }

// Waited returns the time of all pauses, the present one included.
func (h *Hook) Waited() time.Duration {
	h.pauses.Lock()
	defer h.pauses.Unlock()
	if h.since.IsZero() {
		return h.spent
	}
	return h.spent + time.Since(h.since)
}

// Close answers those who wait that the run is over.
func (h *Hook) Close() { close(h.over) }

// Observe does what was asked for since the last step, and waits while the run is paused.
func (h *Hook) Observe(s *physics.Simulation, e physics.Event) error {
	h.last = e
	if h.waiting.Load() == 0 && !h.paused.Load() {
		return nil
	}
	for {
		select {
		case c := <-h.commands:
			if err := h.command(s, c); err != nil {
				return err
			}
			continue
		default:
		}
		if h.paused.Load() || h.due() {
			h.view(s)
		}
		if !h.paused.Load() || e.End || h.ctx.Err() != nil {
			return nil
		}
		if err := h.wait(s); err != nil {
			return err
		}
	}
}

// command carries out a command; a refusal is told to its viewer alone.
func (h *Hook) command(s *physics.Simulation, c *call) error {
	err := c.do(s)
	c.done <- err
	var refused *Refusal
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// due tells whether viewers have waited long enough for what they took last.
func (h *Hook) due() bool {
	took, beside := float64(h.took), float64(h.beside.Load())
	return float64(time.Since(h.served)) >= max(took/viewPart, (took+beside)/allPart)
}

// Worked notes time that went, beside the steps, into what a viewer has read.
func (h *Hook) Worked(d time.Duration) { h.beside.Add(int64(d)) }

// view serves all that wait for fields, and keeps count of what that takes.
func (h *Hook) view(s *physics.Simulation) {
	begin, before, any := time.Now(), h.beside.Load(), false
	for range h.waiting.Load() { // those who ask again at once have to wait
		select {
		case c := <-h.calls:
			c.done <- c.do(s)
			any = true
		default:
		}
	}
	if any {
		h.served = time.Now()
		h.took = h.served.Sub(begin)
		h.beside.Add(-before) // what came meanwhile counts from now on
	}
}

// wait waits while the run is paused, for whatever comes first.
func (h *Hook) wait(s *physics.Simulation) error {
	idle := time.NewTimer(idlePause)
	defer idle.Stop()
	select {
	case c := <-h.commands:
		return h.command(s, c)
	case c := <-h.calls: // which takes nothing from the steps
		c.done <- c.do(s)
		h.beside.Store(0)
	case <-idle.C:
		return h.steering.Idle()
	case <-h.ctx.Done():
	}
	return nil
}

// ask has something done between two steps, and waits for it.
func (h *Hook) ask(ctx context.Context, queue chan *call, do func(s *physics.Simulation) error) error {
	h.waiting.Add(1)
	defer h.waiting.Add(-1)
	c := &call{do, make(chan error, 1)}
	select {
	case queue <- c:
		return <-c.done
	case <-ctx.Done():
		return ctx.Err()
	case <-h.over:
		return errOver
	}
}

// View reads the simulation after the step under way.
func (h *Hook) View(ctx context.Context, read func(s *physics.Simulation) error) error {
	return h.ask(ctx, h.calls, read)
}

// Do carries out an action after the step under way, and returns what to tell.
func (h *Hook) Do(ctx context.Context, action, value string) (said string, err error) {
	if strings.ContainsFunc(value, unicode.IsControl) { // it goes into a line of the log and a row of a table
		return "", &Refusal{errors.New("a value is a single line of text")}
	}
	err = h.ask(ctx, h.commands, func(*physics.Simulation) (err error) {
		if h.last.End {
			return errOver
		}
		switch action {
		case Pause:
			if h.paused.Swap(true) {
				return &Refusal{errors.New("the run is paused already")}
			}
			h.begin()
		case Resume:
			if !h.paused.Load() {
				return &Refusal{errors.New("the run is not paused")}
			}
			h.goOn()
		}
		said, err = h.steering.Do(action, value)
		return err
	})
	return said, err
}

// begin begins a pause.
func (h *Hook) begin() {
	h.pauses.Lock()
	defer h.pauses.Unlock()
	h.since = time.Now()
}

// goOn ends a pause.
func (h *Hook) goOn() {
	h.pauses.Lock()
	defer h.pauses.Unlock()
	h.spent, h.since = h.spent+time.Since(h.since), time.Time{}
	h.paused.Store(false)
}
