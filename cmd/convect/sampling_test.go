package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/io/checkpoint"
	"convect/io/sampling"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/kernels/devicetest"
)

// sampledCase measures in all ways, with windows and intervals that are cut by any checkpoint.
const sampledCase = `
grid: {cells: [7, 6, 5], size: [1.5, 1, 1], grading: {z: {cluster: both, ratio: 2}}}
physics: {rayleigh: 200, tracers: {dye: {lewis: 2}}}
boundaries: {bottom: {temperature: 1, tracers: {dye: {concentration: 1}}}, top: {temperature: 0}, front: periodic, back: periodic}
initial: {perturbation: {noise: 0.2, seed: 3}}
time: {end: 0.12}
output:
  every: {time: 0.05}
  probes:
    - {name: well, at: [0.5, 0.95, 0.3], fields: [temperature, velocity], every: {time: 0.03}}
    - {name: corner, at: [1.5, 1, 0]}
  slices:
    - {name: upright, y: 0.95, every: {time: 0.02}}
    - {name: level, z: 0.5, fields: [velocity, dye], every: {steps: 7}}
    - {name: wall, x: 0, fields: [temperature]}
  averages:
    - {name: late, from: 0.04, over: [time, x, y], fluctuations: true}
    - {name: parts, to: 0.1, every: {time: 0.04}, fields: [velocity], fluctuations: true}
    - {name: number, from: 0.01, to: 0.11, over: [time, x, y, z], fields: [temperature, dye], fluctuations: true, every: {steps: 30}}
checkpoint: {every: {steps: 17}, keep: 100}
`

// A run that goes on from any checkpoint has probes, slices and averages of the bits of one that was never stopped, its sums too.
func TestSamplingResumed(t *testing.T) {
	for variant, more := range [][]string{nil, {"--set", "solver.precision=float32", "--set", "solver.stencil=27", "--set", "output.compress=true"},
		{"--set", "grid.cells=[7, 5]", "--set", "grid.size=[1.5, 1]", "--set", "boundaries={bottom: {temperature: 1}, top: {temperature: 0}, sides: {flow: open}}",
			"--set", "output.probes=[{name: well, at: [0.5, 0.3]}]", "--set", "output.slices=[{name: line, z: 0.4, every: {time: 0.02}}]",
			"--set", "output.averages=[{name: late, from: 0.04, over: [time, x], fluctuations: true}]"}} {
		if testing.Short() && variant > 0 {
			break
		}
		dir := writeCase(t, sampledCase)
		mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "whole"}, more...)...)
		whole := directory(filepath.Join(dir, "whole"))
		steps := checkpointSteps(t, whole)
		if len(steps) < 6 {
			t.Fatalf("checkpoints of steps %v are too few", steps)
		}
		for _, n := range []int{1, len(steps) / 2, len(steps) - 2}[variant:min(variant+2, 3)] {
			cut := directory(filepath.Join(dir, fmt.Sprintf("cut-%d", steps[n])))
			if err := os.CopyFS(string(cut), os.DirFS(string(whole))); err != nil {
				t.Fatal(err)
			}
			for _, step := range steps[n+1:] {
				if err := os.Remove(cut.path(fmt.Sprintf("%s/ckpt_%06d.h5", checkpoint.Folder, step))); err != nil {
					t.Fatal(err)
				}
			}
			mustRun(t, dir, append([]string{"run", "small.yaml", "--out", string(cut), "--resume"}, more...)...)
			sameSamples(t, whole, cut)
			if diff := cmp.Diff(lastCheckpoint(t, whole).Sums, lastCheckpoint(t, cut).Sums); diff != "" {
				t.Errorf("the sums differ:\n%.1000s", diff)
			}
		}
	}
}

