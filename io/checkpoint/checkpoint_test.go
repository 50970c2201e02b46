package checkpoint

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/io/h5"
	"convect/io/header"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// fake is a Source with random fields on 4 x 3 x 5 cells, periodic along y, whose bits depend on the step alone.
type fake struct {
	step      int64
	time      float64
	precision kernels.Elem
}

func (f *fake) Step() int64   { return f.step }
func (f *fake) Time() float64 { return f.time }
func (f *fake) Grid() *stencil.Grid {
	return &stencil.Grid{Cells: [3]int{4, 3, 5}, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{false, true, false}}
}
func (f *fake) Parameters() physics.Parameters {
	return physics.Parameters{Rayleigh: 100, Precision: f.precision}
}

func (f *fake) State() (*physics.State, error) {
	random := rand.New(rand.NewPCG(uint64(f.step), 1))
	state := &physics.State{Step: f.step, Scalars: map[string]float64{
		"time": f.time, "dt": 0.1 / 3, "dt_previous": math.SmallestNonzeroFloat64, "negative_zero": math.Copysign(0, -1)}}
	for _, name := range []string{"temperature", "pressure", "temperature_previous"} {
		values := make([]float64, 5*3*6)
		for i := range values {
			values[i] = random.NormFloat64()
			if f.precision == kernels.Float32 {
				values[i] = float64(float32(values[i]))
			}
		}
		state.Fields = append(state.Fields, physics.StateField{Name: name, Values: values})
	}
	slices.SortFunc(state.Fields, func(a, b physics.StateField) int { return strings.Compare(a.Name, b.Name) })
	return state, nil
}

// clock is a settable time.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func options(dir string) Options {
	return Options{Dir: dir, Keep: 2, Case: "title: test\n", Version: "v1", Device: "cpu", Instruction: "avx2"}
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func newWriter(t testing.TB, o Options) *Writer {
	t.Helper()
	w, err := New(o)
	must(t, err)
	return w
}

// steps returns the steps of the checkpoints present.
func steps(t testing.TB, dir string) []int64 {
	t.Helper()
	s, err := list(dir)
	must(t, err)
	return s
}

func path(dir string, step int64) string { return filepath.Join(dir, Folder, fileName(step)) }

func TestRoundTrip(t *testing.T) {
	for _, precision := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		o := options(t.TempDir())
		o.Scales = physics.Nondimensional()
		o.Scales.Time, o.Scales.TimeUnit = 1000, "s"
		source := &fake{step: 123, time: 0.7, precision: precision}
		w := newWriter(t, o)
		must(t, w.Write(source))
		if w.Written() != path(o.Dir, 123) {
			t.Errorf("written %q", w.Written())
		}
		got, err := Read(path(o.Dir, 123))
		must(t, err)
		state, _ := source.State()
		want := &Checkpoint{Device: "cpu", Instruction: "avx2", State: state, Header: &header.Header{Kind: "checkpoint",
			Version: "v1", Case: "title: test\n", Step: 123, Time: 700, Rayleigh: 100, Precision: precision,
			Cells: [3]int{4, 3, 5}, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{false, true, false},
			TimeUnit: "s", LengthUnit: "1", TimeScale: 1000, LengthScale: 1}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", precision, diff)
		}
		if !math.Signbit(got.State.Scalars["negative_zero"]) {
			t.Error("the sign of zero is lost")
		}
		r, err := h5.Open(path(o.Dir, 123))
		must(t, err)
		must(t, r.Walk(func(o h5.Object) error {
			if strings.HasPrefix(o.Path, fieldsGroup+"/") && o.Type != precision.String() {
				return fmt.Errorf("%s is stored as %s in a %s run", o.Path, o.Type, precision)
			}
			if o.Kind == h5.Dataset && o.Checksum == "" {
				return fmt.Errorf("%s has no checksum", o.Path)
			}
			return nil
		}))
	}
}

