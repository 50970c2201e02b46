package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
)

// Results without a checkpoint are never removed by --resume: it says what is there. With --force as well the run begins anew.
func TestResumeKeepsResults(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "end: 0.06", "end: 0.02", 1))
	d := directory(filepath.Join(dir, "small.out"))
	mustRun(t, dir, "run", "small.yaml")
	if err := os.RemoveAll(d.path(checkpoint.Folder)); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, parts ...string) {
		t.Helper()
		for _, args := range []string{"run small.yaml --resume", "run small.yaml --resume --set physics.rayleigh=7"} {
			code, said := unchanged(t, dir, strings.Fields(args)...)
			if code != exitUsage {
				t.Fatalf("%s, %s: exit code %d\n%s", what, args, code, said)
			}
			for _, part := range append(parts, "With --force the run begins anew", "--resume removes no results") {
				if !strings.Contains(said, part) {
					t.Errorf("%s, %s: want %q in\n%s", what, args, part, said)
				}
			}
		}
	}
	refused("a finished run", "3 snapshots (of steps 0 to ", "series.csv with ", "profiles.csv", "summary.json", "temperature.png")
	for _, name := range []string{series.SummaryName, pictureName("temperature")} {
		if err := os.Remove(d.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	refused("a run past its first checkpoint", "3 snapshots", "series.csv with ")
	if err := os.Remove(d.path(series.SeriesName)); err != nil {
		t.Fatal(err)
	}
	refused("snapshots alone", "3 snapshots")
	if err := os.Mkdir(d.path(checkpoint.Folder), 0o777); err != nil {
		t.Fatal(err)
	}
	refused("an empty folder of checkpoints", "3 snapshots")
	mustRun(t, dir, "run", "small.yaml", "--resume", "--force")
	if code, said := unchanged(t, dir, "run", "small.yaml", "--resume"); code != exitDone || !strings.Contains(said, "nothing to do") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// A short run that was interrupted has lost its checkpoints like any other when they are removed, though none was due by the clock.
func TestShortRunKeepsResults(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "checkpoint: {every: {steps: 25}}", "checkpoint: {every: 10m}", 1))
	d := directory(filepath.Join(dir, "small.out"))
	c := start(t, dir, "run", "small.yaml")
	waitForRows(t, d, 20)
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	paths, err := filepath.Glob(d.path(filepath.Join(checkpoint.Folder, "*")))
	if err != nil || len(paths) != 1 {
		t.Fatalf("checkpoints: %v, %v", paths, err)
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	code, said := unchanged(t, dir, "run", "small.yaml", "--resume")
	if code != exitUsage || !strings.Contains(said, "holds results but no checkpoint") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// What a run leaves that is killed before its first checkpoint, whenever those are due, is made again: a loop of resumes ends. With another
// case it is kept.
func TestBeginningIsMadeAgain(t *testing.T) {
	for name, every := range map[string]string{"wall": "10m", "time": "{time: 0.5}", "steps": "{steps: 100000}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer("checkpoint: {every: {steps: 25}}", "checkpoint: {every: "+every+"}", "end: 0.06", "end: 0.02").Replace(longCase)
			dir := writeCase(t, text)
			mustRun(t, dir, "run", "small.yaml", "--out", "whole")
			d := directory(filepath.Join(dir, "small.out"))
			c := start(t, dir, "run", "small.yaml")
			waitForRows(t, d, 20)
			if err := c.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			c.Wait()
			code, said := convectTwice(t, dir, "run", "small.yaml", "--resume", "--set", "physics.rayleigh=301")
			if code != exitUsage || !strings.Contains(said, "holds results but no checkpoint") {
				t.Errorf("another case: exit code %d\n%s", code, said)
			}
			record := d.path(caseName)
			if err := errors.Join(os.Rename(record, record+".aside"), os.Mkdir(record, 0o777)); err != nil {
				t.Fatal(err)
			}
			if code, said := unchanged(t, dir, "run", "small.yaml", "--resume"); code != exitFailed || !strings.Contains(said, "case.yaml: is a directory") {
				t.Errorf("a case that cannot be read: exit code %d\n%s", code, said)
			}
			if err := errors.Join(os.Remove(record), os.Rename(record+".aside", record)); err != nil {
				t.Fatal(err)
			}
			if _, errs := mustRun(t, dir, "run", "small.yaml", "--resume"); !strings.Contains(errs, "it begins anew (there were ") {
				t.Errorf("nothing is said of the beginning that was there:\n%s", errs)
			}
			sameEnd(t, directory(filepath.Join(dir, "whole")), d)
		})
	}
}

// convectTwice runs a command line that must be refused, once to tidy the lock that a kill has left and once without a change.
func convectTwice(t *testing.T, dir string, args ...string) (code int, said string) {
	t.Helper()
	convect(t, dir, args...)
	return unchanged(t, dir, args...)
}

