package casefile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/checkpoint"
	"convect/io/h5"
	"convect/io/snapshot"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/physics"
)

// writeValues writes an HDF5 file with one dataset.
func writeValues(t *testing.T, path, dataset string, dims []int, value func(i int) float64) {
	t.Helper()
	n := 1
	for _, d := range dims {
		n *= d
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = value(i)
	}
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.Float64s(dataset, dims, values)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// buildIn decodes and builds a case that lies in a folder.
func buildIn(dir, changes string) (*Case, error) {
	c, err := Parse(filepath.Join(dir, "case.yaml"), []byte(withSections(changes)), nil)
	if err != nil {
		return nil, err
	}
	return c, c.Build(BuildOptions{})
}

func TestPermeabilityFile(t *testing.T) {
	dir := t.TempDir()
	count := func(i int) float64 { return float64(i + 1) }
	for _, c := range []struct {
		name string
		grid string
		dims []int
		want [3]float64 // of the second cell
	}{
		{"isotropic", "cells: [8, 4], size: [2, 1]", []int{4, 8}, [3]float64{2, 2, 2}},
		{"by direction", "cells: [8, 4], size: [2, 1]", []int{2, 4, 8}, [3]float64{2, 2, 34}},
		{"3-D", "cells: [4, 3, 2], size: [1, 1, 1]", []int{2, 3, 4}, [3]float64{2, 2, 2}},
		{"3-D by direction", "cells: [4, 3, 2], size: [1, 1, 1]", []int{3, 2, 3, 4}, [3]float64{2, 26, 50}},
	} {
		writeValues(t, filepath.Join(dir, "k.h5"), "/medium/k", c.dims, count)
		got, err := buildIn(dir, fmt.Sprintf("grid: {%s}\nphysics: {rayleigh: 1, viscosity: 0.5, permeability: {file: k.h5, dataset: /medium/k}}\n", c.grid))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for d, cells := range got.Parameters.Permeability.Cells {
			if cells[1] != 2*c.want[d] {
				t.Errorf("%s: second cell along %d is %g, want %g", c.name, d, cells[1], 2*c.want[d])
			}
		}
	}
}

func TestWrongPermeabilityFile(t *testing.T) {
	dir := t.TempDir()
	one := func(int) float64 { return 1 }
	const grid = "physics: {rayleigh: 1, permeability: {file: k.h5, dataset: /k}}\n"
	for _, c := range []struct {
		name  string
		dims  []int
		value func(i int) float64
		says  string
	}{
		{"other sizes", []int{4, 7}, one, "dataset /k of DIR/k.h5 has the sizes [4 7], which do not match grid.cells; accepted: [4 8] (cells along z, x), or [2 4 8] with the directions first"},
		{"turned", []int{8, 4}, one, "has the sizes [8 4]"},
		{"too many directions", []int{3, 4, 8}, one, "has the sizes [3 4 8]"},
		{"negative", []int{4, 8}, func(i int) float64 { return float64(10 - i) }, "/k of DIR/k.h5 is 0 at [1][2] (x = 0.625, z = 0.375); 22 of 32 values are not accepted"},
		{"not a number", []int{4, 8}, func(int) float64 { return math.NaN() }, "has no value (NaN, or never written) at [0][0] (x = 0.125, z = 0.125)"},
	} {
		writeValues(t, filepath.Join(dir, "k.h5"), "/k", c.dims, c.value)
		_, err := buildIn(dir, grid)
		var all Errors
		if !errors.As(err, &all) || !strings.Contains(err.Error(), strings.ReplaceAll(c.says, "DIR", dir)) || all[0].Line != 4 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	writeValues(t, filepath.Join(dir, "k.h5"), "/other", []int{4, 8}, one)
	var all Errors
	if _, err := buildIn(dir, grid); !errors.As(err, &all) || !strings.Contains(err.Error(), "there is no dataset /k") {
		t.Errorf("no dataset: %v", err)
	}
	// A damaged file is no fault of the case; one of another kind is.
	data, err := os.ReadFile(filepath.Join(dir, "k.h5"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"cut": data[:len(data)/2], "foreign": []byte("k = 3\n"), "empty": nil} {
		if err := os.WriteFile(filepath.Join(dir, "k.h5"), content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := buildIn(dir, grid); err == nil || errors.As(err, &all) != (name != "cut") || !strings.Contains(err.Error(), filepath.Join(dir, "k.h5")) {
			t.Errorf("%s file: %v", name, err)
		}
	}
}

// runFiles makes the snapshot and the checkpoint of the start of a case.
func runFiles(t *testing.T, dir, changes string) (snapshotPath, checkpointPath string) {
	t.Helper()
	c := load(t, changes)
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, err := physics.New(dev, c.Parameters, c.Controls)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	snapshots, err := snapshot.New(snapshot.Options{Dir: dir, Scales: c.Scales, Case: c.Text, Precision: kernels.Float64})
	if err != nil {
		t.Fatal(err)
	}
	checkpoints, err := checkpoint.New(checkpoint.Options{Dir: dir, Scales: c.Scales, Case: c.Text, Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(snapshots.Write(s), checkpoints.Write(s)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "snapshots", "snap_000000.hdf"), checkpoints.Written()
}

func TestInitialFromFile(t *testing.T) {
	const linear = "initial: {temperature: 1 - z + 0.25*x}\nboundaries: {bottom: {heat_flux: 0}}\n"
	for name, c := range map[string]struct{ source, target string }{
		"same grid":       {linear, ""},
		"finer":           {linear, "grid: {cells: [24, 12], size: [2, 1]}\n"},
		"coarser":         {linear, "grid: {cells: [5, 3], size: [2, 1]}\n"},
		"part of it":      {linear, "grid: {cells: [5, 3], size: [1.3, 0.8]}\n"},
		"2-D to 3-D":      {linear, "grid: {cells: [6, 4, 5], size: [2, 3, 1]}\n"},
		"3-D to 3-D":      {linear + "grid: {cells: [8, 3, 4], size: [2, 1, 1]}\n", "grid: {cells: [6, 4, 5], size: [2, 1, 1]}\n"},
		"periodic":        {"initial: {temperature: 1 - z}\nboundaries: {sides: periodic}\n", "grid: {cells: [6, 5], size: [2, 1]}\n"},
		"periodic target": {linear, "grid: {cells: [6, 5], size: [2, 1]}\nboundaries: {sides: periodic}\n"},
	} {
		dir := t.TempDir()
		a, b := runFiles(t, dir, c.source)
		for _, path := range []string{a, b} {
			got, err := buildIn(dir, c.target+"initial: {temperature: {file: "+path+"}}\n")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			slope := 0.25
			if name == "periodic" {
				slope = 0
			}
			checkLinear(t, name, got, slope)
		}
	}
}

// checkLinear compares the nodes of a case with 1 - z + slope x.
func checkLinear(t *testing.T, name string, c *Case, slope float64) {
	t.Helper()
	n := 0
	for _, z := range c.coordinates(2) {
		for range c.coordinates(1) {
			for _, x := range c.coordinates(0) {
				if want := 1 - z + slope*x; math.Abs(c.Parameters.Initial.Nodes[n]-want) > 1e-12 {
					t.Errorf("%s: %g at x = %g, z = %g, want %g", name, c.Parameters.Initial.Nodes[n], x, z, want)
					return
				}
				n++
			}
		}
	}
	if n != len(c.Parameters.Initial.Nodes) {
		t.Errorf("%s: %d values for %d nodes", name, len(c.Parameters.Initial.Nodes), n)
	}
}

func TestInitialFromDimensionalFile(t *testing.T) {
	const si = "physics:\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 50, height: 100, conductivity: 2, heat_capacity: 4200}\n" +
		"grid: {cells: [8, 4], size: [200, 100]}\nboundaries: {bottom: {heat_flux: 0}}\ntime: {end: 1e9}\n"
	dir := t.TempDir()
	a, b := runFiles(t, dir, si+"initial: {temperature: 50*(1 - z/100 + 0.25*x/100)}\n")
	for _, path := range []string{a, b} {
		c, err := buildIn(dir, si+"initial: {temperature: {file: "+path+"}}\n")
		if err != nil {
			t.Fatal(err)
		}
		checkLinear(t, path, c, 0.25)
		_, err = buildIn(dir, "initial: {temperature: {file: "+path+"}}\n")
		var all Errors
		if !errors.As(err, &all) || !strings.Contains(err.Error(), "has temperatures in K, the case in no unit") {
			t.Errorf("other units: %v", err)
		}
	}
}

func TestWrongInitialFile(t *testing.T) {
	dir := t.TempDir()
	a, _ := runFiles(t, dir, "")
	three, _ := runFiles(t, t.TempDir(), "grid: {cells: [4, 4, 4], size: [2, 1, 1]}\n")
	var all Errors
	for changes, says := range map[string]string{
		"grid: {cells: [8, 4], size: [3, 1]}\ninitial: {temperature: {file: " + a + "}}\n": "along x it reaches from 0 to 2, and the domain from 0 to 3",
		"initial: {temperature: {file: " + three + "}}\n":                                  "it is 3-D and the case 2-D",
	} {
		if _, err := buildIn(dir, changes); !errors.As(err, &all) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
	foreign := filepath.Join(dir, "k.h5")
	writeValues(t, foreign, "/k", []int{2}, func(int) float64 { return 1 })
	if _, err := buildIn(dir, "initial: {temperature: {file: k.h5}}\n"); !errors.As(err, &all) || !strings.Contains(err.Error(), "has the sizes [2] and no coordinates that fit them") {
		t.Errorf("foreign: %v", err)
	}
	// A restart does not look at it.
	c, err := Parse(filepath.Join(dir, "case.yaml"), []byte(withSections("initial: {temperature: {file: nowhere.h5}}\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Build(BuildOptions{Restart: true}); err != nil {
		t.Errorf("restart: %v", err)
	}
}
