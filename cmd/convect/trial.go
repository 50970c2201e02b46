package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/multigrid"
	"convect/physics"
)

// A trial measures steps of at most so many nodes, for so long.
const (
	trialNodes = 400_000
	trialTime  = 1500 * time.Millisecond
	trialSteps = 40
)

// trial is what a few steps of a case, or of a coarser copy, tell of it.
type trial struct {
	nodes         float64 // of the trial
	seconds       float64 // a step of it
	memory        *footprint
	how           string
	steps         float64        // of the case itself, estimated
	follows       bool           // walls, wells, the heat source or the heat loss vary in time so fast that the steps follow them
	speed         float64        // that the estimate assumes, nondimensional
	drive         float64        // velocity scale of buoyancy
	beside        float64        // the part of drive, times μ/K, that is not the temperature's
	fluid         physics.Values // the ranges of temperature and concentration
	flux, source  float64        // the largest at the start
	buoyant       float64        // time on which buoyancy acts
	capacity      float64        // the largest of the first scalar
	leastCapacity float64        // of all
	controls      physics.Controls
	method        multigrid.Method // of the pressure, chosen for the case; BestMethod where the medium of the trial is another
	outlook       physics.Outlook
}

// measure runs a few steps in memory.
func measure(dev kernels.Device, c *casefile.Case, reload reloader) (*trial, error) {
	small, how, err := coarser(c, reload, trialNodes)
	if err != nil {
		return nil, err
	}
	counting := newCounting(dev)
	s, err := physics.New(counting, small.Parameters, small.Controls)
	if err != nil {
		return nil, c.Explain(err)
	}
	defer s.Free()
	t := &trial{nodes: small.Nodes(), how: how, controls: s.Controls(), buoyant: s.BuoyantStep()}
	if c.Controls.FirstStep == 0 { // chosen, from the diffusion time of a cell
		finer := leastWidth(c) / leastWidth(small)
		t.controls.FirstStep *= finer * finer
	}
	t.describe(s)
	if small == c || !c.GridFiles() { // else the medium is another
		t.method = s.PressureSolver().Options().Method
		if t.outlook, err = s.Outlook(); err != nil {
			return nil, err
		}
	}
	if err := t.time(s); err != nil {
		return nil, err
	}
	wells, _, err := wellSteps(dev, c)
	if err != nil {
		return nil, err
	}
	t.estimate(s, c, wells)
	t.memory, err = newFootprint(s, counting, small)
	return t, err
}

// coarser returns a case of at most so many nodes, built: the case itself or, reloaded, one on a grid in about the same
// proportions that coarsens alike. It has a uniform medium in place of one from a file.
func coarser(c *casefile.Case, reload reloader, most float64) (*casefile.Case, string, error) {
	if c.Nodes() <= most {
		return c, "measured on this case", c.Build(casefile.BuildOptions{})
	}
	cells, dimensions := c.Extent().Cells, 3.0
	if cells[kernels.Y] == 0 {
		dimensions = 2
	}
	factor := math.Pow(most/c.Nodes(), 1/dimensions)
	for d, n := range cells {
		if n > 0 {
			cells[d] = alike(n, factor)
		}
	}
	list := fmt.Sprintf("grid.cells=[%d, %d, %d]", cells[0], cells[1], cells[2])
	if cells[1] == 0 {
		list = fmt.Sprintf("grid.cells=[%d, %d]", cells[0], cells[2])
	}
	how := fmt.Sprintf("measured on %s cells", cellsText(cells))
	if c.GridFiles() {
		how += " with a uniform medium"
	}
	small, err := reload(list)
	if err != nil {
		return nil, "", err
	}
	if err := small.Build(casefile.BuildOptions{Uniform: true}); err != nil {
		return nil, "", err
	}
	if c.GridFiles() {
		asVarying(&small.Parameters.Permeability, c.Parameters.Permeability)
		asVarying(&small.Parameters.Diffusivity, c.Parameters.Diffusivity)
		asShared(&small.Parameters.Permeability, c.Parameters.Permeability)
		asShared(&small.Parameters.Diffusivity, c.Parameters.Diffusivity)
	}
	finer := 1.0
	for d, n := range cells[:kernels.Z] {
		if n > 0 {
			finer = math.Max(finer, float64(c.Extent().Cells[d])/float64(n))
		}
	}
	small.Parameters.Pressure.Finer, small.Parameters.Diffusion.Finer = finer, finer
	return small, how, nil
}

