package series

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/h5"
	"convect/physics"
)

// probed is a table of a probe whose value is a tenth of the step, at every third step.
func probed(step *int64) Probe {
	return Probe{Name: "well", Columns: []string{"temperature"}, Units: []string{"K"},
		Due: func(_ float64, step int64) bool { return step%3 == 0 }, Values: func() ([]float64, error) { return []float64{float64(*step) / 10}, nil }}
}

// A probe has a row at the start, where it is due, and at the end; a resumed run goes on with the same bits.
func TestProbeTable(t *testing.T) {
	run := func(dir string, first, last int64) {
		step := first
		w, err := New(Options{Dir: dir, Dimensions: 3, Now: (&clock{}).Now, Probes: []Probe{probed(&step)}})
		must(t, err)
		must(t, w.observe(&fake{step}, physics.Event{Start: true, Output: first == 0}))
		for step = first + 1; step <= last; step++ {
			must(t, w.observe(&fake{step}, physics.Event{End: step == 10}))
		}
		must(t, w.Close())
	}
	whole, cut := t.TempDir(), t.TempDir()
	run(whole, 0, 10)
	want := "step,time,temperature\n#1,1,K\n0,0,0\n3,0.30000000000000004,0.29999999999999999\n6,0.60000000000000009,0.59999999999999998\n9,0.90000000000000002,0.90000000000000002\n10,1,1\n"
	if got := text(t, whole, ProbeName("well")); got != want {
		t.Errorf("table\n%s, want\n%s", got, want)
	}
	run(cut, 0, 8)
	must(t, Cut(cut, 5))
	run(cut, 5, 10)
	if got := text(t, cut, ProbeName("well")); got != want {
		t.Errorf("resumed table\n%s, want\n%s", got, want)
	}
	must(t, Cut(cut, -1))
	if _, err := os.Stat(filepath.Join(cut, ProbesFolder)); err == nil {
		t.Error("the folder of probes is left")
	}
}

// The tables as NetCDF have the values, units and dimensions of the columns.
func TestNetCDF(t *testing.T) {
	dir := t.TempDir()
	step := int64(0)
	w, err := New(Options{Dir: dir, Dimensions: 3, Now: (&clock{}).Now, Probes: []Probe{probed(&step)}})
	must(t, err)
	must(t, w.observe(&fake{0}, physics.Event{Start: true, Output: true}))
	for step = 1; step <= 10; step++ {
		must(t, w.observe(&fake{step}, physics.Event{Output: step%5 == 0}))
	}
	must(t, w.Close())
	path := filepath.Join(t.TempDir(), "run.nc")
	must(t, WriteNetCDF(path, dir, "a run", "v1"))
	r, err := h5.Open(path)
	must(t, err)
	table, err := Read(filepath.Join(dir, SeriesName))
	must(t, err)
	for i, name := range table.Names {
		values, dims, err := r.Float64s("/" + name)
		must(t, err)
		unit, err := r.AttrString("/"+name, "units")
		must(t, err)
		if len(dims) != 1 || unit != table.Units[i] {
			t.Errorf("%s: axes %v, unit %q", name, dims, unit)
		}
		for row, v := range table.Columns[i] {
			if v != values[row] && !(math.IsNaN(v) && math.IsNaN(values[row])) {
				t.Errorf("%s: row %d is %g, want %g", name, row, values[row], v)
			}
		}
	}
	profile, dims, err := r.Float64s("/profile_temperature")
	must(t, err)
	if len(dims) != 2 || dims[0] != 3 || dims[1] != 3 || profile[4] != 5./7 {
		t.Errorf("profiles %v with the axes %v", profile, dims)
	}
	scales, err := r.Scales("/profile_temperature")
	must(t, err)
	if strings.Join(scales, " ") != "/profile_time /z" {
		t.Errorf("profiles have the scales %v", scales)
	}
	probe, _, err := r.Float64s("/probe_well_temperature")
	must(t, err)
	if len(probe) != 4 || probe[3] != 0.9 {
		t.Errorf("probe %v", probe)
	}
	// A table that is torn within a profile is refused.
	torn := strings.TrimSuffix(text(t, dir, ProfilesName), "\n")
	must(t, os.WriteFile(filepath.Join(dir, ProfilesName), []byte(torn[:strings.LastIndex(torn, "\n")+1]), 0o666))
	if err := WriteNetCDF(path, dir, "", ""); err == nil || !strings.Contains(err.Error(), "no whole number of profiles") {
		t.Errorf("torn profiles: %v", err)
	}
}
