package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/live"
	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/kernels/devicetest"
)

// liveRun is a run with a page in another process.
type liveRun struct {
	t       *testing.T
	process *exec.Cmd
	dir     directory
	contact live.Contact
}

// startLive starts a run with a page and waits until it answers.
func startLive(t *testing.T, dir string, args ...string) *liveRun {
	t.Helper()
	r := &liveRun{t: t, process: start(t, dir, append(args, "--live")...), dir: directory(filepath.Join(dir, "small.out"))}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		var known bool
		if r.contact, known = live.ReadFile(string(r.dir)); known {
			return r
		}
	}
	t.Fatal("there is no live.json")
	return nil
}

// get asks for a path with the token.
func (r *liveRun) get(path string) (status int, body []byte) {
	r.t.Helper()
	return r.request(http.MethodGet, path, nil)
}

func (r *liveRun) request(method, path string, body io.Reader) (status int, answer []byte) {
	r.t.Helper()
	base, _, _ := strings.Cut(r.contact.URL, "?")
	q, err := http.NewRequest(method, base+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.contact.Token)
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return a.StatusCode, text
}

// do steers the run and wants success.
func (r *liveRun) do(action, value string) {
	r.t.Helper()
	if status, said := r.order(action, value); status != http.StatusOK {
		r.t.Fatalf("%s %s: %d %s", action, value, status, said)
	}
}

func (r *liveRun) order(action, value string) (status int, said string) {
	r.t.Helper()
	order, err := json.Marshal(map[string]string{"action": action, "value": value})
	if err != nil {
		r.t.Fatal(err)
	}
	status, text := r.request(http.MethodPost, "do", bytes.NewReader(order))
	return status, string(text)
}

func (r *liveRun) state() (s live.State) {
	r.t.Helper()
	_, text := r.get("state")
	if err := json.Unmarshal(text, &s); err != nil {
		r.t.Fatalf("%v: %s", err, text)
	}
	return s
}

// A run that was watched, paused, resumed, and that wrote a snapshot and a checkpoint when asked to, has the bits of one that was left alone; while it is
// paused its step stays.
func TestLiveRunHasTheBitsOfOneLeftAlone(t *testing.T) {
	for name, text := range map[string]string{"plane": longCase, "everything": strings.Replace(everythingCase, "end: 3e-3, max_step: 4e-4", "end: 5e-3, max_step: 1e-4", 1),
		"cube, float32": cubeCase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := writeCase(t, text)
			mustRun(t, dir, "run", "small.yaml", "--out", "alone.out")
			r := startLive(t, dir, "run", "small.yaml")
			waitForRows(t, r.dir, 3) // beyond the snapshot of the start
			r.do(live.Pause, "")
			at := r.state()
			if status, _ := r.order(live.Pause, ""); status != http.StatusUnprocessableEntity {
				t.Errorf("paused twice: %d", status)
			}
			for _, path := range []string{"field?name=temperature&axis=y&index=0&flow=1", "field?name=speed&axis=z&index=3", "field?name=pressure&axis=x&index=0&block=1"} {
				if status, body := r.get(path); status != http.StatusOK || len(body) < 500 {
					t.Errorf("%s: %d, %d bytes: %.200s", path, status, len(body), body)
				}
			}
			r.do(live.Snapshot, "")
			r.do(live.Checkpoint, "")
			if now := r.state(); now.Step != at.Step || now.State != "paused" {
				t.Errorf("paused at step %d, and now at %d, %s", at.Step, now.Step, now.State)
			}
			wanted := fmt.Sprintf("snap_%06d.hdf", at.Step)
			if _, err := os.Stat(r.dir.path(filepath.Join(snapshot.Folder, wanted))); err != nil {
				t.Error(err)
			}
			if _, err := checkpoint.Read(r.dir.path(fmt.Sprintf("checkpoints/ckpt_%06d.h5", at.Step))); err != nil {
				t.Error(err)
			}
			r.do(live.Resume, "")
			if code := endOf(t, r.process); code != exitDone {
				t.Fatalf("exit code %d", code)
			}
			if err := os.Remove(r.dir.path(filepath.Join(snapshot.Folder, wanted))); err != nil { // which the other does not have
				t.Error(err)
			}
			sameEnd(t, r.dir, directory(filepath.Join(dir, "alone.out")))
			if _, err := os.Stat(r.dir.path(live.FileName)); err == nil {
				t.Error("live.json is still there")
			}
		})
	}
}