// A value that the precision of the run cannot hold would break exact restarts.
func TestValueBeyondPrecision(t *testing.T) {
	if _, err := narrow([]float64{0.5, 0.1}); err == nil {
		t.Error("0.1 passed for a float32")
	}
	if _, err := narrow([]float64{0.5, math.Inf(1), math.NaN(), float64(float32(0.1))}); err != nil {
		t.Error(err)
	}
}

// run lets a writer observe steps 1 to n at times 0.05 step, a second apart, and returns the steps that got checkpoints.
func run(t *testing.T, o Options, first, last int64, event func(step int64) physics.Event) []int64 {
	t.Helper()
	c := &clock{now: time.Unix(0, 0)}
	o.Now, o.Keep = c.Now, 1000
	w := newWriter(t, o)
	at := func(step int64) *fake { return &fake{step: step, time: float64(step) * 0.05} }
	must(t, w.observe(at(first), physics.Event{Start: true}))
	var found []int64
	for step := first + 1; step <= last; step++ {
		c.now = c.now.Add(time.Second)
		before := w.Written()
		must(t, w.observe(at(step), event(step)))
		if w.Written() != before {
			found = append(found, step)
		}
	}
	return found
}

func never(int64) physics.Event { return physics.Event{} }

func TestPolicies(t *testing.T) {
	tests := map[string]struct {
		policy Policy
		want   []int64
	}{
		"none":     {Policy{}, nil},
		"wall":     {Policy{Wall: 7 * time.Second}, []int64{7, 14}},
		"steps":    {Policy{Steps: 6}, []int64{6, 12, 18}},
		"interval": {Policy{Interval: 0.3}, []int64{6, 12, 18}}, // 6*0.05 < 0.3 by a rounding error
		"uneven":   {Policy{Interval: 0.12}, []int64{3, 5, 8, 10, 12, 15, 17, 20}},
	}
	for name, test := range tests {
		o := options(t.TempDir())
		o.Policy = test.policy
		if got := run(t, o, 0, 20, never); !slices.Equal(got, test.want) {
			t.Errorf("%s: checkpoints of steps %v, want %v", name, got, test.want)
		}
		// A resumed run goes on with the same multiples.
		if test.policy.Wall > 0 || test.want == nil {
			continue
		}
		resume := test.want[1]
		if got := run(t, o, resume, 20, never); !slices.Equal(got, test.want[2:]) {
			t.Errorf("%s: resumed at %d, checkpoints of steps %v, want %v", name, resume, got, test.want[2:])
		}
	}
}

func TestEndAlwaysWrites(t *testing.T) {
	end := func(step int64) physics.Event { return physics.Event{End: step == 20, Output: step%3 == 0} }
	if got := run(t, options(t.TempDir()), 0, 20, end); !slices.Equal(got, []int64{20}) {
		t.Errorf("checkpoints of steps %v", got)
	}
}

func TestRequest(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	must(t, w.observe(&fake{}, physics.Event{Start: true}))
	w.Request()
	w.Request()
	for step := range int64(3) {
		must(t, w.observe(&fake{step: step + 1}, physics.Event{}))
	}
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{1}) {
		t.Errorf("checkpoints of steps %v, want one of the first step after the request", got)
	}
	must(t, w.Write(&fake{step: 3})) // as an interruption does
	if got := steps(t, o.Dir); !slices.Equal(got, []int64{1, 3}) {
		t.Errorf("checkpoints of steps %v", got)
	}
}

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

func flip(t testing.TB, path string, at int) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	data[at] ^= 0x10
	must(t, os.WriteFile(path, data, 0o666))
}

// A full disk leaves the last whole checkpoint, and says what failed.
func TestDiskFull(t *testing.T) {
	o := options(t.TempDir())
	o.Keep = 1
	w := newWriter(t, o)
	must(t, w.Write(&fake{step: 1, precision: kernels.Float64}))
	release := limitFileSize(t, 4000)
	err := w.Write(&fake{step: 2, precision: kernels.Float64})
	release()
	if err == nil || !strings.Contains(err.Error(), fileName(2)) || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("error %v, want EFBIG and the path", err)
	}
	found, skipped, err := Latest(o.Dir)
	if found != path(o.Dir, 1) || len(skipped) != 0 || err != nil {
		t.Errorf("latest %q, skipped %v, error %v", found, skipped, err)
	}
	if files, _ := os.ReadDir(filepath.Join(o.Dir, Folder)); len(files) != 1 {
		t.Errorf("%d files are left, want 1", len(files))
	}
	must(t, w.Write(&fake{step: 2})) // room again
}

