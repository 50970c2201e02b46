package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/kernels/devicetest"
)

// tree returns what is to be known of every file in a folder: bytes, time of the last change, mode.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			text = fileText(t, path)
		}
		files[path] = fmt.Sprint(info.ModTime().UnixNano(), info.Mode(), len(text), " ", text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// unchanged runs a command that must not change a file in a folder, and returns its exit code and what it said.
func unchanged(t *testing.T, dir string, args ...string) (code int, said string) {
	t.Helper()
	before := tree(t, dir)
	code, out, errs := convect(t, dir, args...)
	after := tree(t, dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("convect %s: %s changed:\n%.300s\n%.300s", strings.Join(args, " "), name, text, after[name])
		}
	}
	for name := range after {
		if _, there := before[name]; !there {
			t.Errorf("convect %s: %s is new", strings.Join(args, " "), name)
		}
	}
	return code, out + errs
}

// A run that is over, at its end or steady, says so when it is resumed, and nothing changes.
func TestNothingToDo(t *testing.T) {
	for name, text := range map[string]string{
		"end":         smallCase,
		"end in time": strings.Replace(longCase, "end: 0.06", "end: 0.03", 1),
		"steady":      strings.NewReplacer("rayleigh: 100", "rayleigh: 20", "end: 0.05", "end: 5, steady: 1e-2").Replace(smallCase),
		"odd end":     strings.NewReplacer("end: 0.05", "end: 0.0300000000001", "{time: 0.02}", "{time: 0.01}").Replace(smallCase),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := writeCase(t, text)
			mustRun(t, dir, "run", "small.yaml")
			for _, args := range []string{
				"run small.yaml --resume", "run small.yaml --resume --set output.every.time=0.007 --set checkpoint.keep=7",
				"run small.yaml --resume --force", "run small.yaml --resume --walltime 1h", "restart small.out", "restart small.out/checkpoints",
			} {
				if code, said := unchanged(t, dir, strings.Fields(args)...); code != exitDone || !strings.Contains(said, "there is nothing to do") {
					t.Errorf("%s: exit code %d\n%s", args, code, said)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "small.out", lockName), nil, 0o666); err != nil { // of a run that was killed
				t.Fatal(err)
			}
			mustRun(t, dir, "run", "small.yaml", "--resume")
			if _, err := os.Lstat(filepath.Join(dir, "small.out", lockName)); err == nil {
				t.Error("the lock that a kill has left is still there")
			}
			commented := "# a remark\n" + strings.Replace(text, "rayleigh: ", "rayleigh: +", 1)
			if err := os.WriteFile(filepath.Join(dir, "small.yaml"), []byte(commented), 0o666); err != nil {
				t.Fatal(err)
			}
			if code, said := unchanged(t, dir, "run", "small.yaml", "--resume"); code != exitDone || !strings.Contains(said, "there is nothing to do") {
				t.Errorf("with other comments: exit code %d\n%s", code, said)
			}
		})
	}
}

// Another case is refused with all keys and the command that goes on with it, whether the run is over or not; that command works.
func TestResumeRefusesAnotherCase(t *testing.T) {
	dir := writeCase(t, strings.Replace(longCase, "end: 0.06", "end: 0.02", 1))
	mustRun(t, dir, "run", "small.yaml")
	for _, end := range []string{"0.02", "0.03"} {
		for change, says := range map[string]string{
			"physics.rayleigh=500":                "physics.rayleigh: 300 there, 500 now",
			"physics.diffusivity=2":               "physics.diffusivity: left out there, 2 now",
			"boundaries.top.temperature=":         "boundaries.top.temperature: \"0.1*sin(200*t)\" there, left out now",
			"time.cfl=0.3":                        "time.cfl: left out there, 0.3 now",
			"time.steady=1e-3":                    "time.steady: left out there, 1e-3 now",
			"solver.transport=central":            "solver.transport: left out there, central now",
			"initial.perturbation.amplitude=0.11": "initial.perturbation.amplitude: 0.1 there, 0.11 now",
			"title=Short":                         "title: Long there, Short now",
			"boundaries.patches=[{wall: bottom, x: [0, 0.5], temperature: 2}]": "boundaries.patches: left out there, [{wall: bottom, x: [0, 0.5], temperature: 2}] now",
		} {
			code, said := unchanged(t, dir, "run", "small.yaml", "--resume", "--set", "time.end="+end, "--set", change)
			key, _, _ := strings.Cut(change, "=")
			for _, part := range []string{says, "convect restart small.out --set", key, "--out OTHER"} {
				if code != exitUsage || !strings.Contains(said, part) {
					t.Errorf("%s: exit code %d, want %q in\n%s", change, code, part, said)
				}
			}
			if later := strings.Contains(said, "--set time.end=LATER"); later != (end == "0.02") {
				t.Errorf("%s: the later end is asked for: %v\n%s", change, later, said)
			}
		}
	}
	mustRun(t, dir, "restart", "small.out", "--set", "physics.rayleigh=500", "--set", "time.end=0.03", "--out", "other")
	other, err := series.ReadSummary(filepath.Join(dir, "other", series.SummaryName))
	if err != nil || other.Rayleigh != 500 || other.Time != 0.03 {
		t.Errorf("summary %+v: %v", other, err)
	}
	if code, said := unchanged(t, dir, "restart", "small.out", "--set", "physics.rayleigh=500", "--out", "new"); code != exitUsage ||
		!strings.Contains(said, "no step would be made with the new physics.rayleigh") {
		t.Errorf("no step under another Rayleigh number: exit code %d\n%s", code, said)
	}
	if code, said := unchanged(t, dir, "restart", "small.out", "--set", "physics.rayleigh=500"); code != exitUsage ||
		!strings.Contains(said, "no step would be made with the new physics.rayleigh") {
		t.Errorf("no step in place under another Rayleigh number: exit code %d\n%s", code, said)
	}
}

