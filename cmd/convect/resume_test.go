package main

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/kernels/devicetest"
)

// lastCheckpoint reads the newest checkpoint of a run.
func lastCheckpoint(t *testing.T, d directory) *checkpoint.Checkpoint {
	t.Helper()
	path, _, err := checkpoint.Latest(string(d))
	if err != nil {
		t.Fatal(err)
	}
	c, err := checkpoint.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sameEnd compares tables, last checkpoints and snapshots of two runs to the bit.
func sameEnd(t *testing.T, a, b directory) {
	t.Helper()
	if diff := cmp.Diff(readSeries(t, a), readSeries(t, b)); diff != "" {
		t.Errorf("series.csv differs:\n%s", diff)
	}
	names := [2][]string{fileNames(t, a.path(snapshot.Folder)), fileNames(t, b.path(snapshot.Folder))}
	if diff := cmp.Diff(lastCheckpoint(t, a).State, lastCheckpoint(t, b).State); diff != "" {
		t.Errorf("the last checkpoints differ:\n%.2000s", diff)
	}
	for n := range names { // parts of ranks are those of a file
		names[n] = slices.DeleteFunc(names[n], regexp.MustCompile(`\.\d+$`).MatchString)
	}
	if !slices.Equal(names[0], names[1]) {
		t.Errorf("snapshots %v and %v", names[0], names[1])
	}
	profiles := func(d directory) string {
		text, err := os.ReadFile(d.path(series.ProfilesName))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if profiles(a) != profiles(b) {
		t.Error("profiles.csv differs")
	}
}

func fileNames(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		names = append(names, e.Name())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// start runs a command line without waiting for it.
func start(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	c := program(t, dir, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return c
}

// waitForRows waits until series.csv has so many rows.
func waitForRows(t *testing.T, d directory, rows int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		text, err := os.ReadFile(d.path(series.SeriesName))
		if err == nil && strings.Count(string(text), "\n") >= rows+2 {
			return
		}
	}
	t.Fatalf("%s did not get %d rows", d, rows)
}

func TestSignals(t *testing.T) {
	dir := writeCase(t, longCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "whole")
	whole := directory(filepath.Join(dir, "whole"))
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cut := directory(filepath.Join(dir, s.String()))
		c := start(t, dir, "run", "small.yaml", "--out", string(cut))
		waitForRows(t, cut, 40)
		if err := c.Process.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		waitForRows(t, cut, 45+len(readSeries(t, cut)))
		for range 2 { // as from a launcher that signals a process and its group
			if err := c.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond) // two that wait at once are one
		}
		c.Wait()
		if code := c.ProcessState.ExitCode(); code != exitInterrupted {
			t.Fatalf("%v: exit code %d", s, code)
		}
		rows := readSeries(t, cut)
		path, _, err := checkpoint.Latest(string(cut))
		if err != nil || stepOf(t, path) != int64(rows[len(rows)-1][0]) {
			t.Errorf("%v: the last checkpoint is %s, the last row %v: %v", s, path, rows[len(rows)-1][0], err)
		}
		mustRun(t, dir, "run", "small.yaml", "--out", string(cut), "--resume")
		sameEnd(t, whole, cut)
	}
}

func stepOf(t *testing.T, path string) int64 {
	t.Helper()
	c, err := checkpoint.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return c.State.Step
}

func TestRequestedCheckpoint(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "checkpoint: {every: {steps: 25}}", "checkpoint: {every: 1h, keep: 5}", 1))
	d := directory(filepath.Join(dir, "small.out"))
	c := start(t, dir, "run", "small.yaml")
	waitForRows(t, d, 20)
	if err := c.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	if names := fileNames(t, d.path(checkpoint.Folder)); len(names) != 3 { // the folder, the one asked for, that of the end
		t.Errorf("checkpoints: %v", names)
	}
}

// TestKilledRunsResume kills runs at random moments, 20 of a plain one and 20 of one that has everything (10 and 5 with -short), each time continued by run --resume: they end with
// the bits of the run that was not killed. One that comes to its end before is looked at, and the next begins.
func TestKilledRunsResume(t *testing.T) {
	for _, c := range []struct {
		name, text string
		short      int
	}{{"plain", longCase, 10}, {"everything", everythingCase, 5}} {
		t.Run(c.name, func(t *testing.T) {
			kills := 20
			if testing.Short() {
				kills = c.short
			}
			killAndResume(t, writeCase(t, c.text), kills)
		})
	}
}

