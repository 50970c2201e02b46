package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// testPatience names the variable that says how long processes of these tests wait for a sign of life.
const testPatience = "CONVECT_TEST_PATIENCE"

// mpirun prepares a command line in a folder, on so many processes of a launcher.
func mpirun(t *testing.T, launcher string, size int, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(launcher)
	if err != nil {
		t.Skipf("there is no %s", launcher)
	}
	words := []string{path, "-n", strconv.Itoa(size)}
	if launcher == "mpirun.openmpi" {
		words = append(words, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none")
	}
	c := program(t, dir, args...)
	c.Path, c.Args = path, append(words, c.Args...)
	return c
}

// onProcesses runs a command line on processes to its end.
func onProcesses(t *testing.T, launcher string, size int, dir string, args ...string) (code int, out, errs string) {
	t.Helper()
	c := mpirun(t, launcher, size, dir, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// mustOnProcesses is onProcesses for what has to succeed.
func mustOnProcesses(t *testing.T, launcher string, size int, dir string, args ...string) (errs string) {
	t.Helper()
	code, out, errs := onProcesses(t, launcher, size, dir, args...)
	if code != exitDone {
		t.Fatalf("%s -n %d convect %s: exit code %d\n%s%s", launcher, size, strings.Join(args, " "), code, out, errs)
	}
	return errs
}

// sameSnapshots compares the fields of the snapshots of two runs to the bit.
func sameSnapshots(t *testing.T, a, b directory) {
	t.Helper()
	for _, name := range fileNames(t, a.path(snapshot.Folder)) {
		if filepath.Ext(name) != ".h5" && filepath.Ext(name) != ".hdf" {
			continue
		}
		x, y := []byte(fileText(t, filepath.Join(a.path(snapshot.Folder), name))), []byte(fileText(t, filepath.Join(b.path(snapshot.Folder), name)))
		if !bytes.Equal(x, y) {
			t.Errorf("snapshot %s differs", name)
		}
	}
}

// slabText returns a case of slabCases.
func slabText(t *testing.T, name string) string {
	t.Helper()
	for _, c := range slabCases {
		if c.name == name {
			return strings.NewReplacer(append(slices.Clone(c.words), "GRID", "", "PHYSICS", "", "BOTTOM", "", "TOP", "", "WALLS", "", "INITIAL", "", "MORE", "")...).Replace(slabCase)
		}
	}
	t.Fatalf("there is no case %s", name)
	return ""
}

// A run on processes of Open MPI and MPICH has the bits of a run on one.
func TestProcesses(t *testing.T) {
	withRanks(t, ranks.Options{Rows: 2, Gather: -1, Poison: true})
	for n, name := range []string{"constant", "log-normal", "layers", "graded", "open-top", "periodic", "patch", "salt"} {
		if testing.Short() && name != "periodic" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := writeCase(t, slabText(t, name))
			mustRun(t, dir, "run", "small.yaml", "--out", "one.out", "--device", "cpu")
			for _, c := range []struct {
				launcher string
				size     int
			}{{"mpirun.openmpi", 2}, {"mpirun.openmpi", 4}, {"mpirun.mpich", 2}} {
				if c.launcher == "mpirun.mpich" && n%2 == 0 {
					continue
				}
				out := fmt.Sprintf("%s%d", c.launcher, c.size)
				errs := mustOnProcesses(t, c.launcher, c.size, dir, "run", "small.yaml", "--out", out)
				if !strings.Contains(errs, fmt.Sprintf("%d ranks on 1 host", c.size)) {
					t.Errorf("the log does not tell of %d ranks:\n%s", c.size, errs)
				}
				sameEnd(t, directory(filepath.Join(dir, "one.out")), directory(filepath.Join(dir, out)))
				sameSnapshots(t, directory(filepath.Join(dir, "one.out")), directory(filepath.Join(dir, out)))
			}
		})
	}
}

// A checkpoint of four ranks goes on on one and on three, and one of one rank on four.
func TestProcessesResume(t *testing.T) {
	devicetest.Long(t)
	withRanks(t, ranks.Options{Rows: 2, Gather: -1})
	dir := writeCase(t, slabText(t, "salt"))
	half, whole := []string{"--set", "time.end=0.003"}, []string{"run", "small.yaml", "--out"}
	mustRun(t, dir, append(whole, "one.out")...)
	for _, first := range []int{4, 1} {
		for _, then := range map[int][]int{4: {1, 3}, 1: {4}}[first] {
			out := fmt.Sprintf("%d-%d.out", first, then)
			for _, part := range []struct {
				size int
				more []string
			}{{first, half}, {then, []string{"--resume"}}} {
				args := append(append(slices.Clone(whole), out), part.more...)
				if part.size == 1 {
					mustRun(t, dir, args...)
					continue
				}
				errs := mustOnProcesses(t, "mpirun.openmpi", part.size, dir, args...)
				if strings.Contains(errs, "last bits may differ") {
					t.Errorf("the log warns of other bits:\n%s", errs)
				}
			}
			sameEnd(t, directory(filepath.Join(dir, "one.out")), directory(filepath.Join(dir, out)))
		}
	}
}

// What ranks cannot share runs on one, and says so; other commands run once.
func TestProcessesAlone(t *testing.T) {
	devicetest.Long(t)
	for name, want := range map[string]string{"flat": "2-D", "constant": "runs on one of 3 processes"} {
		dir := writeCase(t, slabText(t, name))
		mustRun(t, dir, "run", "small.yaml", "--out", "one.out")
		if errs := mustOnProcesses(t, "mpirun.openmpi", 3, dir, "run", "small.yaml", "--out", "three.out"); !strings.Contains(errs, want) {
			t.Errorf("%s: the log does not tell of %q:\n%s", name, want, errs)
		}
		sameEnd(t, directory(filepath.Join(dir, "one.out")), directory(filepath.Join(dir, "three.out")))
	}
	dir := writeCase(t, slabText(t, "constant"))
	if code, out, errs := onProcesses(t, "mpirun.openmpi", 3, dir, "version"); code != exitDone || strings.Count(out, "convect") != 1 {
		t.Errorf("version: exit code %d\n%s%s", code, out, errs)
	}
	code, out, errs := onProcesses(t, "mpirun.openmpi", 2, dir, "run", "small.yaml", "--set", "time.end=-1")
	if code != exitUsage || strings.Count(out+errs, "time.end") < 1 || strings.Contains(errs, "MPI_ABORT") {
		t.Errorf("a bad case: exit code %d\n%s%s", code, out, errs)
	}
	if code, _, errs := onProcesses(t, "mpirun.openmpi", 2, dir, "run", "small.yaml", "--device", "cuda:0"); code != exitUsage || !strings.Contains(errs, "accepted are cuda (each its own GPU of its machine), cpu (its cores) and auto") {
		t.Errorf("--device cuda:0: exit code %d\n%s", code, errs)
	}
}

// slowSlabs is a case that does not end soon, and writes a checkpoint each step.
func slowSlabs(t *testing.T) (dir string, d directory) {
	t.Helper()
	withRanks(t, ranks.Options{Rows: 2, Gather: -1})
	dir = writeCase(t, slabText(t, "constant")+"checkpoint: {every: {steps: 5}}\n")
	return dir, directory(filepath.Join(dir, "small.out"))
}

// slow makes slowSlabs run for long.
var slow = []string{"run", "small.yaml", "--set", "time.end=5", "--set", "time.max_step=0.0001", "--set", "time.first_step=0.0001"}

// startOnProcesses starts slowSlabs and waits for some rows.
func startOnProcesses(t *testing.T, size int, dir string, d directory, rows int, args ...string) (c *exec.Cmd, errs *bytes.Buffer) {
	t.Helper()
	c, errs = mpirun(t, "mpirun.openmpi", size, dir, args...), &bytes.Buffer{}
	c.Stderr = errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	waitForRows(t, d, rows)
	return c, errs
}

// process returns the process of a rank, which the launcher has started.
func processOf(t *testing.T, launcher, rank int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", launcher, launcher))
	if err != nil {
		t.Skip(err)
	}
	for _, word := range strings.Fields(string(text)) {
		environment, _ := os.ReadFile("/proc/" + word + "/environ")
		if bytes.Contains(environment, fmt.Appendf(nil, "OMPI_COMM_WORLD_RANK=%d\x00", rank)) {
			pid, _ := strconv.Atoi(word)
			return pid
		}
	}
	t.Fatalf("no process is rank %d among %s", rank, text)
	return 0
}

// A rank that hangs ends all with exit code 1; who speaks names it and the newest checkpoint.
func TestProcessesHang(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits")
	}
	for _, rank := range []int{1, 0} {
		t.Setenv(testPatience, "2s")
		dir, d := slowSlabs(t)
		c, errs := startOnProcesses(t, 3, dir, d, 20, slow...)
		syscall.Kill(processOf(t, c.Process.Pid, rank), syscall.SIGSTOP)
		if code := endOf(t, c); code != exitFailed {
			t.Errorf("rank %d hangs: exit code %d", rank, code)
		}
		host, _ := os.Hostname()
		for _, want := range []string{fmt.Sprintf("rank %d on %s has given no sign of life for 2s", rank, host), "the last whole checkpoint is ", "of step"} {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("rank %d hangs, and nobody says %q:\n%s", rank, want, errs)
			}
		}
	}
}