func limitFileSize(t *testing.T, bytes uint64) (release func()) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	return func() {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		signal.Reset(syscall.SIGXFSZ)
	}
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, Folder), nil, 0o666)) // a file in place of the folder
	if _, err := New(options(dir)); err == nil || !strings.Contains(err.Error(), Folder) {
		t.Errorf("error %v", err)
	}
	if _, _, err := Latest(dir); err == nil {
		t.Error("a file in place of the folder passes for no checkpoints")
	}
}

// Files of others, and of ours whose parts do not fit together, are refused.
func TestForeign(t *testing.T) {
	tests := map[string]struct {
		change  func(w *h5.Writer, c *Checkpoint)
		message string
	}{
		"no header": {func(w *h5.Writer, c *Checkpoint) { w.Float64s("/k", []int{2}, []float64{1, 2}) }, "foreign file"},
		"snapshot":  {func(w *h5.Writer, c *Checkpoint) { c.Kind = header.Snapshot; c.Header.Write(w) }, "a snapshot where"},
		"no device": {func(w *h5.Writer, c *Checkpoint) { c.Header.Write(w) }, "device"},
		"no fields": {func(w *h5.Writer, c *Checkpoint) { full(w, c) }, "no fields"},
		"axes":      {func(w *h5.Writer, c *Checkpoint) { full(w, c); w.Float64s("/fields/t", []int{2}, []float64{1, 2}) }, "axes [2]"},
		"text":      {func(w *h5.Writer, c *Checkpoint) { full(w, c); w.Text("/fields/t", "x") }, "/fields/t"},
		"scalar":    {func(w *h5.Writer, c *Checkpoint) { full(w, c); w.Float64s("/scalars/dt", []int{2}, []float64{1, 2}) }, "2 values"},
	}
	for name, test := range tests {
		file := filepath.Join(t.TempDir(), "a.h5")
		w, err := h5.Create(file)
		must(t, err)
		test.change(w, &Checkpoint{Header: header.New(header.Checkpoint, &fake{step: 3}, physics.Nondimensional())})
		must(t, w.Commit())
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v, want %q and the path", name, err, test.message)
		}
	}
}

// full writes all of the header.
func full(w *h5.Writer, c *Checkpoint) {
	c.Header.Write(w)
	w.AttrString(header.Group, "device", "cpu")
	w.AttrString(header.Group, "instruction", "")
}

// FuzzRead damages a checkpoint: reading it gives an error or what was written, never a crash.
func FuzzRead(f *testing.F) {
	o := options(f.TempDir())
	must(f, newWriter(f, o).Write(&fake{step: 1}))
	intact, err := os.ReadFile(path(o.Dir, 1))
	must(f, err)
	want, err := Read(path(o.Dir, 1))
	must(f, err)
	f.Add(0, []byte{}, len(intact))
	f.Add(100, []byte{0xff, 0xff}, len(intact))
	f.Add(0, []byte{}, 3000)
	f.Add(0, intact[:200], 200)
	file := filepath.Join(f.TempDir(), "a.h5")
	f.Fuzz(func(t *testing.T, at int, change []byte, size int) {
		data := slices.Clone(intact)
		if at >= 0 && at < len(data) {
			copy(data[at:], change)
		}
		if size >= 0 && size < len(data) {
			data = data[:size]
		}
		must(t, os.WriteFile(file, data, 0o666))
		got, err := Read(file)
		if err == nil && !cmp.Equal(want, got) {
			t.Error("a damaged checkpoint was read as if it were whole")
		}
	})
}
