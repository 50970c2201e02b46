package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/cmd/convect/casefile"
	"convect/io/h5"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
	"convect/physics"
)

// lean is a device with less memory than there is.
type lean struct {
	kernels.Device
	free int64
}

// Info says what is free.
func (d lean) Info() kernels.Info {
	i := d.Device.Info()
	i.MemoryFree = d.free
	return i
}

// tinyCPU is a device of one thread.
func tinyCPU(t *testing.T) kernels.Device {
	t.Helper()
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// loader loads a case of a text, with overrides.
func loader(t *testing.T, text string, set ...string) (*casefile.Case, reloader) {
	t.Helper()
	path := filepath.Join(writeCase(t, text), "small.yaml")
	reload := func(extra ...string) (*casefile.Case, error) {
		return loadCase(path, append(append([]string{}, set...), extra...))
	}
	c, err := reload()
	if err != nil {
		t.Fatal(err)
	}
	return c, reload
}

// fileOfCells writes K for each direction into an HDF5 file.
func fileOfCells(t *testing.T, cells [3]int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.h5")
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, 3*cells[0]*cells[1]*cells[2])
	for n := range values {
		values[n] = 1 + float64(n%7)
	}
	if err := w.Float64s("/k", []int{3, cells[2], cells[1], cells[0]}, values); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

const largerCase = `title: Larger
grid: {cells: [56, 48, 40], size: [1.4, 1.2, 1]}
physics: {rayleigh: 50}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
time: {end: 0.01, max_step: 1e-3}
`

// TestMemoryIsForeseen compares what a trial on few nodes foresees with what the case itself allocates.
func TestMemoryIsForeseen(t *testing.T) {
	dev := tinyCPU(t)
	file := fileOfCells(t, [3]int{56, 48, 40})
	for name, set := range devicetest.Part(t, 3, map[string][]string{
		"mixed":                   nil,
		"float32":                 {"solver.precision=float32"},
		"float64":                 {"solver.precision=float64"},
		"27 points":               {"solver.stencil=27"},
		"27 points, mixed layers": {"solver.stencil=27", "physics.permeability={layers: [{top: 0.5, value: 1}, {top: 1, value: [2, 2, 1]}]}"},
		"log-normal":              {"physics.permeability={lognormal: {variance: 1, correlation: 0.1, seed: 1}}"},
		"file":                    {"physics.permeability={file: " + file + "}"},
		"porous, with heat":       {"physics.heat_capacity_ratio=1 + 0.5*x", "physics.heat_source=1"},
		"viscosity":               {"physics.viscosity=exp(-T)"},
		"buoyancy":                {"physics.buoyancy=T^2"},
		"viscosity of both":       {"physics.solute={buoyancy_ratio: -0.5, lewis: 2}", "physics.viscosity=exp(S-T)"},
		"cg":                      {"solver.pressure.method=cg", "solver.precision=float64"},
		"multigrid":               {"solver.pressure.method=multigrid", "solver.precision=float64"},
		"full multigrid":          {"solver.pressure.cycle=FMG"},
		"line-cg":                 {"solver.pressure.method=line-cg"},
		"steady":                  {"time.steady=1e-6"},
		"flat, graded":            {"grid.cells=[60, 40, 20]", "grid.size=[8, 8, 1]", "grid.grading={z: {cluster: both, ratio: 4}}"},
		"periodic":                {"boundaries.left=periodic", "boundaries.right=periodic"},
		"odd":                     {"grid.cells=[57, 47, 40]"},
		"plane":                   {"grid.cells=[320, 256]", "grid.size=[1.25, 1]"},
		"plane, odd":              {"grid.cells=[321, 256]", "grid.size=[1.25, 1]", "solver.stencil=27"},
	}) {
		t.Run(name, func(t *testing.T) {
			c, reload := loader(t, largerCase, set...)
			counting := newCounting(dev)
			if err := c.Build(casefile.BuildOptions{}); err != nil {
				t.Fatal(err)
			}
			s, err := physics.New(counting, c.Parameters, c.Controls)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Free()
			f, err := tryMemory(dev, c, reload, c.Nodes()/4)
			if err != nil {
				t.Fatal(err)
			}
			cells := c.Extent().Cells
			if f.cells == cells {
				t.Fatal("the trial is the case itself")
			}
			if got := f.device(cells); math.Abs(got/counting.most-1) > 0.02 {
				t.Errorf("foreseen on %v cells: %.0f bytes a node, allocated are %.0f", f.cells, got/c.Nodes(), counting.most/c.Nodes())
			}
			own, err := newFootprint(s, counting, c)
			if err != nil {
				t.Fatal(err)
			}
			if got := own.device(cells); got != counting.most {
				t.Errorf("%g bytes of the case itself, allocated are %g", got, counting.most)
			}
		})
	}
}

func TestCasesThatDoNotFitAreRefused(t *testing.T) {
	c, reload := loader(t, strings.Replace(smallCase, "cells: [16, 8]", "cells: [2048, 1024]", 1))
	dev := lean{tinyCPU(t), 200 << 20}
	_, err := buildSimulation(dev, c, nil, reload)
	var need, free float64
	var perNode, nodes int
	var fits [2]int
	if err == nil {
		t.Fatal("it was built")
	}
	if n, scan := fmt.Sscanf(err.Error(), "the case does not fit into the memory of cpu: it needs %f MiB (%d bytes a node, %d nodes), %f MiB are free; "+
		"the largest grid of these proportions that fits has %d × %d cells", &need, &perNode, &nodes, &free, &fits[0], &fits[1]); n != 6 {
		t.Fatalf("%v: %v", err, scan)
	}
	if nodes != 2049*1025 || free != 200 || math.Abs(need-float64(nodes*perNode)/(1<<20)) > 0.01*need {
		t.Errorf("%v", err)
	}
	if r := ((need*(1<<20)-baseBytes)/float64(nodes)*float64(fits[0]*fits[1]) + baseBytes) / (200 << 20); fits[0] < 2*fits[1]-32 || r < 0.85 || r > 1 {
		t.Errorf("%v: %.3f of the memory", err, r)
	}
	largest, _ := reload(fmt.Sprintf("grid.cells=[%d, %d]", fits[0], fits[1]))
	if err := checkMemory(dev, largest, reload); err != nil {
		t.Errorf("the largest grid: %v", err)
	}
	dev.free = 1 << 10
	if err := checkMemory(dev, c, reload); err == nil || !strings.HasSuffix(err.Error(), "no grid of these proportions fits") {
		t.Errorf("with a KiB: %v", err)
	}
	// One that fails on few nodes.
	c, reload = loader(t, strings.Replace(smallCase, "cells: [16, 8]", "cells: [2048, 1024]", 1), "solver.pressure={max_iterations: 1, tolerance: 1e-14}")
	if err := checkMemory(dev, c, reload); err == nil || !strings.Contains(err.Error(), "nodes need more than") {
		t.Errorf("with a KiB and no trial: %v", err)
	}
}

func TestHugeCasesWriteNothing(t *testing.T) {
	dir := writeCase(t, smallCase)
	code, _, errs := convect(t, dir, "run", "small.yaml", "--set", "grid.cells=[400000, 200000]")
	if code != exitFailed || !strings.Contains(errs, "does not fit into the memory of cpu: it needs ") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "small.out")); err == nil {
		t.Error("small.out was made")
	}
	out, _ := mustRun(t, dir, "check", "small.yaml")
	if !strings.Contains(out, " MiB on cpu; ") || strings.Contains(out, "bytes a node") {
		t.Errorf("check says nothing of the memory:\n%s", out)
	}
}

