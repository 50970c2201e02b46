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

// What a Writer attaches a Reader finds, and a further name is the same dataset.
func TestWriteScales(t *testing.T) {
	w, path := create(t)
	must(t, w.Float64s("/x", []int{3}, wave(3)), w.Scale("/x", "x"), w.Letters("/c", "ab"), w.Scale("/c", "c"),
		w.Float64s("/g/f", []int{3, 2}, wave(6)), w.Attach("/g/f", "/x", "/c"), w.Link("/g/f", "/f"), w.Float64s("/g/h", []int{3}, wave(3)),
		w.Attach("/g/h", "/x"), w.Commit())
	r := openFile(t, path)
	for dataset, want := range map[string][]string{"/g/f": {"/x", "/c"}, "/f": {"/x", "/c"}, "/g/h": {"/x"}} {
		if got, err := r.Scales(dataset); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: scales %q, %v, want %q", dataset, got, err, want)
		}
	}
	values, dims, err := r.Float64s("/f")
	must(t, err)
	if !slices.Equal(values, wave(6)) || !slices.Equal(dims, []int{3, 2}) {
		t.Errorf("/f holds %v with the axes %v", values, dims)
	}
}

// What cannot be attached, linked or written is told by the call and by Commit.
func TestWrongScales(t *testing.T) {
	for name, call := range map[string]func(w *Writer) error{
		"scale of nothing":  func(w *Writer) error { return w.Scale("/none", "x") },
		"attach to nothing": func(w *Writer) error { return w.Attach("/none", "/x") },
		"attach nothing":    func(w *Writer) error { return w.Attach("/x", "/none") },
		"link to nothing":   func(w *Writer) error { return w.Link("/none", "/y") },
		"taken name":        func(w *Writer) error { return w.Link("/x", "/x") },
		"no letters":        func(w *Writer) error { return w.Letters("/c", "") },
		"no ASCII":          func(w *Writer) error { return w.Letters("/c", "ü") },
	} {
		w, _ := create(t)
		must(t, w.Float64s("/x", []int{3}, wave(3)))
		if call(w) == nil || w.Commit() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