// The end, output and checkpoints may change: the run goes on, and case.yaml is the new one. It never ends before the checkpoint.
func TestResumeWithALaterEnd(t *testing.T) {
	dir := writeCase(t, longCase)
	d := directory(filepath.Join(dir, "small.out"))
	mustRun(t, dir, "run", "small.yaml", "--set", "time.end=0.02")
	_, errs := mustRun(t, dir, "run", "small.yaml", "--resume", "--set", "time.end=0.03", "--set", "output={every: {steps: 7}, fields: [temperature]}",
		"--set", "checkpoint={keep: 9, every: {time: 0.005}}", "--walltime", "1h")
	if !strings.Contains(errs, "continuing from") {
		t.Errorf("it did not go on\n%s", errs)
	}
	if text := fileText(t, d.path(caseName)); !strings.Contains(text, "end: 0.03") || !strings.Contains(text, "keep: 9") {
		t.Errorf("case.yaml is\n%s", text)
	}
	summary, err := series.ReadSummary(d.path(series.SummaryName))
	if err != nil || summary.Time != 0.03 {
		t.Errorf("summary %+v: %v", summary, err)
	}
	code, said := unchanged(t, dir, "run", "small.yaml", "--resume", "--set", "time.end=0.01")
	if code != exitUsage || !strings.Contains(said, "has come to t = 0.03, past time.end: with --set time.end=0.03 it ends there") {
		t.Errorf("an earlier end: exit code %d\n%s", code, said)
	}
	// With the end of the finished run it is over; a summary of an earlier end is not taken for its own.
	old := fileText(t, d.path(series.SummaryName))
	early := strings.Replace(old, fmt.Sprintf(`"steps": %d`, summary.Steps), `"steps": 1`, 1)
	if err := os.WriteFile(d.path(series.SummaryName), []byte(early), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "small.yaml", "--resume", "--set", "time.end=0.03")
	if diff := cmp.Diff(old, fileText(t, d.path(series.SummaryName))); diff != "" {
		t.Errorf("summary.json made again (-before +after):\n%s", diff)
	}
}

// A steady state is none under another Rayleigh number.
func TestRestartOfASteadyRunGoesOn(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, strings.NewReplacer("rayleigh: 100", "rayleigh: 20", "end: 0.05", "end: 5, steady: 1e-2").Replace(smallCase))
	mustRun(t, dir, "run", "small.yaml")
	mustRun(t, dir, "restart", "small.out", "--set", "physics.rayleigh=100", "--out", "other")
	first, second := lastCheckpoint(t, directory(filepath.Join(dir, "small.out"))), lastCheckpoint(t, directory(filepath.Join(dir, "other")))
	if second.Step <= first.Step {
		t.Errorf("at Ra 100 the run ends at step %d, that at Ra 20 at %d", second.Step, first.Step)
	}
}

