//go:build cuda

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"convect/io/series"
	"convect/kernels/cuda/driver"
)

// needGPU skips a test where there is no GPU.
func needGPU(t *testing.T) {
	t.Helper()
	if err := driver.Available(); err != nil {
		t.Skip(err)
	}
}

func TestGPUCheckpointsMoveBetweenBackends(t *testing.T) {
	needGPU(t)
	cube := strings.Replace(backendCase, "[8, 6, 4]", "[32, 24, 16]", 1)
	t.Run("7 points", func(t *testing.T) { testBackends(t, cube, "cuda", "mixed", "float64", "float32") })
	t.Run("27 points", func(t *testing.T) { testBackends(t, cube+"solver: {stencil: 27}\n", "cuda", "mixed") })
	layered := strings.NewReplacer("[8, 6, 4], size: [2, 1.5, 1]", "[40, 20, 16], size: [2, 1.5, 1], grading: {z: {cluster: both, ratio: 3}}",
		"rayleigh: 200", "rayleigh: 200, permeability: {lognormal: {variance: 1, correlation: 0.2, seed: 1}}").Replace(backendCase)
	t.Run("graded, log-normal", func(t *testing.T) { testBackends(t, layered, "cuda", "mixed") })
	plane := strings.NewReplacer("[8, 6, 4], size: [2, 1.5, 1]", "[64, 48], size: [2, 1]", "mode: [1, 1, 1]", "mode: [1, 0, 1]").Replace(backendCase)
	t.Run("plane", func(t *testing.T) { testBackends(t, plane, "cuda", "mixed") })
}

// TestGPUKilledRun kills a run on a GPU and resumes it there, to the same bits.
func TestGPUKilledRun(t *testing.T) {
	needGPU(t)
	dir := writeCase(t, strings.Replace(longCase, "end: 0.06", "end: 0.03", 1))
	mustRun(t, dir, "run", "small.yaml", "--out", "whole", "--device", "cuda")
	whole, cut := directory(filepath.Join(dir, "whole")), directory(filepath.Join(dir, "cut"))
	c := start(t, dir, "run", "small.yaml", "--out", "cut", "--device", "cuda")
	waitForRows(t, cut, 40)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	mustRun(t, dir, "run", "small.yaml", "--out", "cut", "--resume", "--device", "cuda")
	sameEnd(t, whole, cut)
}

// A GPU computes a flow over more steps than any error in what lies beyond walls needs to grow to infinity, with steps that vary.
func TestGPULongRuns(t *testing.T) {
	needGPU(t)
	const text = `title: Long
grid: {cells: [64, 64, 16], size: [4, 4, 1]}
physics: {rayleigh: 1000}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {noise: 0.05, seed: 1}}
time: {end: 0.3, cfl: 0.5}
`
	for name, set := range map[string][]string{
		"mixed":             nil,
		"float32":           {"solver.precision=float32"},
		"float64":           {"solver.precision=float64"},
		"27 points":         {"solver.stencil=27"},
		"viscosity":         {"physics={rayleigh: 500, viscosity: \"exp(-T)\"}"},
		"viscosity of both": {"physics={rayleigh: 500, viscosity: \"exp(0.5*S-T)\", solute: {buoyancy_ratio: 0, lewis: 2}}"},
		"plane":             {"grid={cells: [128, 64], size: [2, 1]}"},
		"open":              {"boundaries.top={temperature: 0, flow: open}"},
		"graded":            {"grid={cells: [64, 64, 16], size: [4, 4, 1], grading: {z: {cluster: both, ratio: 4}}}"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeCase(t, text)
			args := []string{"run", "small.yaml", "--device", "cuda"}
			for _, s := range set {
				args = append(args, "--set", s)
			}
			mustRun(t, dir, args...)
			summary, err := series.ReadSummary(filepath.Join(dir, "small.out", series.SummaryName))
			if err != nil || summary.Steps < 3000 {
				t.Errorf("%d steps, %v", summary.Steps, err)
			}
		})
	}
}
