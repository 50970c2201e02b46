package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
)

// afterwards returns the command that the end of a run names, as words.
func afterwards(t *testing.T, errs string) []string {
	t.Helper()
	_, line, found := strings.Cut(errs, "goes on with: convect ")
	if !found {
		t.Fatalf("no command in\n%s", errs)
	}
	line, _, _ = strings.Cut(line, "\n")
	out, err := exec.Command("sh", "-c", "set -- "+line+`; printf '%s\n' "$@"`).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// isWhole checks that all files of a run directory can be read, and returns the step of the newest checkpoint, -1 if none.
func isWhole(t *testing.T, d directory) int64 {
	t.Helper()
	if _, err := series.Read(d.path(series.SeriesName)); err != nil {
		t.Error(err)
	}
	snapshots, skipped, err := snapshot.List(string(d), math.MaxInt64)
	if err != nil || len(skipped) > 0 || len(snapshots) == 0 {
		t.Errorf("%d snapshots, damaged %v: %v", len(snapshots), skipped, err)
	}
	path, skipped, err := checkpoint.Latest(string(d))
	if err != nil || len(skipped) > 0 {
		t.Errorf("damaged checkpoints %v: %v", skipped, err)
	}
	if path == "" {
		return -1
	}
	return stepOf(t, path)
}

func TestLostGPU(t *testing.T) {
	set := []string{"--set", "output.every={steps: 4}", "--set", "checkpoint.every={steps: 4}", "--set", "time.end=0.01"}
	for _, c := range []struct {
		name, after string
		step        int64 // of the newest checkpoint
	}{
		{"before a checkpoint", series.SeriesName, -1},
		{"after a checkpoint", "checkpoints/ckpt_000004.h5", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeCase(t, smallCase)
			d := directory(filepath.Join(dir, "a run.out"))
			run := append([]string{"run", "small.yaml", "--out", "a run.out", "--device", "cuda"}, set...)
			withGPU(t, emulated{LostAfter: d.path(c.after), Launches: 30})
			code, _, errs := convect(t, dir, run...)
			if code != exitFailed {
				t.Fatalf("exit code %d\n%s", code, errs)
			}
			parts := []string{"cuda:0 (emulated GPU): CUDA error 719 CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure",
				"'a run.out' --resume --device cpu", fmt.Sprintf("the last whole checkpoint is a run.out/%s, of step %d, t = 0.0", c.after, c.step)}
			if c.step < 0 {
				parts = []string{parts[0], "'a run.out' --force --device cpu", "there is no checkpoint yet"}
			}
			for _, p := range parts {
				if log := fileText(t, d.path(logName)); !strings.Contains(errs, p) || !strings.Contains(log, p) {
					t.Errorf("%q is not in\n%s", p, errs)
				}
			}
			if got := isWhole(t, d); got != c.step {
				t.Errorf("the newest checkpoint is of step %d, want %d", got, c.step)
			}
			if _, err := os.Stat(d.path(series.SummaryName)); err == nil {
				t.Error("there is a summary")
			}
			mustRun(t, dir, afterwards(t, errs)...)
			mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "whole", "--device", "cpu"}, set...)...)
			near(t, d, directory(filepath.Join(dir, "whole")), 1e-6)
		})
	}
}

func TestLostGPUOfARestart(t *testing.T) {
	dir := writeCase(t, smallCase)
	set := []string{"--set", "time.end=0.01", "--set", "checkpoint={every: {steps: 4}, keep: 99}"}
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "first", "--device", "cpu"}, set...)...)
	withGPU(t, emulated{LostAfter: filepath.Join(dir, "second", series.SeriesName), Launches: 10})
	code, _, errs := convect(t, dir, "restart", "first/checkpoints/ckpt_000004.h5", "--out", "second", "--device", "cuda:0")
	if code != exitFailed || !strings.Contains(errs, "convect restart first/checkpoints/ckpt_000004.h5 --out second --force --device cpu") {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	mustRun(t, dir, afterwards(t, errs)...)
	first, second := directory(filepath.Join(dir, "first")), directory(filepath.Join(dir, "second"))
	if diff := cmp.Diff(readSeries(t, first), readSeries(t, second)); diff != "" {
		t.Errorf("series.csv differs:\n%s", diff)
	}
	near(t, first, second, 0)
}
