package casefile

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

// writeGrid writes the values of a function, with coordinates along x and z.
func writeGrid(t *testing.T, path, dataset string, x, z []float64, of func(x, z float64) float64) {
	t.Helper()
	var values []float64
	for _, b := range z {
		for _, a := range x {
			values = append(values, of(a, b))
		}
	}
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.Float64s(dataset, []int{len(z), len(x)}, values)
	w.Float64s("/x", []int{len(x)}, x)
	w.Float64s("/z", []int{len(z)}, z)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// writeColumns writes the same as a table.
func writeColumns(t *testing.T, path, column string, x, z []float64, of func(x, z float64) float64) {
	t.Helper()
	text := "x,z," + column + "\n"
	for _, a := range x {
		for _, b := range z {
			text += fmt.Sprintf("%.17g,%.17g,%.17g\n", a, b, of(a, b))
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Every field of a case may come from HDF5 and from a table, on another grid, and is that of the same expression where it is linear.
func TestEveryFieldFromFiles(t *testing.T) {
	dir := t.TempDir()
	x, z := []float64{0, 0.3, 2}, []float64{0, 0.25, 0.6, 1}
	of := func(x, z float64) float64 { return 0.25 + x/8 + z/4 }
	const expression = "0.25 + x/8 + z/4"
	writeGrid(t, filepath.Join(dir, "f.h5"), "/a/f", x, z, of)
	writeColumns(t, filepath.Join(dir, "f.csv"), "f", x, z, of)
	const si = "physics:\n  dimensional: {permeability: 1, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 10, height: 2, conductivity: 3, heat_capacity: 4200}\n"
	si2 := strings.Replace(si, "permeability: 1,", "permeability: 1e-12,", 1)
	for name, form := range map[string]string{
		"permeability":        "physics: {rayleigh: 1, permeability: %s}\n",
		"by axis":             "physics: {rayleigh: 1, permeability: [2, %s]}\n",
		"diffusivity":         "physics: {rayleigh: 1, diffusivity: %s}\n",
		"diffusivity by axis": "physics: {rayleigh: 1, diffusivity: [%s, 1]}\n",
		"heat capacity":       "physics: {rayleigh: 1, heat_capacity_ratio: %s}\n",
		"porosity":            "physics: {rayleigh: 1, porosity: %s, heat_capacity_ratio: 2}\n",
		"viscosity":           "physics: {rayleigh: 1, viscosity: %s}\n",
		"conductivity":        si2 + "  conductivity: %s\n",
		"viscosity in Pa s":   si2 + "  viscosity: %s\n",
		"rock":                strings.Replace(si2, "heat_capacity: 4200", "heat_capacity: 4200, rock_density: 2600, rock_heat_capacity: 850", 1) + "  porosity: %s\n",
		"initial":             "initial: {temperature: %s}\n",
	} {
		want := mustBuild(t, dir, fmt.Sprintf(form, expression))
		for _, section := range []string{"{file: f.h5}", "{file: f.h5, dataset: /a/f, x: /x, z: z}", "{file: f.csv}", "{file: f.csv, column: f, values: nodes}"} {
			got := mustBuild(t, dir, fmt.Sprintf(form, section))
			for m, pair := range map[string][2][3][]float64{
				"K": {got.Parameters.Permeability.Cells, want.Parameters.Permeability.Cells},
				"D": {got.Parameters.Diffusivity.Cells, want.Parameters.Diffusivity.Cells},
				"σ": {got.Parameters.HeatCapacityRatio.Cells, want.Parameters.HeatCapacityRatio.Cells},
			} {
				for d := range pair[0] {
					same(t, name+" "+section+" "+m, pair[0][d], pair[1][d])
				}
			}
			if nodes := got.Parameters.Initial.Nodes; nodes != nil {
				i := 0
				for _, z := range got.coordinates(2) {
					for _, x := range got.coordinates(0) {
						if math.Abs(nodes[i]-of(x, z)) > 1e-14 {
							t.Fatalf("%s %s: node %d is %g", name, section, i, nodes[i])
						}
						i++
					}
				}
			}
			if len(got.FilesRead()) != 1 || len(got.Files()) != 1 {
				t.Errorf("%s %s: read %v of %v", name, section, got.FilesRead(), got.Files())
			}
		}
	}
}

func mustBuild(t *testing.T, dir, changes string) *Case {
	t.Helper()
	c, err := buildIn(dir, changes)
	if err != nil {
		t.Fatalf("%v\n%s", err, changes)
	}
	return c
}

func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-13*math.Abs(want[i]) {
			t.Fatalf("%s: cell %d is %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

// A heat source from cells of another grid brings the same heat into the domain, in SI units too; the steady balance of a closed box sees it.
func TestSourceFromFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "q.csv"), []byte("z,q\n100,1e-6\n300,-2e-6\n500,3e-6\n700,0\n900,5e-6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const si = "grid: {cells: [6, 7], size: [3000, 1000], grading: {z: {cluster: low, ratio: 3}}}\n" +
		"physics:\n  dimensional: {permeability: 1e-14, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 10, height: 500, conductivity: 3, heat_capacity: 4200}\n"
	c := mustBuild(t, dir, si+"  heat_source: {file: q.csv}\nboundaries: {bottom: {temperature: 1}, left: periodic, right: periodic}\n")
	net, gross := c.heat(0)
	unit := c.Scales.HeatFlux * c.Scales.Length
	want := 3000 * 200 * 7e-6
	if math.Abs(net*unit-want) > 1e-12*want || gross < net {
		t.Errorf("%.17g W/m, want %.17g", net*unit, want)
	}
	closed := si + "  heat_source: {file: q.csv}\nboundaries: {bottom: {heat_flux: 0}, top: {heat_flux: 0}}\n"
	if _, err := buildIn(dir, closed); err == nil || !strings.Contains(err.Error(), "no steady conduction exists") {
		t.Errorf("a closed box that is heated: %v", err)
	}
	read := c.FilesRead()[0]
	if want := "column q of " + dir + "/q.csv, 5 values, -2e-06…5e-06 W/m³; cells, averaged where several lie in a cell of the grid, the same for all x, z from 0 to 1000"; read.Key != "physics.heat_source" || read.Text != want {
		t.Errorf("%v, want %s", read, want)
	}
}

// A 3-D case takes a section x–z, a solid, values by direction and a log of a borehole.
func TestFieldsIn3D(t *testing.T) {
	dir := t.TempDir()
	x, z := []float64{0, 1}, []float64{0, 1}
	writeGrid(t, filepath.Join(dir, "k.h5"), "/k", x, z, func(x, z float64) float64 { return 1 + x + 10*z })
	if err := os.WriteFile(filepath.Join(dir, "log.csv"), []byte("elevation (m);kx;kz\n0;1;1\n1;11;2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const grid = "grid: {cells: [2, 3, 4], size: [1, 1, 1]}\n"
	c := mustBuild(t, dir, grid+"physics: {rayleigh: 1, permeability: {file: k.h5}}\n")
	for i, v := range c.Parameters.Permeability.Cells[1] {
		if want := 1 + (float64(i%2)+0.5)/2 + 10*(float64(i/6)+0.5)/4; math.Abs(v-want) > 1e-14 {
			t.Fatalf("cell %d is %g, want %g", i, v, want)
		}
	}
	c = mustBuild(t, dir, grid+"physics: {rayleigh: 1, permeability: [{file: log.csv, column: kx}, 7, {file: log.csv, column: kz}]}\n")
	k := c.Parameters.Permeability.Cells
	if k[0][6] != 1+10*0.375 || k[1][6] != 7 || k[2][6] != 1.375 {
		t.Errorf("cell 6: %g %g %g", k[0][6], k[1][6], k[2][6])
	}
}

// The datasets of this program's own snapshots are fields as any other.
func TestSnapshotAsField(t *testing.T) {
	dir := t.TempDir()
	for _, grid := range []string{"grid: {cells: [8, 6], size: [2, 1]}\n", "grid: {cells: [8, 6], size: [2, 1]}\nboundaries: {bottom: {temperature: 1}, top: {temperature: 0}, left: periodic, right: periodic}\n",
		"grid: {cells: [8, 4, 6], size: [2, 1, 1]}\n", "grid: {cells: [8, 6], size: [2, 1], grading: {z: {cluster: both, ratio: 4}}}\n"} {
		file, _ := runFiles(t, t.TempDir(), grid+"initial: {temperature: x + (1 - z)}\n")
		whole := mustBuild(t, dir, grid+"initial: {temperature: {file: "+file+"}}\n").Parameters.Initial.Nodes
		again := mustBuild(t, dir, grid+"initial: {temperature: {file: "+file+", dataset: /VTKHDF/PointData/temperature}}\n").Parameters.Initial.Nodes
		same(t, grid, again, whole)
	}
}

// What is wrong with a file is said at the key that names it, or that names what is in it.
func TestWrongFieldFiles(t *testing.T) {
	dir := t.TempDir()
	x, z := []float64{0, 1, 2}, []float64{0, 1}
	writeGrid(t, filepath.Join(dir, "k.h5"), "/k", x, z, func(x, z float64) float64 { return 1 - x })
	writeColumns(t, filepath.Join(dir, "k.csv"), "k", x, z, func(x, z float64) float64 { return 1 + x })
	for section, want := range map[string]string{
		"{file: k.csv, dataset: /k}":                "permeability.file: DIR/k.csv is a table of text (CSV), and dataset names something in an HDF5 file; accepted: an HDF5 file with dataset, or a table with column",
		"{file: k.h5, column: k}":                   "permeability.file: DIR/k.h5 is an HDF5 file, and column names something in a table of text (CSV)",
		"{file: k.h5, dataset: /q}":                 "permeability.dataset: there is no dataset /q in DIR/k.h5; accepted: /k",
		"{file: k.csv, column: q}":                  "permeability.column: there is no column q in DIR/k.csv; accepted: one of x, z, k",
		"{file: k.h5}":                              "permeability.file: /k of DIR/k.h5 is 0 at [0][1] (x = 1, z = 0); 4 of 6 values are not accepted; accepted: a number above 0",
		"{file: k.h5, x: /easting}":                 "permeability.x: there is no dataset /easting in DIR/k.h5",
		"{file: k.h5, values: edges}":               "permeability.values: \"edges\" is not accepted here; accepted: nodes, cells",
		"{file: none.h5}":                           "permeability.file: there is no file DIR/none.h5",
		"{dataset: /k}":                             "permeability: none of file, layers, lognormal is given",
		"{file: k.h5, dataset: a, column: b}":       "permeability.column: dataset and column exclude each other",
		"{layers: [{top: 1, value: 1}], column: k}": "permeability.column: there is no file to look in",
	} {
		_, err := buildIn(dir, "physics: {rayleigh: 1, permeability: "+section+"}\n")
		var all Errors
		if !errors.As(err, &all) || all[0].Line != 4 || !strings.Contains(err.Error(), strings.ReplaceAll(want, "DIR", dir)) {
			t.Errorf("%s: %v", section, err)
		}
	}
	// All of them at once.
	_, err := buildIn(dir, "physics: {rayleigh: 1, permeability: {file: a.h5}, viscosity: {file: b.csv}, heat_source: {file: c.h5}}\ninitial: {temperature: {file: d.h5}}\n")
	var all Errors
	if !errors.As(err, &all) || len(all) != 4 {
		t.Errorf("four missing files: %v", err)
	}
	if _, err := buildIn(dir, "grid: {cells: [8, 4], size: [3, 1]}\nphysics: {rayleigh: 1, porosity: {file: k.csv}, heat_capacity_ratio: 1}\n"); err == nil ||
		!strings.Contains(err.Error(), "physics.porosity.file: column k of "+dir+"/k.csv does not cover the domain: along x it reaches from 0 to 2 (column x), and the domain from 0 to 3") {
		t.Error(err)
	}
}

// case.yaml names files by absolute paths, those of lists too, and a trial on another grid does without them.
func TestFieldFilesAsRun(t *testing.T) {
	dir := t.TempDir()
	writeValues(t, filepath.Join(dir, "k.h5"), "/k", []int{4, 8}, func(int) float64 { return 3 })
	text := withSections("physics: {rayleigh: 1, permeability: [{file: k.h5}, 1], viscosity: {file: k.h5}}\n")
	c, err := Parse(filepath.Join(dir, "case.yaml"), []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(c.Text, filepath.Join(dir, "k.h5")); n != 2 {
		t.Errorf("%d absolute paths in\n%s", n, c.Text)
	}
	small, err := Parse(filepath.Join(dir, "case.yaml"), []byte(text), []string{"grid.cells=[6, 3]"})
	if err != nil {
		t.Fatal(err)
	}
	if err := small.Build(BuildOptions{Uniform: true}); err != nil {
		t.Error(err)
	}
	if err := small.Build(BuildOptions{}); err == nil {
		t.Error("a file without coordinates fits another grid")
	}
	if file, bytes := c.ReadingBytes(false); bytes < 8*32 || file.Path != filepath.Join(dir, "k.h5") {
		t.Errorf("reading %v takes %g bytes", file, bytes)
	}
}
