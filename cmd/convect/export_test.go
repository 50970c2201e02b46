package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"convect/io/snapshot"
)

// rows reads a table that export wrote: the names of its columns, and the rows behind the units.
func exported(t *testing.T, path string) (names []string, rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range all[1:] {
		var row []float64
		for _, word := range words {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// A table has the values of the snapshot at its points, and a plane those between nodes.
func TestExportPoints(t *testing.T) {
	dir := writeCase(t, sampledCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "run", "--set", "time.end=0.01", "--set", "output={}")
	d := directory(filepath.Join(dir, "run"))
	steps, err := snapshot.Steps(string(d))
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(snapshot.Path(string(d), steps[len(steps)-1]))
	if err != nil {
		t.Fatal(err)
	}
	field, _ := s.Field("temperature")
	x, y, z := s.Coordinates[0], s.Coordinates[1], s.Coordinates[2]
	at := func(i, j, k int) float64 { return field.Values[i+len(x)*(j+len(y)*k)] }

	mustRun(t, dir, "export", "run", "-o", "all.csv", "--fields", "temperature,velocity")
	names, rows := exported(t, filepath.Join(dir, "all.csv"))
	if got := strings.Join(names, " "); got != "x y z temperature velocity_x velocity_y velocity_z" {
		t.Errorf("columns %s", got)
	}
	if len(rows) != len(x)*len(y)*len(z) {
		t.Fatalf("%d rows", len(rows))
	}
	n := 2 + len(x)*(1+len(y)*3)
	if row := rows[n]; row[0] != x[2] || row[1] != y[1] || row[2] != z[3] || float32(row[3]) != float32(at(2, 1, 3)) {
		t.Errorf("row %v at %g %g %g with %g", row, x[2], y[1], z[3], at(2, 1, 3))
	}

	for _, c := range []struct {
		slice string
		want  func(i, j, k int) float64
	}{
		{"x=" + strconv.FormatFloat(x[3], 'g', -1, 64), func(_, j, k int) float64 { return at(3, j, k) }},
		{"x=" + strconv.FormatFloat((x[3]+x[4])/2, 'g', -1, 64), func(_, j, k int) float64 { return (at(3, j, k) + at(4, j, k)) / 2 }},
		{"y=1", func(i, _, k int) float64 { return at(i, len(y)-1, k) }},
		{"z=0", func(i, j, _ int) float64 { return at(i, j, 0) }},
		{"z=" + strconv.FormatFloat(0.25*z[1]+0.75*z[2], 'g', -1, 64), func(i, j, _ int) float64 { return 0.25*at(i, j, 1) + 0.75*at(i, j, 2) }},
	} {
		mustRun(t, dir, "export", "run", "-o", "plane.csv", "--fields", "temperature", "--slice", c.slice)
		_, rows := exported(t, filepath.Join(dir, "plane.csv"))
		lengths := [3]int{len(x), len(y), len(z)}
		lengths[strings.Index("xyz", c.slice[:1])] = 1
		if len(rows) != lengths[0]*lengths[1]*lengths[2] {
			t.Fatalf("%s: %d rows", c.slice, len(rows))
		}
		for n, row := range rows {
			i, j, k := n%lengths[0], n/lengths[0]%lengths[1], n/(lengths[0]*lengths[1])
			if want := c.want(i, j, k); math.Abs(row[3]-want) > 1e-7 {
				t.Errorf("%s: row %d is %v, want %g", c.slice, n, row, want)
			}
		}
	}
}

// A table of points says which fields it cannot hold.
func TestExportTellsOfCells(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml", "--set", "output.fields=[temperature, permeability]")
	out, _ := mustRun(t, dir, "export", "small.out", "-o", "all.csv")
	if !strings.HasPrefix(out, "all.csv: temperature of ") || !strings.Contains(out, "; without permeability, of cells: ") {
		t.Errorf("export says %q", out)
	}
	if names, _ := exported(t, filepath.Join(dir, "all.csv")); strings.Join(names, " ") != "x z temperature" {
		t.Errorf("columns %v", names)
	}
	if out, _ := mustRun(t, dir, "export", "small.out", "-o", "all.vtr"); strings.Contains(out, "without") || !strings.Contains(out, "permeability") {
		t.Errorf("export says %q", out)
	}
}

// The snapshot nearest to a time is chosen, in SI units with a unit behind it.
func TestExportTime(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
		fails      bool
	}{
		{"0.5", "1", 0.5, false}, {"3e8", "s", 3e8, false}, {"2 d", "s", 172800, false}, {"2 d", "1", 0, true}, {"2 moons", "s", 0, true}, {"d", "s", 0, true}, {"", "s", 0, true},
	} {
		got, err := runTime(c.text, c.unit)
		if (err != nil) != c.fails || got != c.want && !c.fails {
			t.Errorf("%q in %s: %g, %v", c.text, c.unit, got, err)
		}
	}
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "run", "--set", "output.every={times: [0.001, 0.002]}", "--set", "time.end=0.003")
	for when, want := range map[string]string{"0": "t = 0\n", "0.0011": "t = 0.001\n", "1": "t = 0.003\n"} {
		if out, _ := mustRun(t, dir, "export", "run", "-o", "a.vtr", "--time", when); !strings.HasSuffix(out, want) {
			t.Errorf("--time %s: %s, want %s", when, out, want)
		}
	}
}
