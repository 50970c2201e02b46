package snapshot

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/io/h5"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// grids are those that snapshots are written of: uniform, flat, graded; with and without periodic axes.
func grids() map[string]*stencil.Grid {
	return map[string]*stencil.Grid{"box": box(), "flat": flat(), "graded": graded(), "narrow": grid([3]int{1, 1, 1}, [3]float64{1, 2, 3}, [3]bool{})}
}

// Every axis of every field has a scale at the root, which holds the coordinates, and the field has a name there.
func TestNames(t *testing.T) {
	for name, g := range grids() {
		o := options(t.TempDir())
		o.Scales.Length, o.Scales.LengthUnit, o.Scales.TemperatureUnit, o.Scales.TimeUnit = 10, "m", "K", "s"
		o.Compress, o.Precision = name == "box", kernels.Float64
		write(t, newWriter(t, o), g, 3)
		path := filepath.Join(o.Dir, Folder, fileName(3))
		r, err := h5.Open(path)
		must(t, err)
		s, err := Read(path)
		must(t, err)
		for _, field := range s.Fields {
			want := []string{"/z", "/y", "/x"}
			if field.Components > 1 {
				want = append(want, "/component")
			}
			scales, err := r.Scales("/" + field.Name)
			must(t, err)
			if !slices.Equal(scales, want) {
				t.Errorf("%s: the axes of %s have the scales %q, want %q", name, field.Name, scales, want)
			}
			values, dims, err := r.Float64s("/" + field.Name)
			must(t, err)
			if !slices.Equal(values, field.Values) || len(dims) != len(want) {
				t.Errorf("%s: /%s with the axes %v differs from the PointData", name, field.Name, dims)
			}
		}
		for d, axis := range axisNames {
			values, _, err := r.Float64s("/" + axis)
			must(t, err)
			if !slices.Equal(values, s.Coordinates[d]) {
				t.Errorf("%s: /%s holds %v, want %v", name, axis, values, s.Coordinates[d])
			}
		}
		when, dims, err := r.Float64s("/time")
		must(t, err)
		if len(dims) != 0 || math.Abs(when[0]-s.Time) != 0 {
			t.Errorf("%s: /time is %v, want %g", name, when, s.Time)
		}
		for _, a := range [][3]string{{"/", "Conventions", "CF-1.10"}, {"/temperature", "units", "K"}, {"/temperature", "coordinates", "time"},
			{"/pressure", "long_name", "pressure above the hydrostatic pressure of fluid at T = 0"}, {"/z", "units", "m"}, {"/z", "positive", "up"}, {"/x", "axis", "X"},
			{"/x", "CLASS", "DIMENSION_SCALE"}, {"/time", "units", "s"}} {
			text, err := r.AttrString(a[0], a[1])
			must(t, err)
			if text != a[2] {
				t.Errorf("%s: %s of %s is %q, want %q", name, a[1], a[0], text, a[2])
			}
		}
	}
}

// Two writes of the same state give equal files, whatever was in memory before.
func TestEqualFiles(t *testing.T) {
	for name, g := range grids() {
		var files [][]byte
		for n := range 3 {
			o := options(t.TempDir())
			w := newWriter(t, o)
			for before := range n { // other files, which leave other things on the stack and the heap
				must(t, w.Write(&fake{step: int64(before), time: 7, grid: box()}))
			}
			must(t, w.observe(&fake{step: 9, time: 0.5, grid: g}, physics.Event{Output: true, End: true}))
			file, err := os.ReadFile(filepath.Join(o.Dir, Folder, fileName(9)))
			must(t, err)
			files = append(files, file)
		}
		for n := range files {
			if !bytes.Equal(files[n], files[0]) {
				t.Errorf("%s: write %d differs from the first", name, n)
			}
		}
	}
}

// Beyond a hundred files the sidecars are renewed now and then, and name all of them when the writer is waited for.
func TestManyFiles(t *testing.T) {
	o := options(t.TempDir())
	w := newWriter(t, o)
	g := grid([3]int{1, 1, 1}, [3]float64{1, 1, 1}, [3]bool{})
	for step := range int64(130) {
		must(t, w.observe(&fake{step: step, time: float64(step), grid: g}, physics.Event{Output: true}))
	}
	must(t, w.reap(true))
	if n := strings.Count(text(t, o.Dir, XDMFName), "<Time"); n < 127 {
		t.Errorf("the sidecar names %d of 130 files", n)
	}
	must(t, w.Wait())
	if n := strings.Count(text(t, o.Dir, XDMFName), "<Time"); n != 130 {
		t.Errorf("the sidecar names %d of 130 files at last", n)
	}
}
