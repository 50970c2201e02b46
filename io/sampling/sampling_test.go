package sampling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"convect/io/snapshot"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/physics"
	"convect/stencil"
)

// fake is a simulation whose fields are known functions of place and time.
type fake struct {
	grid  *stencil.Grid
	step  int64
	time  float64
	field func(x, y, z, t float64) float64 // temperature; the pressure is twice that
}

func (f *fake) Step() int64                    { return f.step }
func (f *fake) Time() float64                  { return f.time }
func (f *fake) Grid() *stencil.Grid            { return f.grid }
func (f *fake) Parameters() physics.Parameters { return physics.Parameters{Rayleigh: 1} }
func (f *fake) Quantities() []physics.Quantity { return (&physics.Parameters{}).Quantities() }

// all returns the components of a quantity; the velocity is (x, y, z) times the temperature.
func (f *fake) all(name string) (components [][]float64) {
	x, y, z := f.grid.Coordinates(0), f.grid.Coordinates(1), f.grid.Coordinates(2)
	n := 1
	if name == "velocity" {
		n = 3
	}
	components = make([][]float64, n)
	for _, z := range z {
		for _, y := range y {
			for _, x := range x {
				t := f.field(x, y, z, f.time)
				for c, v := range map[string][]float64{"temperature": {t}, "pressure": {2 * t}, "velocity": {x * t, y * t, z * t}}[name] {
					components[c] = append(components[c], v)
				}
			}
		}
	}
	return components
}

func (f *fake) Freeze(name string, into *physics.Frozen) error {
	into.Components = nil
	for _, values := range f.all(name) {
		into.Components = append(into.Components, stencil.FrozenOf(values))
	}
	return nil
}

// Evaluate uploads the components; the pressure has half of itself in its column.
func (f *fake) Evaluate(name string, use func(c int, f *stencil.Field, column []float64) error) error {
	x, err := f.grid.NewField(name, nil)
	if err != nil {
		return err
	}
	defer x.Free()
	for c, values := range f.all(name) {
		var column []float64
		if name == "pressure" {
			for k := range f.grid.Box.N[2] {
				column = append(column, float64(k)/3)
			}
			values = slices.Clone(values)
			for n := range values {
				values[n] -= column[n/(len(values)/len(column))]
			}
		}
		if name == "velocity" && f.grid.Flat() && c == 1 {
			if err := use(c, nil, nil); err != nil {
				return err
			}
			continue
		}
		x.Upload(values)
		if err := use(c, x, column); err != nil {
			return err
		}
	}
	return nil
}

func (f *fake) DownloadBlocks(name string, blocks []physics.Block) ([][][]float64, error) {
	all, n := f.all(name), f.grid.Box.N
	out := make([][][]float64, len(blocks))
	for b, block := range blocks {
		out[b] = make([][]float64, len(all))
		for c := range all {
			for k := range block.N[2] {
				for j := range block.N[1] {
					row := block.Low[0] + n[0]*(block.Low[1]+j+n[1]*(block.Low[2]+k))
					out[b][c] = append(out[b][c], all[c][row:][:block.N[0]]...)
				}
			}
		}
	}
	return out, nil
}

// grid returns a grid whose widths grow along z.
func grid(cells [3]int, periodic [3]bool) *stencil.Grid {
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		panic(err)
	}
	g := &stencil.Grid{Device: device, Elem: kernels.Float64, Cells: cells, Periodic: periodic}
	nodes := [3]int{1, 1, 1}
	for d, n := range cells {
		for i := range n {
			w := 0.25
			if d == 2 {
				w = 0.1 * float64(i+1)
			}
			g.Widths[d] = append(g.Widths[d], w)
			g.Size[d] += w
		}
		if nodes[d] = n + 1; periodic[d] {
			nodes[d] = n
		}
	}
	g.Box = kernels.NewBox(nodes, cells[1] == 0)
	return g
}