func TestLargerThanTheGPU(t *testing.T) {
	dir := writeCase(t, smallCase)
	withGPU(t, emulated{Memory: 130 << 20})
	code, _, errs := convect(t, dir, "run", "small.yaml", "--device", "cuda", "--set", "grid.cells=[256, 128]")
	if code != exitFailed || !strings.Contains(errs, "does not fit into the memory of cuda:0: it needs ") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "small.out")); err == nil {
		t.Error("small.out was made")
	}
}

// TestMemoryOfAGPUIsForeseen compares what a trial foresees with what the driver has given away after a step, for solvers that
// take scratch memory.
func TestMemoryOfAGPUIsForeseen(t *testing.T) {
	devicetest.Long(t)
	for name, set := range devicetest.Part(t, 2, map[string][]string{
		"log-normal":   {"physics.permeability={lognormal: {variance: 1, correlation: 0.1, seed: 1}}"},
		"lines":        {"solver.pressure.smoother=line", "solver.precision=float64", "grid.grading={z: {cluster: both, ratio: 4}}"},
		"conductances": {"physics.permeability={lognormal: {variance: 1, correlation: 0.1, seed: 1}}", "grid.cells=[24, 24, 24]", "grid.size=[1, 1, 1]"},
	}) {
		t.Run(name, func(t *testing.T) {
			c, reload := loader(t, strings.Replace(smallCase, "cells: [16, 8]", "cells: [64, 32]", 1), set...)
			used := func(try func(dev kernels.Device)) float64 {
				driver := emulation.New(emulation.Options{})
				dev, err := cuda.New(driver)
				if err != nil {
					t.Fatal(err)
				}
				defer dev.Close()
				try(dev)
				i := driver.Info()
				return float64(i.TotalMemory - i.Memory)
			}
			var f *footprint
			used(func(dev kernels.Device) {
				var err error
				if f, err = tryMemory(dev, c, reload, 600); err != nil {
					t.Fatal(err)
				}
			})
			got := used(func(dev kernels.Device) {
				if err := c.Build(casefile.BuildOptions{}); err != nil {
					t.Fatal(err)
				}
				s, err := physics.New(dev, c.Parameters, c.Controls)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if _, err := s.Run(ctx, &stopwatch{stop: cancel, most: 1}); err != nil {
					t.Fatal(err)
				}
			})
			got -= 2 * 8 * c.Nodes() // what is downloaded is staged in: so much of few nodes, and not more than is spared of many
			if want := f.device(c.Extent().Cells) - spareGPU; math.Abs(got/want-1) > 0.05 {
				t.Errorf("%g bytes are used, %g foreseen", got, want)
			}
		})
	}
}
