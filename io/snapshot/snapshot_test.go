package snapshot

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// fake is a Source whose fields are known functions of the nodes.
type fake struct {
	step int64
	time float64
	grid *stencil.Grid
	fail string // a field that cannot be downloaded
}

func (f *fake) Step() int64         { return f.step }
func (f *fake) Time() float64       { return f.time }
func (f *fake) Grid() *stencil.Grid { return f.grid }
func (f *fake) Parameters() physics.Parameters {
	return physics.Parameters{Rayleigh: 100, Precision: kernels.Float64}
}
func (f *fake) Quantities() []physics.Quantity { return (&physics.Parameters{}).Quantities() }

// Freeze gives temperature = x + 10 y + 100 z + time, pressure = -temperature, velocity = (x, y, z).
func (f *fake) Freeze(name string, into *physics.Frozen) error {
	if name == f.fail {
		return errors.New("device lost")
	}
	x, y, z := f.grid.Coordinates(0), f.grid.Coordinates(1), f.grid.Coordinates(2)
	components := make([][]float64, 1)
	if name == "velocity" {
		components = make([][]float64, 3)
	}
	for n := range len(x) * len(y) * len(z) {
		i, j, k := n%len(x), n/len(x)%len(y), n/(len(x)*len(y))
		t := x[i] + 10*y[j] + 100*z[k] + f.time
		for c, v := range map[string][]float64{"temperature": {t}, "pressure": {-t}, "velocity": {x[i], y[j], z[k]}}[name] {
			components[c] = append(components[c], v)
		}
	}
	into.Components = nil
	for _, values := range components {
		into.Components = append(into.Components, stencil.FrozenOf(values))
	}
	return nil
}

// grid returns a grid without a device.
func grid(cells [3]int, size [3]float64, periodic [3]bool) *stencil.Grid {
	g := &stencil.Grid{Cells: cells, Size: size, Periodic: periodic}
	nodes := [3]int{1, 1, 1}
	for d, n := range cells {
		g.Widths[d] = make([]float64, n)
		for i := range n {
			g.Widths[d][i] = size[d] / float64(n)
		}
		if n > 0 && !periodic[d] {
			nodes[d] = n + 1
		} else if n > 0 {
			nodes[d] = n
		}
	}
	g.Box = kernels.NewBox(nodes, cells[1] == 0)
	return g
}

func box() *stencil.Grid {
	return grid([3]int{3, 4, 5}, [3]float64{3, 2, 1}, [3]bool{false, true, false})
}

func flat() *stencil.Grid {
	return grid([3]int{6, 0, 4}, [3]float64{2, 0, 1}, [3]bool{true, false, false})
}

// graded returns a box whose cells along z grow.
func graded() *stencil.Grid {
	g := grid([3]int{3, 2, 4}, [3]float64{3, 2, 1}, [3]bool{})
	g.Widths[2] = []float64{0.1, 0.2, 0.3, 0.4}
	return g
}