func box() *stencil.Grid  { return grid([3]int{4, 5, 3}, [3]bool{false, true, false}) }
func flat() *stencil.Grid { return grid([3]int{4, 0, 3}, [3]bool{}) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*math.Max(1, math.Abs(want))) {
		t.Errorf("%s is %.17g, want %.17g", what, got, want)
	}
}

func linear(x, y, z, t float64) float64 { return 1 + 2*x - 3*y + 4*z + 5*t }

// What is linear in space is exact between nodes, and on them a probe has the node's value to the bit.
func TestProbes(t *testing.T) {
	for name, g := range map[string]*stencil.Grid{"box": box(), "flat": flat()} {
		f := &fake{grid: g, time: 0.5, field: linear}
		r := rand.New(rand.NewPCG(1, 2))
		var probes []Probe
		for range 20 {
			at := [3]float64{r.Float64() * g.Size[0], r.Float64() * g.Size[1] * 0.8, r.Float64() * g.Size[2]}
			probes = append(probes, Probe{Name: "p", At: at, Fields: []string{"temperature"}})
		}
		scales := physics.Nondimensional()
		scales.Temperature = 10
		p := NewProbes(f, scales, probes)
		for n := range probes {
			at := probes[n].At
			v, err := p.Values(n)
			must(t, err)
			near(t, name, v[0], 10*linear(at[0], at[1], at[2], 0.5))
		}
	}
}

// Corners, the seam of a periodic axis, and nodes.
func TestPlacesOnNodes(t *testing.T) {
	g := box()
	bumpy := func(x, y, z, _ float64) float64 { return math.Sin(9*x) + math.Cos(7*y) + z*z }
	f := &fake{grid: g, field: bumpy}
	y := g.Coordinates(1)
	last, size := y[len(y)-1], g.Size[1]
	for _, c := range []struct {
		at   [3]float64
		want float64
	}{
		{[3]float64{0, 0, 0}, bumpy(0, 0, 0, 0)},
		{[3]float64{g.Size[0], 0, g.Size[2]}, bumpy(g.Size[0], 0, g.Size[2], 0)},
		{[3]float64{0.25, 0.5, 0.1}, bumpy(0.25, 0.5, 0.1, 0)},
		{[3]float64{0, size, 0}, bumpy(0, 0, 0, 0)},                                           // the first plane again
		{[3]float64{0, (last + size) / 2, 0}, (bumpy(0, last, 0, 0) + bumpy(0, 0, 0, 0)) / 2}, // across the seam
	} {
		p := NewProbes(f, physics.Nondimensional(), []Probe{{At: c.at, Fields: []string{"temperature"}}})
		v, err := p.Values(0)
		must(t, err)
		near(t, "value", v[0], c.want)
	}
}

// A vector has a column for each axis of the grid.
func TestProbeColumns(t *testing.T) {
	p := Probe{Fields: []string{"velocity", "temperature"}}
	all := (&physics.Parameters{}).Quantities()
	for flat, want := range map[bool][]string{false: {"velocity_x", "velocity_y", "velocity_z", "temperature"}, true: {"velocity_x", "velocity_z", "temperature"}} {
		names, units := p.Columns(all, flat, physics.Nondimensional())
		if !slices.Equal(names, want) || len(units) != len(want) {
			t.Errorf("columns %v, want %v", names, want)
		}
	}
	p.At = [3]float64{0.3, 0, 0.2}
	v, err := NewProbes(&fake{grid: flat(), field: linear}, physics.Nondimensional(), []Probe{p}).Values(0)
	must(t, err)
	if len(v) != 3 {
		t.Errorf("%d values for 3 columns", len(v))
	}
}