// killAndResume kills the run of a case so often, or more often until one has a checkpoint to go on from, and compares each time that it comes to its end.
func killAndResume(t *testing.T, dir string, most int) {
	t.Helper()
	begin := time.Now()
	mustRun(t, dir, "run", "small.yaml", "--out", "whole")
	lasted := time.Since(begin)
	whole := directory(filepath.Join(dir, "whole"))
	r := rand.New(rand.NewPCG(devicetest.Seed(t), 0))
	runs, onward := 1, 0
	cut := func() directory { return directory(filepath.Join(dir, fmt.Sprintf("cut%d", runs))) }
	for kills := 0; kills < most || onward == 0 && kills < 10*most; {
		c := program(t, dir, "run", "small.yaml", "--out", string(cut()), "--resume")
		if killed(t, c, time.Duration(r.Float64()*float64(lasted)/2)) {
			kills++
			if path, _, err := checkpoint.Latest(string(cut())); err == nil && path != "" {
				onward++
			}
			continue
		}
		sameEnd(t, whole, cut())
		runs++
	}
	mustRun(t, dir, "run", "small.yaml", "--out", string(cut()), "--resume")
	sameEnd(t, whole, cut())
	t.Logf("%d runs of %v each, %d steps; %d kills had a checkpoint to go on from", runs, lasted, len(readSeries(t, whole))-1, onward)
	if onward == 0 {
		t.Error("no kill found a checkpoint to go on from")
	}
}

// killed starts a program, kills it after a time, and tells whether that found it running.
func killed(t *testing.T, c *exec.Cmd, after time.Duration) bool {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { c.Process.Kill() })
	defer timer.Stop()
	err := c.Wait()
	if c.ProcessState.ExitCode() >= 0 && err != nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode() < 0
}

func TestWalltime(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, strings.Replace(longCase, "end: 0.06", "end: 60", 1))
	begin := time.Now()
	code, _, errs := convect(t, dir, "run", "small.yaml", "--walltime", "1500ms")
	if code != exitWalltime || time.Since(begin) > 3*time.Second {
		t.Fatalf("exit code %d after %v\n%s", code, time.Since(begin), errs)
	}
	path, _, err := checkpoint.Latest(filepath.Join(dir, "small.out"))
	if err != nil || path == "" {
		t.Fatalf("no checkpoint: %v", err)
	}
	code, _, errs = convect(t, dir, "run", "small.yaml", "--walltime", "1500ms", "--resume")
	if code != exitWalltime || !strings.Contains(errs, "continuing from") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

func TestRestart(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "every: {steps: 25}", "every: {steps: 25}, keep: 100", 1))
	mustRun(t, dir, "run", "small.yaml", "--out", "whole")
	mustRun(t, dir, "run", "small.yaml", "--out", "short", "--set", "time.end=0.03")
	whole, short := directory(filepath.Join(dir, "whole")), directory(filepath.Join(dir, "short"))
	last, _, err := checkpoint.Latest(string(short))
	if err != nil {
		t.Fatal(err)
	}
	// In its own directory, with a later end; 0.03 is an output time of the whole run.
	mustRun(t, dir, "restart", last, "--set", "time.end=0.06")
	sameEnd(t, whole, short)
	// From an old checkpoint, into another directory.
	mustRun(t, dir, "restart", "whole/checkpoints/ckpt_000050.h5", "--out", "other")
	if diff := cmp.Diff(readSeries(t, whole), readSeries(t, directory(filepath.Join(dir, "other")))); diff != "" {
		t.Errorf("restarted elsewhere, series.csv differs:\n%s", diff)
	}
	// From an old checkpoint in its own directory: what is later goes.
	before := readSeries(t, whole)
	mustRun(t, dir, "restart", "whole/checkpoints/ckpt_000050.h5")
	if diff := cmp.Diff(before, readSeries(t, whole)); diff != "" {
		t.Errorf("restarted in place, series.csv differs:\n%s", diff)
	}
	for args, says := range map[string]string{
		"restart whole/checkpoints/ckpt_000050.h5 --out short":                              "short holds a run already",
		"restart whole/checkpoints/ckpt_000050.h5 --out new --set grid.cells=[8,8]":         "cannot be continued with another grid",
		"restart whole/checkpoints/ckpt_000050.h5 --out new --set solver.precision=float32": "cannot be continued",
		"restart whole/checkpoints/ckpt_000050.h5 --set time.ned=1":                         "unknown key (did you mean end?)",
	} {
		code, _, errs := convect(t, dir, strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("convect %s: exit code %d, %s", args, code, errs)
		}
	}
}

func TestFinishedRunStaysAsItIs(t *testing.T) {
	dir := writeCase(t, strings.NewReplacer("rayleigh: 100", "rayleigh: 20", "end: 0.05", "end: 5, steady: 1e-2").Replace(smallCase))
	mustRun(t, dir, "run", "small.yaml")
	d := directory(filepath.Join(dir, "small.out"))
	before, summary := readSeries(t, d), fileText(t, d.path(series.SummaryName))
	if before[len(before)-1][1] >= 5 {
		t.Fatal("the run did not get steady")
	}
	mustRun(t, dir, "run", "small.yaml", "--resume")
	if diff := cmp.Diff(before, readSeries(t, d)); diff != "" {
		t.Errorf("series.csv changed:\n%s", diff)
	}
	if after := fileText(t, d.path(series.SummaryName)); after != summary {
		t.Errorf("summary.json changed:\n%s", cmp.Diff(summary, after))
	}
	// Killed between the last checkpoint and the summary.
	if err := os.Remove(d.path(series.SummaryName)); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "small.yaml", "--resume")
	if after := fileText(t, d.path(series.SummaryName)); after != summary {
		t.Errorf("summary.json is not the same when made again:\n%s", cmp.Diff(summary, after))
	}
}