// asVarying makes the first cell of a uniform medium in the place of one from a file another one, so that its solvers are those of media that vary in all directions.
func asVarying(m *physics.Material, as physics.Material) {
	if !m.Varies() || !as.Varies() {
		return
	}
	for d := range m.Cells {
		if m.Cells[d] != nil && (d == 0 || &m.Cells[d][0] != &m.Cells[0][0]) {
			m.Cells[d][0] *= 1.01
		}
	}
}

// asShared gives a medium as many arrays as another one has, once that has been built.
func asShared(m *physics.Material, as physics.Material) {
	if !m.Varies() || !as.Varies() {
		return
	}
	for d := 1; d < len(m.Cells); d++ {
		for e := range d {
			if &as.Cells[d][0] != &as.Cells[e][0] && &m.Cells[d][0] == &m.Cells[e][0] {
				m.Cells[d] = slices.Clone(m.Cells[d])
			}
		}
	}
}

// alike scales a number of cells to one that can be halved as often, or often enough.
func alike(n int, factor float64) int {
	scaled := factor * float64(n)
	even := n & -n // the power of two in it
	if even >= 32 || even >= 4 && scaled < 64 {
		return min(n, multiple(scaled))
	}
	odd := (int(scaled)/even - 1) | 1
	return min(n, max(even*max(odd, 1), 2))
}

// multiple rounds down to a multiple of 32, or of 4 where there are few.
func multiple(n float64) int {
	if n < 64 {
		return max(4, int(n/4)*4)
	}
	return int(n/32) * 32
}

// describe notes the material.
func (t *trial) describe(s *physics.Simulation) {
	p := s.Parameters()
	t.leastCapacity = math.Inf(1)
	for n, of := range p.Carried() {
		if n == 0 {
			t.capacity = of.Capacity.Max()
		}
		t.leastCapacity = math.Min(t.leastCapacity, of.Capacity.Min())
	}
	t.fluid = s.Foreseen()
	t.flux, t.source = s.LargestHeating()
	t.drive, t.beside = driveOf(s), s.DriveBeside()
}

// time runs steps until there are enough.
func (t *trial) time(s *physics.Simulation) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &stopwatch{stop: cancel, most: trialSteps}
	if _, err := s.Run(ctx, w); err != nil {
		return err
	}
	t.seconds = w.perStep()
	return nil
}

// stopwatch ends a run after trialTime or so many steps; the first step is a warm-up. It is a physics.Observer.
type stopwatch struct {
	stop        func()
	most        int
	begin, last time.Time
	steps       int
}

// Observe counts the step.
func (w *stopwatch) Observe(_ *physics.Simulation, e physics.Event) error {
	w.last = time.Now()
	if e.Start {
		w.begin = w.last
		return nil
	}
	w.steps++
	if w.steps == 1 {
		w.begin = w.last
	}
	if w.steps > w.most || w.last.Sub(w.begin) > trialTime {
		w.stop()
	}
	return nil
}

func (w *stopwatch) perStep() float64 {
	if w.steps < 2 {
		return 0
	}
	return w.last.Sub(w.begin).Seconds() / float64(w.steps-1)
}

// estimate guesses the number of steps: those of the largest step, or of the Courant number at a quarter of the velocity
// scale of buoyancy or the present speed, whichever is faster, or at wells.
func (t *trial) estimate(s *physics.Simulation, c *casefile.Case, wells []float64) {
	t.speed = math.Max(t.drive/4, s.Sample().SpeedMax)
	dt := t.controls.MaxStep
	if t.speed > 0 {
		dt = math.Min(dt, c.Controls.Courant*leastWidth(c)*t.leastCapacity/t.speed)
	}
	for _, step := range wells {
		dt = math.Min(dt, step)
	}
	dt = math.Min(dt, c.Controls.End)
	t.steps = math.Ceil(c.Controls.End / dt)
	followed := s.ForeseenSteps(t.controls.FirstStep, t.speed/leastWidth(c))
	t.follows = followed > t.steps
	t.steps = math.Max(t.steps, followed)
}