// A slice has the values between the planes beside it, on every axis, and the coordinate at which it lies.
func TestSlices(t *testing.T) {
	for d := range 3 {
		g := box()
		f := &fake{grid: g, step: 3, time: 0.5, field: linear}
		dir := t.TempDir()
		at := 0.37 * g.Size[d]
		s, err := NewSlices(f, Options{Dir: dir, Precision: kernels.Float64}, []Slice{{Name: "cut", Axis: d, At: at, Fields: []string{"temperature"}}})
		must(t, err)
		must(t, s.Observe(nil, physics.Event{Output: true, End: true, Start: true}))
		got, err := snapshot.ReadAny(dir + "/slices/cut/snapshots/snap_000003.hdf")
		must(t, err)
		if x := got.Coordinates[d]; len(x) != 1 || math.Abs(x[0]-at) > 1e-15 {
			t.Errorf("axis %d: it lies at %v, want %g", d, x, at)
		}
		values := got.Fields[0].Values
		n := 0
		for _, z := range got.Coordinates[2] {
			for _, y := range got.Coordinates[1] {
				for _, x := range got.Coordinates[0] {
					if y == g.Size[1] {
						y = 0 // the first plane again
					}
					near(t, "value", values[n], linear(x, y, z, 0.5))
					n++
				}
			}
		}
		if n != len(values) || n < 12 {
			t.Errorf("axis %d: %d values at %d points", d, len(values), n)
		}
		if _, err := snapshot.Read(dir + "/slices/cut/snapshots/snap_000003.hdf"); err == nil {
			t.Error("a slice passes for a snapshot")
		}
	}
}

// direct computes a mean and a fluctuation from their formulas, over times, at a node of what is left.
func direct(g *stencil.Grid, field func(x, y, z, t float64) float64, times []float64, over [3]bool, at [3]int) (mean, fluctuation float64) {
	type sample struct{ value, weight float64 }
	var all []sample
	total := times[len(times)-1] - times[0]
	for n, t := range times {
		weight := 0.0
		if n > 0 {
			weight += (t - times[n-1]) / 2
		}
		if n+1 < len(times) {
			weight += (times[n+1] - t) / 2
		}
		for k, z := range g.Coordinates(2) {
			for j, y := range g.Coordinates(1) {
				for i, x := range g.Coordinates(0) {
					w := weight / total
					here := true
					for d, index := range [3]int{i, j, k} {
						if over[d] {
							w *= g.DualWidth(d, index) / g.Size[d]
						} else {
							here = here && index == at[d]
						}
					}
					if here {
						all = append(all, sample{field(x, y, z, t), w})
					}
				}
			}
		}
	}
	for _, s := range all {
		mean += s.weight * s.value
	}
	for _, s := range all {
		fluctuation += s.weight * (s.value - mean) * (s.value - mean)
	}
	return mean, math.Sqrt(fluctuation)
}