// cubeCase has three dimensions, periodic and graded axes and single precision.
const cubeCase = `title: Cube
grid: {cells: [12, 10, 12], size: [1, 1, 1], grading: {z: {cluster: both, ratio: 3}}}
physics: {rayleigh: 200}
boundaries: {left: periodic, right: periodic, bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {mode: [2, 1, 1], amplitude: 0.1}}
time: {end: 0.12, max_step: 3e-4}
solver: {precision: float32}
output: {every: {time: 0.05}}
`

// What a viewer changes has the bits of a run that was stopped there and restarted under it; it is in case.yaml, and a run that is killed goes on with it under the first
// case file, unless that is changed too.
func TestLiveChangesAreHonoured(t *testing.T) {
	t.Parallel()
	dir := writeCase(t, longCase)
	r := startLive(t, dir, "run", "small.yaml")
	waitForRows(t, r.dir, 3)
	r.do(live.Pause, "")
	for value, want := range map[string]string{"1e-9": "an end must lie after it", "0.06": "is 0.06 already", "6e-2": "already", "soon": "time.end", "": "time.end"} {
		if status, said := r.order(live.End, value); status != http.StatusUnprocessableEntity || !strings.Contains(said, want) {
			t.Errorf("end %q: %d %s", value, status, said)
		}
	}
	if status, said := r.order(live.Every, "{tim: 1}"); status != http.StatusUnprocessableEntity || !strings.Contains(said, "did you mean time?") {
		t.Errorf("output.every={tim: 1}: %d %s", status, said)
	}
	if status, said := r.order("explode", ""); status != http.StatusUnprocessableEntity || !strings.Contains(said, "no action") {
		t.Errorf("explode: %d %s", status, said)
	}
	r.do(live.End, "0.07")
	r.do(live.Every, "{time: 0.004}")
	step := r.state().Step
	r.process.Process.Signal(syscall.SIGKILL)
	r.process.Wait()
	c, err := casefile.Load(r.dir.path(caseName), nil)
	if err != nil || c.Controls.End != 0.07 || c.Controls.Output.Interval != 0.004 {
		t.Errorf("case.yaml ends at %v and has outputs every %v: %v", c.Controls.End, c.Controls.Output.Interval, err)
	}
	first := r.dir.path(fmt.Sprintf("checkpoints/ckpt_%06d.h5", step))
	mustRun(t, dir, "restart", first, "--out", "restarted.out")
	// a checkpoint of that step under the first case, from which a restart asks for the same
	mustRun(t, dir, "restart", first, "--out", "given.out", "--set", "time.end=0.07", "--set", "output.every={time: 0.004}")
	copied := writeCase(t, longCase)
	if err := os.CopyFS(filepath.Join(copied, "small.out"), os.DirFS(string(r.dir))); err != nil {
		t.Fatal(err)
	}
	_, said := mustRun(t, dir, "run", "small.yaml", "--resume")
	if !strings.Contains(said, "time.end is 0.07 since step "+fmt.Sprint(step)) || strings.Contains(said, "the case differs") {
		t.Errorf("the run that goes on says\n%s", said)
	}
	end := lastCheckpoint(t, r.dir).State
	if end.Scalars["time"] != 0.07 {
		t.Errorf("it ends at %v", end.Scalars["time"])
	}
	for _, other := range []string{"restarted.out", "given.out"} {
		if diff := cmp.Diff(lastCheckpoint(t, directory(filepath.Join(dir, other))).State, end); diff != "" {
			t.Errorf("%s ends with other bits:\n%.1000s", other, diff)
		}
	}
	if out, _ := mustRun(t, dir, "run", "small.yaml", "--resume"); !strings.Contains(out, "there is nothing to do") {
		t.Errorf("resumed at its end:\n%s", out)
	}
	_, said = mustRun(t, copied, "run", "small.yaml", "--resume", "--set", "time.end=0.05")
	if got := lastCheckpoint(t, directory(filepath.Join(copied, "small.out"))).State.Scalars["time"]; got != 0.05 || !strings.Contains(said, "time.end is 0.05 as in small.yaml, which has changed since") {
		t.Errorf("it ends at %v:\n%s", got, said)
	}
}

