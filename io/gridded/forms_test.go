package gridded

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/h5"
)

// What is the same whatever way a file says it.
func TestForms(t *testing.T) {
	tx, ty, tz := edges(3, 3, 1), edges(2, 2, 1), edges(4, 4, 1)
	of := func(x, _, z float64) float64 { return 10 + x + 100*z }
	want := sampled(centres(tx), centres(ty), centres(tz), of).values
	x, z := []float64{-1, 0, 2.5, 4}, []float64{0, 1, 4}
	flat := sampled(x, nil, z, of)
	down := sampled(x, nil, []float64{4, 1, 0}, of)
	solid := sampled(x, []float64{0, 2}, z, of)
	one := sampled(x, []float64{7}, z, of)
	for name, sets := range map[string][]dataset{
		"3-D":               {solid, axisSet("/x", x), axisSet("/y", []float64{0, 2}), axisSet("/z", z)},
		"2-D":               {flat, axisSet("/x", x), axisSet("/z", z)},
		"one plane":         {one, axisSet("/x", x), axisSet("/y", []float64{7}), axisSet("/z", z)},
		"decreasing":        {down, axisSet("/x", x), axisSet("/z", []float64{4, 1, 0})},
		"in a folder":       {{"/a/b/k", flat.dims, flat.values}, axisSet("/a/x", x), axisSet("/a/b/z", z), axisSet("/z", []float64{9})},
		"usual names":       {flat, axisSet("/Easting", x), axisSet("/z_nodes", z)},
		"beside the header": {flat, axisSet("/convect/x", x), axisSet("/convect/z", z)},
	} {
		r := ask(writeFile(t, sets...), tx, ty, tz)
		got, err := mustRead(t, r).CellMeans(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		near(t, name, got, want, 1e-12)
	}
	var rows []string
	for i, v := range solid.values {
		rows = append([]string{fmt.Sprintf("%g,%g,%g,%g", x[i%4], float64(i/4%2)*2, z[i/8], v)}, rows...)
	}
	for name, text := range map[string]string{
		"table":      "x,y,z,k\n" + strings.Join(rows, "\n"),
		"with units": "x [m],northing (m),z_m,k\n# all of it\n" + strings.Join(rows, "\n"),
	} {
		r := ask(writeText(t, text), tx, ty, tz)
		got, err := mustRead(t, r).CellMeans(r)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name, got, want, 1e-12)
	}
}

// A log of a borehole is the same for all x and y, from either format.
func TestProfile(t *testing.T) {
	z := []float64{0, 1, 4}
	for name, path := range map[string]string{
		"HDF5":  writeFile(t, dataset{"/k", []int{3}, []float64{1, 2, 5}}, axisSet("/z", z)),
		"table": writeText(t, "z k\n4 5\n0 1\n1 2\n"),
	} {
		r := ask(path, edges(2, 1, 1), edges(3, 1, 1), edges(4, 4, 1))
		got, err := mustRead(t, r).CellMeans(r)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if want := 1.5 + float64(i/6); math.Abs(v-want) > 1e-14 {
				t.Errorf("%s: cell %d is %g, want %g", name, i, v, want)
			}
		}
	}
}

// Centres of cells: the field is constant around each of them, and linear between them at nodes.
func TestCentres(t *testing.T) {
	x, z := edges(4, 4, 1), edges(2, 2, 1)
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	k := dataset{"/k", []int{2, 4}, values}
	r := ask(writeFile(t, k, axisSet("/x", centres(x)), axisSet("/z", centres(z))), x, nil, z)
	f := mustRead(t, r)
	got, err := f.CellMeans(r)
	if err != nil || f.Place != Cells {
		t.Fatal(f.Place, err)
	}
	near(t, "cells", got, values, 0)
	nodes, err := f.NodeValues(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "nodes", nodes, []float64{1, 1.5, 2.5, 3.5, 4, 3, 3.5, 4.5, 5.5, 6, 5, 5.5, 6.5, 7.5, 8}, 1e-15)
	r.Target.Periodic[0] = true
	if nodes, err = mustRead(t, r).NodeValues(r); err != nil {
		t.Fatal(err)
	}
	near(t, "periodic nodes", nodes[:4], []float64{2.5, 1.5, 2.5, 3.5}, 1e-15)
	// Points that reach farther than the domain are nodes unless the request says cells.
	r = ask(writeFile(t, k, axisSet("/x", []float64{0, 1, 2, 3}), axisSet("/z", []float64{0, 2})), edges(3, 3, 1), nil, edges(1, 2, 1))
	r.Values = Cells
	if f := mustRead(t, r); f.Place != Cells {
		t.Errorf("taken as %s", f.Place)
	}
}

