package gridded

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/h5"
)

// dataset is one for a test file.
type dataset struct {
	path   string
	dims   []int
	values []float64
}

func writeFile(t testing.TB, sets ...dataset) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "field.h5")
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, s := range sets {
		w.Float64s(s.path, s.dims, s.values)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeText(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "field.csv")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// edges returns the ends of n cells over a length, each wider by a factor than the one before.
func edges(n int, length, factor float64) []float64 {
	x, width := []float64{0}, 1.0
	for range n {
		x = append(x, x[len(x)-1]+width)
		width *= factor
	}
	for i := range x {
		x[i] *= length / x[n]
	}
	x[n] = length
	return x
}

func centres(edges []float64) []float64 {
	out := make([]float64, len(edges)-1)
	for i := range out {
		out[i] = (edges[i] + edges[i+1]) / 2
	}
	return out
}

// sampled evaluates a function at all points [z][y][x]; [z][x] where y is nil.
func sampled(x, y, z []float64, of func(x, y, z float64) float64) dataset {
	d := dataset{path: "/k", dims: []int{len(z), len(y), len(x)}}
	if y == nil {
		y, d.dims = []float64{0}, []int{len(z), len(x)}
	}
	for _, c := range z {
		for _, b := range y {
			for _, a := range x {
				d.values = append(d.values, of(a, b, c))
			}
		}
	}
	return d
}

func axisSet(name string, x []float64) dataset { return dataset{name, []int{len(x)}, x} }

func anyValue(v float64) bool { return v-v == 0 }

// ask is a request for a file on a target.
func ask(path string, x, y, z []float64) *Request {
	return &Request{Path: path, OK: anyValue, Accepted: "a finite number", Target: Target{Edges: [3][]float64{x, y, z}}}
}

func mustRead(t testing.TB, r *Request) *Field {
	t.Helper()
	f, err := Read(*r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s: value %d is %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

func linear(x, y, z float64) float64 { return 3 + 2*x - 5*y + 0.5*z }

// A linear field on nodes gives exact values in cells and on nodes, whatever the grids: the mean of what is linear is its value at the centre.
func TestLinearIsExact(t *testing.T) {
	tx, ty, tz := edges(7, 2, 1.3), edges(5, 1, 1), edges(9, 3, 0.8)
	for _, n := range []int{2, 3, 6, 8, 40} {
		x, y, z := edges(n, 2, 0.9), edges(n+1, 1, 1.1), edges(n+3, 3, 1)
		x[0], z[len(z)-1] = -1, 5 // beyond the domain
		r := ask(writeFile(t, sampled(x, y, z, linear), axisSet("/x", x), axisSet("/y", y), axisSet("/z", z)), tx, ty, tz)
		f := mustRead(t, r)
		if f.Place != Points {
			t.Fatalf("%d: taken as %s", n, f.Place)
		}
		cells, err := f.CellMeans(r)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "cells", cells, sampled(centres(tx), centres(ty), centres(tz), linear).values, 1e-13)
		nodes, err := f.NodeValues(r)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "nodes", nodes, sampled(tx, ty, tz, linear).values, 1e-13)
	}
}

// volumes multiplies values by widths along each axis and adds them up.
func total(values []float64, x, y, z []float64) float64 {
	sum := 0.0
	for i, v := range values {
		sum += v * x[i%len(x)] * y[i/len(x)%len(y)] * z[i/(len(x)*len(y))]
	}
	return sum
}

func widths(edges []float64) []float64 {
	w := make([]float64, len(edges)-1)
	for i := range w {
		w[i] = edges[i+1] - edges[i]
	}
	return w
}

// dual returns the widths of the volumes of nodes.
func dual(edges []float64, periodic bool) []float64 {
	w := widths(edges)
	out := make([]float64, len(edges))
	for i, h := range w {
		out[i] += h / 2
		out[i+1] += h / 2
	}
	if periodic {
		out[0] += out[len(w)]
		out = out[:len(w)]
	}
	return out
}

// rough is a value for each index that jumps over decades.
func rough(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp(4 * math.Sin(float64(i*i)))
	}
	return out
}

