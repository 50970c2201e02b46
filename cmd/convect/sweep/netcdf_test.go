package sweep

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"convect/io/h5"
)

// A grid of values has a dimension a key and one of directions; the end of a branch stands in both, and what is missing is NaN. Of a list the runs are the dimension.
func TestNetCDF(t *testing.T) {
	for _, c := range []struct {
		name, text string
		dims       []int
		scales     []string
		values     []float64
	}{
		{"grid", "case: a\nvary: {ra: [1, 2], p: [x, y]}\ncontinue: ra\nback: true\nresults: [nu.x]", []int{2, 2, 2}, []string{"/ra", "/p", "/direction"},
			[]float64{0, 4, 1, 5, 2, 2, 3, 3}},
		{"list", "case: a\nvary: [{ra: 1, p: x}, {ra: 2, p: y}]\ncontinue: ra\nback: true\nresults: [nu.x]", []int{3}, []string{"/run"}, []float64{0, 1, 2}},
		{"grid with a gap", "case: a\nvary: {ra: [1, 2, 3]}\nresults: [nu.x]", []int{3}, []string{"/ra"}, []float64{0, math.NaN(), 2}},
	} {
		s, err := read(t, c.text)
		if err != nil {
			t.Fatal(err)
		}
		table := &Table{Sweep: s, Units: []string{"1"}, KeyUnits: []string{"K", ""}}
		for i, r := range s.Runs {
			v := float64(i)
			if c.name == "grid with a gap" && i == 1 {
				v = math.NaN()
			}
			table.Rows = append(table.Rows, Row{Run: r, Values: []float64{v}, Errors: []float64{math.NaN()}})
		}
		path := filepath.Join(t.TempDir(), "results.nc")
		if err := table.WriteNetCDF(path, "title"); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r, err := h5.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		values, dims, err := r.Float64s("/nu_x")
		same := slices.EqualFunc(values, c.values, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
		if err != nil || !same || !slices.Equal(dims, c.dims) {
			t.Errorf("%s: %v with the axes %v, %v; want %v with %v", c.name, values, dims, err, c.values, c.dims)
		}
		if scales, err := r.Scales("/nu_x"); err != nil || !slices.Equal(scales, c.scales) {
			t.Errorf("%s: scales %v, %v", c.name, scales, err)
		}
		if unit, err := r.AttrString("/ra", "units"); err != nil || unit != "K" {
			t.Errorf("%s: unit %q, %v", c.name, unit, err)
		}
		if c.name == "list" {
			if text, err := r.AttrString("/nu_x", "coordinates"); err != nil || text != "ra p direction" {
				t.Errorf("coordinates %q, %v", text, err)
			}
		}
		r.Close()
	}
}
