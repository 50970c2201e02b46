package bench

import (
	"context"
	"fmt"
	"math"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

func steps() Benchmark {
	return Benchmark{
		Name: "step", Title: "Time step of convection",
		Source: "Krotkiewski & Dabrowski, Efficient 3D stencil computations and geometric multigrid on modern GPUs",
		Text: "Seconds for a time step of natural convection in a closed box 4 x 4 x 1 heated from below, Ra = 500: one transport, " +
			"one diffusion solve, one pressure solve, split by part. The paper's grid is --size 513x513x129 (it says 513x513x128).",
		Size: []int{257, 257, 65}, Axes: []int{3}, Repeat: 7, Kinds: []string{mixedName, float64Name, float32Name},
		measure: measureStep,
	}
}

// warmUp is the number of steps before the timing: the first is of another kind (IMEX Euler).
const warmUp = 2

// convection returns the problem on so many nodes.
func convection(nodes [3]int, kind string) (physics.Parameters, physics.Controls) {
	p := physics.Parameters{
		Extent:   stencil.Extent{Cells: [3]int{nodes[0] - 1, nodes[1] - 1, nodes[2] - 1}, Size: [3]float64{4, 4, 1}},
		Rayleigh: 500, Permeability: physics.Uniform(1), Porosity: physics.Uniform(1), Diffusivity: physics.Uniform(1),
		Initial:   physics.Initial{Conduction: true, Mode: [3]int{4, 4, 1}, Amplitude: 0.1, Noise: 0.01, Seed: 1},
		Transport: kernels.TVD, Precision: element(kind),
	}
	p.Mixed = kind == mixedName
	p.Walls[kernels.Bottom] = physics.Wall{Heat: physics.FixedTemperature, HeatValue: physics.Constant(1)}
	p.Walls[kernels.Top] = physics.Wall{Heat: physics.FixedTemperature}
	return p, physics.Controls{End: 1000, Courant: 0.5}
}

// stepWatch times the steps of a run in turns with copies. It is a physics.Observer.
type stepWatch struct {
	run      *run
	copy     *plainCopy
	counted  *counting
	stop     func()
	begin    time.Time
	last     time.Time
	before   float64            // bytes before the step under way
	parts    map[string]float64 // seconds of each part before the timing
	seconds  []float64
	copies   []float64
	bytes    []float64
	pressure []float64 // iterations
	heat     []float64
}

// Observe ends a step, makes a copy, and begins the next.
func (w *stepWatch) Observe(s *physics.Simulation, _ physics.Event) error {
	took, moved, sample := time.Since(w.last).Seconds(), w.counted.bytes-w.before, s.Sample()
	if s.Step() == warmUp {
		w.parts = map[string]float64{}
		for _, p := range s.Profile() {
			w.parts[p.Name] = p.Seconds
		}
		w.begin = time.Now()
	}
	if s.Step() > warmUp {
		w.seconds, w.bytes = append(w.seconds, took), append(w.bytes, moved)
		w.pressure, w.heat = append(w.pressure, float64(sample.PressureCycles)), append(w.heat, float64(sample.DiffusionCycles))
		enough := len(w.seconds) >= min(3, w.run.options.Repeat) && time.Since(w.begin) > w.run.options.Budget
		if enough || len(w.seconds) >= w.run.options.Repeat {
			w.stop()
		}
	}
	t, err := sampleCopy(w.copy)
	if err != nil {
		return err
	}
	w.copies = append(w.copies, t)
	w.before, w.last = w.counted.bytes, time.Now()
	return nil
}

// sampleCopy returns the seconds of a copy.
func sampleCopy(c *plainCopy) (float64, error) {
	once, err := sample(c.dev, kernel(c.run), 1)
	if err != nil {
		return 0, err
	}
	return sample(c.dev, kernel(c.run), 1+int(shortest.Seconds()/max(once, 1e-7)))
}

func measureStep(r *run) error {
	nodes := threeAxes(r.options.Size)
	t := r.table("steps", fmt.Sprintf("A step on %s nodes", sizeText(nodes[:])), columnPrecision,
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Measured, Format: "%.4f"},
		columnBytes,
		report.Column{Key: "model_seconds", Title: "bytes/copy", Unit: "s", Origin: report.Model, Format: "%.4f"},
		columnSpeed, columnCopy, columnFraction,
		report.Column{Key: "million_nodes_per_second", Title: "nodes", Unit: "M/s", Origin: report.Measured, Format: "%.2f"},
		report.Column{Key: "pressure_iterations", Title: "pressure", Unit: "iterations", Origin: report.Measured, Format: "%.1f"},
		report.Column{Key: "diffusion_iterations", Title: "diffusion", Unit: "iterations", Origin: report.Measured, Format: "%.1f"})
	parts := r.table("parts", "Its parts", columnPrecision, report.Column{Key: "part", Title: "part", Origin: report.Label},
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Measured, Format: "%.4f"},
		report.Column{Key: "share", Title: "share", Unit: "%", Origin: report.Measured, Format: "%.1f"})
	for _, kind := range r.kinds {
		if err := r.checkStep(kind); err != nil {
			return err
		}
		if err := r.stepOf(t, parts, kind, nodes); err != nil {
			return err
		}
	}
	r.paperStep()
	r.plotStep(parts)
	r.note("Medians over the steps after the first %d; parts are means, taken with the device at rest after each. The time of "+
		"a step includes the diagnostics of every step.", warmUp)
	r.note("bytes: counted kernel by kernel, every array read or written once. iterations: means a step.")
	return nil
}