// The total over the domain is kept to rounding, from finer and coarser, graded and periodic grids, on cells and on the volumes of nodes.
func TestTotalsAreKept(t *testing.T) {
	one := []float64{1}
	for _, periodic := range []bool{false, true} {
		for _, n := range []int{1, 2, 5, 16, 33} {
			for _, grade := range []float64{1, 1.2} {
				x, z := edges(n, 2, grade), edges(n+2, 1, 1/grade)
				values := rough(n * (n + 2))
				r := ask(writeFile(t, dataset{"/k", []int{n + 2, n}, values}, axisSet("/x", x), axisSet("/z", z)), edges(8, 2, 1.1), nil, edges(6, 1, 1))
				r.Target.Periodic[0] = periodic
				f := mustRead(t, r)
				want := total(values, widths(x), one, widths(z))
				cells, err := f.CellMeans(r)
				if err != nil || f.Place != Cells {
					t.Fatal(f.Place, err)
				}
				nodes, err := f.NodeMeans(r)
				if err != nil {
					t.Fatal(err)
				}
				e := r.Target.Edges
				for what, got := range map[string]float64{
					"cells": total(cells, widths(e[0]), one, widths(e[2])),
					"nodes": total(nodes, dual(e[0], periodic), one, dual(e[2], false)),
				} {
					if math.Abs(got-want) > 1e-13*want {
						t.Errorf("%s from %d × %d, graded %g, periodic %t: total %.17g, want %.17g", what, n, n+2, grade, periodic, got, want)
					}
				}
			}
		}
	}
}

// A periodic axis may leave out its last plane, and points keep their total too (the integral of what is linear between them).
func TestPeriodicPoints(t *testing.T) {
	const n = 12
	x, z := edges(n, 2, 1)[:n], []float64{0, 1}
	values := append(rough(n), rough(n)...)
	r := ask(writeFile(t, dataset{"/k", []int{2, n}, values}, axisSet("/x", x), axisSet("/z", z)), edges(7, 2, 1.2), nil, edges(3, 1, 1))
	if _, err := Read(*r); err == nil {
		t.Error("points that end before the wall are accepted")
	}
	r.Target.Periodic[0] = true
	f := mustRead(t, r)
	want := 0.0
	for _, v := range rough(n) {
		want += v * 2 / n
	}
	cells, err := f.CellMeans(r)
	if err != nil || f.Place != Points {
		t.Fatal(f.Place, err)
	}
	nodes, err := f.NodeMeans(r)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Target.Edges
	for _, got := range []float64{total(cells, widths(e[0]), []float64{1}, widths(e[2])), total(nodes, dual(e[0], true), []float64{1}, dual(e[2], false))} {
		if math.Abs(got-want) > 1e-13*want {
			t.Errorf("total %.17g, want %.17g", got, want)
		}
	}
	at, err := f.NodeValues(r)
	if err != nil || at[0] != values[0] || len(at) != 7*4 {
		t.Errorf("%d values, the first %g, want %g, %v", len(at), at[0], values[0], err)
	}
}

// Cells of a finer grid in a cell: in series along, in parallel across (layers are exact); of a coarser or the same grid as they are, to the bit.
func TestConductive(t *testing.T) {
	x, z := edges(1, 1, 1), edges(4, 1, 1)
	k := dataset{"/k", []int{4, 1}, []float64{1, 4, 0.001, 1}}
	r := ask(writeFile(t, k, axisSet("/x", x), axisSet("/z", z)), edges(3, 1, 1), nil, edges(2, 1, 1))
	got, err := mustRead(t, r).Conductive(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "along x", got[0], []float64{2.5, 2.5, 2.5, 0.5005, 0.5005, 0.5005}, 1e-15)
	across := 2 / (1000 + 1.0)
	near(t, "along z", got[2], []float64{1.6, 1.6, 1.6, across, across, across}, 1e-15)
	if &got[1][0] != &got[0][0] {
		t.Error("in 2-D the direction y has values of its own")
	}
	values := rough(6)
	x, z = edges(3, 1, 1), edges(2, 1, 1)
	file := writeFile(t, dataset{"/k", []int{2, 3}, values}, axisSet("/x", x), axisSet("/z", z))
	for _, finer := range []int{1, 3} {
		r = ask(file, edges(3*finer, 1, 1), nil, edges(2*finer, 1, 1))
		got, err := mustRead(t, r).Conductive(r)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got[0] {
			want := values[i%(3*finer)/finer+3*(i/(3*finer)/finer)]
			if v != want {
				t.Fatalf("%d times finer: cell %d is %g, want %g", finer, i, v, want)
			}
		}
		if &got[2][0] != &got[0][0] {
			t.Error("directions that are the same do not share their values")
		}
	}
}

