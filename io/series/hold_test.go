package series

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/physics"
)

// slow is a clock that a test sets.
type slow struct{ now time.Time }

func (c *slow) Now() time.Time { return c.now }

// holding returns a writer that holds rows for a second of a clock.
func holding(t *testing.T, dir string) (*Writer, *slow) {
	c := &slow{time.Unix(1e9, 0)}
	w, err := New(Options{Dir: dir, Dimensions: 3, Now: c.Now, Hold: time.Second})
	must(t, err)
	return w, c
}

// Rows that are held come into the file together, the same as one by one: after some time, at outputs, before a checkpoint, when they are asked for, and at the end.
func TestRowsAreHeld(t *testing.T) {
	here, usual := t.TempDir(), t.TempDir()
	w, clock := holding(t, here)
	expect := func(when string, last int64) {
		t.Helper()
		got := stepsOf(t, filepath.Join(here, SeriesName))
		if len(got) != int(last+1) || got[last] != float64(last) {
			t.Errorf("%s: rows of steps %v, want those to %d", when, got, last)
		}
	}
	run(t, w, 0, 3)
	expect("held", 0)
	if steps, _ := w.Elapsed(); steps != 3 {
		t.Errorf("%d steps", steps)
	}
	clock.now = clock.now.Add(time.Second)
	must(t, w.observe(&fake{4}, physics.Event{}))
	expect("after a second", 4)
	must(t, w.observe(&fake{5}, physics.Event{Output: true}), w.observe(&fake{6}, physics.Event{}))
	expect("an output", 5)
	if err := w.Sync(5); err == nil {
		t.Error("synced a step with a row behind it")
	}
	must(t, w.Sync(6))
	expect("a checkpoint", 6)
	must(t, w.observe(&fake{7}, physics.Event{}), w.Flush())
	expect("asked for", 7)
	must(t, w.observe(&fake{8}, physics.Event{}), w.observe(&fake{9}, physics.Event{End: true}))
	expect("the end of a run", 9)
	must(t, w.observe(&fake{10}, physics.Event{}), w.Close())
	expect("the end of the writer", 10)
	all := newWriter(t, usual)
	run(t, all, 0, 10)
	if d := cmp.Diff(exact(t, usual), exact(t, here)); d != "" {
		t.Errorf("one by one and held: %s", d)
	}
}

// A table of a probe that somebody cuts while rows of the series are held is mended before its next row.
func TestProbeCutWhileRowsAreHeld(t *testing.T) {
	dir, step, c := t.TempDir(), int64(0), &slow{time.Unix(1e9, 0)}
	p := probed(&step)
	p.Due = func(float64, int64) bool { return true }
	w, err := New(Options{Dir: dir, Dimensions: 3, Now: c.Now, Hold: time.Second, Probes: []Probe{p}})
	must(t, err)
	run(t, w, 0, 4)
	path := filepath.Join(dir, ProbeName(p.Name))
	lines := strings.SplitAfter(text(t, dir, ProbeName(p.Name)), "\n")
	must(t, os.Truncate(path, int64(len(strings.Join(lines[:4], "")))))
	for n := int64(6); n <= 8; n++ {
		must(t, w.observe(&fake{n}, physics.Event{}))
	}
	must(t, w.Close())
	if got := stepsOf(t, path); !cmp.Equal(got, []float64{0, 1, 6, 7, 8}) {
		t.Errorf("rows of steps %v", got)
	}
}

// What is held is written behind what is left where somebody has cut the table meanwhile.
func TestHeldRowsOutliveACut(t *testing.T) {
	dir := t.TempDir()
	w, _ := holding(t, dir)
	run(t, w, 0, 8)
	var said []string
	w.notice = func(s string) { said = append(said, s) }
	must(t, os.Truncate(filepath.Join(dir, SeriesName), int64(len(strings.Join(strings.SplitAfter(text(t, dir, SeriesName), "\n")[:4], "")))), w.Close())
	if got := stepsOf(t, filepath.Join(dir, SeriesName)); !cmp.Equal(got, []float64{0, 1, 6, 7, 8}) {
		t.Errorf("rows of steps %v", got)
	}
	if len(said) != 1 || !strings.HasSuffix(said[0], "the rows of steps 2 to 5 are lost") {
		t.Errorf("said %q", said)
	}
}
