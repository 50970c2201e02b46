package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"convect/cmd/convect/casefile"
	"convect/io/checkpoint"
	"convect/kernels/cpu"
	"convect/physics"
)

// daily is a metre of ground, narrow cells at the left, whose left side is 10 K warmer at noon and colder at night; its diffusivity is 6e-7 m²/s.
const daily = `grid: {cells: [64, 4], size: [1, 0.1], grading: {x: {cluster: low, ratio: 8}}}
physics:
  dimensional: {permeability: 1e-20, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 5, height: 2, conductivity: 2.52, heat_capacity: 4200}
boundaries:
  left: {temperature: "10*sin(2*pi*t/86400)"}
initial: {temperature: 0}
time: {end: 10 d}
output: {every: {time: 5 d}}
checkpoint: {every: {steps: 100}, keep: 100}
`

const (
	conductivity = 2.52
	diffusivity  = conductivity / (1000 * 4200)
)

// ground is the periodic conduction of a metre of ground whose far side is insulated, after a sine at the near one: temperature and heat flux there, as factors.
func ground(x, omega float64) (temperature, flux complex128) {
	k := cmplx.Sqrt(complex(0, omega/diffusivity))
	return cmplx.Cosh(k*complex(1-x, 0)) / cmplx.Cosh(k), complex(conductivity, 0) * k * cmplx.Tanh(k)
}

