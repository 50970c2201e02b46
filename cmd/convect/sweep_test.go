package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"convect/cmd/convect/sweep"
	"convect/io/series"
	"convect/kernels/devicetest"
)

// sweptCase gets steady in a moment.
const sweptCase = `title: Swept
grid: {cells: [12, 12], size: [1, 1]}
physics: {rayleigh: 100}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {noise: 0.1, seed: 1}}
time: {end: 0.4, cfl: 1}
output: {every: {time: 0.1}}
checkpoint: {every: {steps: 20}}
`

const sweepFile = `# Two seeds along a branch.
case: small.yaml
set: {time.max_step: 0.01}
vary:
  physics.rayleigh: [60, 80, 100]
  initial.perturbation.seed: {count: 2}
continue: physics.rayleigh
back: true
results: [nusselt, nusselt_mean, psi_max]
`

// sweptText returns a file of a folder.
func sweptText(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sweptFolder writes the case and the sweep.
func sweptFolder(t *testing.T) string {
	t.Helper()
	dir := writeCase(t, sweptCase)
	writeText(t, filepath.Join(dir, "sweep.yaml"), sweepFile)
	return dir
}

// A sweep that is killed, stopped and resumed gives the tables of one that was not, and so do the tasks of Slurm.
func TestSweepGoesOn(t *testing.T) {
	devicetest.Long(t)
	dir := sweptFolder(t)
	out, _ := mustRun(t, dir, "sweep", "sweep.yaml", "--out", "whole")
	for _, name := range []string{resultsName, resultMeansName, resultsNetCDF, resultsPicture, "back"} {
		if !strings.Contains(out, name) {
			t.Errorf("the end does not tell of %s:\n%s", name, out)
		}
	}
	want, means := sweptText(t, dir, "whole", resultsName), sweptText(t, dir, "whole", resultMeansName)
	if rows := strings.Count(want, "\n"); rows != 2+3*2+2*2 || strings.Contains(want, "missing") {
		t.Errorf("the table has %d lines:\n%s", rows, want)
	}
	same := func(folder string) {
		t.Helper()
		for name, want := range map[string]string{resultsName: want, resultMeansName: means, resultsNetCDF: sweptText(t, dir, "whole", resultsNetCDF)} {
			if got := sweptText(t, dir, folder, name); got != want {
				t.Errorf("%s of %s differs:\n%s\nwant\n%s", name, folder, got, want)
			}
		}
	}
	killed := program(t, dir, "sweep", "sweep.yaml", "--out", "killed", "--jobs", "2")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "a run of the sweep is over", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "killed", resultsName))
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return slices.ContainsFunc(lines[min(2, len(lines)):], func(line string) bool { return !strings.Contains(line, "missing") })
	})
	killed.Process.Kill()
	killed.Wait()
	sofar, all, done := strings.Split(sweptText(t, dir, "killed", resultsName), "\n"), strings.Split(want, "\n"), 0
	for n := range min(len(sofar), len(all)) {
		if n > 1 && sofar[n] != "" && sofar[n] == all[n] {
			done++
		} else if sofar[n] != all[n] && !strings.Contains(sofar[n], "missing") {
			t.Errorf("line %d of a sweep that is killed is %q, want %q or one that is missing", n+1, sofar[n], all[n])
		}
	}
	if done == 0 || len(sofar) != len(all) || slices.Equal(sofar, all) {
		t.Errorf("a sweep that is killed leaves\n%s", strings.Join(sofar, "\n"))
	}
	if code, _, errs := convect(t, dir, "sweep", "sweep.yaml", "--out", "killed"); code != exitUsage || !strings.Contains(errs, "--resume goes on with them") {
		t.Errorf("a second start: exit %d\n%s", code, errs)
	}
	stopped := program(t, dir, "sweep", "sweep.yaml", "--out", "killed", "--resume", "--jobs", "1")
	var said strings.Builder
	stopped.Stdout = &said
	if err := stopped.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, filepath.Join(dir, "killed", "rayleigh=100,seed=1", "checkpoints", "*"))
	stopped.Process.Signal(syscall.SIGSTOP) // so that it does not end before the others are refused
	for _, words := range [][]string{{"--resume"}, {"--collect"}} {
		code, _, errs := convect(t, dir, append([]string{"sweep", "sweep.yaml", "--out", "killed"}, words...)...)
		if code != exitFailed || !strings.Contains(errs, "another process runs this sweep") {
			t.Errorf("%v beside another one: exit %d\n%s", words, code, errs)
		}
	}
	stopped.Process.Signal(os.Interrupt)
	stopped.Process.Signal(syscall.SIGCONT)
	stopped.Wait()
	if code := stopped.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(said.String(), "missing") || !strings.Contains(said.String(), "--resume goes on") {
		t.Errorf("stopped with exit %d:\n%s", code, said.String())
	}
	mustRun(t, dir, "sweep", "sweep.yaml", "--out", "killed", "--resume")
	same("killed")
	began := sweptText(t, dir, "killed", "rayleigh=60,seed=2", logName)
	mustRun(t, dir, "sweep", "sweep.yaml", "--out", "killed", "--resume") // nothing is left to do
	same("killed")
	if sweptText(t, dir, "killed", "rayleigh=60,seed=2", logName) != began {
		t.Error("a run that was over was run again")
	}
	moved := filepath.Join(dir, "moved and é")
	if err := os.Rename(filepath.Join(dir, "killed"), moved); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "sweep", "sweep.yaml", "--out", moved, "--resume")
	same("moved and é")
	if err := os.Remove(filepath.Join(moved, "rayleigh=80,seed=1", series.SeriesName)); err != nil { // which has psi_max and nusselt_mean no more
		t.Fatal(err)
	}
	mustRun(t, dir, "sweep", "sweep.yaml", "--out", moved, "--collect") // summary.json has them all
	same("moved and é")
	code, out, _ := convect(t, dir, "sweep", "sweep.yaml", "--out", moved, "--collect", "--results", "dt")
	if code != exitFailed || !strings.Contains(out, "missing: rayleigh = 80, seed = 1: ") || !strings.Contains(out, series.SeriesName) || strings.Count(sweptText(t, moved, resultsName), "missing") != 1 {
		t.Errorf("without a table: exit %d\n%s", code, out)
	}

	folder := "s%a l"
	mustRun(t, dir, "sweep", "sweep.yaml", "--out", folder, "--slurm")
	fakeSlurm(t, dir)
	submit := exec.Command("sh", filepath.Join(dir, folder, submitName), "--partition=day")
	submit.Env = append(os.Environ(), asProgram+"=1", "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := submit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	same(folder)
	words := sweptText(t, dir, "sbatch.words")
	for _, name := range []string{"slurm-%a.log", "slurm-tables.log"} { // Slurm puts something in the place of %a, and % in the place of %%
		if want := "--output=" + filepath.Join(dir, "s%%a l", name) + "\n"; !strings.Contains(words, want) {
			t.Errorf("sbatch is not told %q:\n%s", want, words)
		}
	}
}