func options(dir string) Options {
	return Options{Dir: dir, Scales: physics.Nondimensional(), Case: "title: test\n", Version: "v1"}
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

// resumed is newWriter beside the snapshots that are there.
func resumed(t testing.TB, o Options) *Writer {
	t.Helper()
	var err error
	o.Present, _, err = List(o.Dir, math.MaxInt64)
	must(t, err)
	return newWriter(t, o)
}

// cutAt removes what is later than a step.
func cutAt(t testing.TB, dir string, step int64) {
	t.Helper()
	kept, _, err := List(dir, step)
	must(t, err, Cut(dir, step, kept))
}

func text(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	must(t, err)
	return string(data)
}

// write writes snapshots of the given steps at times step/100.
func write(t testing.TB, w *Writer, g *stencil.Grid, steps ...int64) {
	t.Helper()
	for _, step := range steps {
		must(t, w.observe(&fake{step: step, time: float64(step) / 100, grid: g}, physics.Event{Output: true}))
	}
	must(t, w.Wait())
}

// The last snapshot of a run is there when the run ends; before, a snapshot may still be under way.
func TestEndWaits(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	must(t, w.observe(&fake{step: 1, grid: box()}, physics.Event{Output: true}))
	must(t, w.observe(&fake{step: 2, grid: box()}, physics.Event{Output: true, End: true}))
	if got := files(t, o.Dir); !slices.Equal(got, []string{fileName(1), fileName(2)}) || len(w.Entries()) != 2 {
		t.Errorf("files %v, entries %v", got, w.Entries())
	}
	must(t, w.Wait())
}

// However many outputs follow one another, no more than two files are between memory and disk, and names come in the order of steps.
func TestFilesUnderWay(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	g := grid([3]int{40, 40, 40}, [3]float64{1, 1, 1}, [3]bool{})
	var want []string
	for step := range int64(12) {
		must(t, w.observe(&fake{step: step, grid: g}, physics.Event{Output: true}))
		want = append(want, fileName(step))
		temporary := 0
		for i, name := range files(t, o.Dir) {
			if strings.HasSuffix(name, ".tmp") {
				temporary++
			} else if name != want[i] {
				t.Errorf("after step %d %s is there without %s", step, name, want[i])
			}
		}
		if temporary > 2 {
			t.Errorf("after step %d %d files have no name yet", step, temporary)
		}
	}
	must(t, w.Wait())
	if got := files(t, o.Dir); !slices.Equal(got, want) || len(w.Entries()) != len(want) {
		t.Errorf("files %v, entries %v", got, w.Entries())
	}
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, Folder))
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRoundTrip(t *testing.T) {
	scales := physics.Scales{Length: 10, Time: 1000, Temperature: 50, Velocity: 1e-6, Pressure: 1e5,
		LengthUnit: "m", TimeUnit: "s", TemperatureUnit: "K", VelocityUnit: "m/s", PressureUnit: "Pa"}
	for name, g := range map[string]*stencil.Grid{"box": box(), "flat": flat(), "graded": graded()} {
		for _, precision := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			for _, compress := range []bool{false, true} {
				o := options(t.TempDir())
				o.Scales, o.Precision, o.Compress = scales, precision, compress
				write(t, newWriter(t, o), g, 123)
				s, err := Read(filepath.Join(o.Dir, Folder, "snap_000123.hdf"))
				must(t, err)
				checkSnapshot(t, name, s, g, precision == kernels.Float64)
			}
		}
	}
}

func checkSnapshot(t *testing.T, name string, s *Snapshot, g *stencil.Grid, double bool) {
	t.Helper()
	if s.Step != 123 || s.Time != 1230 || s.TimeUnit != "s" || s.Case != "title: test\n" || s.Version != "v1" || s.Rayleigh != 100 {
		t.Errorf("%s: header %+v", name, s)
	}
	if s.Cells != g.Cells || s.Periodic != g.Periodic || s.LengthScale != 10 {
		t.Errorf("%s: grid %v %v", name, s.Cells, s.Periodic)
	}
	temperature, _ := s.Field("temperature")
	pressure, _ := s.Field("pressure")
	velocity, _ := s.Field("velocity")
	if temperature.Unit != "K" || pressure.Unit != "Pa" || velocity.Unit != "m/s" || velocity.Components != 3 {
		t.Errorf("%s: fields %+v", name, s.Fields)
	}
	x, y, z := s.Coordinates[0], s.Coordinates[1], s.Coordinates[2]
	if len(temperature.Values) != len(x)*len(y)*len(z) {
		t.Fatalf("%s: %d values", name, len(temperature.Values))
	}
	round := func(v float64) float64 {
		if double {
			return v
		}
		return float64(float32(v))
	}
	// The value at a repeated plane is that of the first.
	first := func(d, i int) float64 {
		if g.Periodic[d] && i == g.Cells[d] {
			return 0
		}
		return s.Coordinates[d][i] / 10
	}
	n := 0
	for k := range z {
		for j := range y {
			for i := range x {
				at := [3]float64{first(0, i), first(1, j), first(2, k)}
				want := at[0] + 10*at[1] + 100*at[2] + 1.23
				if got := temperature.Values[n]; math.Abs(got-round(50*want)) > 1e-5*math.Abs(50*want)*single(double) {
					t.Fatalf("%s: temperature at %v is %.17g, want %.17g", name, at, got, 50*want)
				}
				for d := range 3 {
					if got := velocity.Values[3*n+d]; math.Abs(got-1e-6*at[d]) > 1e-12*single(double) {
						t.Fatalf("%s: velocity %d at %v is %g", name, d, at, got)
					}
				}
				n++
			}
		}
	}
}

// single is 1 in single precision, and 1e-8 where values must agree to rounding in double.
func single(double bool) float64 {
	if double {
		return 1e-8
	}
	return 1
}

