package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// asProgram is set where the test binary is to be the program itself.
const asProgram = "CONVECT_TEST_AS_PROGRAM"

// realPicture is set where the program draws its picture as users get it. Elsewhere it has fewer dots, since drawing takes longer than small runs.
const realPicture = "CONVECT_TEST_REAL_PICTURE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		e := newEnvironment()
		e.open, e.gpus = openTestDevice, testGPUs()
		if text := os.Getenv(testRanks); text != "" {
			if err := json.Unmarshal([]byte(text), &e.ranks); err != nil {
				panic(err)
			}
		}
		e.joins.Patience, _ = time.ParseDuration(os.Getenv(testPatience))
		if os.Getenv(realPicture) == "" {
			e.dots = pictureDots / 5
		}
		os.Exit(e.execute(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// program prepares a command line in a folder.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if len(args) > 1 && (args[0] == "run" || args[0] == "restart") && !slices.Contains(args, "--threads") {
		args = append(slices.Clone(args), "--threads", "1") // small grids: a second thread would only wait
	}
	c := exec.Command(binary, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// convect runs a command line to its end and returns the exit code and what it wrote.
func convect(t *testing.T, dir string, args ...string) (code int, out, errs string) {
	t.Helper()
	c := program(t, dir, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// mustRun is convect for what has to succeed.
func mustRun(t *testing.T, dir string, args ...string) (out, errs string) {
	t.Helper()
	code, out, errs := convect(t, dir, args...)
	if code != exitDone {
		t.Fatalf("convect %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out, errs
}

// smallCase is a case that is over in a moment.
const smallCase = `title: Small
grid: {cells: [16, 8], size: [2, 1]}
physics: {rayleigh: 100}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {mode: [2, 0, 1], amplitude: 0.1}}
time: {end: 0.05}
output: {every: {time: 0.02}}
checkpoint: {every: {steps: 10}}
`

// writeCase writes a case file into a new folder and returns the folder.
func writeCase(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "small.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestExitCodes(t *testing.T) {
	dir := writeCase(t, smallCase)
	for name, text := range map[string]string{
		"bad.yaml": "grid: {cells: [16, -8], size: [2, 1]}\nphysics: {rayleigh: 100}\ntime: {end: 1}\n", "text.h5": "hello",
		"foreign.yaml": strings.Replace(smallCase, "rayleigh: 100", "rayleigh: 100, permeability: {file: text.h5}", 1),
		"slow.yaml":    smallCase + "solver: {pressure: {max_iterations: 1, tolerance: 1e-12}}\n",
		"file":         "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, "run", "small.yaml", "--out", "done.out")
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"", 0, "Usage: convect COMMAND"},
		{"help", 0, "Usage: convect COMMAND"},
		{"--help", 0, "Usage: convect COMMAND"},
		{"help run", 0, "convect run CASE [options]"},
		{"run --help", 0, "convect run CASE [options]"},
		{"help nothing", 2, `there is no command "nothing"`},
		{"rnu", 2, `there is no command "rnu" (did you mean run?)`},
		{"version", 0, "convect "},
		{"--version", 0, "convect "},
		{"run", 2, "CASE is missing"},
		{"run a b", 2, `"b" is one argument too many`},
		{"run small.yaml --quick", 2, "unknown flag: --quick"},
		{"run small.yaml --threads -1", 2, "--threads -1"},
		{"run small.yaml --walltime -1h", 2, "--walltime"},
		{"run small.yaml --walltime -1s", 2, "accepted are 0 and above"},
		{"run small.yaml --device cuda:0", 2, "built without CUDA"},
		{"run small.yaml --device gpu", 2, "accepted are auto, cpu"},
		{"run nowhere.yaml", 2, "there is no case file nowhere.yaml"},
		{"run bad.yaml", 2, "bad.yaml:1:20: grid.cells[1]: -8 is out of range; accepted: a whole number from 2"},
		{"check bad.yaml", 2, "bad.yaml:1:20: grid.cells[1]"},
		{"run small.yaml --set time.ned=1", 2, "--set time.ned=1: time.ned: unknown key (did you mean end?)"},
		{"run small.yaml --set boundaries.top.flow=opne", 2, "did you mean open?"},
		{"run small.yaml --set boundaries.top=periodc", 2, "did you mean periodic?"},
		{"run small.yaml --set initial.temperature=conductoin", 2, "did you mean conduction?"},
		{"run small.yaml --out done.out", 2, "done.out holds a run already (case.yaml)"},
		{"run foreign.yaml", 2, "text.h5 is text, and has no columns of coordinates; there are hello; accepted: an HDF5 (NetCDF-4) file"},
		{"run slow.yaml", 1, "the run failed; there is no checkpoint yet"},
		{"run small.yaml --out file/out", 1, "not a directory"},
		{"restart nowhere.h5", 1, "open nowhere.h5: no such file"},
		{"restart text.h5", 1, "not an HDF5 file"},
		{"inspect text.h5", 1, "text.h5: not an HDF5 file"},
		{"inspect nowhere.h5", 1, "open nowhere.h5: no such file"},
		{"export done.out -o a.vti", 0, "a.vti: pressure, temperature, velocity of done.out/snapshots/snap_"},
		{"export done.out -o a.nc", 0, "a.nc: the tables of done.out"},
		{"export done.out", 2, "-o FILE is missing"},
		{"export done.out -o a.txt", 2, "accepted are names that end in .nc, .vti, .vtr, .csv"},
		{"export done.out -o a.csv --slice q=1", 2, "--slice q=1: accepted are x=…, y=… and z=… with a number"},
		{"export done.out -o a.csv --slice y=0", 2, "--slice y=0: there is one point along y, at 0"},
		{"export done.out -o a.csv --slice x=3", 2, "--slice x=3: accepted are values from 0 to 2"},
		{"export done.out -o a.csv --step 1 --time 2", 2, "--time and --step exclude each other"},
		{"export done.out -o a.csv --step 12345", 2, "--step 12345: there are snapshots of the steps"},
		{"export done.out -o a.csv --time 3d", 2, "--time 3d: accepted is a number"},
		{"export done.out -o a.nc --slice x=1", 2, "a .nc has all rows and columns of the tables"},
		{"export small.yaml -o a.nc", 2, "a .nc is made of the tables of a run directory"},
		{"export done.out -o a.csv --fields dye", 1, `there is no field "dye"`},
		{"export nowhere -o a.csv", 2, "there is no nowhere"},
		{"export file -o a.csv", 1, "file: not an HDF5 file"},
		{"check small.yaml", 0, "unknowns     306"},
		{"bench", 2, "NAME is missing"},
		{"bench all --size 33", 2, "--size is of one benchmark"},
		{"bench all --precision half", 2, "--precision half: accepted are float32, float64, mixed, all"},
		{"bench all --omega -3", 2, "--omega -3: accepted are positive numbers"},
		{"bench all --device gpu", 2, "accepted are auto, cpu"},
		{"bench report --quick", 2, "bench report takes --out alone, not --quick"},
		{"bench jacobi --quick --size 33", 2, "--quick and --size exclude each other"},
		{"bench --help", 0, "convect bench all --precision all --out bench.out"},
		{"bench speed", 2, `there is no benchmark "speed"; there are jacobi,`},
		{"bench speed", 2, "; all runs all of them, report renews the page of their files"},
		{"bench jacobi --out file/out", 1, "--out: mkdir file"},
		{"bench all --quick --out file/out", 1, "--out: mkdir file"},
		{"bench jacobi --size 8y8", 2, "--size 8y8: accepted are"},
		{"bench jacobi --size 8x8", 2, "--size has 2 numbers"},
		{"bench jacobi --precision half", 2, "--precision half: accepted are float32, float64, all"},
		{"bench jacobi --omega 3", 2, "bench jacobi has no --omega; bench pcg has"},
		{"bench jacobi --cases closed", 2, "bench jacobi has no --cases, --against and --develop; bench cases has"},
		{"bench cases --cases closed,cube", 2, `--cases: there is no "cube"; there are closed, slab,`},
		{"bench cases --against none.json", 2, "--against: report: open none.json"},
		{"bench pcg --omega -3", 2, "--omega -3: accepted are positive numbers"},
		{"bench pcg --lambda NaN", 2, "--lambda NaN: accepted are positive numbers"},
		{"bench pcg --H Inf", 2, "--H +Inf: accepted are positive numbers"},
		{"validate --runs nowhere", 2, "not a folder"},
		{"init small", 2, "small.yaml is there already"},
	} {
		code, out, errs := convect(t, dir, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("convect %s: exit code %d, want %d and %q\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
		if c.code == exitDone && errs != "" {
			t.Errorf("convect %s: done, but says on standard error: %s", c.args, errs)
		}
	}
	for _, name := range []string{"bad.out", "foreign.out"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was made for a case that cannot run", name)
		}
	}
}

func TestHelpIsComplete(t *testing.T) {
	for _, c := range commands() {
		var b bytes.Buffer
		c.help(&b)
		for _, part := range []string{"convect " + c.name, "\nExit codes:\n"} {
			if !strings.Contains(b.String(), part) {
				t.Errorf("help of %s lacks %q", c.name, part)
			}
		}
		if !c.hidden && !strings.Contains(b.String(), "\nExamples:\n") {
			t.Errorf("help of %s has no examples", c.name)
		}
		for line := range strings.Lines(b.String()) {
			if len([]rune(line)) > 121 {
				t.Errorf("help of %s has a long line: %s", c.name, line)
			}
		}
	}
}
