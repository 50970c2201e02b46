package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/kernels/devicetest"
)

// throughText has a wall of each kind, patches with a name and without, and scalars beside the temperature.
const throughText = `grid: {cells: [10, 6], size: [2, 1]}
physics:
  rayleigh: 50
  solute: {buoyancy_ratio: -0.5, lewis: 2}
  tracers: {dye: {lewis: 1}}
boundaries:
  left: {flow: {velocity: "2*sin(30*t)"}, inflow_temperature: 0.5, inflow_concentration: 1, tracers: {dye: {inflow_concentration: 1}}}
  right: {flow: open, inflow_temperature: 0.3}
  bottom: {temperature: 1}
  top: {heat_transfer: {coefficient: 3, ambient: 0}}
  patches:
    - {wall: bottom, name: heater, x: [0.5, 1.33], heat_flux: 5, concentration: 1}
    - {wall: top, x: [1, 2], flow: open, inflow_temperature: 0.2}
time: {end: 0.03, max_step: 2e-3}
output: {every: {time: 0.01}}
`

// older makes a run directory one of a version without columns of surfaces: the table lacks them, the checkpoints what was carried.
func older(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, series.SeriesName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	header0, _, _ := strings.Cut(string(text), "\n")
	var keep []int
	for n, name := range strings.Split(header0, ",") {
		if name == "wall_seconds" || !strings.HasPrefix(name, "wall_") && !strings.HasPrefix(name, "patch_") {
			keep = append(keep, n)
		}
	}
	for line := range strings.Lines(string(text)) {
		words, kept := strings.Split(strings.TrimSuffix(line, "\n"), ","), []string{}
		for _, n := range keep {
			kept = append(kept, words[n])
		}
		out.WriteString(strings.Join(kept, ",") + "\n")
	}
	if strings.HasPrefix(out.String(), header0) {
		t.Fatal("the table has no columns of surfaces")
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(out.String(), "##", "#")), 0o666); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "*.h5"))
	for _, file := range files {
		c, err := checkpoint.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		writeCheckpoint(t, file, c, func(scalar string) bool {
			carried := strings.Contains(scalar, "carried_")
			if carried {
				left++
			}
			return !carried
		})
		if left == 0 {
			t.Fatal("the checkpoint does not tell what was carried")
		}
	}
}

// A run that an earlier version began goes on: old columns have the bits of an unbroken run, those of walls are empty in the rows that were there, in the next one where the checkpoint does not
// tell enough, and have the same bits from then on. So does a restart under another case with other patches, and one that goes on from its own state has the bits from its first row on.
func TestEarlierRunGoesOn(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, throughText)
	mustRun(t, dir, "run", "small.yaml", "--out", "whole", "--set", "time.end=0.06")
	whole, err := series.Read(filepath.Join(dir, "whole", series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		old  bool
		args []string
	}{
		{"resumed", false, []string{"run", "small.yaml", "--out", "resumed", "--resume", "--set", "time.end=0.06"}},
		{"earlier", true, []string{"run", "small.yaml", "--out", "earlier", "--resume", "--set", "time.end=0.06"}},
		{"restarted", true, []string{"restart", "restarted", "--set", "time.end=0.06"}},
	} {
		mustRun(t, dir, "run", "small.yaml", "--out", c.name)
		first, err := series.Read(filepath.Join(dir, c.name, series.SeriesName))
		if err != nil {
			t.Fatal(err)
		}
		if c.old {
			older(t, filepath.Join(dir, c.name))
		}
		_, said := mustRun(t, dir, c.args...)
		if strings.Contains(said, "other columns of walls and patches") != c.old || strings.Contains(said, "means over time") {
			t.Errorf("%s: %s", c.name, said)
		}
		got, err := series.Read(filepath.Join(dir, c.name, series.SeriesName))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(got.Names, ",") != strings.Join(whole.Names, ",") || got.Rows() != whole.Rows() {
			t.Fatalf("%s: %d rows of %v", c.name, got.Rows(), got.Names)
		}
		for n, name := range got.Names {
			if name == "wall_seconds" {
				continue
			}
			isNew := strings.HasPrefix(name, "wall_") || strings.HasPrefix(name, "patch_")
			from := 0
			if isNew && c.old {
				from = first.Rows() + 1
			}
			for row, v := range got.Columns[n] {
				want := whole.Columns[n][row]
				switch passes := strings.HasPrefix(name, "wall_left") || strings.HasPrefix(name, "wall_right") || strings.HasPrefix(name, "wall_top") || strings.HasPrefix(name, "patch_top"); {
				case row >= from, row == from-1 && (!passes || strings.HasSuffix(name, "_fluid")):
					if v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
						t.Fatalf("%s: %s of row %d is %v, not %v", c.name, name, row, v, want)
					}
				default:
					if !math.IsNaN(v) {
						t.Fatalf("%s: %s of row %d is %v, which nobody knows", c.name, name, row, v)
					}
				}
			}
		}
		if c.name == "restarted" {
			_, said := mustRun(t, dir, "restart", "restarted", "--set", "time.end=0.07", "--set", "boundaries.patches[1].name=lid")
			other, err := series.Read(filepath.Join(dir, c.name, series.SeriesName))
			if err != nil {
				t.Fatal(err)
			}
			if other.Column("patch_lid_heat") == nil || other.Column("patch_top_1_heat") != nil || other.Rows() <= got.Rows() || !strings.Contains(said, "series.csv.old") {
				t.Errorf("with another name: %v, %d rows: %s", other.Names, other.Rows(), said)
			}
		}
	}
}
