package h5

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wave returns n values that differ from each other.
func wave(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Sin(0.37*float64(i)) + 1e-3*float64(i)
	}
	return values
}

func narrow(wide []float64) []float32 {
	values := make([]float32, len(wide))
	for i, v := range wide {
		values[i] = float32(v)
	}
	return values
}

// must fails the test on the first error.
func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// create starts a file in a fresh directory.
func create(t testing.TB) (*Writer, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.h5")
	w, err := Create(path)
	must(t, err)
	t.Cleanup(w.Abort)
	return w, path
}

// sample writes a file with some of everything.
func sample(t testing.TB) string {
	t.Helper()
	w, path := create(t)
	must(t,
		w.Group("/convect/case"),
		w.AttrFloat64("/convect", "time", 0.125),
		w.AttrInt64("/convect", "step", 42),
		w.AttrFloat64s("/convect", "history", []float64{1e-3, 2e-3}),
		w.AttrInt64s("/convect", "version", []int64{1, 0}),
		w.AttrString("/convect", "units", "κ/H²"),
		w.Text("/convect/case/yaml", "grid:\n  cells: [5, 7]\n"),
		w.Float64s("/state/temperature", []int{4, 3, 5}, wave(60)),
		w.Float32s("/state/velocity", []int{4, 3, 5, 3}, narrow(wave(180)), Compressed),
		w.Int64s("/state/random", []int{4}, []int64{math.MinInt64, -1, 0, math.MaxInt64}),
		w.Commit())
	return path
}

func openFile(t testing.TB, path string, options ...OpenOption) *Reader {
	t.Helper()
	r, err := Open(path, options...)
	must(t, err)
	return r
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestRoundTrip(t *testing.T) {
	path := sample(t)
	for _, options := range [][]OpenOption{nil, {NoVerify}} {
		r := openFile(t, path, options...)
		equal(t, "sealed", r.Sealed(), options == nil)
		temperature, dims, err := r.Float64s("/state/temperature")
		must(t, err)
		equal(t, "temperature", temperature, wave(60))
		equal(t, "dims", dims, []int{4, 3, 5})
		velocity, dims, err := r.Float32s("state/velocity")
		must(t, err)
		equal(t, "velocity", velocity, narrow(wave(180)))
		equal(t, "dims", dims, []int{4, 3, 5, 3})
		wide, _, err := r.Float64s("/state/velocity")
		must(t, err)
		equal(t, "widened velocity", narrow(wide), velocity)
		random, _, err := r.Int64s("/state/random")
		must(t, err)
		equal(t, "random", random, []int64{math.MinInt64, -1, 0, math.MaxInt64})
		asFloat, _, err := r.Float64s("/state/random")
		must(t, err)
		equal(t, "random as float64", asFloat, []float64{math.MinInt64, -1, 0, math.MaxInt64})
		text, err := r.Text("/convect/case/yaml")
		must(t, err)
		equal(t, "text", text, "grid:\n  cells: [5, 7]\n")
		checkAttributes(t, r)
	}
}

func checkAttributes(t *testing.T, r *Reader) {
	t.Helper()
	time, err := r.AttrFloat64("/convect", "time")
	must(t, err)
	equal(t, "time", time, 0.125)
	step, err := r.AttrInt64("/convect", "step")
	must(t, err)
	equal(t, "step", step, int64(42))
	stepFloat, err := r.AttrFloat64("/convect", "step")
	must(t, err)
	equal(t, "step as float", stepFloat, 42.0)
	history, err := r.AttrFloat64s("/convect", "history")
	must(t, err)
	equal(t, "history", history, []float64{1e-3, 2e-3})
	version, err := r.AttrInt64s("/convect", "version")
	must(t, err)
	equal(t, "version", version, []int64{1, 0})
	units, err := r.AttrString("/convect", "units")
	must(t, err)
	equal(t, "units", units, "κ/H²")
}

func TestSpecialValues(t *testing.T) {
	w, path := create(t)
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 5e-324, math.MaxFloat64}
	must(t,
		w.Float64s("/special", []int{6}, special),
		w.Float64s("/empty", []int{0, 3}, nil),
		w.Float64s("/scalar", nil, []float64{3.5}),
		w.AttrFloat64("/", "nan", math.NaN()),
		w.AttrFloat64s("/", "none", nil),
		w.AttrString("/", "empty", ""),
		w.AttrString("/", "twice", "first"),
		w.AttrString("/", "twice", "second"),
		w.Text("/nothing", ""),
		w.Commit())
	r := openFile(t, path)
	values, _, err := r.Float64s("/special")
	must(t, err)
	for i := range special {
		if math.Float64bits(values[i]) != math.Float64bits(special[i]) {
			t.Errorf("value %d: %v, want %v", i, values[i], special[i])
		}
	}
	values, dims, err := r.Float64s("/empty")
	must(t, err)
	equal(t, "empty", len(values), 0)
	equal(t, "empty dims", dims, []int{0, 3})
	values, dims, err = r.Float64s("/scalar")
	must(t, err)
	equal(t, "scalar", values, []float64{3.5})
	equal(t, "scalar dims", len(dims), 0)
	nan, err := r.AttrFloat64("/", "nan")
	must(t, err)
	equal(t, "NaN attribute", math.IsNaN(nan), true)
	none, err := r.AttrFloat64s("/", "none")
	must(t, err)
	equal(t, "no values", len(none), 0)
	for name, want := range map[string]string{"empty": "", "twice": "second"} {
		text, err := r.AttrString("/", name)
		must(t, err)
		equal(t, name, text, want)
	}
	text, err := r.Text("/nothing")
	must(t, err)
	equal(t, "empty text", text, "")
}

