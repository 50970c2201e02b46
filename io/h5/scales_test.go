package h5

import (
	"slices"
	"testing"
)

// TestScales reads a file that xarray 2023.1 wrote through netCDF4 1.6: k(x, z) and porosity(z, x), with coordinates.
func TestScales(t *testing.T) {
	r, err := Open("testdata/netcdf4.nc")
	must(t, err)
	for dataset, want := range map[string][]string{"/k": {"/x", "/z"}, "porosity": {"/z", "/x"}, "/x": nil} {
		got, err := r.Scales(dataset)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("%s: scales %q, want %q", dataset, got, want)
		}
	}
	if _, err := r.Scales("/none"); err == nil {
		t.Error("no dataset: no error")
	}
	w, path := create(t)
	must(t, w.Float64s("/a", []int{3}, wave(3)), w.AttrString("/a", scalesName, "/x"), w.Commit())
	if got, err := openFile(t, path).Scales("/a"); err != nil || got != nil {
		t.Errorf("a text called %s: %q, %v", scalesName, got, err)
	}
}