// A job that is suspended whole for longer than ranks wait for each other goes on.
func TestProcessesSuspended(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits")
	}
	t.Setenv(testPatience, "1s")
	dir, d := slowSlabs(t)
	c, errs := startOnProcesses(t, 2, dir, d, 10, slow...)
	pids := []int{processOf(t, c.Process.Pid, 0), processOf(t, c.Process.Pid, 1)}
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		for _, pid := range pids {
			syscall.Kill(pid, signal)
		}
		time.Sleep(3 * time.Second)
	}
	rows := len(readSeries(t, d))
	waitForRows(t, d, rows+5)
	syscall.Kill(pids[0], syscall.SIGTERM)
	if code := endOf(t, c); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// A run of which a rank is killed goes on from its newest checkpoint, to the same bits; so does one that is told to end through the launcher.
func TestProcessesKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills again and again")
	}
	dir, d := slowSlabs(t)
	end := []string{"--set", "time.end=0.02", "--set", "time.max_step=0.0001", "--set", "time.first_step=0.0001", "--set", "output.every={steps: 50}"}
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "one.out"}, end...)...)
	args := append([]string{"run", "small.yaml", "--resume"}, end...)
	for n := range 4 {
		c := mpirun(t, "mpirun.openmpi", 2+n%2, dir, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "the log tells of the start", func() bool { // sizes take turns
			log, err := os.ReadFile(d.path(logName))
			last := bytes.LastIndex(log, []byte(" ranks on 1 host"))
			return err == nil && last > 0 && log[last-1] == byte('2'+n%2)
		})
		rows, _ := os.ReadFile(d.path(series.SeriesName))
		waitForRows(t, d, max(8*n+4, strings.Count(string(rows), "\n"))) // two more than are there
		if n < 3 {
			syscall.Kill(processOf(t, c.Process.Pid, n%2), syscall.SIGKILL)
		} else {
			c.Process.Signal(syscall.SIGTERM)
		}
		if code := endOf(t, c); code == exitDone {
			t.Errorf("kill %d: exit code %d", n, code)
		}
	}
	if log := fileText(t, d.path(logName)); !strings.Contains(log, "interrupted by SIGTERM") {
		t.Errorf("the log tells of no SIGTERM:\n%s", log)
	}
	mustOnProcesses(t, "mpirun.openmpi", 2, dir, args...)
	sameEnd(t, directory(filepath.Join(dir, "one.out")), d)
}

