package checkpoint

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"convect/io/header"
	"convect/io/pieces"
	"convect/io/whole"
	"convect/physics"
	"convect/stencil"
)

// Folder is the name of the folder in a run directory.
const Folder = "checkpoints"

// Options define what a Writer writes and when.
type Options struct {
	Dir         string // run directory; it exists
	Policy      Policy
	Keep        int            // newest checkpoints to keep; at least 1
	Unended     bool           // none at the end of a run, unless it is due
	Scales      physics.Scales // units of the case; the zero value: nondimensional
	Case        string         // text of the case as run
	Version     string         // of the program
	Device      string
	Instruction string            // instruction set of the device
	Files       map[string]string // as in [Checkpoint]

	// Pieces lets all processes of a run write what they have of the fields, where these are shared out; nil: this one writes all.
	Pieces *pieces.Lead

	// Sums returns those of averages at the present step. nil: there are none.
	Sums func() (map[string][]float64, error)
	// Before is called before a checkpoint of a step is written: it brings what the steps so far have written
	// elsewhere to disk, or fails. nil: nothing.
	Before func(step int64) error
	// Answered is called with the path of a checkpoint that was asked for by Request, once it is written. nil: nothing.
	Answered func(path string)
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Source is what a checkpoint is made of. *physics.Simulation is one.
type Source interface {
	header.Source
	State() (*physics.State, error)
	Live() (*physics.State, []*stencil.Field, error)
}

// Writer writes checkpoints. It is a physics.Observer, the last of a run.
type Writer struct {
	options   Options
	requested atomic.Bool
	last      time.Time // of the last checkpoint or the start
	before    float64   // time that the step before ended at
	written   int64     // step of the last checkpoint of this process; -1: none

	spent, longest time.Duration // on checkpoints of this process, and on the one that took longest
}

// New prepares the checkpoints of a run directory: it creates the folder and removes what a killed run left half
// written. It fails where the directory cannot be written.
func New(o Options) (*Writer, error) {
	if o.Keep < 1 {
		return nil, fmt.Errorf("checkpoints: %d to keep, at least 1 is needed", o.Keep)
	}
	if o.Scales == (physics.Scales{}) {
		o.Scales = physics.Nondimensional()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	folder := filepath.Join(o.Dir, Folder)
	if err := whole.MakeDir(folder); err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	if err := removeTemporaries(folder); err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	return &Writer{options: o, last: o.Now(), written: -1}, nil
}

// Request makes the next step write a checkpoint. It may be called at any time from any goroutine.
func (w *Writer) Request() { w.requested.Store(true) }

// SetCase makes text the case of the checkpoints that follow, that of the present step too where it has one already.
func (w *Writer) SetCase(text string) { w.options.Case, w.written = text, -1 }

// Written returns the path of the last checkpoint of this process, "" before the first.
func (w *Writer) Written() string {
	if w.written < 0 {
		return ""
	}
	return filepath.Join(w.options.Dir, Folder, fileName(w.written))
}

// Spent returns the time that all checkpoints of this process have taken, and the longest of them; 0 before the first.
func (w *Writer) Spent() (all, longest time.Duration) { return w.spent, w.longest }

// Observe writes a checkpoint where one is due, was requested or the run ends.
func (w *Writer) Observe(s *physics.Simulation, e physics.Event) error { return w.observe(s, e) }

func (w *Writer) observe(s Source, e physics.Event) error {
	before := w.before
	w.before = s.Time()
	requested := w.requested.Swap(false)
	if e.Start {
		w.last = w.options.Now()
		if err := w.prune(s.Step()); err != nil { // what a run left that was killed before it could
			return err
		}
		if !requested {
			return nil
		}
	}
	due := w.options.Policy.Due(s.Step(), before, s.Time(), w.options.Now().Sub(w.last))
	if !(e.End && !w.options.Unended) && !requested && !due {
		return nil
	}
	if err := w.Write(s); err != nil {
		return err
	}
	if requested && w.options.Answered != nil {
		w.options.Answered(w.Written())
	}
	return nil
}

// Write writes a checkpoint of the present state, unless that step has one from this process, and then removes all
// but the newest. A failure leaves the earlier checkpoints whole.
func (w *Writer) Write(s Source) error {
	step := s.Step()
	if step == w.written {
		return nil
	}
	begin := w.options.Now()
	if err := w.write(s); err != nil {
		return fmt.Errorf("checkpoint of step %d: %w", step, err)
	}
	w.written, w.last = step, w.options.Now()
	took := w.last.Sub(begin)
	w.spent, w.longest = w.spent+took, max(w.longest, took)
	return w.prune(step)
}

func (w *Writer) write(s Source) error {
	if w.options.Before != nil {
		if err := w.options.Before(s.Step()); err != nil {
			return err
		}
	}
	var state *physics.State
	var fields []*stencil.Field
	var err error
	if w.options.Pieces != nil && w.options.Pieces.Shares(s.Grid().Box) {
		state, fields, err = s.Live()
	} else {
		state, err = s.State()
	}
	if err != nil {
		return err
	}
	h := header.New(header.Checkpoint, s, w.options.Scales)
	h.Version, h.Case = w.options.Version, w.options.Case
	c := &Checkpoint{Header: h, Device: w.options.Device, Instruction: w.options.Instruction, State: state, Files: w.options.Files}
	if w.options.Sums != nil {
		if c.Sums, err = w.options.Sums(); err != nil {
			return err
		}
	}
	return write(filepath.Join(w.options.Dir, Folder, fileName(state.Step)), c, w.options.Pieces, fields)
}

// prune removes all but the newest of the checkpoints up to a step, which the run has reached, and what stands for the first of all.
func (w *Writer) prune(reached int64) error {
	steps, err := list(w.options.Dir)
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(step int64) bool { return step > reached })
	if len(steps) > 0 {
		if err := Forget(w.options.Dir); err != nil {
			return err
		}
	}
	for _, step := range steps[:max(0, len(steps)-w.options.Keep)] {
		if err := pieces.Remove(filepath.Join(w.options.Dir, Folder, fileName(step))); err != nil {
			return fmt.Errorf("remove old checkpoint: %w", err)
		}
	}
	return nil
}