// Means and fluctuations are those of the formulas, over any axes, on a window of steps of any length, and go on from the sums of a checkpoint.
func TestAverages(t *testing.T) {
	far := func(x, y, z, t float64) float64 { return 1e4 + math.Sin(3*x+20*t) + y*z + math.Cos(5*y)*t }
	times := []float64{0, 0.1, 0.15, 0.3, 0.5, 0.55, 0.8, 1}
	for _, over := range [][3]bool{{}, {true, false, false}, {false, true, false}, {true, true, false}, {true, true, true}, {false, false, true}} {
		g := box()
		f := &fake{grid: g, field: far}
		o := Options{Dir: t.TempDir(), Precision: kernels.Float64}
		of := []Average{{Name: "a", From: 0.15, To: 0.8, Over: over, Fields: []string{"temperature", "velocity", "pressure"}, Fluctuations: true}}
		a, said, err := NewAverages(f, o, of, nil)
		must(t, err)
		for n, when := range times {
			f.step, f.time = int64(n), when
			must(t, a.Observe(nil, physics.Event{Start: n == 0, Output: n == 0, End: n == len(times)-1}))
			if n == 4 { // another process goes on
				sums, err := a.Sums()
				must(t, err)
				a.Free()
				a, said, err = NewAverages(f, o, of, sums)
				must(t, err)
				must(t, a.Observe(nil, physics.Event{Start: true}))
			}
		}
		if len(said) > 0 {
			t.Errorf("said %v", said)
		}
		entries, _, err := snapshot.List(o.Dir+"/averages/a", 100)
		must(t, err)
		if len(entries) != 1 || entries[0].Step != 6 {
			t.Fatalf("averages %v, want one, of step 6", entries)
		}
		s, err := snapshot.ReadAny(o.Dir + "/averages/a/snapshots/snap_000006.hdf")
		must(t, err)
		mean, _ := s.Field("temperature")
		fluctuation, _ := s.Field("temperature_fluctuation")
		at := [3]int{2, 3, 1}
		place, stride := 0, 1
		for d := range 3 {
			if !over[d] {
				place += at[d] * stride
			}
			stride *= len(s.Coordinates[d])
		}
		wantMean, want := direct(g, far, times[2:7], over, at)
		near(t, "mean", mean.Values[place], wantMean)
		if got := fluctuation.Values[place]; math.Abs(got-want) > 1e-8 {
			t.Errorf("over %v: the fluctuation is %.12g, want %.12g", over, got, want)
		}
		pressure, _ := s.Field("pressure") // twice the temperature
		near(t, "mean pressure", pressure.Values[place], 2*wantMean)
		deviation, _ := s.Field("pressure_fluctuation")
		if got := deviation.Values[place]; math.Abs(got-2*want) > 1e-8 {
			t.Errorf("over %v: the fluctuation of the pressure is %.12g, want %.12g", over, got, 2*want)
		}
	}
}

// Parts of a window are averaged by themselves; the part that the end of the run cuts is written too, and goes on where the run does.
func TestWindows(t *testing.T) {
	f := &fake{grid: flat(), field: func(_, _, _, t float64) float64 { return t }}
	o := Options{Dir: t.TempDir(), Precision: kernels.Float64}
	of := []Average{{Name: "a", To: math.Inf(1), Every: &physics.Schedule{Interval: 0.4}, Fields: []string{"temperature"}}}
	a, _, err := NewAverages(f, o, of, nil)
	must(t, err)
	for n := range 11 {
		f.step, f.time = int64(n), float64(n)/10
		must(t, a.Observe(nil, physics.Event{Start: n == 0, End: n == 6 || n == 10}))
	}
	for step, want := range map[int64]float64{4: 0.2, 6: 0.5, 8: 0.6, 10: 0.9} {
		entries, _, err := snapshot.List(o.Dir+"/averages/a", step)
		must(t, err)
		last := entries[len(entries)-1]
		if last.Step != step {
			t.Fatalf("the last average up to step %d is %+v", step, last)
		}
		s, err := snapshot.ReadAny(o.Dir + "/averages/a/snapshots/" + last.Name)
		must(t, err)
		near(t, "mean", s.Fields[0].Values[5], want)
	}
}

// Sums of another average of the name do not go on.
func TestForeignSums(t *testing.T) {
	f := &fake{grid: flat(), field: linear, time: 0.5}
	o := Options{Dir: t.TempDir(), Scales: physics.Nondimensional()}
	of := Average{Name: "a", From: 0.2, To: 1, Fields: []string{"temperature"}}
	a, _, err := NewAverages(f, o, []Average{of}, nil)
	must(t, err)
	sums, err := a.Sums()
	must(t, err)
	for _, change := range []func(a *Average){func(a *Average) { a.From = 0.1 }, func(a *Average) { a.Over[0] = true }, func(a *Average) { a.Fluctuations = true },
		func(a *Average) { a.Fields = []string{"pressure"} }, func(a *Average) { a.Name = "b" }} {
		other := of
		change(&other)
		if _, said, err := NewAverages(f, o, []Average{other}, sums); err != nil || len(said) != 1 {
			t.Errorf("%+v: said %q, %v", other, said, err)
		}
	}
	if _, said, err := NewAverages(f, o, []Average{of}, sums); err != nil || len(said) != 0 {
		t.Errorf("the same: said %q, %v", said, err)
	}
}