// On a GPU what is measured has the bits of an unbroken run too, and is what a processor measures.
func TestSamplingOnAGPU(t *testing.T) {
	devicetest.Long(t)
	withGPU(t, emulated{})
	dir := writeCase(t, `
grid: {cells: [6, 4, 5], size: [1, 1, 1]}
physics: {rayleigh: 200}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}, front: periodic, back: periodic}
initial: {perturbation: {noise: 0.2, seed: 3}}
time: {end: 0.004, first_step: 2e-4, max_step: 4e-4}
output:
  fields: [temperature, heat_flux, divergence, permeability]
  probes: [{name: well, at: [0.5, 0.9, 0.3], fields: [temperature, pressure, velocity, heat_flux]}]
  slices: [{name: upright, y: 0.95, fields: [velocity], every: {steps: 2}}]
  averages: [{name: late, from: 0.001, over: [time, x], fields: [velocity], fluctuations: true}, {name: all, fields: [pressure]}]
checkpoint: {every: {steps: 3}, keep: 100}
`)
	mustRun(t, dir, "run", "small.yaml", "--out", "whole", "--device", "cuda:0")
	whole, cut := directory(filepath.Join(dir, "whole")), directory(filepath.Join(dir, "cut"))
	if err := os.CopyFS(string(cut), os.DirFS(string(whole))); err != nil {
		t.Fatal(err)
	}
	steps := checkpointSteps(t, whole)
	for _, step := range steps[2:] {
		if err := os.Remove(cut.path(fmt.Sprintf("%s/ckpt_%06d.h5", checkpoint.Folder, step))); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, "run", "small.yaml", "--out", "cut", "--resume", "--device", "cuda:0")
	sameSamples(t, whole, cut)

	mustRun(t, dir, "run", "small.yaml", "--out", "processor", "--device", "cpu")
	got, err := series.Read(whole.path(series.ProbeName("well")))
	if err != nil {
		t.Fatal(err)
	}
	want, err := series.Read(filepath.Join(dir, "processor", series.ProbeName("well")))
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows() != want.Rows() || got.Rows() < 10 {
		t.Fatalf("%d and %d rows", got.Rows(), want.Rows())
	}
	for n, name := range want.Names {
		for row, v := range want.Columns[n] {
			if w := got.Columns[n][row]; math.Abs(v-w) > 1e-5*(1+math.Abs(v)) {
				t.Fatalf("%s of row %d is %g on a GPU and %g on the processor", name, row, w, v)
			}
		}
	}
}

// checkpointSteps lists the checkpoints of a run, by step.
func checkpointSteps(t *testing.T, d directory) (steps []int64) {
	t.Helper()
	for _, name := range fileNames(t, d.path(checkpoint.Folder)) {
		var step int64
		if n, _ := fmt.Sscanf(name, "ckpt_%d.h5", &step); n == 1 {
			steps = append(steps, step)
		}
	}
	return steps
}

// sameSamples compares what two runs have measured, byte by byte.
func sameSamples(t *testing.T, a, b directory) {
	t.Helper()
	compared := 0
	for _, folder := range []string{snapshot.Folder, sampling.SlicesFolder, sampling.AveragesFolder, series.ProbesFolder} {
		if diff := cmp.Diff(fileNames(t, a.path(folder)), fileNames(t, b.path(folder))); diff != "" {
			t.Errorf("files of %s differ:\n%s", folder, diff)
		}
		err := filepath.WalkDir(a.path(folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name := strings.TrimPrefix(path, string(a))
			want, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			got, err := os.ReadFile(b.path(name))
			if err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s differs", b.path(name))
			}
			compared++
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if compared < 10 {
		t.Errorf("%d files were compared", compared)
	}
}

// A window of which the checkpoint has no sums says so, and its file tells from when on it is.
func TestAverageWithoutSums(t *testing.T) {
	dir := writeCase(t, sampledCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "run", "--set", "time.end=0.1", "--set", "output.averages=[]")
	_, said := mustRun(t, dir, "run", "small.yaml", "--out", "run", "--resume", "--set", "output.averages=[{name: late, from: 0.04, fields: [temperature]}]")
	if want := "the checkpoint has no sums of the average late, which begins at t = 0.04"; !strings.Contains(said, want) {
		t.Errorf("the log does not say %q:\n%s", want, said)
	}
	d := directory(filepath.Join(dir, "run"))
	entries, _, err := snapshot.List(d.path("averages/late"), 1<<40)
	if err != nil || len(entries) != 1 {
		t.Fatalf("averages %v: %v", entries, err)
	}
}

// --force removes what was measured, and nothing else.
func TestForceRemovesSamples(t *testing.T) {
	dir := writeCase(t, sampledCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "run", "--set", "time.end=0.02", "--set", "output.averages=[]")
	d := directory(filepath.Join(dir, "run"))
	if err := os.WriteFile(d.path("slices/mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "small.yaml", "--out", "run", "--force", "--set", "time.end=0.02", "--set", "output={every: {time: 0.01}}")
	if _, err := os.Stat(d.path("slices/mine.txt")); err != nil {
		t.Error(err)
	}
	for _, gone := range []string{"probes", "averages", "slices/upright"} {
		if _, err := os.Stat(d.path(gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
}
