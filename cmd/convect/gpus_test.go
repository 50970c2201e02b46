package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/series"
	"convect/kernels/cuda/driver"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// sameRun compares the rows of series.csv of two runs, to so many parts of the largest value of a column, or of a hundredth where that is roundings. Two solves in three
// take as many cycles, if the levels of both are alike; what the last of them left is not compared.
func sameRun(t *testing.T, a, b directory, part float64, alike bool) {
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
		if name == "wall_seconds" || name == "divergence_max" {
			continue
		}
		if strings.HasPrefix(name, "cycles_") {
			if n := unlike(x, y); alike && 3*n > len(x) {
				t.Errorf("%s differs in %d of %d steps: %v and %v", name, n, len(x), x, y)
			}
			continue
		}
		largest := 0.01
		if strings.HasPrefix(name, "heat_") { // differences of sums of that size
			largest = 1
		}
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

// unlike counts the numbers that differ.
func unlike(x, y []float64) (n int) {
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n
}

// A run on several GPUs is that on one but for roundings, and the same to the bit when it is run again; where it goes on from a checkpoint, too.
// Levels are shared out to the last, or the finest alone, below which one GPU and two solve alike.
func TestGPUs(t *testing.T) {
	devicetest.Long(t)
	for n, c := range slabCases {
		if os.Getenv("TEST_EVERY") != "1" && c.name != "periodic" && c.name != "log-normal" && c.name != "direct" && c.name != "between" {
			continue
		}
		end := 0.002 // three steps or four
		if c.name == "log-normal" {
			end = 0.0009 // nine steps; 0.002 would be 43, since it is fast in places, and an emulated GPU takes seconds for each
		}
		t.Run(c.name, func(t *testing.T) {
			withGPU(t, emulated{GPUs: 3, Apart: n%2 == 1})
			text := strings.NewReplacer(append(c.words, "GRID", "", "PHYSICS", "", "BOTTOM", "", "TOP", "", "WALLS", "", "INITIAL", "", "MORE", "")...).Replace(slabCase)
			dir := writeCase(t, text)
			run := func(out, device string, more ...string) directory {
				mustRun(t, dir, append([]string{"run", "small.yaml", "--out", out, "--device", device, "--set", fmt.Sprintf("time.end=%g", end)}, more...)...)
				return directory(filepath.Join(dir, out))
			}
			o := ranks.Options{Ghosts: 6, Rows: 2, Gather: -1, Poison: true}
			withRanks(t, o)
			one, two := run("one.out", "cuda:0"), run("two.out", "cuda:0-1")
			sameRun(t, one, two, 1e-4, false)
			sameEnd(t, two, run("again.out", "cuda:0,1"))
			cut := func(out, device string) directory { // in the middle, from where it goes on
				mustRun(t, dir, "run", "small.yaml", "--out", out, "--device", device, "--set", fmt.Sprintf("time.end=%g", end/2))
				mustRun(t, dir, "run", "small.yaml", "--out", out, "--device", device, "--set", fmt.Sprintf("time.end=%g", end), "--resume")
				return directory(filepath.Join(dir, out))
			}
			sameRun(t, cut("one-cut.out", "cuda:0"), cut("two-cut.out", "cuda:0-1"), 1e-4, false)
			if c.name == "direct" { // without cycles
				return
			}
			o.Gather = 1000
			sharesOne := c.name != "between" // of which two levels are
			withRanks(t, o)
			cycles := []string{"--set", "solver.pressure.smoother=chebyshev"} // which one GPU alone may do without
			sameRun(t, run("cycles.out", "cuda:0", cycles...), run("finest.out", "cuda:0-1", cycles...), 1e-4, sharesOne)
		})
	}
}

// Each process of MPI takes a GPU of its own, and the run has the bits of one process with as many.
func TestGPUsOfProcesses(t *testing.T) {
	devicetest.Long(t)
	withRanks(t, ranks.Options{Ghosts: 6, Rows: 2, Gather: -1})
	withGPU(t, emulated{GPUs: 2})
	dir := writeCase(t, slabText(t, "constant"))
	few := []string{"--set", "time.end=0.0015"}
	run := func(out string, size int, args ...string) directory {
		errs := mustOnProcesses(t, "mpirun.openmpi", size, dir, append(append([]string{"run", "small.yaml", "--out", out}, few...), args...)...)
		if !strings.Contains(errs, "2 ranks on 1 host, a GPU each (emulated GPU; ") {
			t.Errorf("nobody says what the ranks run on:\n%s", errs)
		}
		return directory(filepath.Join(dir, out))
	}
	two := run("two.out", 2, "--device", "cuda")
	sameEnd(t, two, run("again.out", 2)) // auto takes them too
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "here.out", "--device", "cuda:all"}, few...)...)
	sameEnd(t, two, directory(filepath.Join(dir, "here.out")))
	code, _, errs := onProcesses(t, "mpirun.openmpi", 3, dir, "run", "small.yaml", "--device", "cuda")
	if code != exitUsage && code != exitFailed || !strings.Contains(errs, "has 2 GPUs for 3 ranks") {
		t.Errorf("three ranks on two GPUs: exit code %d\n%s", code, errs)
	}
}

// Lists of GPUs that are wrong say what is there, and cases of few rows take fewer.
func TestGPULists(t *testing.T) {
	withGPU(t, emulated{GPUs: 2})
	dir := writeCase(t, slabText(t, "constant"))
	for list, want := range map[string]string{
		"cuda:0-2":   "there is no cuda:2; this machine has cuda:0 (emulated GPU), cuda:1 (emulated GPU)",
		"cuda:1,0,1": "cuda:1 is named twice",
		"cuda:1-0":   `"1-0" is no GPU and no range of them`,
		"cuda:0,":    `"" is no GPU`,
		"cuda:7":     "there is no such GPU; this machine has cuda:0",
		"gpu":        "accepted are auto, cpu, cpu:N, cuda, cuda:N, and of several GPUs cuda:0-3, cuda:0,2 or cuda:all",
	} {
		if code, _, errs := convect(t, dir, "run", "small.yaml", "--device", list); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, want %q:\n%s", list, code, want, errs)
		}
	}
	_, errs := mustRun(t, dir, "run", "small.yaml", "--device", "cuda:all", "--set", "time.end=0.0005")
	if !strings.Contains(errs, "it runs on 1 of 2 GPUs") {
		t.Errorf("a small case does not say that it runs on one GPU:\n%s", errs)
	}
	runs := writeRuns(t, "- {set: {time.end: 0.01}, expect: [{quantity: nusselt, value: 1, tolerance: 1e3, source: none}]}")
	mustRun(t, runs, "validate", "--device", "cuda:0-1")
	mustRun(t, dir, "sweep", "small.yaml", "--vary", "physics.rayleigh=1,2", "--set", "time.end=0.0005", "--device", "cuda:0-1")
}

// What devices says of the links between GPUs.
func TestGPULinks(t *testing.T) {
	all := map[[2]int]driver.Link{{0, 1}: {Reached: true, Atomics: true}, {0, 2}: {Reached: true}}
	g := gpus{linked: func(from, to int) (driver.Link, error) { return all[[2]int{from, to}], nil }}
	for n, want := range []string{"the memory of cuda:1 (atomics too, as over NVLink), cuda:2", "no other GPU's memory: what they exchange passes through the host"} {
		if text, err := g.links(n, 3); text != want || err != nil {
			t.Errorf("cuda:%d: %q, %v, want %q", n, text, err, want)
		}
	}
	if text, err := g.links(0, 1); text != "" || err != nil {
		t.Errorf("one GPU: %q, %v", text, err)
	}
}