// A file of xarray: axes told apart by their dimension scales, packed values, decreasing z.
func TestNetCDF(t *testing.T) {
	r := ask("../h5/testdata/netcdf4.nc", edges(9, 90, 1), nil, edges(5, 100, 1))
	r.Names = []string{"k"}
	f := mustRead(t, r)
	got, err := f.CellMeans(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "k", got, sampled(centres(edges(9, 90, 1)), nil, centres(edges(5, 100, 1)), func(x, _, z float64) float64 { return 2 + x/30 + z/20 }).values, 1e-13)
	if f.Unit != "m2" || f.Place != Points {
		t.Errorf("unit %q, on %s", f.Unit, f.Place)
	}
	r.Dataset = "porosity"
	if got, err = mustRead(t, r).CellMeans(r); err != nil {
		t.Fatal(err)
	}
	near(t, "porosity", got[:9], sampled(centres(edges(9, 90, 1)), nil, []float64{0}, func(x, _, _ float64) float64 { return 0.25 + x/3000 }).values, 1e-15)
	r.Dataset = "gaps"
	_, err = mustRead(t, r).CellMeans(r)
	if err == nil || !strings.Contains(err.Error(), "/gaps of ../h5/testdata/netcdf4.nc has no value (NaN, or the fill value -9999) at [2][1] (x = 30, z = 20)") {
		t.Error(err)
	}
}

// A section of xarray serves a 3-D grid, and the scales say which axis is which where sizes are alike.
func TestNetCDFIn3D(t *testing.T) {
	x, y, z := edges(3, 90, 1), edges(2, 7, 1), edges(2, 100, 1)
	r := ask("../h5/testdata/netcdf4.nc", x, y, z)
	r.Dataset, r.Directions = "k", true
	got, err := mustRead(t, r).Conductive(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "k", got[1], sampled(centres(x), centres(y), centres(z), func(x, _, z float64) float64 { return 2 + x/30 + z/20 }).values, 1e-13)
}

// A value that was never written is none, though nothing in the file says so.
func TestNeverWritten(t *testing.T) {
	r := ask(writeFile(t, dataset{"/k", []int{2, 2}, []float64{1, 9.969209968386869e36, 1, 1}}), edges(2, 2, 1), nil, edges(2, 1, 1))
	if _, err := mustRead(t, r).CellMeans(r); err == nil || !strings.Contains(err.Error(), "/k of "+r.Path+" has no value") {
		t.Error(err)
	}
}

// What a file holds where the domain is not is nobody's business.
func TestGapsOutside(t *testing.T) {
	x := []float64{-2, -1, 0, 1, 2, 3}
	k := dataset{"/k", []int{2, 6}, []float64{math.NaN(), -1, 1, 1, 1, math.NaN(), -1, -1, 1, 1, 1, -7}}
	r := ask(writeFile(t, k, axisSet("/x", x), axisSet("/z", []float64{0, 1})), edges(5, 2, 1), nil, edges(2, 1, 1))
	r.OK = func(v float64) bool { return v > 0 }
	got, err := mustRead(t, r).CellMeans(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got {
		if math.Abs(v-1) > 1e-15 {
			t.Errorf("%v", got)
		}
	}
}

// Centres of graded cells that fill the domain are those of its cells exactly.
func TestCentresOfGradedCells(t *testing.T) {
	x, z := edges(17, 3, 1.2), edges(9, 1, 0.7)
	values := rough(17 * 9)
	r := ask(writeFile(t, dataset{"/k", []int{9, 17}, values}, axisSet("/x", centres(x)), axisSet("/z", centres(z))), x, nil, z)
	got, err := mustRead(t, r).CellMeans(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "cells", got, values, 0)
}

// The ends of cells that a file gives beside their centres are taken; units, packing and the direction of z are read from attributes.
func TestAttributes(t *testing.T) {
	x, z := []float64{0, 0.5, 0.75, 2}, []float64{0, 0.1, 1}
	path := filepath.Join(t.TempDir(), "cf.h5")
	write := func(gap float64, attributes map[string]string) {
		w, err := h5.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		w.Float64s("/k", []int{2, 3}, []float64{4, 5, 6, 1, 2, 3})
		w.Float64s("/x", []int{3}, centres(x))
		w.Float64s("/z", []int{2}, []float64{0.55, 0.05})
		w.Float64s("/x_bnds", []int{3, 2}, []float64{0, 0.5, 0.5, 0.75, 0.75 + gap, 2})
		w.Float64s("/z_bnds", []int{2, 2}, []float64{0.1, 1, 0, 0.1})
		w.AttrString("/x", "bounds", "x_bnds")
		w.AttrString("/z", "bounds", "z_bnds")
		w.AttrFloat64("/k", "scale_factor", 10)
		w.AttrFloat64("/k", "add_offset", 3)
		for name, text := range attributes {
			w.AttrString("/z", name, text)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	write(0, nil)
	r := ask(path, x, nil, z)
	r.Length = "m"
	got, err := mustRead(t, r).CellMeans(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "cells", got, []float64{13, 23, 33, 43, 53, 63}, 0)
	for want, set := range map[string]func(){
		"go on at 0.85":                   func() { write(0.1, nil) },
		"/z of " + path + " holds depths": func() { write(0, map[string]string{"positive": "down"}) },
		"is in km, and the case takes m":  func() { write(0, map[string]string{"units": "km"}) },
	} {
		set()
		if _, err := Read(*r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
