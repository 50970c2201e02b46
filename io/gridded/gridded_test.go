package gridded

import (
	"math"
	"os"
	"path/filepath"
	"slices"
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

// A log that is finer than the cells is a stack of layers: in parallel along, in series across. Nodes on the corners of cells are not.
func TestConductiveLog(t *testing.T) {
	z := edges(8, 1, 1)
	k := []float64{1, 1e-4, 1, 1e-4, 1, 1e-4, 1, 1e-4, 1}
	r := ask(writeFile(t, dataset{"/k", []int{9}, k}, axisSet("/z", z)), edges(1, 1, 1), nil, edges(1, 1, 1))
	got, err := mustRead(t, r).Conductive(r)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "along", got[0], []float64{(4 + 4e-4) / 8}, 1e-15)
	near(t, "across", got[2], []float64{8 / (4 + 4e4)}, 1e-18)
	r = ask(r.Path, edges(1, 1, 1), nil, z)
	if got, err = mustRead(t, r).Conductive(r); err != nil {
		t.Fatal(err)
	}
	near(t, "cells of the same grid", got[2], slices.Repeat([]float64{(1 + 1e-4) / 2}, 8), 1e-16)
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
