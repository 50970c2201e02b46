package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"convect/io/checkpoint"
	"convect/io/snapshot"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// Every rank writes what it has: one that may write no more ends all with exit code 1, is named, and leaves the newest whole checkpoint, from which the run goes on to
// the same bits.
func TestProcessesFullDiskOfOne(t *testing.T) {
	devicetest.Long(t)
	dir, d := slowSlabs(t)
	end := []string{"--set", "time.end=0.02", "--set", "time.max_step=0.0001", "--set", "time.first_step=0.0001", "--set", "output.every={steps: 50}"}
	args := append([]string{"run", "small.yaml", "--resume"}, end...)
	c, errs := startOnProcesses(t, 3, dir, d, 12, args...)
	if err := unix.Prlimit(processOf(t, c.Process.Pid, 2), syscall.RLIMIT_FSIZE, &unix.Rlimit{Cur: 8192, Max: unix.RLIM_INFINITY}, nil); err != nil {
		t.Fatal(err)
	}
	if code := endOf(t, c); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	host, _ := os.Hostname()
	for _, want := range []string{fmt.Sprintf("rank 2 on %s: write ", host), "file too large", "the last whole checkpoint is "} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("nobody says %q:\n%s", want, errs)
		}
	}
	mustLatest(t, d)
	if left, _ := filepath.Glob(d.path("*/*.tmp")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	mustOnProcesses(t, "mpirun.openmpi", 2, dir, args...)
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "one.out"}, end...)...)
	sameEnd(t, directory(filepath.Join(dir, "one.out")), d)
	sameSnapshots(t, directory(filepath.Join(dir, "one.out")), d)
}

// A checkpoint whose values are not those of its checksum is not gone on from, whoever reads them.
func TestProcessesDamagedCheckpoint(t *testing.T) {
	devicetest.Long(t)
	withRanks(t, ranks.Options{Rows: 2, Gather: -1})
	dir := writeCase(t, slabText(t, "periodic"))
	mustOnProcesses(t, "mpirun.openmpi", 2, dir, "run", "small.yaml", "--out", "two.out")
	damage(t, mustLatest(t, directory(filepath.Join(dir, "two.out"))))
	code, out, errs := onProcesses(t, "mpirun.openmpi", 2, dir, "run", "small.yaml", "--out", "two.out", "--resume", "--set", "time.end=1")
	if code == exitDone || !strings.Contains(out+errs, "damaged") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// With a file for each rank the run has the values of a run on one process, and goes on from its checkpoints on other numbers of ranks; files of parts go with theirs.
func TestProcessesFilePerRank(t *testing.T) {
	devicetest.Long(t)
	withRanks(t, ranks.Options{Rows: 2, Gather: -1})
	dir := writeCase(t, slabText(t, "periodic")+"checkpoint: {every: {steps: 2}, keep: 2}\n")
	mustRun(t, dir, "run", "small.yaml", "--out", "one.out")
	half := []string{"--set", "time.end=0.003"}
	mustOnProcesses(t, "mpirun.openmpi", 3, dir, append([]string{"run", "small.yaml", "--out", "parts.out", "--file-per-rank"}, half...)...)
	d := directory(filepath.Join(dir, "parts.out"))
	newest := mustLatest(t, d)
	damage(t, newest+".1")
	if path := mustLatest(t, d); path == newest {
		t.Errorf("%s counts as whole, whose second part is damaged", path)
	}
	errs := mustOnProcesses(t, "mpirun.openmpi", 2, dir, "run", "small.yaml", "--out", "parts.out", "--file-per-rank", "--resume")
	if !strings.Contains(errs, filepath.Base(newest)) {
		t.Errorf("nobody says that %s is damaged:\n%s", newest, errs)
	}
	one := directory(filepath.Join(dir, "one.out"))
	sameEnd(t, one, d)
	for _, name := range fileNames(t, one.path(snapshot.Folder)) {
		if filepath.Ext(name) != ".hdf" {
			continue
		}
		want, err := snapshot.Read(filepath.Join(one.path(snapshot.Folder), name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := snapshot.Read(filepath.Join(d.path(snapshot.Folder), name))
		if err != nil || !reflect.DeepEqual(got.Fields, want.Fields) {
			t.Errorf("%s has other values: %v", name, err)
		}
	}
	for _, name := range fileNames(t, d.path(checkpoint.Folder)) {
		if part := filepath.Ext(name); part != ".h5" && part != "" {
			if _, err := os.Stat(filepath.Join(d.path(checkpoint.Folder), strings.TrimSuffix(name, part))); err != nil {
				t.Errorf("%s is left of a checkpoint", name)
			}
		}
	}
	if _, errs := mustRun(t, dir, "run", "small.yaml", "--out", "parts.out", "--force", "--file-per-rank"); !strings.Contains(errs, "no effect") {
		t.Errorf("nobody says that one process writes one file:\n%s", errs)
	}
	if parts, _ := filepath.Glob(d.path("*/*.[0-9]")); len(parts) > 0 {
		t.Errorf("%v is left", parts)
	}
}

// mustLatest returns the newest whole checkpoint of a run.
func mustLatest(t *testing.T, d directory) string {
	t.Helper()
	path, _, err := checkpoint.Latest(string(d))
	if err != nil || path == "" {
		t.Fatalf("there is no checkpoint: %v", err)
	}
	return path
}

// damage changes a bit in the middle of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	bytes := []byte(fileText(t, path))
	bytes[len(bytes)/2] ^= 1
	if err := os.WriteFile(path, bytes, 0o666); err != nil {
		t.Fatal(err)
	}
}