func TestFieldsOfTheCase(t *testing.T) {
	o := options(t.TempDir())
	o.Fields = []string{"velocity"}
	write(t, newWriter(t, o), box(), 0)
	s, err := Read(filepath.Join(o.Dir, Folder, "snap_000000.hdf"))
	must(t, err)
	if len(s.Fields) != 1 || s.Fields[0].Name != "velocity" {
		t.Errorf("fields %+v", s.Fields)
	}
	if xmf := text(t, o.Dir, XDMFName); strings.Contains(xmf, "temperature") {
		t.Errorf("the sidecar names a field that is not written:\n%s", xmf)
	}
	o.Fields = []string{"vorticity"}
	err = newWriter(t, o).Write(&fake{grid: box()})
	if err == nil || !strings.Contains(err.Error(), `"vorticity"`) {
		t.Errorf("error %v", err)
	}
}

// Only output events write; the start of a resumed run renews the sidecars.
func TestEvents(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	must(t, w.observe(&fake{step: 1, grid: box()}, physics.Event{}))
	if len(files(t, o.Dir)) != 0 {
		t.Errorf("files %v without output", files(t, o.Dir))
	}
	write(t, w, box(), 0, 5)
	xmf := text(t, o.Dir, XDMFName)
	must(t, os.Remove(filepath.Join(o.Dir, XDMFName)))
	must(t, resumed(t, o).observe(&fake{step: 5, grid: box()}, physics.Event{Start: true}))
	if got := text(t, o.Dir, XDMFName); got != xmf || xmf == "" {
		t.Errorf("sidecar of a resumed run differs:\n%s", cmp.Diff(xmf, got))
	}
}

func TestCutAndResume(t *testing.T) {
	for _, g := range []*stencil.Grid{box(), flat(), graded()} {
		whole, cut := options(t.TempDir()), options(t.TempDir())
		write(t, newWriter(t, whole), g, 0, 10, 20, 30)
		write(t, newWriter(t, cut), g, 0, 10, 17, 20)
		must(t, os.WriteFile(filepath.Join(cut.Dir, Folder, "snap_000030.hdf.tmp"), []byte("torn"), 0o666))
		cutAt(t, cut.Dir, 10)
		if got := files(t, cut.Dir); !slices.Equal(got, []string{"snap_000000.hdf", "snap_000010.hdf", "snap_000030.hdf.tmp"}) {
			t.Errorf("files after the cut: %v", got)
		}
		write(t, resumed(t, cut), g, 20, 30)
		if diff := cmp.Diff(files(t, whole.Dir), files(t, cut.Dir)); diff != "" {
			t.Errorf("files (-uninterrupted +resumed):\n%s", diff)
		}
		for _, name := range []string{XDMFName, SeriesName} {
			if diff := cmp.Diff(text(t, whole.Dir, name), text(t, cut.Dir, name)); diff != "" {
				t.Errorf("%s (-uninterrupted +resumed):\n%s", name, diff)
			}
		}
		must(t, Cut(cut.Dir, -1, nil))
		if len(files(t, cut.Dir)) != 0 || text(t, cut.Dir, XDMFName) != "" || text(t, cut.Dir, SeriesName) != "" {
			t.Errorf("files %v and sidecars after everything was cut", files(t, cut.Dir))
		}
	}
	cutAt(t, t.TempDir(), 5) // nothing there
}

func TestSidecarText(t *testing.T) {
	o := options(t.TempDir())
	write(t, newWriter(t, o), box(), 0, 1000000)
	equal(t, SeriesName, text(t, o.Dir, SeriesName), `{
 "file-series-version": "1.0",
 "files": [
  {
   "name": "snapshots/snap_000000.hdf",
   "time": 0
  },
  {
   "name": "snapshots/snap_1000000.hdf",
   "time": 10000
  }
 ]
}
`)
	o = options(t.TempDir())
	write(t, newWriter(t, o), flat(), 7)
	if s := text(t, o.Dir, SeriesName); s != "" {
		t.Errorf("a flat grid has a VTKHDF series:\n%s", s)
	}
	xmf := text(t, o.Dir, XDMFName)
	for _, want := range []string{`Dimensions="5 1 7"`, `>0.25 1 0.3333333333333333<`, `<Time Value="0.07"/>`,
		`Dimensions="5 1 7 3"`, `>snapshots/snap_000007.hdf:/VTKHDF/PointData/velocity<`} {
		if !strings.Contains(xmf, want) {
			t.Errorf("no %s in\n%s", want, xmf)
		}
	}
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