// Stopping from the page ends with a whole checkpoint, paused or not, and the run can go on.
func TestLiveStop(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"", live.Pause} {
		dir := writeCase(t, longCase)
		r := startLive(t, dir, "run", "small.yaml")
		if first != "" {
			r.do(first, "")
		}
		r.do(live.Stop, "")
		if code := endOf(t, r.process); code != exitInterrupted {
			t.Fatalf("exit code %d", code)
		}
		last := lastCheckpoint(t, r.dir)
		isWhole(t, r.dir)
		rows, _, err := readSteering(r.dir.path(steeringName), last.State.Step)
		if err != nil || len(rows) == 0 || rows[len(rows)-1].action != live.Stop {
			t.Errorf("steering.csv: %v, %v", rows, err)
		}
		mustRun(t, dir, "run", "small.yaml", "--resume")
	}
}

// A signal and the limit of wall time end a run that is paused, and what it asks for by SIGUSR1 comes too.
func TestPausedRunCanBeStopped(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	for name, end := range map[string]func(r *liveRun){
		"SIGTERM":  func(r *liveRun) { r.process.Process.Signal(syscall.SIGTERM) },
		"walltime": func(*liveRun) {},
	} {
		dir := writeCase(t, strings.Replace(longCase, "{steps: 25}", "{steps: 1000000}", 1))
		args, want := []string{"run", "small.yaml"}, exitInterrupted
		if name == "walltime" {
			args, want = append(args, "--walltime", "4s"), exitWalltime
		}
		r := startLive(t, dir, args...)
		r.do(live.Pause, "")
		if name == "SIGTERM" {
			r.process.Process.Signal(syscall.SIGUSR1)
			path := r.dir.path(fmt.Sprintf("checkpoints/ckpt_%06d.h5", r.state().Step))
			for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				if _, err := os.Stat(path); err == nil {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("SIGUSR1 wrote no checkpoint while the run was paused")
				}
			}
		}
		end(r)
		if code := endOf(t, r.process); code != want {
			t.Errorf("%s: exit code %d, want %d", name, code, want)
		}
	}
}

// A pause is not among the seconds that a run took.
func TestPauseIsNotCounted(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	dir := writeCase(t, longCase)
	begin := time.Now()
	r := startLive(t, dir, "run", "small.yaml")
	r.do(live.Pause, "")
	const pause = 4 * time.Second
	time.Sleep(pause)
	r.do(live.Resume, "")
	if code := endOf(t, r.process); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	all := time.Since(begin)
	summary, err := series.ReadSummary(r.dir.path(series.SummaryName))
	if err != nil || float64(summary.WallSeconds) > (all-pause).Seconds() {
		t.Errorf("%v s, of %v with a pause of %v: %v", summary.WallSeconds, all, pause, err)
	}
}

