package series

import (
	"math"
	"path/filepath"
	"testing"

	"convect/physics"
)

// drilled is a Source with two wells.
type drilled struct{ fake }

func (d *drilled) Sample() *physics.Sample {
	s := d.fake.Sample()
	s.Wells = []physics.WellSample{{Rate: 2, Scalars: []float64{0.25}}, {Rate: -3, Scalars: []float64{math.NaN()}, Pressure: 4}}
	return s
}

// Wells have columns by their names, in the units of the case, in 2-D and 3-D.
func TestColumnsOfWells(t *testing.T) {
	scales := physics.Scales{Length: 10, Time: 1, Temperature: 40, Velocity: 0.5, Pressure: 1, HeatFlux: 1, LengthUnit: "m", TimeUnit: "s", TemperatureUnit: "K",
		VelocityUnit: "m/s", PressureUnit: "Pa", HeatFluxUnit: "W/m2"}
	for dimensions, of := range map[int]struct {
		unit string
		rate float64
	}{2: {"m2/s", 5}, 3: {"m3/s", 50}} {
		dir := t.TempDir()
		w, err := New(Options{Dir: dir, Dimensions: dimensions, Scales: scales, Wells: []Well{{Name: "in"}, {Name: "out", Holds: true}}})
		must(t, err)
		must(t, w.observe(&drilled{fake{0}}, physics.Event{Start: true, Output: true}))
		must(t, w.Close())
		table, err := Read(filepath.Join(dir, SeriesName))
		must(t, err)
		for name, want := range map[string]float64{"well_in_rate": 2 * of.rate, "well_in_temperature": 10, "well_out_rate": -3 * of.rate, "well_out_temperature": math.NaN(), "well_out_pressure": 4} {
			if v := table.Column(name); len(v) != 1 || v[0] != want && !(math.IsNaN(v[0]) && math.IsNaN(want)) {
				t.Errorf("%d-D: %s is %v, want %g", dimensions, name, v, want)
			}
		}
		if got := w.columns; got[len(got)-3].name != "cycles_pressure" || got[len(got)-8].unit(&w.units) != of.unit {
			t.Errorf("%d-D: columns %v", dimensions, got)
		}
	}
}
