package main

import (
	"encoding/json"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
)

// longCase runs for a second or two, with steps that change.
const longCase = `title: Long
grid: {cells: [24, 16], size: [1, 1]}
physics: {rayleigh: 300}
boundaries: {bottom: {temperature: 1}, top: {temperature: "0.1*sin(200*t)"}}
initial: {perturbation: {mode: [1, 1], amplitude: 0.1}}
time: {end: 0.06}
output: {every: {time: 0.01}}
checkpoint: {every: {steps: 25}}
`

func TestRunDirectory(t *testing.T) {
	dir := writeCase(t, smallCase)
	out, _ := mustRun(t, dir, "run", "small.yaml", "--profile")
	for _, name := range []string{"small.out/snapshots", "small.out/snapshots.xmf", "small.out/temperature.png", "part of a step", "Nusselt number"} {
		if !strings.Contains(out, name) {
			t.Errorf("the end does not name %s:\n%s", name, out)
		}
	}
	d := directory(filepath.Join(dir, "small.out"))
	for _, name := range []string{caseName, logName, series.SeriesName, series.ProfilesName, series.SummaryName, snapshot.XDMFName, pictureName} {
		if _, err := os.Stat(d.path(name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.path(lockName)); err == nil {
		t.Error("the lock is still there")
	}
	text, err := os.ReadFile(d.path(caseName))
	if err != nil || string(text) != smallCase {
		t.Errorf("case.yaml differs from the case: %v\n%s", err, text)
	}
	checkSummary(t, d)
	file, err := os.Open(d.path(pictureName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if img, err := png.Decode(file); err != nil || img.Bounds().Dx() < 500 {
		t.Errorf("picture: %v", err)
	}
}

func checkSummary(t *testing.T, d directory) {
	t.Helper()
	text, err := os.ReadFile(d.path(series.SummaryName))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields(`nusselt nusselt_hot nusselt_cold nusselt_volume nusselt_dissipation nusselt_mean nusselt_stderr
		psi_max psi_centre time steps steady wall_seconds nodes node_steps_per_second device precision version`) {
		if _, ok := all[key]; !ok {
			t.Errorf("summary.json lacks %s", key)
		}
	}
	if all["time"] != 0.05 || all["nodes"] != 153.0 || all["steady"] != false || all["precision"] != "float64" {
		t.Errorf("summary.json: %v", all)
	}
}

func TestForceRemovesTheRunAlone(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml")
	d := directory(filepath.Join(dir, "small.out"))
	mine := d.path("notes.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "small.yaml", "--force", "--set", "time.end=0.01")
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	entries, _, err := snapshot.List(string(d))
	if err != nil || len(entries) != 2 {
		t.Errorf("%d snapshots, want those of the new run alone: %v", len(entries), err)
	}
	if table := readSeries(t, d); table[len(table)-1][1] != 0.01 {
		t.Errorf("series.csv ends at %v", table[len(table)-1])
	}
}

func TestSetIsKept(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml", "--set", "physics.rayleigh=50", "--out", "a")
	mustRun(t, dir, "run", "a/case.yaml", "--out", "b")
	if diff := cmp.Diff(readSeries(t, directory(filepath.Join(dir, "a"))), readSeries(t, directory(filepath.Join(dir, "b")))); diff != "" {
		t.Errorf("the case as run gives another run:\n%s", diff)
	}
}

// readSeries returns the rows of series.csv without wall time, bits and all.
func readSeries(t *testing.T, d directory) [][]float64 {
	t.Helper()
	table, err := series.Read(d.path(series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, table.Rows())
	for i, name := range table.Names {
		if name == "wall_seconds" {
			continue
		}
		for r, v := range table.Columns[i] {
			if math.IsNaN(v) {
				v = math.MaxFloat64 // equal to itself
			}
			rows[r] = append(rows[r], v)
		}
	}
	return rows
}

// sameEnd compares tables, last checkpoints and snapshots of two runs to the bit.
func sameEnd(t *testing.T, a, b directory) {
	t.Helper()
	if diff := cmp.Diff(readSeries(t, a), readSeries(t, b)); diff != "" {
		t.Errorf("series.csv differs:\n%s", diff)
	}
	var ends [2]*checkpoint.Checkpoint
	var names [2][]string
	for i, d := range []directory{a, b} {
		path, _, err := checkpoint.Latest(string(d))
		if err != nil {
			t.Fatal(err)
		}
		if ends[i], err = checkpoint.Read(path); err != nil {
			t.Fatal(err)
		}
		names[i] = fileNames(t, d.path(snapshot.Folder))
	}
	if diff := cmp.Diff(ends[0].State, ends[1].State); diff != "" {
		t.Errorf("the last checkpoints differ:\n%.2000s", diff)
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
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
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

func TestKilledRunsResume(t *testing.T) {
	dir := writeCase(t, longCase)
	mustRun(t, dir, "run", "small.yaml", "--out", "whole")
	whole, cut := directory(filepath.Join(dir, "whole")), directory(filepath.Join(dir, "cut"))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 6 {
		c := start(t, dir, "run", "small.yaml", "--out", string(cut), "--resume")
		time.Sleep(time.Duration(30+r.IntN(400)) * time.Millisecond)
		c.Process.Kill()
		c.Wait()
	}
	mustRun(t, dir, "run", "small.yaml", "--out", string(cut), "--resume")
	sameEnd(t, whole, cut)
}

func TestWalltime(t *testing.T) {
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

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
}

func TestFailureNamesWhatIsNeeded(t *testing.T) {
	text := strings.Replace(smallCase, "bottom: {temperature: 1}", "bottom: {temperature: \"t > 0.033 && t < 0.037 ? log(-1) : 1\"}", 1)
	dir := writeCase(t, strings.Replace(text, "end: 0.05", "end: 0.1, max_step: 1e-3", 1))
	code, _, errs := convect(t, dir, "run", "small.yaml")
	if code != exitFailed {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	log := fileText(t, filepath.Join(dir, "small.out", logName))
	for _, part := range []string{"ERR step ", ", t = 0.03", "field temperature: ", "residuals: NaN", "the last whole checkpoint is small.out/checkpoints/ckpt_0000"} {
		if !strings.Contains(errs, part) || !strings.Contains(log, part) {
			t.Errorf("%q is not in\n%s", part, errs)
		}
	}
}

func TestTwoRunsDoNotShareADirectory(t *testing.T) {
	dir := writeCase(t, longCase)
	d := directory(filepath.Join(dir, "small.out"))
	start(t, dir, "run", "small.yaml", "--set", "time.end=60")
	waitForRows(t, d, 5)
	code, _, errs := convect(t, dir, "run", "small.yaml", "--resume")
	if code != exitFailed || !strings.Contains(errs, "another run is writing to it") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