// Ends of cells that differ from those of the target by rounding are the same: no sliver of a neighbour gets in.
func TestNoSlivers(t *testing.T) {
	x := []float64{0, 0.1 + 0.2, 0.6, 0.9}
	k := dataset{"/k", []int{1, 3}, []float64{1, 1e-9, 1e9}}
	r := ask(writeFile(t, k, axisSet("/x", x), axisSet("/z", []float64{0, 1})), []float64{0, 0.3, 0.6, 0.9}, nil, []float64{0, 1})
	got, err := mustRead(t, r).Conductive(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "cells", got[0], []float64{1, 1e-9, 1e9}, 0)
}

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
	if err == nil || !strings.Contains(err.Error(), "/gaps of ../h5/testdata/netcdf4.nc has no value (the fill value -9999) at [2][1] (x = 30, z = 20)") {
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

// A unit that a file names and that is not the case's is refused, with the factor; one that nobody knows is not.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ name, wanted, says string }{
		{"m2", "m²", ""}, {"m^2", "m²", ""}, {"m**2", "m²", ""}, {"", "m²", ""}, {"furlongs", "m²", ""}, {"W m-1 K-1", "W/(m K)", ""}, {"Pa.s", "Pa s", ""},
		{"degC", "K", ""}, {"1", "1", ""}, {"Darcys of old", "m²", ""}, {"W m^-3", "W/m³", ""},
		{"mD", "m²", "is in mD, and the case takes m²; accepted: values times 9.86923e-16"},
		{"km", "m", "accepted: values times 1000"}, {"%", "1", "accepted: values times 0.01"}, {"µW/m³", "W/m³", "accepted: values times 1e-06"},
		{"cP", "Pa s", "accepted: values times 0.001"}, {"degF", "K", "is in degF, and the case takes K"},
		{"m2", "1", "is in m2, and the case takes numbers without a unit"}, {"log10(m2)", "m²", "holds logarithms"},
	} {
		err := checkUnit(PartDataset, "dataset /k", c.name, c.wanted)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %s: %v, want %q", c.name, c.wanted, err, c.says)
		}
	}
	r := ask(writeText(t, "x (km),z,k [mD]\n0,0,1\n2,0,1\n"), edges(1, 2, 1), nil, edges(1, 1, 1))
	r.Unit = "m²"
	if _, err := Read(*r); err == nil || !strings.Contains(err.Error(), "column k [mD] of") {
		t.Error(err)
	}
	r.Unit, r.Length = "", "m"
	if _, err := Read(*r); err == nil || !strings.Contains(err.Error(), "column x (km) of") {
		t.Error(err)
	}
	r = ask("../h5/testdata/netcdf4.nc", edges(9, 90, 1), nil, edges(5, 100, 1))
	r.Dataset, r.Unit = "k", "1"
	if _, err := Read(*r); err == nil || !strings.Contains(err.Error(), "dataset /k of ../h5/testdata/netcdf4.nc is in m2") {
		t.Error(err)
	}
}

