package bench

import (
	"context"
	"fmt"
	"math"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/physics"
)

func steps() Benchmark {
	return Benchmark{
		Name: "step", Title: "Time step of convection",
		Source: "Krotkiewski & Dabrowski, Efficient 3D stencil computations and geometric multigrid on modern GPUs",
		Text: "Seconds for a time step of natural convection in a closed box 4 x 4 x 1 heated from below, Ra = 1000, Courant number 0.5: one " +
			"transport, one diffusion solve, one pressure solve. The flow is developed: it is spun up to t = 0.03, some ten turnovers, on a grid " +
			"coarser by 8 (but of 64 x 64 x 16 cells or more), interpolated linearly, and followed for some steps before the timing. The " +
			"stencil has 7 points and the permeability is constant; in the default precision also 27 points, and log-normal permeability " +
			"(variance 2, correlated over 6 cells), dispersion over lengths of 0.02 and 0.002, a solute instead of heat, and a solute (N = 0.1, Le = 10) or a " +
			"tracer beside it. The " +
			"pressure is solved to a residual of 1e-6 of its right side (1e-4 in float32) or to rounding, the diffusion to 1e-4 of the step's " +
			"change. The paper's grid is --size 513x513x129 (it says 513x513x128).",
		Size: []int{257, 257, 65}, Axes: []int{3}, Repeat: 7, Kinds: []string{mixedName, float64Name, float32Name},
		measure: measureStep,
	}
}

// Steps before those that are timed: the first is of another kind (IMEX Euler), the next settle what interpolation has left, and solvers that learn which way takes less
// work have tried both after the first, second, fourth, eighth and sixteenth solve. Steps before those that are split: a device may compile what they are the first to use. Time of the spinning up, and the coarsest grid for it.
const (
	warmUp      = 20
	warmUpSplit = 2
	spinUpTime  = 0.03
	spinUpBy    = 8
)

var spinUpCells = [3]int{64, 64, 16}

// spinUp returns the temperature of a developed flow on the nodes of a grid.
func (r *run) spinUp(nodes [3]int) ([]float64, error) {
	var coarse [3]int
	for d, n := range nodes {
		coarse[d] = min(n, max((n-1)/spinUpBy, spinUpCells[d])+1)
	}
	r.progress("spinning up on %s nodes", sizeText(coarse[:]))
	p, controls, err := convection(coarse, stepCase{kind: float64Name, stencil: kernels.SevenPoint, scalars: heatAlone})
	if err != nil {
		return nil, err
	}
	p.Precision = kernels.Float64
	controls.End = spinUpTime
	s, err := physics.New(r.dev, p, controls)
	if err != nil {
		return nil, err
	}
	defer s.Free()
	if _, err := s.Run(context.Background()); err != nil {
		return nil, fmt.Errorf("spinning up: %w", err)
	}
	t, err := s.Download("temperature")
	if err != nil {
		return nil, err
	}
	return refined(t, coarse, nodes), nil
}

