package checkpoint

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"convect/io/h5"
	"convect/physics"
)

func TestKeep(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	for _, step := range []int64{1, 2, 1000000, 3000000} {
		must(t, w.Write(&fake{step: step}))
	}
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{1000000, 3000000}) {
		t.Errorf("kept %v", got)
	}
	// Later ones than the one just written are not counted: they are not older.
	w = newWriter(t, o)
	must(t, w.Write(&fake{step: 5}))
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{5, 1000000, 3000000}) {
		t.Errorf("kept %v", got)
	}
	o.Keep = 0
	if _, err := New(o); err == nil {
		t.Error("keeping none is accepted")
	}
}

// A run that was killed between a checkpoint and the removal of older ones is resumed: they go at its start.
func TestStartRemovesWhatAKillLeft(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	w.options.Keep = 3
	for _, step := range []int64{7, 14, 21} {
		must(t, w.Write(&fake{step: step}))
	}
	must(t, newWriter(t, o).observe(&fake{step: 21}, physics.Event{Start: true}))
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{14, 21}) {
		t.Errorf("kept %v", got)
	}
}

// Before runs before the file exists; its failure leaves no checkpoint.
func TestBefore(t *testing.T) {
	o := options(t.TempDir())
	var called int64
	o.Before = func(step int64) error {
		called = step
		if len(steps(t, o.Dir)) != 0 {
			t.Error("the checkpoint was there before the tables were on disk")
		}
		return nil
	}
	must(t, newWriter(t, o).Write(&fake{step: 9}))
	if called != 9 {
		t.Errorf("called with step %d", called)
	}
	o.Dir = t.TempDir()
	o.Before = func(int64) error { return syscall.ENOSPC }
	if err := newWriter(t, o).Write(&fake{step: 9}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	if got := steps(t, o.Dir); len(got) != 0 {
		t.Errorf("checkpoints %v after a failure", got)
	}
}

func TestLatest(t *testing.T) {
	o := options(t.TempDir())
	found, skipped, err := Latest(o.Dir)
	if found != "" || skipped != nil || err != nil {
		t.Errorf("without checkpoints: %q %v %v", found, skipped, err)
	}
	o.Keep = 3
	w := newWriter(t, o)
	must(t, w.Write(&fake{step: 1}), w.Write(&fake{step: 2}), w.Write(&fake{step: 3}))
	must(t, os.WriteFile(path(o.Dir, 4)+".tmp", []byte("torn"), 0o666))
	flip(t, path(o.Dir, 3), 3000)
	found, skipped, err = Latest(o.Dir)
	if found != path(o.Dir, 2) || err != nil {
		t.Errorf("latest %q, error %v", found, err)
	}
	if len(skipped) != 1 || !errors.Is(skipped[0], h5.ErrDamaged) || !strings.Contains(skipped[0].Error(), fileName(3)) {
		t.Errorf("skipped %v", skipped)
	}
	must(t, os.Rename(path(o.Dir, 1), path(o.Dir, 8))) // not the step it says
	must(t, os.WriteFile(path(o.Dir, 9), []byte("not HDF5"), 0o666))
	must(t, os.Truncate(path(o.Dir, 2), 5000))
	found, skipped, err = Latest(o.Dir)
	if found != "" || len(skipped) != 4 || err == nil {
		t.Errorf("latest %q, skipped %v, error %v where none is whole", found, skipped, err)
	}
	newWriter(t, o)
	if _, err := os.Stat(path(o.Dir, 4) + ".tmp"); !errors.Is(err, os.ErrNotExist) {
		t.Error("a torn file is still there")
	}
	must(t, Cut(o.Dir, 2))
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{2}) {
		t.Errorf("checkpoints %v after a cut at 2", got)
	}
	must(t, Cut(o.Dir, -1), Cut(t.TempDir(), 3))
	if got := steps(t, o.Dir); len(got) != 0 {
		t.Errorf("checkpoints %v after everything was cut", got)
	}
}

// The note of a beginning is there until the first checkpoint is whole, and goes at the start where a kill has left it beside one.
func TestBeginning(t *testing.T) {
	o := options(t.TempDir())
	has := func(want bool) {
		t.Helper()
		if got := HasBegun(o.Dir); got != want {
			t.Errorf("a beginning: %v, want %v", got, want)
		}
	}
	has(false)
	must(t, Begin(o.Dir))
	w := newWriter(t, o)
	must(t, w.observe(&fake{}, physics.Event{Start: true}))
	has(true)
	o.Before = func(int64) error { has(true); return errors.New("no") }
	if err := newWriter(t, o).Write(&fake{step: 1}); err == nil {
		t.Error("a checkpoint was written")
	}
	has(true)
	must(t, w.Write(&fake{step: 2}))
	has(false)
	must(t, Begin(o.Dir))
	must(t, newWriter(t, o).observe(&fake{step: 2}, physics.Event{Start: true}))
	has(false)
	must(t, Begin(o.Dir))
	must(t, Forget(o.Dir))
	must(t, Forget(o.Dir))
	has(false)
}