// The log of a run names the file with the address and not the token, which others may not read.
func TestTokenIsPrivate(t *testing.T) {
	t.Parallel()
	dir := writeCase(t, longCase)
	r := startLive(t, dir, "run", "small.yaml")
	info, err := os.Stat(r.dir.path(live.FileName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("live.json: mode %v, %v", info.Mode(), err)
	}
	r.do(live.Stop, "")
	endOf(t, r.process)
	log, err := os.ReadFile(r.dir.path(logName))
	if err != nil || bytes.Contains(log, []byte(r.contact.Token)) || !bytes.Contains(log, []byte(live.FileName)) {
		t.Errorf("run.log, %v:\n%s", err, log)
	}
}

func TestLiveRefusals(t *testing.T) {
	dir := writeCase(t, smallCase)
	for want, args := range map[string][]string{
		"--live-host goes with --live":      {"run", "small.yaml", "--live-host", "a"},
		"cannot listen at 256.1.1.1:1":      {"run", "small.yaml", "--live=256.1.1.1:1"},
		"there is a file that is no socket": {"run", "small.yaml", "--live=unix:small.yaml"},
	} {
		if code, _, errs := convect(t, dir, args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "small.out")); err == nil {
		t.Error("a refused run has made its directory")
	}
}

// What is measured beside snapshots goes on under a changed interval, and an end that averages depend on does not change.
func TestLiveChangesBesideMeasures(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	dir := writeCase(t, strings.Replace(longCase, "output: {every: {time: 0.01}}", `output:
  every: {time: 0.01}
  fields: [temperature, velocity, streamfunction]
  probes: [{name: well, at: [0.5, 0.2], fields: [temperature], every: {time: 0.002}}]
  slices: [{name: middle, z: 0.5, fields: [temperature]}]
  averages: [{name: late, from: 0.02, to: 0.06, fields: [temperature]}]`, 1))
	r := startLive(t, dir, "run", "small.yaml")
	r.do(live.Pause, "")
	if status, said := r.order(live.End, "0.07"); status != http.StatusUnprocessableEntity || !strings.Contains(said, "output.averages") {
		t.Errorf("another end: %d %s", status, said)
	}
	r.do(live.Every, "{time: 0.005}")
	step := r.state().Step
	if status, body := r.get("field?name=streamfunction&axis=y&index=0"); status != http.StatusOK || len(body) < 500 {
		t.Errorf("streamfunction: %d %s", status, body)
	}
	if _, about := r.get("about"); !bytes.Contains(about, []byte(`"tables":["probes/well.csv"]`)) {
		t.Errorf("about: %s", about)
	}
	if status, rows := r.get("rows?table=probes/well.csv"); status != http.StatusOK || !bytes.Contains(rows, []byte(`"step,time,`)) {
		t.Errorf("rows of the probe: %d %s", status, rows)
	}
	if status, _ := r.get("rows?table=../small.yaml"); status != http.StatusNotFound {
		t.Errorf("a file outside the run: %d", status)
	}
	mustRun(t, dir, "restart", fmt.Sprintf("small.out/checkpoints/ckpt_%06d.h5", step), "--out", "restarted.out")
	r.do(live.Resume, "")
	if code := endOf(t, r.process); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	if diff := cmp.Diff(lastCheckpoint(t, directory(filepath.Join(dir, "restarted.out"))).State, lastCheckpoint(t, r.dir).State); diff != "" {
		t.Errorf("a restart ends with other bits:\n%.1000s", diff)
	}
	for _, table := range []string{"probes/well.csv"} {
		if fileText(t, r.dir.path(table)) != fileText(t, filepath.Join(dir, "restarted.out", table)) {
			t.Errorf("%s differs from that of a restart", table)
		}
	}
}

// The address of a killed run's page does not outlive it: whoever goes on without a page has none.
func TestAddressOfAKilledRun(t *testing.T) {
	dir := writeCase(t, sweptCase)
	mustRun(t, dir, "run", "small.yaml")
	left := filepath.Join(dir, "small.out", live.FileName)
	writeText(t, left, `{"url": "http://127.0.0.1:9/?token=A"}`)
	mustRun(t, dir, "run", "small.yaml", "--resume", "--set", "time.end=0.5")
	if _, err := os.Stat(left); err == nil {
		t.Error("the address is still there")
	}
}