// refined interpolates values on the nodes of an even grid linearly on those of another of the same extent.
func refined(v []float64, from, to [3]int) []float64 {
	var at [3][]int
	var part [3][]float64
	for d, n := range to {
		at[d], part[d] = make([]int, n), make([]float64, n)
		for i := range n {
			x := float64(i) * float64(from[d]-1) / float64(n-1)
			at[d][i] = min(int(x), from[d]-2)
			part[d][i] = x - float64(at[d][i])
		}
	}
	out := make([]float64, 0, to[0]*to[1]*to[2])
	for k, z := range part[2] {
		for j, y := range part[1] {
			row := func(b, c int) []float64 { return v[from[0]*(at[1][j]+b+from[1]*(at[2][k]+c)):] }
			rows := [4][]float64{row(0, 0), row(1, 0), row(0, 1), row(1, 1)}
			weights := [4]float64{(1 - y) * (1 - z), y * (1 - z), (1 - y) * z, y * z}
			for i, x := range part[0] {
				sum := 0.0
				for n, w := range weights {
					low := at[0][i]
					sum += w * ((1-x)*rows[n][low] + x*rows[n][low+1])
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

// stepWatch times the steps of a run in turns with copies. It is a physics.Observer.
type stepWatch struct {
	run      *run
	copy     *plainCopy
	stop     func()
	started  func() // told when the timing begins; may be nil
	first    int64  // step before the timing
	begin    time.Time
	last     time.Time
	seconds  []float64
	copies   []float64
	pressure []float64 // iterations
	heat     []float64
}

// Observe ends a step, makes a copy, and begins the next.
func (w *stepWatch) Observe(s *physics.Simulation, _ physics.Event) error {
	took, sample := time.Since(w.last).Seconds(), s.Sample()
	if s.Step() == w.first {
		w.begin = time.Now()
		if w.started != nil {
			w.started()
		}
	}
	if s.Step() > w.first {
		w.seconds = append(w.seconds, took)
		w.pressure, w.heat = append(w.pressure, float64(sample.PressureCycles)), append(w.heat, float64(sample.Heat().Cycles))
		enough := len(w.seconds) >= min(3, w.run.options.Repeat) && time.Since(w.begin) > w.run.options.Budget
		if enough || len(w.seconds) >= w.run.options.Repeat {
			w.stop()
		}
	}
	if w.copy != nil {
		t, err := sampleCopy(w.copy)
		if err != nil {
			return err
		}
		w.copies = append(w.copies, t)
	}
	w.last = time.Now()
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
	t := r.table("steps", fmt.Sprintf("A step on %s nodes", sizeText(nodes[:])), columnPrecision, columnStencil, columnPermeability, columnDispersion, columnScalars,
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Measured, Format: "%.5f"},
		report.Column{Key: "to_constant", Title: "to 7 points, constant", Origin: report.Measured, Format: "%.2f"},
		columnBytes,
		report.Column{Key: "model_seconds", Title: "bytes/copy", Unit: "s", Origin: report.Model, Format: "%.5f"},
		columnSpeed, columnCopy, columnFraction,
		report.Column{Key: "million_nodes_per_second", Title: "nodes", Unit: "M/s", Origin: report.Measured, Format: "%.2f"},
		report.Column{Key: "pressure_iterations", Title: "pressure", Unit: "iterations", Origin: report.Measured, Format: "%.1f"},
		report.Column{Key: "diffusion_iterations", Title: "diffusion", Unit: "iterations", Origin: report.Measured, Format: "%.1f"})
	parts := r.table("parts", "Its parts", columnPrecision, columnStencil, columnPermeability, columnDispersion, columnScalars,
		report.Column{Key: "part", Title: "part", Origin: report.Label},
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Measured, Format: "%.5f"},
		report.Column{Key: "share", Title: "share", Unit: "%", Origin: report.Measured, Format: "%.1f"}, columnBytes,
		report.Column{Key: "model_seconds", Title: "bytes/copy", Unit: "s", Origin: report.Model, Format: "%.5f"}, columnFraction)
	cases := r.stepCases()
	for _, c := range cases {
		if err := r.checkStep(c); err != nil {
			return err
		}
	}
	start, err := r.spinUp(nodes)
	if err != nil {
		return err
	}
	constant := map[string]float64{} // seconds with 7 points and constant permeability, by precision
	for _, c := range cases {
		if err := r.stepOf(t, parts, c, nodes, start, constant); err != nil {
			return err
		}
	}
	r.paperStep()
	r.plotStep(parts, cases)
	r.plotNodes(t)
	r.note("Medians over the steps after the first %d, which wait for the device only where a step needs a number from it. The parts are means "+
		"over steps that follow after another %d, with the device at rest after each part. A step includes the diagnostics of every step.", warmUp, warmUpSplit)
	r.note("bytes: counted kernel by kernel in the steps that are split, every array read or written once. iterations: means a step.")
	return nil
}

// stepOf measures one case: steps as they are in a run, and then steps that are split and counted.
func (r *run) stepOf(t, parts *report.Table, which stepCase, nodes [3]int, start []float64, constant map[string]float64) error {
	r.progress("%s, %s nodes", which.name(), sizeText(nodes[:]))
	p, controls, err := convection(nodes, which)
	if err != nil {
		return err
	}
	p.Initial = physics.Initial{Nodes: start}
	for n := range p.Solutes {
		p.Solutes[n].Initial = p.Initial
	}
	controls.FirstStep = math.Inf(1) // as long as the Courant number allows
	s, err := physics.New(r.dev, p, controls)
	if err != nil {
		return err
	}
	c, err := r.copyOf(r.dev, p.Precision, s.Grid().Box.Len)
	if err != nil {
		s.Free()
		return err
	}
	w, err := r.watchSteps(s, &stepWatch{copy: c, first: warmUp})
	if err != nil {
		s.Free()
		return err
	}
	state, err := s.State()
	s.Free()
	if err != nil {
		return err
	}
	counted := newCounting(r.dev)
	if s, err = physics.Resume(counted, p, controls, state); err != nil {
		return err
	}
	defer s.Free()
	before := 0.0
	split, err := r.watchSteps(s, &stepWatch{first: state.Step + warmUpSplit, started: func() {
		before = counted.bytes
		s.EnableProfileOf(func() float64 { return counted.bytes })
	}})
	if err != nil {
		return err
	}
	made := float64(len(split.seconds))
	seconds, copied, bytes := median(w.seconds), c.bytes()/median(w.copies), (counted.bytes-before)/made
	if which.plain() {
		constant[which.kind] = seconds
	}
	n := float64(s.Grid().Nodes())
	t.Add(which.row(report.Row{"seconds": seconds, "to_constant": seconds / constant[which.kind],
		columnBytes.Key: bytes / n, "model_seconds": bytes / copied,
		columnSpeed.Key: bytes / seconds / 1e9, columnCopy.Key: copied / 1e9, columnFraction.Key: bytes / seconds / copied,
		"million_nodes_per_second": n / seconds / 1e6, "pressure_iterations": mean(w.pressure), "diffusion_iterations": mean(w.heat)}))
	total := 0.0
	for _, part := range s.Profile() {
		total += part.Seconds
	}
	for _, part := range s.Profile() {
		spent, moved := part.Seconds/made, part.Count/made
		parts.Add(which.row(report.Row{"part": part.Name, "seconds": spent, "share": 100 * part.Seconds / total,
			columnBytes.Key: moved / n, "model_seconds": moved / copied, columnFraction.Key: moved / spent / copied}))
	}
	return nil
}

// watchSteps runs until a watch has seen enough.
func (r *run) watchSteps(s *physics.Simulation, w *stepWatch) (*stepWatch, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.run, w.stop, w.last = r, cancel, time.Now()
	_, err := s.Run(ctx, w)
	return w, err
}

// checkStep makes steps on a small grid. The balance of every scalar must close to rounding, and its mean must be that of a plain sum.
func (r *run) checkStep(which stepCase) error {
	p, controls, err := convection([3]int{33, 33, 17}, which)
	if err != nil {
		return err
	}
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
	epsilon, sample := p.Precision.Epsilon(), s.Sample()
	amount := s.Grid().Volume() / sample.Dt // content of a unit value in one step's time
	for n, of := range p.Transported() {
		values, err := s.Download(of.Name)
		if err != nil {
			return err
		}
		scalar := sample.Scalars[n]
		if err := r.check(fmt.Sprintf("%s step: %s gained less %s that entered, of the content a step", which.name(), of.Content, of.Content),
			math.Abs(scalar.Gain-scalar.In)/amount, 64*epsilon); err != nil {
			return err
		}
		if err := r.check(fmt.Sprintf("%s step: mean %s less that of a plain sum", which.name(), of.Name),
			math.Abs(scalar.Mean-plainMean(s.Grid(), values)), 16*epsilon+sums*kernels.Float64.Epsilon()); err != nil {
			return err
		}
	}
	return nil
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