// Every refusal names the part at fault and says why.
func TestRefusals(t *testing.T) {
	tx, tz := edges(8, 2, 1), edges(4, 1, 1)
	x, z := []float64{0, 1, 2}, []float64{0, 1}
	k := dataset{"/k", []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}}
	both := []dataset{k, axisSet("/x", x), axisSet("/z", z)}
	for _, c := range []struct {
		name   string
		path   string
		change func(r *Request)
		part   string
		says   string
	}{
		{"swapped", writeFile(t, dataset{"/k", []int{3, 2}, k.values}, axisSet("/x", x), axisSet("/z", z)), nil, PartDataset, "its axes seem to be swapped: write it as [z][x]"},
		{"swapped cells", writeFile(t, dataset{"/k", []int{8, 4}, rough(32)}), nil, PartDataset, "has the sizes [8 4], which do not match grid.cells; its axes seem to be swapped, [x][z] in place of [z][x]"},
		{"short", writeFile(t, k, axisSet("/x", []float64{0, 0.5, 1.5}), axisSet("/z", z)), nil, PartFile, "does not cover the domain: along x it reaches from 0 to 1.5 (/x), and the domain from 0 to 2"},
		{"one axis", writeFile(t, k, axisSet("/z", z)), nil, "x", "has coordinates along z and none along x"},
		{"disorder", writeFile(t, k, axisSet("/x", []float64{0, 2, 1}), axisSet("/z", z)), nil, "x", "the coordinates /x are out of order at index 2 (1, beside 2)"},
		{"no number", writeFile(t, k, axisSet("/x", []float64{0, 1, math.NaN()}), axisSet("/z", z)), nil, "x", "coordinate 2 of /x is NaN"},
		{"mesh", writeFile(t, k, dataset{"/x", []int{2, 3}, rough(6)}, axisSet("/z", z)), func(r *Request) { r.Dataset = "k" }, "x", "have the sizes [2 3]"},
		{"no dataset", writeFile(t, both...), func(r *Request) { r.Dataset = "/K" }, PartDataset, "there is no dataset /K in"},
		{"lists them", writeFile(t, both...), func(r *Request) { r.Dataset = "/K" }, PartDataset, "accepted: /k"},
		{"several", writeFile(t, k, dataset{"/perm", k.dims, k.values}), nil, PartDataset, "accepted: one of /k, /perm"},
		{"group", writeFile(t, dataset{"/a/k", k.dims, k.values}), func(r *Request) { r.Dataset = "/a" }, PartDataset, "is a group"},
		{"no coordinate", writeFile(t, both...), func(r *Request) { r.Coordinates[0] = "east" }, "x", "there is no dataset east in"},
		{"3-D", writeFile(t, dataset{"/k", []int{2, 2, 3}, rough(12)}, axisSet("/x", x), axisSet("/y", z), axisSet("/z", z)), nil, PartDataset, "is 3-D and the case 2-D"},
		{"depth", writeFile(t, k, axisSet("/x", x), axisSet("/depth", z)), nil, "z", "/depth of"},
		{"nodes of cells", writeFile(t, k, axisSet("/x", []float64{0, 0.5, 1, 2}), axisSet("/z", []float64{0, 0.5, 1})), func(r *Request) { r.Values = Points }, PartValues, "nodes does not fit the coordinates /x"},
		{"infinite", writeFile(t, dataset{"/k", k.dims, []float64{1, 2, 3, 4, math.Inf(1), 6}}, axisSet("/x", x), axisSet("/z", z)), nil, PartDataset, "is +Inf at [1][1] (x = 1, z = 1)"},
		{"scattered", writeText(t, "x,z,k\n0,0,1\n1,0.5,2\n2,1,3\n0.3,0.2,4\n"), nil, PartFile, "form no grid: 4 rows with 4 different x and 4 different z"},
		{"hole", writeText(t, "x,z,k\n0,0,1\n2,0,2\n2,1,3\n"), nil, PartFile, "lacks 1 of the 4 points of its grid, the first at x = 0, z = 1"},
		{"twice", writeText(t, "x,z,k\n0,0,1\n2,0,2\n2,0,2\n2,1,3\n"), nil, PartFile, "two rows for the same point: lines 3 and 4"},
		{"no column", writeText(t, "x,z,k\n0,0,1\n"), func(r *Request) { r.Column = "kx" }, PartColumn, "there is no column kx"},
		{"columns", writeText(t, "x,z,kx,kz\n0,0,1,1\n"), nil, PartColumn, "accepted: one of kx, kz"},
		{"depths", writeText(t, "depth,k\n0,1\n1,2\n"), nil, "z", "column depth of"},
		{"bad value", writeText(t, "x,z,k\n0,0,1\n2,0,2\n2,1,3\n0,1,-4\n"), func(r *Request) { r.OK = func(v float64) bool { return v > 0 } }, PartColumn, "is -4 in line 5"},
		{"a table for HDF5", writeText(t, "x,z,k\n0,0,1\n"), func(r *Request) { r.Dataset = "/k" }, PartFile, "is a table of text (CSV), and dataset names something in an HDF5 file"},
		{"HDF5 for a table", writeFile(t, both...), func(r *Request) { r.Column = "k" }, PartFile, "is an HDF5 file, and column names something in a table of text (CSV)"},
		{"empty", writeText(t, ""), nil, PartFile, "is empty"},
		{"NetCDF-3", writeText(t, "CDF\x02\x00\x00"), nil, PartFile, "is a NetCDF-3 file; make NetCDF-4 of it"},
		{"NumPy", writeText(t, "\x93NUMPY\x01\x00"), nil, PartFile, "is a NumPy array"},
		{"GeoTIFF", writeText(t, "II*\x00\x08\x00"), nil, PartFile, "is a TIFF picture"},
		{"neither", writeText(t, "\x00\x01\x02"), nil, PartFile, "is neither HDF5 nor a table of text"},
		{"folder", t.TempDir(), nil, PartFile, "is a folder"},
	} {
		r := ask(c.path, tx, nil, tz)
		r.Dataset = ""
		if c.change != nil {
			c.change(r)
		}
		f, err := Read(*r)
		if err == nil {
			_, err = f.CellMeans(r)
		}
		var fault *Error
		if !errors.As(err, &fault) || fault.Part != c.part || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (of %+v)", c.name, err, fault)
		}
	}
}