// Where there is a Slurm whose nodes see this machine's folders, its tasks leave the tables of a plain sweep.
func TestSweepUnderSlurm(t *testing.T) {
	devicetest.Long(t)
	if nodes, err := exec.Command("sinfo", "--noheader").Output(); err != nil || len(nodes) == 0 {
		t.Skip("no Slurm answers here")
	}
	dir := sweptFolder(t)
	mustRun(t, dir, "sweep", "sweep.yaml", "--out", "whole")
	mustRun(t, dir, "sweep", "sweep.yaml", "--out", "tasks 5%a", "--slurm")
	submit := exec.Command("sh", filepath.Join(dir, "tasks 5%a", submitName))
	submit.Env = append(os.Environ(), asProgram+"=1")
	said, err := submit.CombinedOutput()
	words := strings.Fields(string(said))
	if err != nil || len(words) == 0 {
		t.Fatalf("%v\n%s", err, said)
	}
	tables := words[len(words)-1] // the job that makes them
	for began := time.Now(); ; time.Sleep(time.Second) {
		if left, _ := exec.Command("squeue", "--noheader", "--jobs", tables).Output(); len(left) == 0 { // one that is over is not known any more
			break
		}
		if time.Since(began) > 10*time.Minute {
			t.Fatal("after ten minutes Slurm has not run all jobs")
		}
	}
	for _, name := range []string{resultsName, resultMeansName, resultsNetCDF} {
		if got, want := sweptText(t, dir, "tasks 5%a", name), sweptText(t, dir, "whole", name); got != want {
			t.Errorf("%s differs:\n%s\nwant\n%s", name, got, want)
		}
	}
	for _, name := range []string{"slurm-0.log", "slurm-1.log", "slurm-tables.log"} {
		if text := sweptText(t, dir, "tasks 5%a", name); text == "" {
			t.Errorf("%s is empty", name)
		}
	}
}