// The newest whole checkpoint is found in a run directory, in its folder of checkpoints, and in any folder that has some.
func TestRestartOfAFolder(t *testing.T) {
	devicetest.Long(t)
	dir := writeCase(t, strings.Replace(longCase, "end: 0.06", "end: 0.02", 1))
	mustRun(t, dir, "run", "small.yaml")
	newest, _, err := checkpoint.Latest(filepath.Join(dir, "small.out"))
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(dir, "backup")
	if err := os.CopyFS(backup, os.DirFS(filepath.Dir(newest))); err != nil {
		t.Fatal(err)
	}
	for i, at := range []string{"small.out", "small.out/", "small.out/checkpoints", "backup"} {
		out := fmt.Sprint("out", i)
		_, errs := mustRun(t, dir, "restart", at, "--set", "time.end=0.022", "--out", out)
		if !strings.Contains(errs, filepath.Base(newest)) {
			t.Errorf("%s: not from %s\n%s", at, newest, errs)
		}
	}
	gone := filepath.Join(filepath.Dir(newest), "ckpt_000001.h5")
	if code, _, errs := convect(t, dir, "restart", gone); code != exitFailed || !strings.Contains(errs, "no such file or directory; the newest checkpoint there is "+filepath.Base(newest)) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if err := os.Truncate(newest, 4000); err != nil {
		t.Fatal(err)
	}
	if _, errs := mustRun(t, dir, "restart", "small.out", "--out", "older"); !strings.Contains(errs, "skipped a checkpoint") {
		t.Errorf("nothing is said of the damaged checkpoint:\n%s", errs)
	}
	// From within the folder the run directory is the one above it.
	mustRun(t, filepath.Join(dir, "small.out", checkpoint.Folder), "restart", ".", "--set", "time.end=0.021")
	if summary, err := series.ReadSummary(filepath.Join(dir, "small.out", series.SummaryName)); err != nil || summary.Time != 0.021 {
		t.Errorf("summary %+v: %v", summary, err)
	}
	if code, _, errs := convect(t, dir, "restart", ".", "--out", "new"); code != exitUsage || !strings.Contains(errs, "there is no checkpoint in .") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// The numbers under the picture are those of summary.json, also where a wall varies in time and both are made again.
func TestNumbersMadeAgain(t *testing.T) {
	dir := writeCase(t, strings.NewReplacer("end: 0.06", "end: 0.02", "sin(200*t)", "sin(200*t) + x*sin(170*t)").Replace(longCase))
	mustRun(t, dir, "run", "small.yaml")
	d := directory(filepath.Join(dir, "small.out"))
	summary, picture := fileText(t, d.path(series.SummaryName)), fileText(t, d.path(pictureName("temperature")))
	for _, removed := range [][]string{{series.SummaryName}, {pictureName("temperature")}, {series.SummaryName, pictureName("temperature")}} {
		for _, name := range removed {
			if err := os.Remove(d.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		mustRun(t, dir, "run", "small.yaml", "--resume")
		if diff := cmp.Diff(summary, fileText(t, d.path(series.SummaryName))); diff != "" {
			t.Errorf("without %v: summary.json (-before +after):\n%s", removed, diff)
		}
		if fileText(t, d.path(pictureName("temperature"))) != picture {
			t.Errorf("without %v: the picture is another one", removed)
		}
	}
	mustRun(t, dir, "restart", "small.out", "--out", "copy")
	copied := fileText(t, filepath.Join(dir, "copy", series.SummaryName))
	if diff := cmp.Diff(summary, copied); diff != "" {
		t.Errorf("summary.json of a copy (-before +after):\n%s", diff)
	}
}

// Where the content of a file that the case names has changed, --resume refuses and restart says so; a file that has only moved is the same.
func TestFileWithAnotherContent(t *testing.T) {
	dir := writeCase(t, strings.NewReplacer("{rayleigh: 300}", "{rayleigh: 300, permeability: {file: k.csv}}", "end: 0.06", "end: 0.005").Replace(longCase))
	write := func(name, left string) {
		text := "x,z,k\n"
		for _, z := range []string{"0", "1"} {
			text += "0," + z + "," + left + "\n1," + z + ",1\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("k.csv", "1")
	mustRun(t, dir, "run", "small.yaml")
	write("k.csv", "2")
	for _, end := range []string{"0.005", "0.006"} {
		code, said := unchanged(t, dir, "run", "small.yaml", "--resume", "--set", "time.end="+end)
		if code != exitUsage || !strings.Contains(said, "physics.permeability.file: the file has another content now") || !strings.Contains(said, "--out OTHER") {
			t.Errorf("up to %s: exit code %d\n%s", end, code, said)
		}
	}
	if _, errs := mustRun(t, dir, "restart", "small.out", "--set", "time.end=0.006", "--out", "other"); !strings.Contains(errs, "differs from that of the checkpoint in physics.permeability.file") {
		t.Errorf("a restart says nothing of the file\n%s", errs)
	}
	write("moved.csv", "1")
	moved := []string{"--set", "physics.permeability.file=moved.csv"}
	if code, said := unchanged(t, dir, append([]string{"run", "small.yaml", "--resume"}, moved...)...); code != exitDone || !strings.Contains(said, "nothing to do") {
		t.Errorf("a file that has moved: exit code %d\n%s", code, said)
	}
	mustRun(t, dir, append([]string{"run", "small.yaml", "--resume", "--set", "time.end=0.006"}, moved...)...)
	if err := os.Remove(filepath.Join(dir, "moved.csv")); err != nil {
		t.Fatal(err)
	}
	if code, said := unchanged(t, dir, append([]string{"run", "small.yaml", "--resume", "--set", "time.end=0.007"}, moved...)...); code == exitDone || !strings.Contains(said, "moved.csv") {
		t.Errorf("a file that is gone: exit code %d\n%s", code, said)
	}
}

// A restart from an earlier checkpoint leaves no summary of the later end.
func TestRestartRemovesALaterSummary(t *testing.T) {
	dir := writeCase(t, strings.NewReplacer("end: 0.06", "end: 0.02", "{steps: 25}", "{steps: 25}, keep: 99").Replace(longCase))
	mustRun(t, dir, "run", "small.yaml")
	d := directory(filepath.Join(dir, "small.out"))
	c := start(t, dir, "restart", "small.out/checkpoints/ckpt_000025.h5", "--set", "time.end=60")
	defer c.Process.Kill()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(d.path(series.SummaryName)); err != nil {
			return
		}
	}
	t.Error("summary.json of the later end is there")
}
