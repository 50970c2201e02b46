package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/series"
	"convect/kernels/ranks"
)

// sameRun compares the rows of series.csv of two runs, to so many parts of the largest value of a column, or of a hundredth where that is roundings. How many cycles a
// step took, and what the last of them left, is not compared.
func sameRun(t *testing.T, a, b directory, part float64) {
	t.Helper()
	one, err := series.Read(a.path(series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	other, err := series.Read(b.path(series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Names) == 0 || len(one.Column("time")) < 3 {
		t.Fatalf("%s has %d columns and %d rows", a, len(one.Names), len(one.Column("time")))
	}
	for _, name := range one.Names {
		x, y := one.Column(name), other.Column(name)
		if len(x) != len(y) {
			t.Fatalf("%s has %d rows and %d", name, len(x), len(y))
		}
		if name == "wall_seconds" || name == "divergence_max" || strings.HasPrefix(name, "cycles") {
			continue
		}
		largest := 0.01
		for _, v := range x {
			largest = math.Max(largest, math.Abs(v))
		}
		for n := range x {
			if d := math.Abs(x[n] - y[n]); !(d <= part*largest) && !(math.IsNaN(x[n]) && math.IsNaN(y[n])) {
				t.Errorf("row %d of %s is %g and %g", n, name, x[n], y[n])
				break
			}
		}
	}
}

// A run on several GPUs is that on one but for roundings, and the same to the bit when it is run again or goes on from a checkpoint.
func TestGPUs(t *testing.T) {
	withRanks(t, ranks.Options{Ghosts: 6, Rows: 2, Gather: -1, Poison: true})
	for n, c := range slabCases {
		if testing.Short() && n > 1 {
			break
		}
		t.Run(c.name, func(t *testing.T) {
			withGPU(t, emulated{GPUs: 3, Apart: n%2 == 1})
			text := strings.NewReplacer(append(c.words, "GRID", "", "PHYSICS", "", "BOTTOM", "", "TOP", "", "WALLS", "", "INITIAL", "", "MORE", "")...).Replace(slabCase)
			dir := writeCase(t, text)
			run := func(out, device string) directory {
				mustRun(t, dir, "run", "small.yaml", "--out", out, "--device", device, "--set", "time.end=0.002")
				return directory(filepath.Join(dir, out))
			}
			one, two := run("one.out", "cuda:0"), run("two.out", "cuda:0-1")
			sameRun(t, one, two, 1e-4)
			sameEnd(t, two, run("again.out", "cuda:0,1"))
		})
	}
}