// waitFor waits until a file is there.
func waitFor(t *testing.T, pattern string) {
	t.Helper()
	waitUntil(t, "there is a file "+pattern, func() bool {
		found, _ := filepath.Glob(pattern)
		return len(found) > 0
	})
}

// waitUntil waits for what is told in words.
func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("after a minute it is not so that %s", what)
		}
	}
}

// fakeSlurm makes a command sbatch that runs what is submitted at once, the tasks of an array from the last to the first, and keeps its words.
func fakeSlurm(t *testing.T, dir string) {
	t.Helper()
	writeText(t, filepath.Join(dir, "sbatch"), `#!/bin/sh
printf '%s\n' "$@" >>"$0.words"
for word; do
	case $last in --wrap) sh -c "$word"; exit;; esac
	last=$word
done
most=$(sed -n 's/^#SBATCH --array=0-\([0-9]*\).*/\1/p' "$last")
for n in $(seq "$most" -1 0); do SLURM_ARRAY_TASK_ID=$n sh "$last" >&2 || exit; done
echo "12;cluster"
`)
	if err := os.Chmod(filepath.Join(dir, "sbatch"), 0o777); err != nil {
		t.Fatal(err)
	}
}

// A run that fails is named, the others finish, and what continues from it does not begin; once it can run it is run.
func TestSweepWithAFailure(t *testing.T) {
	dir := writeCase(t, strings.Replace(coarse, "end: 1", "end: 0.002", 1))
	args := []string{"sweep", "small.yaml", "--vary", "physics.rayleigh=100,20000,200", "--results", "nusselt"}
	failing := append(args, "--set", "time.max_step=5e-4", "--set", "time.cfl=0.5", "--set", "time.end=0.02")
	code, out, _ := convect(t, dir, append(failing, "--jobs", "1")...)
	table := sweptText(t, dir, "small.sweep", resultsName)
	if code != exitFailed || !strings.Contains(out, "failed: rayleigh = 20000: ") || !strings.Contains(out, "blown up") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if strings.Count(table, ",done,") != 2 || !strings.Contains(table, "20000,,failed,rayleigh=20000") {
		t.Errorf("table:\n%s", table)
	}
	if code, out, _ := convect(t, dir, append(failing, "--collect")...); code != exitFailed || !strings.Contains(out, "failed: rayleigh = 20000: ") {
		t.Errorf("collected: exit %d:\n%s", code, out)
	}
	if again := sweptText(t, dir, "small.sweep", resultsName); again != table {
		t.Errorf("collected:\n%s\nwant\n%s", again, table)
	}
	code, out, _ = convect(t, dir, append(failing, "--out", "chain", "--continue", "physics.rayleigh")...)
	if code != exitFailed || !strings.Contains(out, "1 run that continue from it did not begin") || !strings.Contains(sweptText(t, dir, "chain", resultsName), "200,,missing") {
		t.Errorf("a chain: exit %d:\n%s", code, out)
	}
	code, out, _ = convect(t, dir, append(failing, "--out", "fast", "--fail-fast", "--jobs", "1", "--vary", "physics.rayleigh=20000,100")...)
	if code != exitUsage || !strings.Contains(out+readErr(t, dir, failing), "varies already") {
		t.Errorf("a key twice: exit %d\n%s", code, out)
	}
	fast := append([]string{"sweep", "small.yaml", "--out", "fast", "--fail-fast", "--jobs", "1", "--vary", "physics.rayleigh=20000,100", "--results", "nusselt"}, failing[6:]...)
	if code, out, _ := convect(t, dir, fast...); code != exitFailed || !strings.Contains(sweptText(t, dir, "fast", resultsName), "100,,missing") {
		t.Errorf("--fail-fast: exit %d:\n%s", code, out)
	}
}

