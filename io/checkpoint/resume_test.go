package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/multigrid"
	"convect/physics"
	"convect/stencil"
)

// childKey is the variable that makes the test binary run a simulation in the directory it names, and be killed.
const childKey = "CONVECT_TEST_RUN"

func TestMain(m *testing.M) {
	dir := os.Getenv(childKey)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := simulate(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// model is a convecting box whose Δt changes, by the name of a run directory.
func model(dir string) (physics.Parameters, physics.Controls) {
	name := filepath.Base(dir)
	p := physics.Parameters{Rayleigh: 300, Permeability: physics.Uniform(1), HeatCapacityRatio: physics.Uniform(1),
		Diffusivity: physics.Uniform(1), Transport: kernels.TVD, Precision: kernels.Float64,
		Pressure: multigrid.Options{Tolerance: 1e-8}, Diffusion: multigrid.Options{Tolerance: 1e-8},
		Initial: physics.Initial{Conduction: true, Noise: 0.2, Seed: 5}}
	p.Walls[kernels.Bottom] = physics.Wall{Heat: physics.FixedTemperature, HeatValue: physics.Constant(1)}
	p.Walls[kernels.Top] = physics.Wall{Heat: physics.FixedTemperature}
	p.Extent = stencil.Extent{Cells: [3]int{12, 0, 8}, Size: [3]float64{1.5, 0, 1}}
	c := physics.Controls{End: 0.05, Courant: 0.2, Steady: 1e-9, Output: physics.Schedule{Interval: 0.01}}
	if strings.Contains(name, "box") {
		p.Extent = stencil.Extent{Cells: [3]int{8, 4, 6}, Size: [3]float64{1, 0.5, 1}, Periodic: [3]bool{true, false, false}}
		c = physics.Controls{End: 0.03, Courant: 0.3, Output: physics.Schedule{Steps: 9}}
	}
	if strings.Contains(name, "float32") {
		p.Precision = kernels.Float32
		p.Pressure.Tolerance, p.Diffusion.Tolerance = 1e-5, 1e-5
	}
	return p, c
}

// simulate runs the model of a directory to its end, from its newest checkpoint if there is one.
func simulate(dir string) error {
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer dev.Close()
	sim, err := begin(dev, dir)
	if err != nil {
		return err
	}
	defer sim.Free()
	tables, err := series.New(series.Options{Dir: dir, Dimensions: sim.Grid().Dimensions()})
	if err != nil {
		return err
	}
	present, _, err := snapshot.List(dir, sim.Step())
	if err != nil {
		return err
	}
	snapshots, err := snapshot.New(snapshot.Options{Dir: dir, Present: present})
	if err != nil {
		return err
	}
	settle := func(step int64) error { return errors.Join(tables.Sync(step), snapshots.Wait()) }
	checkpoints, err := checkpoint.New(checkpoint.Options{Dir: dir, Keep: 2, Policy: checkpoint.Policy{Steps: 7}, Before: settle})
	if err != nil {
		return err
	}
	if _, err := sim.Run(context.Background(), tables, snapshots, checkpoints); err != nil {
		return err
	}
	return tables.Close()
}

// begin resumes from the newest checkpoint, or starts, and cuts what is later.
func begin(dev kernels.Device, dir string) (*physics.Simulation, error) {
	path, _, err := checkpoint.Latest(dir)
	if err != nil {
		return nil, err
	}
	step := int64(-1)
	var saved *checkpoint.Checkpoint
	if path != "" {
		if saved, err = checkpoint.Read(path); err != nil {
			return nil, err
		}
		step = saved.Step
	}
	kept, _, err := snapshot.List(dir, step)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkpoint.Cut(dir, step), series.Cut(dir, step), snapshot.Cut(dir, step, kept)); err != nil {
		return nil, err
	}
	p, c := model(dir)
	if saved == nil {
		return physics.New(dev, p, c)
	}
	return physics.Resume(dev, p, c, saved.State)
}

// child runs simulate in a process of its own, killed after a time if that is positive, and tells whether it came to
// its end.
func child(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childKey+"="+dir)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 && after > 0 {
		return false
	}
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	return true
}

// A run that is killed at five random moments and resumed ends with the bits of one that was not: last checkpoint, tables
// but for wall time, snapshots and sidecars. One that comes to its end before is looked at, and the next begins.
func TestKilledRunsResumeExactly(t *testing.T) {
	drawn := devicetest.Draw(t, 2)
	for _, name := range []string{"plane float64", "box float32", "plane float32", "box float64"} {
		if !drawn() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, killed := directory(t, "whole "+name), directory(t, "killed "+name)
			start := time.Now()
			child(t, whole, 0)
			lasted := time.Since(start)
			runs := 1
			for kills := 0; kills < 5; {
				if !child(t, killed, 1+time.Duration(rand.Float64()*float64(lasted)*0.8)) {
					kills++
					continue
				}
				compare(t, whole, killed)
				killed = directory(t, "killed "+name)
				runs++
			}
			child(t, killed, 0)
			t.Logf("%d runs of %v", runs, lasted)
			compare(t, whole, killed)
		})
	}
}

func directory(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func compare(t *testing.T, whole, killed string) {
	t.Helper()
	if diff := cmp.Diff(content(t, whole), content(t, killed)); diff != "" {
		t.Errorf("(-uninterrupted +killed):\n%.3000s", diff)
	}
	w, k := latest(t, whole), latest(t, killed)
	if diff := cmp.Diff(w, k); diff != "" {
		t.Errorf("last checkpoint (-uninterrupted +killed):\n%.3000s", diff)
	}
	if w.Step < 30 {
		t.Errorf("only %d steps", w.Step)
	}
}

func latest(t *testing.T, dir string) *checkpoint.Checkpoint {
	t.Helper()
	path, skipped, err := checkpoint.Latest(dir)
	if err != nil || len(skipped) > 0 {
		t.Fatal(err, skipped)
	}
	c, err := checkpoint.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// content returns the files of a run directory by name: texts without wall times, snapshots as they are but for their
// place on disk, of checkpoints the names.
func content(t *testing.T, dir string) map[string]any {
	t.Helper()
	files := map[string]any{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch filepath.Dir(name) {
		case checkpoint.Folder:
			files[name] = ""
		case snapshot.Folder:
			files[name], err = snapshot.Read(path)
		default:
			var text []byte
			text, err = os.ReadFile(path)
			files[name] = strings.Split(string(text), "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := files[series.SeriesName].([]string)
	for i, line := range lines {
		lines[i] = line[:max(0, strings.LastIndexByte(line, ','))]
	}
	for _, name := range []string{series.ProfilesName, snapshot.XDMFName} {
		if files[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	dts := map[string]bool{}
	for _, line := range lines[2:] {
		if words := strings.Split(line, ","); len(words) > 2 {
			dts[words[2]] = true
		}
	}
	if len(dts) < 10 {
		t.Errorf("only %d different steps: the run is too tame for this test", len(dts))
	}
	return files
}
