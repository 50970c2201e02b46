package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPlan prints the kernels of a case on a GPU and on a processor: the passes of even widths, and on graded ones why they do not serve. A profile ends with
// them too.
func TestPlan(t *testing.T) {
	withGPU(t, emulated{})
	dir := t.TempDir()
	text := `grid: {cells: [16, 16, 16], size: [1, 1, 1]}
physics: {rayleigh: 100}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
time: {end: 1e-4}
`
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	wants := func(out, pattern string) {
		t.Helper()
		if !regexp.MustCompile(pattern).MatchString(out) {
			t.Errorf("no %q in\n%s", pattern, out)
		}
	}
	out, _ := mustRun(t, dir, "check", "a.yaml", "--plan", "--device", "cuda")
	wants(out, `pressure solve, 16 × 16 × 16 cells\n`)
	wants(out, `Descend +even_descend_\w+_f32\n`)
	wants(out, `SolveCoarse +(fold|spectral)_`)
	out, _ = mustRun(t, dir, "check", "a.yaml", "--plan", "--device", "cuda", "--set", "grid.grading={z: {ratio: 4, cluster: both}}")
	wants(out, `FastTransform +fast_mirrored_f32 × 4\n +Modes +modes_parts_f32\n`)
	out, _ = mustRun(t, dir, "check", "a.yaml", "--plan", "--device", "cuda", "--set", "grid.grading={z: {ratio: 4, cluster: both}}", "--set", "solver.pressure.method=cg")
	wants(out, `Descend .*\(a width of z differs\)\n`)
	out, _ = mustRun(t, dir, "check", "a.yaml", "--plan", "--device", "cpu", "--set", "grid.grading={z: {ratio: 4, cluster: both}}", "--set", "solver.pressure.method=cg")
	wants(out, `Descend +descend_7_even_x_\w+_f32 \(a width of z differs\)\n`)
	wants(out, `SolveCoarse +solve_coarse_7_`)
	out, _ = mustRun(t, dir, "run", "a.yaml", "--profile", "--device", "cuda")
	wants(out, `(?s)part of a step.*kernels of a step.*Descend +even_descend_`)
}

// TestDirectIsRefused names the place and the reason where a case has no direct solve.
func TestDirectIsRefused(t *testing.T) {
	for set, why := range map[string]string{
		"physics.viscosity=exp(-T)":                                         "along z alone",
		"physics.permeability={lognormal: {variance: 1, correlation: 0.1}}": "along z alone",
		"boundaries.patches=[{wall: top, x: [0.5, 1], flow: open}]":         "fixed in part",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(smallCase+"\nsolver: {pressure: {method: direct}}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"check", "run"} {
			code, _, errs := convect(t, dir, command, "a.yaml", "--set", set)
			if code != exitUsage || !strings.Contains(errs, "solver.pressure.method: this case has no direct solve") || !strings.Contains(errs, why) {
				t.Errorf("%s with %s: exit code %d\n%s", command, set, code, errs)
			}
		}
	}
}
