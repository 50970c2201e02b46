package checkpoint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

func (f *fake) Step() int64 { return f.step }

func (f *fake) Time() float64 { return f.time }

func (f *fake) Grid() *stencil.Grid {
	return &stencil.Grid{Cells: [3]int{4, 3, 5}, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{false, true, false}}
}

func (f *fake) Parameters() physics.Parameters {
	return physics.Parameters{Rayleigh: 100, Precision: f.precision}
}

func (f *fake) Live() (*physics.State, []*stencil.Field, error) {
	st, err := f.State()
	return st, nil, err
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
		want := &Checkpoint{Device: "cpu", Instruction: "avx2", State: state, Header: &header.Header{Kind: "checkpoint", Format: 2,
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