// The case file of the user is never written or removed, whatever way leads to it and whatever the options.
func TestOwnCaseFileSurvives(t *testing.T) {
	text := "# my own\n" + smallCase
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string) // in the folder that has case.yaml
		given   string
	}{
		"the file itself": {func(t *testing.T, dir string) {}, "case.yaml"},
		"a symbolic link": {func(t *testing.T, dir string) { linkTo(t, os.Symlink, "case.yaml", filepath.Join(dir, "link.yaml")) }, "link.yaml"},
		"a hard link": {func(t *testing.T, dir string) {
			linkTo(t, os.Link, filepath.Join(dir, "case.yaml"), filepath.Join(dir, "hard.yaml"))
		}, "hard.yaml"},
		"another way": {func(t *testing.T, dir string) { linkTo(t, os.Symlink, dir, dir+".link") }, "../WAY.link/case.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "way")
			mine := filepath.Join(dir, "case.yaml")
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(mine, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			c.prepare(t, dir)
			given := strings.Replace(c.given, "WAY", "way", 1)
			before, err := os.Stat(mine)
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range []string{
				"run GIVEN --out . --set time.end=0.02",
				"run GIVEN --out . --resume --set time.end=0.03",
				"run GIVEN --out . --force --set time.end=0.02",
				"run GIVEN --out . --resume --force --set time.end=0.03",
				"restart . --set time.end=0.04",
				"run GIVEN --out . --resume --set time.end=0.05",
			} {
				words := strings.Fields(strings.Replace(args, "GIVEN", given, 1))
				mustRun(t, dir, words...)
				after, err := os.Stat(mine)
				if err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) || fileText(t, mine) != text {
					t.Fatalf("convect %s: case.yaml is another: %v", args, err)
				}
				_, end, _ := strings.Cut(args, "time.end=")
				if record := fileText(t, filepath.Join(dir, ownCaseName)); !strings.Contains(record, "end: "+end) {
					t.Errorf("convect %s: the case as run is\n%s", args, record)
				}
			}
		})
	}
}

func linkTo(t *testing.T, make func(from, to string) error, from, to string) {
	t.Helper()
	if err := make(from, to); err != nil {
		t.Fatal(err)
	}
}

// A case.yaml in a folder where no run was is not taken for that of one, nor is a file of a run removed that the new one needs.
func TestForceSparesWhatIsNoRuns(t *testing.T) {
	dir := writeCase(t, smallCase)
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, caseName), []byte("# another\n"+smallCase), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, option := range []string{"--force", "--resume", "--resume --force"} {
		code, said := unchanged(t, dir, strings.Fields("run small.yaml --out folder "+option)...)
		if code != exitUsage || !strings.Contains(said, "folder/case.yaml is ") || !strings.Contains(said, "move it away") {
			t.Errorf("%s: exit code %d\n%s", option, code, said)
		}
	}
	mustRun(t, dir, "run", "small.yaml")
	snapshots, err := filepath.Glob(filepath.Join(dir, "small.out", snapshot.Folder, "*"))
	if err != nil || len(snapshots) == 0 {
		t.Fatal(err)
	}
	code, said := unchanged(t, dir, "run", "small.yaml", "--force", "--set", "initial={temperature: {file: "+snapshots[0]+"}}")
	if code != exitUsage || !strings.Contains(said, "initial.temperature.file needs it") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// Checkpoints that this user may not read are not damaged, and nothing is removed for them.
func TestUnreadableCheckpoints(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "end: 0.06", "end: 0.02", 1))
	d := directory(filepath.Join(dir, "small.out"))
	mustRun(t, dir, "run", "small.yaml")
	newest, _, err := checkpoint.Latest(string(d))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(newest, 0); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"run small.yaml --resume", "run small.yaml --resume --force", "restart small.out", "run small.yaml --resume --set time.end=0.03"} {
		code, said := asNobody(t, dir, strings.Fields(args)...)
		if code != exitFailed || !strings.Contains(said, "permission denied") || !strings.Contains(said, "make it readable") ||
			strings.Contains(said, "damaged") || strings.Contains(said, "--force") || strings.Contains(said, "anew") {
			t.Errorf("%s: exit code %d\n%s", args, code, said)
		}
	}
	if code, said := asNobody(t, dir, "inspect", newest); code != exitFailed || !strings.Contains(said, "permission denied") || strings.Contains(said, "damaged") {
		t.Errorf("inspect: exit code %d\n%s", code, said)
	}
}

// asNobody runs a command line as a user who owns nothing, or as this one if it is not root.
func asNobody(t *testing.T, dir string, args ...string) (code int, said string) {
	t.Helper()
	c := program(t, dir, args...)
	if os.Getuid() == 0 {
		binary := filepath.Join(t.TempDir(), "convect")
		text := fileText(t, c.Path)
		if err := os.WriteFile(binary, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{dir, binary} {
			for at := filepath.Dir(folder); at != os.TempDir() && len(at) > 1; at = filepath.Dir(at) {
				if err := os.Chmod(at, 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		const nobody = 65534
		c.Path = binary
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}