func readErr(t *testing.T, dir string, args []string) string {
	t.Helper()
	_, _, errs := convect(t, dir, append(args, "--vary", "physics.rayleigh=1")...)
	return errs
}

// One command gives the Nusselt number of the square at eight Rayleigh numbers, within 0.3 % of the published ones (docs/validation.md).
func TestSweepOfTheSquare(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "square.yaml"), readFile(t, "../../runs/square/case.yaml"))
	mustRun(t, dir, "sweep", "square.yaml", "--vary", "physics.rayleigh=50,60,80,100,150,200,250,300", "--results", "nusselt,psi_max")
	for ra, want := range map[string]float64{"50": 1.45223, "100": 2.64592, "200": 3.80980, "300": 4.51635} {
		nu, err := valueAtEnd(filepath.Join(dir, "square.sweep", "rayleigh="+ra), "nusselt")
		if err != nil || math.Abs(nu/want-1) > 0.003 {
			t.Errorf("Ra %s: Nu %g, published %g: %v", ra, nu, want, err)
		}
	}
	before := 1.0
	for _, line := range strings.Split(strings.TrimSpace(sweptText(t, dir, "square.sweep", resultsName)), "\n")[2:] {
		cells := strings.Split(line, ",")
		nu, err := strconv.ParseFloat(cells[1], 64)
		if err != nil || nu <= before || cells[3] != "steady" {
			t.Errorf("row %s: %v", line, err)
		}
		before = nu
	}
}

// Nothing begins where a case is wrong; what is wrong is told with the place in the sweep.
func TestSweepIsChecked(t *testing.T) {
	dir := sweptFolder(t)
	for _, c := range []struct{ name, old, new, want string }{
		{"an unknown key", "physics.rayleigh", "physics.raylegh", "sweep.yaml:5: physics.raylegh=60: "},
		{"a wrong value", "[60, 80, 100]", "[60, hot, 100]", "sweep.yaml:5: physics.rayleigh=hot: "},
		{"a result", "psi_max", "psi_mox", `a run has no number "psi_mox" (did you mean psi_max?)`},
		{"no case", "small.yaml", "none.yaml", "there is no case file"},
		{"a key of the sweep", "back: true", "bakc: true", `sweep.yaml:8: there is no key "bakc"`},
	} {
		writeText(t, filepath.Join(dir, "wrong.yaml"), strings.Replace(sweepFile, c.old, c.new, -1))
		code, out, errs := convect(t, dir, "sweep", "wrong.yaml")
		if want := strings.Replace(c.want, "sweep.yaml", "wrong.yaml", 1); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, want %q in\n%s%s", c.name, code, want, out, errs)
		}
		if _, err := os.Stat(filepath.Join(dir, "wrong.sweep")); err == nil {
			t.Errorf("%s: something was written", c.name)
		}
	}
	out, _ := mustRun(t, dir, "sweep", "sweep.yaml", "--dry-run")
	if !strings.Contains(out, "10 runs") || !strings.Contains(out, "rayleigh=60,seed=2,back  from the last state of rayleigh=80,seed=2,back") {
		t.Errorf("--dry-run:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "sweep.sweep")); err == nil {
		t.Error("--dry-run has written something")
	}
	writeText(t, filepath.Join(dir, "broken.yaml"), "case: small.yaml\nvary: {physics.rayleigh: [60, 80\n")
	if code, _, errs := convect(t, dir, "sweep", "broken.yaml"); code != exitUsage || !strings.Contains(errs, "broken.yaml: [2:") {
		t.Errorf("broken YAML: exit %d\n%s", code, errs)
	}
	for _, args := range [][]string{{"sweep", "small.yaml"}, {"sweep", "sweep.yaml", "--resume", "--force"}, {"sweep", "sweep.yaml", "--task", "7"}, {"sweep", "sweep.yaml", "--combine", "mix"},
		{"sweep", "sweep.yaml", "--collect", "--out", "none"}, {"sweep", "none.yaml"}, {"sweep", "sweep.yaml", "--slurm", "--out", `a\b`}} {
		if code, _, errs := convect(t, dir, args...); code != exitUsage {
			t.Errorf("%v: exit %d\n%s", args, code, errs)
		}
	}
}