// A full disk of rank 0 ends all ranks with exit code 1 and the newest whole checkpoint.
func TestProcessesFullDisk(t *testing.T) {
	devicetest.Long(t)
	dir, _ := slowSlabs(t)
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1500k"); err != nil {
		t.Skipf("tmpfs cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	code, _, errs := onProcesses(t, "mpirun.openmpi", 2, dir, append(slices.Clone(slow), "--out", "disk/small.out", "--set", "output.every={steps: 1}")...)
	if code != exitFailed || !strings.Contains(errs, "no space left on device") || !strings.Contains(errs, "the last whole checkpoint is ") || strings.Contains(errs, "MPI_ABORT") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if path, _, err := checkpoint.Latest(filepath.Join(disk, "small.out")); err != nil || path == "" {
		t.Errorf("the newest whole checkpoint is %q, %v", path, err)
	}
	if _, err := os.Stat(filepath.Join(disk, "small.out", series.SeriesName)); err != nil {
		t.Error(err)
	}
}

// SIGUSR2 ends a run as SIGTERM does, on processes too.
func TestProcessesSIGUSR2(t *testing.T) {
	devicetest.Long(t)
	dir, d := slowSlabs(t)
	c, errs := startOnProcesses(t, 2, dir, d, 10, slow...)
	c.Process.Signal(syscall.SIGUSR2)
	if code := endOf(t, c); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if log := fileText(t, d.path(logName)); !strings.Contains(log, "interrupted by SIGUSR2") || !strings.Contains(log, "checkpoint") {
		t.Errorf("the log tells of no SIGUSR2:\n%s", log)
	}
}

// check --ranks shows slabs without gaps, and why some cases are not shared.
func TestCheckRanks(t *testing.T) {
	dir := writeCase(t, strings.NewReplacer("[12, 24, 8]", "[16, 79, 16]").Replace(slabText(t, "constant")))
	out, _ := mustRun(t, dir, "check", "small.yaml", "--ranks", "3", "--threads", "1")
	next := 0
	for _, line := range strings.Split(out, "\n") {
		words := strings.Fields(line)
		if len(words) < 8 || words[2] != "…" {
			continue
		}
		var numbers []int
		for _, n := range []int{0, 1, 3, 4, 5} {
			v, _ := strconv.Atoi(words[n])
			numbers = append(numbers, v)
		}
		if own := numbers[2] - numbers[1] + 1; numbers[1] != next || own != numbers[3] || numbers[4] < own+6 || numbers[4] > own+13 {
			t.Errorf("rank %d has rows %d to %d, %d of its own, and holds %d; want those from %d on", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], next)
		}
		next = numbers[2] + 1
	}
	if next != 80 || !strings.Contains(out, "efficiency") {
		t.Errorf("ranks have %d of 80 rows:\n%s", next, out)
	}
	for name, want := range map[string]string{"flat": "2-D", "constant": "runs on 1 of 3"} {
		dir := writeCase(t, slabText(t, name))
		if out, _ := mustRun(t, dir, "check", "small.yaml", "--ranks", "3"); !strings.Contains(out, want) || strings.Contains(out, "efficiency") {
			t.Errorf("%s: check does not tell of %q:\n%s", name, want, out)
		}
	}
}
