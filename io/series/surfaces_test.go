package series

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/physics"
)

// walled is a Source with a wall and a patch.
type walled struct{ fake }

func (d *walled) Sample() *physics.Sample {
	s := d.fake.Sample()
	s.Surfaces = []physics.SurfaceSample{{Fluid: 2, Scalars: []float64{0.25}}, {Fluid: -3, Scalars: []float64{math.NaN()}}}
	return s
}

// Walls and patches have columns by their names before the last one, in the units of the case, in 2-D and 3-D.
func TestColumnsOfSurfaces(t *testing.T) {
	scales := physics.Scales{Length: 10, Time: 1, Temperature: 40, Velocity: 0.5, Pressure: 1, HeatFlux: 3, LengthUnit: "m", TimeUnit: "s", TemperatureUnit: "K",
		VelocityUnit: "m/s", PressureUnit: "Pa", HeatFluxUnit: "W/m2"}
	for dimensions, of := range map[int]struct {
		units       string
		fluid, heat float64
	}{2: {"m2/s,W/m", 5, 30}, 3: {"m3/s,W", 50, 300}} {
		dir := t.TempDir()
		w, err := New(Options{Dir: dir, Dimensions: dimensions, Scales: scales, Surfaces: []string{"wall_left", "patch_hot"}})
		must(t, err)
		must(t, w.observe(&walled{fake{0}}, physics.Event{Start: true, Output: true}))
		must(t, w.Close())
		table, err := Read(filepath.Join(dir, SeriesName))
		must(t, err)
		for name, want := range map[string]float64{"wall_left_fluid": 2 * of.fluid, "wall_left_heat": 0.25 * of.heat, "patch_hot_fluid": -3 * of.fluid, "patch_hot_heat": math.NaN()} {
			if v := table.Column(name); len(v) != 1 || v[0] != want && !(math.IsNaN(v[0]) && math.IsNaN(want)) {
				t.Errorf("%d-D: %s is %v, want %g", dimensions, name, v, want)
			}
		}
		if n := len(table.Names); strings.Join(table.Names[n-6:], " ") != "cycles_diffusion wall_left_fluid wall_left_heat patch_hot_fluid patch_hot_heat wall_seconds" ||
			strings.Join(table.Units[n-5:], ",") != of.units+","+of.units+",s" {
			t.Errorf("%d-D: columns %v of %v", dimensions, table.Names, table.Units)
		}
	}
}

// rowsOf lets a run with some surfaces go on over steps.
func rowsOf(t *testing.T, dir string, surfaces []string, first, last int64) {
	t.Helper()
	w, err := New(Options{Dir: dir, Dimensions: 3, Now: (&clock{}).Now, Surfaces: surfaces})
	must(t, err)
	must(t, w.observe(&walled{fake{first}}, physics.Event{Start: true, Output: first == 0}))
	for step := first + 1; step <= last; step++ {
		must(t, w.observe(&walled{fake{step}}, physics.Event{}))
	}
	must(t, w.Close())
}

// A run whose table has other columns of surfaces, of an earlier version or of other patches, keeps its rows: what they lack is empty, and where something is left out the table before is kept.
func TestOtherSurfaces(t *testing.T) {
	for _, c := range []struct {
		before, after []string
		said, aside   bool
	}{
		{nil, []string{"wall_left", "patch_hot"}, true, false},
		{[]string{"wall_left", "patch_hot"}, []string{"wall_left", "patch_cold"}, true, true},
		{[]string{"wall_left", "patch_hot"}, nil, true, true},
		{[]string{"wall_left", "patch_hot"}, []string{"patch_hot", "wall_left"}, true, false},
		{[]string{"wall_left", "patch_hot"}, []string{"wall_left", "patch_hot"}, false, false},
	} {
		dir := t.TempDir()
		rowsOf(t, dir, c.before, 0, 6)
		before, err := Read(filepath.Join(dir, SeriesName))
		must(t, err)
		said, err := Mend(Options{Dir: dir, Dimensions: 3, Surfaces: c.after}, 4)
		must(t, err)
		if (len(said) > 0) != c.said || c.said && !strings.Contains(said[0], "other columns of walls and patches") {
			t.Errorf("%v to %v: %q", c.before, c.after, said)
		}
		_, err = os.Stat(filepath.Join(dir, SeriesName+asideSuffix))
		if (err == nil) != c.aside {
			t.Errorf("%v to %v: what was there is kept: %v", c.before, c.after, err == nil)
		}
		must(t, Cut(dir, 4))
		rowsOf(t, dir, c.after, 4, 6)
		after, err := Read(filepath.Join(dir, SeriesName))
		must(t, err)
		if after.Rows() != 7 {
			t.Fatalf("%v to %v: %d rows", c.before, c.after, after.Rows())
		}
		for n, name := range after.Names {
			v, old := after.Columns[n][:5], before.Column(name) // those that were there
			old = old[:min(5, len(old))]
			switch {
			case name == wallSeconds:
			case len(old) == 0 && !(math.IsNaN(v[0]) && math.IsNaN(v[4])):
				t.Errorf("%v to %v: %s is %v where no row had it", c.before, c.after, name, v)
			case len(old) > 0 && !slices.EqualFunc(v, old, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }):
				t.Errorf("%v to %v: %s is %v, not %v", c.before, c.after, name, v, old)
			}
		}
		if !strings.HasSuffix(strings.Join(after.Names, ","), wallSeconds) {
			t.Errorf("columns %v", after.Names)
		}
	}
}

// Another table is none of these.
func TestOtherColumnsAreStrange(t *testing.T) {
	s := (&Options{Dir: "x", Dimensions: 3, Scales: physics.Nondimensional(), Scalars: (&physics.Parameters{}).Transported(), Surfaces: []string{"wall_left"}}).formats()[0]
	for name, header := range map[string]string{"a unit": strings.Replace(s.header, "#1,1", "#1,s", 1), "a column too many": "more," + strings.Replace(s.header, "#", "#1,", 1),
		"one that is missing": strings.Replace(strings.Replace(s.header, "dt,", "", 1), "#1,", "#", 1)} {
		if from, _ := s.adapt([]byte(header)); from != nil {
			t.Errorf("%s: %v", name, from)
		}
	}
	if from, dropped := s.adapt([]byte(s.header)); len(from) == 0 || dropped != 0 {
		t.Error("the table itself is not known")
	}
}