// stepOf measures in one precision.
func (r *run) stepOf(t, parts *report.Table, kind string, nodes [3]int) error {
	r.progress("%s, %s nodes", kind, sizeText(nodes[:]))
	counted := &counting{Device: r.dev}
	p, controls := convection(nodes, kind)
	s, err := physics.New(counted, p, controls)
	if err != nil {
		return err
	}
	defer s.Free()
	s.EnableProfile()
	c, err := r.copyOf(r.dev, p.Precision, s.Grid().Box.Len)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &stepWatch{run: r, copy: c, counted: counted, stop: cancel}
	if _, err := s.Run(ctx, w); err != nil {
		return err
	}
	seconds, copied, bytes := median(w.seconds), c.bytes()/median(w.copies), median(w.bytes)
	n := float64(s.Grid().Nodes())
	t.Add(report.Row{"precision": kind, "seconds": seconds, columnBytes.Key: bytes / n, "model_seconds": bytes / copied,
		columnSpeed.Key: bytes / seconds / 1e9, columnCopy.Key: copied / 1e9, columnFraction.Key: bytes / seconds / copied,
		"million_nodes_per_second": n / seconds / 1e6, "pressure_iterations": mean(w.pressure), "diffusion_iterations": mean(w.heat)})
	total := 0.0
	for _, part := range s.Profile() {
		total += part.Seconds - w.parts[part.Name]
	}
	for _, part := range s.Profile() {
		spent := part.Seconds - w.parts[part.Name]
		parts.Add(report.Row{"precision": kind, "part": part.Name, "seconds": spent / float64(len(w.seconds)), "share": 100 * spent / total})
	}
	return nil
}

// checkStep makes steps on a small grid. Their heat balance must close to rounding, the divergence must be that of the
// pressure's tolerance, and the mean temperature that of a plain sum.
func (r *run) checkStep(kind string) error {
	p, controls := convection([3]int{33, 33, 17}, kind)
	s, err := physics.New(r.dev, p, controls)
	if err != nil {
		return err
	}
	defer s.Free()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := observer(func(s *physics.Simulation, _ physics.Event) error {
		if s.Step() == 5 {
			cancel()
		}
		return nil
	})
	if _, err := s.Run(ctx, stop); err != nil {
		return err
	}
	const sums = 33 + 33*17 // of values below 1, one after the other
	values, err := s.Download("temperature")
	if err != nil {
		return err
	}
	epsilon, sample := p.Precision.Epsilon(), s.Sample()
	content := s.Grid().Volume() / sample.Dt // heat of a unit temperature in one step's time
	if err := r.check(kind+" step: heat gained less heat that entered, of the content a step",
		math.Abs(sample.HeatGain-sample.HeatIn)/content, 64*epsilon); err != nil {
		return err
	}
	return r.check(kind+" step: mean temperature less that of a plain sum",
		math.Abs(sample.TemperatureMean-plainMean(s.Grid(), values)), 16*epsilon+sums*kernels.Float64.Epsilon())
}

// observer makes a function a physics.Observer.
type observer func(s *physics.Simulation, e physics.Event) error

// Observe calls the function.
func (o observer) Observe(s *physics.Simulation, e physics.Event) error { return o(s, e) }

// mean returns the mean.
func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// paperStep adds the figure of the paper.
func (r *run) paperStep() {
	t := r.table("paper", "The paper's own",
		report.Column{Key: "machine", Title: "machine", Origin: report.Label},
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Paper, Format: "%.1f"})
	t.Add(report.Row{"machine": "513 x 513 x 128, float32, Tesla 2050", "seconds": 0.7})
}

// plotStep shows the parts.
func (r *run) plotStep(parts *report.Table) {
	p := &report.Plot{File: "step.png", Title: "A step on " + sizeText(r.options.Size) + " nodes", Y: report.Axis{Label: "seconds"}}
	for _, kind := range r.kinds {
		s := report.Series{Name: kind}
		var names []string
		for _, row := range parts.Rows {
			if v, ok := row.Number("seconds"); ok && row["precision"] == kind {
				s.Y = append(s.Y, v)
				names = append(names, row["part"].(string))
			}
		}
		p.Series, p.Bars = append(p.Series, s), names
	}
	r.report.Plots = append(r.report.Plots, p)
}
