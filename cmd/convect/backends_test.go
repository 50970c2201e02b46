package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/checkpoint"
)

// near compares the ends of two runs, each field to a part of its largest value.
func near(t *testing.T, a, b directory, tolerance float64) {
	t.Helper()
	ends := [2]*checkpoint.Checkpoint{lastCheckpoint(t, a), lastCheckpoint(t, b)}
	if ends[0].Step != ends[1].Step || ends[0].Time != ends[1].Time {
		t.Fatalf("%s ends at step %d, t = %g, %s at step %d, t = %g", a, ends[0].Step, ends[0].Time, b, ends[1].Step, ends[1].Time)
	}
	for n, f := range ends[0].State.Fields {
		most, apart := 0.0, 0.0
		for i, v := range f.Values {
			w := ends[1].State.Fields[n].Values[i]
			most, apart = math.Max(most, math.Abs(w)), math.Max(apart, math.Abs(v-w))
		}
		t.Logf("%s: %.2g of %.3g", f.Name, apart, most)
		if !(apart <= tolerance*most) {
			t.Errorf("%s of %s and %s differs by %.2g of %.3g", f.Name, filepath.Base(string(a)), filepath.Base(string(b)), apart, most)
		}
	}
}

// backendCase is small enough for an emulated GPU. Its wall changes with time, so that steps depend on more than the fields; its whole amplitude
// shows before the first half is over, so that steps do not depend on the end.
const backendCase = `title: From one backend to the other
grid: {cells: [8, 6, 4], size: [2, 1.5, 1]}
physics: {rayleigh: 200}
boundaries: {bottom: {temperature: 1}, top: {temperature: "0.1*sin(400*t)^2"}}
initial: {perturbation: {mode: [1, 1, 1], amplitude: 0.3}}
time: {end: 0.01, wall_tolerance: 0.01}
output: {every: {time: 0.005}}
checkpoint: {every: {steps: 100}}
`

// How far fields may lie apart after steps on different backends, as a part of their largest value, and what the pressure is solved to:
// less than the default leaves, since backends end solves at different places (on one backend the default and 1e-12 are 4e-8 of the advection
// apart).
var (
	backendTolerance = map[string]float64{"float64": 1e-10, "mixed": 1e-9, "float32": 1e-4}
	solvedTo         = map[string]string{"float64": "1e-11", "mixed": "1e-11", "float32": "1e-8"}
)

// testBackends stops a run on one backend and continues it on the other, both ways, and on the same: there the bits go on to be
// the same.
func testBackends(t *testing.T, text, gpu string, precisions ...string) {
	for _, precision := range precisions {
		t.Run(precision, func(t *testing.T) {
			tolerance := backendTolerance[precision]
			dir := writeCase(t, text)
			solver := []string{"--set", "solver.precision=" + precision, "--set", "solver.pressure.tolerance=" + solvedTo[precision]}
			on := func(device, out string, args ...string) directory {
				args = append(args, solver...)
				mustRun(t, dir, append([]string{"run", "small.yaml", "--device", device, "--out", out}, args...)...)
				return directory(filepath.Join(dir, out))
			}
			half := []string{"--set", "time.end=0.005"} // an output time of the whole run
			whole := map[string]directory{gpu: on(gpu, "gpu"), "cpu": on("cpu", "cpu")}
			near(t, whole[gpu], whole["cpu"], tolerance)
			for _, first := range []string{gpu, "cpu"} {
				on(first, "first-"+first, half...)
				for _, second := range []string{gpu, "cpu"} {
					out := first + "-" + second
					mustRun(t, dir, "restart", newestOf(t, dir, "first-"+first), "--set", "time.end=0.01", "--out", out, "--device", second)
					got := directory(filepath.Join(dir, out))
					near(t, got, whole["cpu"], tolerance)
					if first == second {
						near(t, got, whole[first], 0)
					}
				}
			}
		})
	}
}

// newestOf returns the newest checkpoint of a run directory.
func newestOf(t *testing.T, dir, out string) string {
	t.Helper()
	path, _, err := checkpoint.Latest(filepath.Join(dir, out))
	if err != nil || path == "" {
		t.Fatalf("no checkpoint in %s: %v", out, err)
	}
	return path
}

func TestCheckpointsMoveBetweenBackends(t *testing.T) {
	withGPU(t, emulated{})
	precisions, text := []string{"mixed", "float32"}, backendCase // the first has kernels of both types
	if testing.Short() {                                          // with half the steps
		precisions, text = precisions[:1], strings.Replace(text, "wall_tolerance: 0.01", "wall_tolerance: 0.05", 1)
	}
	testBackends(t, text, "cuda", precisions...)
}