// weather writes a table of hours and temperatures every five minutes: 10 sin(2πt/day) and 3 K more, for so many days.
func weather(t *testing.T, dir string, days int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# made up\nhour;T;note\n")
	for i := 0; i <= days*288; i++ {
		fmt.Fprintf(&b, "%.17g;%.17g;dry\n", float64(i)/12, 3+10*math.Sin(2*math.Pi*float64(i)/288))
	}
	if err := os.WriteFile(filepath.Join(dir, "weather.csv"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestDayAndNight runs the ground through three days from its exact periodic state, by default steps: over the last two it agrees with it to 1 % of the amplitude
// of temperature and flux, by an expression, by a table, by a table that repeats and on a patch; with far fewer than 400 steps a day.
func TestDayAndNight(t *testing.T) {
	const inTable = "{table: weather.csv, column: T, time: hour, time_unit: h"
	for name, c := range map[string]struct {
		wall string
		mean float64
		most int64
	}{
		"expression":         {`boundaries.left.temperature=10*sin(2*pi*t/86400)`, 0, 100},
		"table":              {"boundaries.left.temperature=" + inTable + "}", 3, 100},
		"table that repeats": {"boundaries.left.temperature=" + inTable + ", repeat: 2 d}", 3, 100},
		"patch":              {`boundaries={patches: [{wall: left, z: [0, 0.1], temperature: "10*sin(2*pi*t/86400)"}]}`, 0, 100},
	} {
		t.Run(name, func(t *testing.T) {
			dir, days := t.TempDir(), 10
			if strings.Contains(name, "repeats") {
				days = 2
			}
			weather(t, dir, days)
			compareDays(t, dir, c.wall, c.mean, c.most)
		})
	}
}

func compareDays(t *testing.T, dir, wall string, mean float64, most int64) {
	const omega = 2 * math.Pi / 86400
	temperature := func(x, at float64) float64 {
		f, _ := ground(x, omega)
		return mean + 10*imag(f*cmplx.Exp(complex(0, omega*at)))
	}
	c, err := casefile.Parse(filepath.Join(dir, "case.yaml"), []byte(daily), []string{wall, "time.end=3 d"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Build(casefile.BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	scales := c.Scales
	c.Parameters.Initial.Temperature = func(x, _, _, _ float64) float64 { return temperature(x*scales.Length, 0) / scales.Temperature }
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, err := physics.New(dev, c.Parameters, c.Controls)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	watch := &dayWatch{scales: scales, x: c.Extent().Coordinates(0), temperature: temperature, flux: func(at float64) float64 {
		_, q := ground(0, omega)
		return 10 * imag(q*cmplx.Exp(complex(0, omega*at)))
	}}
	if _, err := s.Run(t.Context(), watch); err != nil {
		t.Fatal(err)
	}
	_, q := ground(0, omega)
	t.Logf("temperature %.3f %%, flux %.3f %%, %.0f steps a day", watch.cold*10, watch.loss/(10*cmplx.Abs(q))*100, float64(watch.steps)/2)
	if watch.cold > 0.1 || watch.loss > 0.01*10*cmplx.Abs(q) {
		t.Errorf("off by %.3g K, %.3g W/m² of %.3g", watch.cold, watch.loss, 10*cmplx.Abs(q))
	}
	if watch.steps > 2*most {
		t.Errorf("%d steps in two days", watch.steps)
	}
	if foreseen := s.ForeseenSteps(s.Controls().FirstStep, 0); math.Abs(foreseen-float64(s.Step())) > 0.02*float64(s.Step()) {
		t.Errorf("%g steps were foreseen, %d made", foreseen, s.Step())
	}
}

// dayWatch compares the last two of three days with a solution. It is a physics.Observer.
type dayWatch struct {
	scales      physics.Scales
	x           []float64
	temperature func(x, t float64) float64
	flux        func(t float64) float64
	cold, loss  float64 // largest differences
	steps       int64
}

// Observe compares a step.
func (w *dayWatch) Observe(s *physics.Simulation, e physics.Event) error {
	now := s.Time() * w.scales.Time
	if e.Start || now <= 86400 {
		return nil
	}
	w.steps++
	v, err := s.Download("temperature")
	for i, x := range w.x {
		w.cold = math.Max(w.cold, math.Abs(v[i]*w.scales.Temperature-w.temperature(x*w.scales.Length, now)))
	}
	const height = 0.1
	w.loss = math.Max(w.loss, math.Abs(s.Sample().Heat().In*w.scales.HeatFlux*w.scales.Length/height-w.flux(now)))
	return err
}

// A run whose walls follow a table goes on to the same bits from any of its checkpoints, and from case.yaml of its directory.
func TestTableInARun(t *testing.T) {
	dir := writeCase(t, daily)
	weather(t, dir, 10)
	wall := "boundaries.left.temperature={table: weather.csv, column: T, time: hour, time_unit: h, interpolation: step}"
	short := []string{"--set", wall, "--set", "time.end=0.25 d"}
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "whole"}, short...)...)
	whole := directory(filepath.Join(dir, "whole"))
	paths, err := filepath.Glob(filepath.Join(whole.path(checkpoint.Folder), "*.h5"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("checkpoints %v, %v", paths, err)
	}
	mustRun(t, dir, "restart", paths[2], "--out", "half")
	if diff := cmp.Diff(lastCheckpoint(t, whole).State, lastCheckpoint(t, directory(filepath.Join(dir, "half"))).State); diff != "" {
		t.Errorf("a restart differs:\n%.1000s", diff)
	}
	mustRun(t, dir, "run", "whole/case.yaml", "--out", "again")
	if diff := cmp.Diff(readSeries(t, whole), readSeries(t, directory(filepath.Join(dir, "again")))); diff != "" {
		t.Errorf("case.yaml gives another run:\n%.1000s", diff)
	}
}

// A table that is no file is refused at once.
func TestTableThatIsAPipe(t *testing.T) {
	dir := writeCase(t, daily)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check", "run"} {
		begin := time.Now()
		code, _, errs := convect(t, dir, command, "small.yaml", "--set", "boundaries.left.temperature={table: pipe.csv, column: T}")
		if code != exitUsage || !strings.Contains(errs, "pipe.csv: this is not a regular file") {
			t.Errorf("%s: exit code %d\n%s", command, code, errs)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s took %v", command, took)
		}
	}
}
