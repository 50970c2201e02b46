package main

import (
	"path/filepath"
	"strings"
	"testing"

	"convect/io/checkpoint"
)

const gradedCase = `title: Graded
grid: {cells: [16, 12], size: [1, 1], grading: {x: {cluster: both, ratio: 3}, z: {cluster: low, ratio: 6}}}
physics: {rayleigh: 300}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {mode: [1, 1], amplitude: 0.1}}
time: {end: 0.03}
solver: {transport: weno5}
output: {every: {time: 0.01}}
checkpoint: {every: {steps: 10}, keep: 9}
`

// A graded run restarts to the same bits, another grading is refused, check tells the widths, and a run on another grid
// starts from its snapshots and checkpoints.
func TestGradedRun(t *testing.T) {
	dir := writeCase(t, gradedCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "whole")
	mustRun(t, dir, "run", "small.yaml", "--out", "part", "--set", "time.end=0.02")
	whole, part := directory(filepath.Join(dir, "whole")), directory(filepath.Join(dir, "part"))
	var last [2]string
	for i, d := range []directory{part, whole} {
		var err error
		if last[i], _, err = checkpoint.Latest(string(d)); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, dir, "restart", last[0], "--set", "time.end=0.03")
	sameEnd(t, whole, part)

	code, _, errs := convect(t, dir, "restart", last[1], "--out", "other", "--set", "grid.grading.z.ratio=5")
	if code != exitUsage || !strings.Contains(errs, "cannot be continued with another grid") {
		t.Errorf("another grading: exit code %d, %s", code, errs)
	}
	out, _ := mustRun(t, dir, "check", "small.yaml")
	if !strings.Contains(out, "cell 0.0295…0.0886 × 0.0292…0.175") {
		t.Errorf("check does not tell the widths:\n%s", out)
	}
	snapshots, err := filepath.Glob(whole.path("snapshots/*.hdf"))
	if err != nil || len(snapshots) != 4 {
		t.Fatalf("snapshots %v, %v", snapshots, err)
	}
	for _, from := range []string{snapshots[3], last[1]} {
		if out, _ := mustRun(t, dir, "inspect", from); !strings.Contains(out, "widths 1 : 3 along x (narrow: both), widths 1 : 6 along z (narrow: low)") {
			t.Errorf("inspect does not tell the grading:\n%s", out)
		}
		mustRun(t, dir, "run", "small.yaml", "--out", "next", "--force", "--set", "grid.grading={z: {cluster: both, ratio: 2}}",
			"--set", "initial={temperature: {file: "+from+"}}", "--set", "time.end=0.001")
	}
}