func TestWrongRequests(t *testing.T) {
	r := openFile(t, sample(t))
	_, _, missing := r.Float64s("/state/pressure")
	_, _, group := r.Float64s("/state")
	_, _, narrowing := r.Float32s("/state/temperature")
	_, _, fraction := r.Int64s("/state/temperature")
	_, _, text := r.Float64s("/convect/case/yaml")
	_, number := r.Text("/state/temperature")
	_, noAttribute := r.AttrString("/convect", "no")
	_, noObject := r.AttrString("/no", "no")
	_, notText := r.AttrString("/convect", "time")
	_, notNumber := r.AttrFloat64("/convect", "units")
	_, notInteger := r.AttrInt64("/convect", "time")
	_, notSingle := r.AttrFloat64("/convect", "history")
	_, noDims := r.Dims("/convect")
	for i, c := range []struct{ got, want error }{
		{missing, ErrMissing}, {group, ErrType}, {narrowing, ErrType}, {fraction, ErrType}, {text, ErrType}, {number, ErrType},
		{noAttribute, ErrMissing}, {noObject, ErrMissing}, {notText, ErrType}, {notNumber, ErrType}, {notInteger, ErrType},
		{notSingle, ErrType}, {noDims, ErrType},
	} {
		if !errors.Is(c.got, c.want) || !strings.Contains(c.got.Error(), r.Path()) {
			t.Errorf("request %d: got %v, want %v with the path", i, c.got, c.want)
		}
	}
	must(t, r.Close())
	if _, _, err := r.Float64s("/state/temperature"); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	cases := map[string]func(w *Writer) error{
		"length":      func(w *Writer) error { return w.Float64s("/a", []int{3, 4}, wave(11)) },
		"negative":    func(w *Writer) error { return w.Float64s("/a", []int{-1, -3}, wave(3)) },
		"overflow":    func(w *Writer) error { return w.Float64s("/a", []int{math.MaxInt, 3}, wave(3)) },
		"compressed":  func(w *Writer) error { return w.Float32s("/a", []int{70, 70}, nil, Compressed) },
		"relative":    func(w *Writer) error { return w.Float64s("a", []int{3}, wave(3)) },
		"double /":    func(w *Writer) error { return w.Group("/a//b") },
		"deep":        func(w *Writer) error { return w.Group(strings.Repeat("/a", maxDepth+1)) },
		"dots":        func(w *Writer) error { return w.Group("/a/../b") },
		"taken":       func(w *Writer) error { return errors.Join(w.Text("/a", "x"), w.Float64s("/a", []int{1}, wave(1))) },
		"under data":  func(w *Writer) error { return errors.Join(w.Text("/a", "x"), w.Group("/a/b")) },
		"no object":   func(w *Writer) error { return w.AttrInt64("/a", "n", 1) },
		"no name":     func(w *Writer) error { return w.AttrInt64("/", "", 1) },
		"NUL":         func(w *Writer) error { return w.AttrString("/", "n", "a\x00b") },
		"not UTF-8":   func(w *Writer) error { return w.Text("/a", "\xff") },
		"large":       func(w *Writer) error { return w.AttrString("/", "n", strings.Repeat("x", 70000)) },
		"large array": func(w *Writer) error { return w.AttrFloat64s("/", "n", wave(9000)) },
	}
	for name, write := range cases {
		w, path := create(t)
		err := write(w)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error with the path", name, err)
		}
		if err := w.Commit(); err == nil {
			t.Errorf("%s: Commit after a failure succeeded", name)
		}
		if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) > 0 {
			t.Errorf("%s: left %v", name, entries)
		}
	}
}

func TestWalk(t *testing.T) {
	var paths []string
	r := openFile(t, sample(t))
	must(t, r.Walk(func(o Object) error {
		paths = append(paths, o.Path)
		switch o.Path {
		case "/state/temperature":
			equal(t, "type", o.Type, "float64")
			equal(t, "storage", o.Storage, "contiguous")
			equal(t, "bytes", o.Bytes, int64(480))
			equal(t, "checksum", o.Checksum, checksum(asBytes(wave(60))))
		case "/state/velocity":
			equal(t, "type", o.Type, "float32")
			equal(t, "storage", o.Storage, "chunked 4×3×5×3, shuffle, deflate")
		case "/convect":
			values := map[string]string{}
			for _, a := range o.Attributes {
				values[a.Name] = a.Type + " " + a.Value
			}
			equal(t, "attributes", values, map[string]string{"history": "float64 [0.001 0.002]", "step": "int64 42",
				"time": "float64 0.125", "units": `string(6) "κ/H²"`, "version": "int64 [1 0]"})
		}
		return nil
	}))
	equal(t, "paths", paths, []string{"/", "/convect", "/convect/case", "/convect/case/yaml", "/state", "/state/random",
		"/state/temperature", "/state/velocity"})
	equal(t, "exists", []bool{r.Exists("/state"), r.Exists("/state/random"), r.Exists("/x")}, []bool{true, true, false})
	stop := errors.New("stop")
	if err := r.Walk(func(Object) error { return stop }); err != stop {
		t.Errorf("Walk returned %v", err)
	}
}
