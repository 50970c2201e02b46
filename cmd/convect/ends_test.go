package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A run may leave out what comes on top at its ends. What schedules ask for is written all the same, and a sweep that goes on from run to run refuses to do without what it needs.
func TestEndsLeftOut(t *testing.T) {
	dir := writeCase(t, strings.NewReplacer("{end: 0.05}", "{end: 0.01, first_step: 2e-3, max_step: 2e-3}", "output: {every: {time: 0.02}}\n", "").Replace(smallCase))
	written := func(out, kind string) int {
		all, err := filepath.Glob(filepath.Join(dir, out, kind, "*.h*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	for name, c := range map[string]struct {
		set                    []string
		snapshots, checkpoints int
	}{
		"both":         {nil, 2, 1},
		"no-ends":      {[]string{"output.ends=false", "checkpoint.end=false"}, 0, 0},
		"scheduled":    {[]string{"output={ends: false, every: {steps: 2}}", "checkpoint={end: false, every: {steps: 3}, keep: 9}"}, 2, 1},
		"met-at-end":   {[]string{"output={ends: false, every: {times: [0.004, 0.01]}}"}, 2, 1},
		"no-snapshots": {[]string{"output.ends=false"}, 0, 1},
	} {
		args := []string{"run", "small.yaml", "--out", name}
		for _, s := range c.set {
			args = append(args, "--set", s)
		}
		out, _ := mustRun(t, dir, args...)
		if got := written(name, "snapshots"); got != c.snapshots {
			t.Errorf("%s: %d snapshots, want %d", name, got, c.snapshots)
		}
		if got := written(name, "checkpoints"); got != c.checkpoints {
			t.Errorf("%s: %d checkpoints, want %d", name, got, c.checkpoints)
		}
		if said := strings.Contains(out, "ParaView"); said != (c.snapshots > 0) {
			t.Errorf("%s: of snapshots is said:\n%s", name, out)
		}
		if rows := readSeries(t, directory(filepath.Join(dir, name))); len(rows) == 0 || rows[0][0] != 0 {
			t.Errorf("%s: the series begins with %v", name, rows)
		}
	}
	if out, _ := mustRun(t, dir, "check", "small.yaml", "--set", "output={ends: false}"); !strings.Contains(out, "there will be no snapshots") {
		t.Errorf("check says:\n%s", out)
	}
	code, _, errs := convect(t, dir, "sweep", "small.yaml", "--vary", "physics.rayleigh=50,60", "--continue", "physics.rayleigh", "--set", "checkpoint.end=false", "--out", "sweep")
	if code != exitUsage || !strings.Contains(errs, "checkpoint.end: false leaves out the checkpoints") {
		t.Errorf("a sweep that continues without checkpoints: exit code %d\n%s", code, errs)
	}
}