// A summary that is made again, of a run that was killed between the last checkpoint and it, has all numbers of the first one, balances of what the fluid carries included.
func TestSummaryMadeAgain(t *testing.T) {
	for name, text := range map[string]string{"everything": everythingCase, "without a temperature": saltAloneCase} {
		dir := writeCase(t, text)
		mustRun(t, dir, "run", "small.yaml")
		path := directory(filepath.Join(dir, "small.out")).path(series.SummaryName)
		first := fileText(t, path)
		if !strings.Contains(first, "_gain") || strings.Contains(first, "_gain\": 0,") {
			t.Fatalf("%s: the summary has no balance:\n%s", name, first)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		mustRun(t, dir, "run", "small.yaml", "--resume")
		if again := fileText(t, path); again != first {
			t.Errorf("%s: summary.json is not the same when made again:\n%s", name, cmp.Diff(first, again))
		}
	}
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A damaged snapshot is left out of what the sidecars name, and the run says so; a run without a title keeps its name.
func TestDamagedSnapshotIsNamed(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "title: Long\n", "", 1))
	mustRun(t, dir, "run", "small.yaml", "--set", "time.end=0.03")
	d := directory(filepath.Join(dir, "small.out"))
	snapshots, _, err := snapshot.List(string(d), math.MaxInt64)
	if err != nil || len(snapshots) != 4 {
		t.Fatalf("%d snapshots: %v", len(snapshots), err)
	}
	name := snapshots[1].Name
	if err := os.Truncate(filepath.Join(string(d), snapshot.Folder, name), 3000); err != nil {
		t.Fatal(err)
	}
	last, _, err := checkpoint.Latest(string(d))
	if err != nil {
		t.Fatal(err)
	}
	_, errs := mustRun(t, dir, "restart", last, "--set", "time.end=0.04")
	if !strings.Contains(errs, "left a snapshot out of snapshots.xmf") || !strings.Contains(errs, name) || !strings.Contains(errs, "INF small: convect") {
		t.Errorf("restarted with a damaged snapshot:\n%s", errs)
	}
	if xmf := fileText(t, d.path(snapshot.XDMFName)); strings.Contains(xmf, name) || strings.Count(xmf, "<Time ") != 4 {
		t.Errorf("sidecar:\n%s", xmf)
	}
}

// A run that goes on without the rows of earlier steps says so, and one that has them all says nothing.
func TestLostRowsAreNamed(t *testing.T) {
	dir := writeCase(t, longCase)
	mustRun(t, dir, "run", "small.yaml", "--set", "time.end=0.03")
	table := filepath.Join(dir, "small.out", series.SeriesName)
	if _, errs := mustRun(t, dir, "run", "small.yaml", "--resume", "--set", "time.end=0.031"); strings.Contains(errs, "means over time") {
		t.Errorf("all rows are there:\n%s", errs)
	}
	lines := strings.SplitAfter(fileText(t, table), "\n")
	if err := os.WriteFile(table, []byte(strings.Join(slices.Delete(lines, 2, 5), "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errs := mustRun(t, dir, "run", "small.yaml", "--resume", "--set", "time.end=0.032"); !strings.Contains(errs, "has rows of steps 3 to ") {
		t.Errorf("nothing is said of the rows of three steps:\n%s", errs)
	}
	if err := os.Remove(table); err != nil {
		t.Fatal(err)
	}
	if _, errs := mustRun(t, dir, "run", "small.yaml", "--resume", "--set", "time.end=0.033"); !strings.Contains(errs, "has no rows of the steps before") {
		t.Errorf("nothing is said of the table that is gone:\n%s", errs)
	}
}

func TestDamagedCheckpointIsSkipped(t *testing.T) {
	dir := writeCase(t, longCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "whole")
	mustRun(t, dir, "run", "small.yaml", "--out", "cut", "--set", "time.end=0.03")
	d := directory(filepath.Join(dir, "cut"))
	path, _, err := checkpoint.Latest(string(d))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 5000); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := convect(t, dir, "restart", path); code != exitFailed || !strings.Contains(errs, path) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if code, _, errs := convect(t, dir, "inspect", path); code != exitFailed || !strings.Contains(errs, path) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	_, errs := mustRun(t, dir, "run", "small.yaml", "--out", "cut", "--resume")
	if !strings.Contains(errs, "skipped a checkpoint") {
		t.Errorf("nothing is said of the damaged checkpoint:\n%s", errs)
	}
	if diff := cmp.Diff(readSeries(t, directory(filepath.Join(dir, "whole"))), readSeries(t, d)); diff != "" {
		t.Errorf("series.csv differs:\n%s", diff)
	}
	all, err := filepath.Glob(d.path(filepath.Join(checkpoint.Folder, "*")))
	if err != nil || len(all) == 0 {
		t.Fatal("no checkpoints", err)
	}
	for _, path := range all {
		if err := os.Truncate(path, 5000); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, errs := convect(t, dir, "run", "small.yaml", "--out", "cut", "--resume"); code != exitFailed || !strings.Contains(errs, "with --force the run begins anew") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