// Fewer runs stand side by side where more do not fit into the memory.
func TestSweepFitsIntoMemory(t *testing.T) {
	dir := writeCase(t, strings.Replace(sweptCase, "[12, 12]", "[1024, 1024]", 1))
	c := program(t, dir, "sweep", "small.yaml", "--vary", "physics.rayleigh=60,80,100,120,140,160,180,200", "--jobs", "8", "--dry-run")
	limited := exec.Command("sh", append([]string{"-c", "ulimit -v 3000000; exec \"$@\"", "sh"}, c.Args...)...)
	limited.Dir, limited.Env = c.Dir, c.Env
	out, err := limited.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "at a time on cpu, not 8: more do not fit into its memory") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Salt holds the fluid down until it moves; once it moves it goes on at Rayleigh numbers at which rest is stable too: the branch there and the branch back differ.
func TestHysteresis(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, `title: Salt
grid: {cells: [12, 12], size: [1, 1]}
physics: {rayleigh: 100, solute: {buoyancy_ratio: -0.4, lewis: 2.5}}
boundaries: {bottom: {temperature: 1, concentration: 1}, top: {temperature: 0, concentration: 0}}
initial: {concentration: diffusion, perturbation: {mode: [1, 0, 1], amplitude: 1e-3}}
time: {end: 1, cfl: 1}
solver: {transport: central}
`)
	mustRun(t, dir, "sweep", "small.yaml", "--vary", "physics.rayleigh=112,180", "--continue", "physics.rayleigh", "--back", "--results", "nusselt")
	table := map[string]float64{}
	for _, name := range []string{"rayleigh=112", "rayleigh=180", "rayleigh=112,back"} {
		s, err := series.ReadSummary(filepath.Join(dir, "small.sweep", name, series.SummaryName))
		if err != nil {
			t.Fatal(err)
		}
		table[name] = float64(s.Nusselt)
	}
	if math.Abs(table["rayleigh=112"]-1) > 0.01 || table["rayleigh=180"] < 2 || table["rayleigh=112,back"] < 1.3 {
		t.Errorf("Nusselt numbers %v", table)
	}
}

// On a terminal the bars of a sweep and of its runs are drawn, and the sweep ends.
func TestSweepOnATerminal(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, sweptCase)
	inner, outer := terminal(t)
	c := program(t, dir, "sweep", "small.yaml", "--vary", "physics.rayleigh=60,80,100,120", "--jobs", "2", "--results", "nusselt", "--set", "grid.cells=[48,48]")
	c.Stderr, c.Env = inner, append(c.Env, "TERM=xterm")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	shown := make(chan string, 1)
	go func() {
		var all strings.Builder
		buffer := make([]byte, 1<<16)
		for {
			n, err := outer.Read(buffer)
			all.Write(buffer[:n])
			if err != nil {
				shown <- all.String()
				return
			}
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		c.Process.Kill()
		t.Error("the sweep does not end")
	}
	inner.Close()
	text := <-shown
	for _, want := range []string{"4 of 4", "rayleigh = 120", "left"} {
		if !strings.Contains(text, want) {
			t.Errorf("the terminal does not show %q", want)
		}
	}
}

// A run that has ended is forgotten: what it holds is let go.
func TestSweepForgetsRuns(t *testing.T) {
	w := &sweepWork{running: map[*sweep.Run]*signals{}}
	asked := 0
	own := newSignals()
	end := w.begin(&sweep.Run{}, own)
	own.bind(func() { asked++ })
	w.checkpoint()
	end()
	w.checkpoint()
	if asked != 1 || len(w.running) != 0 {
		t.Errorf("asked %d times, %d are kept", asked, len(w.running))
	}
}
