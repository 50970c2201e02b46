package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"convect/cmd/convect/casefile"
	"convect/io/series"
	"convect/physics"
)

func cases() Benchmark {
	return Benchmark{
		Name: "cases", Title: "Time step of ordinary cases", Source: "cases as users write them",
		Text: "Seconds for a time step of ordinary cases, beside the closed box: a cube heated from below at Ra = 2000, equal cells. Each row is a " +
			"case file, which is run as convect run does, with the row that each step writes. Flow has developed before the timing: from noise and a wave on " +
			"a grid coarser by 4, and for some steps on its own. " +
			"What the others are compared with are steps of the closed box, in turns with theirs. --size is its nodes along each axis; " +
			"the other grids belong to them. Cells are cubes where they are not graded. The rows are " + strings.Join(caseNames(), ", ") + ".",
		Size: []int{129}, GPU: []int{fullCells + 1}, Axes: []int{1}, Repeat: 20, Kinds: []string{mixedName}, Rows: true,
		measure: measureCases,
	}
}

// Steps on the coarser grid, those that follow before the timing on a processor and on a GPU, those of a sample, and those that are split.
const (
	coarseSteps     = 1000
	developSteps    = 40
	developStepsGPU = 100
	blockSteps      = 10
	splitSteps      = 5
)

// caseResult is what was found of a case. Sums and means are of a step.
type caseResult struct {
	name           string
	cells          [3]int
	nodes          float64
	seconds        float64
	relative       float64 // the time of a node over that of the closed box
	copied         float64 // bytes/s
	pressure, heat float64 // cycles
	nusselt        float64 // mean
	imbalance      float64 // the most of any scalar, of its content
	bytes, memory  float64
	part           string // that takes most time
	share          float64
	failure        error
}

// closedState is the state of the closed box from which it takes steps beside each case; zero before it was timed.
type closedState struct {
	c     *casefile.Case
	state *physics.State
}

// caseWatch times blocks of steps in turns with the closed box and copies. It is a physics.Observer.
type caseWatch struct {
	run                     *run
	copy                    *plainCopy          // nil: none
	closed                  *physics.Simulation // nil: none
	started                 func()              // told when the timing begins; may be nil
	stop                    func()
	skip, block, most       int // steps before the timing and of a block, blocks at most
	steps                   int
	first, begin            time.Time
	seconds, copies         []float64 // of a step, of a copy
	ratios                  []float64 // seconds of a step over those of the closed box
	pressure, heat, nusselt float64   // sums
	imbalance               float64
}

// Observe ends a step, and at the end of a block makes a copy.
func (w *caseWatch) Observe(s *physics.Simulation, e physics.Event) error {
	if e.Start {
		w.begin = time.Now()
		return nil
	}
	if w.steps++; w.steps > w.skip {
		w.add(s)
	}
	if w.steps < w.skip || (w.steps-w.skip)%w.block != 0 {
		return nil
	}
	if err := w.run.dev.Sync(); err != nil {
		return err
	}
	if w.steps == w.skip {
		w.first = time.Now()
		if w.started != nil {
			w.started()
		}
	} else if err := w.endBlock(); err != nil {
		return err
	}
	w.begin = time.Now()
	return nil
}

// add adds what a step tells.
func (w *caseWatch) add(s *physics.Simulation) {
	sample := s.Sample()
	w.pressure += float64(sample.PressureCycles)
	w.heat += float64(sample.Heat().Cycles)
	w.nusselt += sample.Heat().Transfer()
	for _, u := range sample.Scalars {
		w.imbalance = max(w.imbalance, math.Abs(u.Gain-u.In)*sample.Dt/s.Grid().Volume())
	}
}

// secondsOf makes so many steps and returns the seconds of one.
func (r *run) secondsOf(s *physics.Simulation, steps int) (float64, error) {
	w := &caseWatch{run: r, block: steps, most: 1}
	err := watchCase(s, w)
	return mean(w.seconds), err
}

// endBlock notes the time of a block, and stops where there are enough.
func (w *caseWatch) endBlock() error {
	w.seconds = append(w.seconds, time.Since(w.begin).Seconds()/float64(w.block))
	if w.copy != nil {
		t, err := sampleCopy(w.copy)
		if err != nil {
			return err
		}
		w.copies = append(w.copies, t)
	}
	if w.closed != nil {
		t, err := w.run.secondsOf(w.closed, w.block)
		if err != nil {
			return fmt.Errorf("the closed box beside it: %w", err)
		}
		w.ratios = append(w.ratios, w.seconds[len(w.seconds)-1]/t)
	}
	if n := len(w.seconds); n >= w.most || n >= 3 && time.Since(w.first) > w.run.options.Budget {
		w.stop()
	}
	return nil
}

func measureCases(r *run) error {
	dir, err := os.MkdirTemp("", "convect-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if r.options.Develop == 0 {
		r.options.Develop = developSteps
		if r.report.Machine.Device != "cpu" {
			r.options.Develop = developStepsGPU
		}
	}
	var results []*caseResult
	closed := &closedState{}
	for _, c := range r.chosenCases() {
		results = append(results, r.caseOf(c, dir, closed))
	}
	failed := r.tableOfCases(results)
	compared, err := r.compareCases(results)
	if err != nil {
		return err
	}
	if failed = append(failed, compared...); len(failed) > 0 {
		return &RowsError{failed}
	}
	return nil
}

// chosenCases returns the cases to be run, the closed box first and last.
func (r *run) chosenCases() []ordinary {
	all, size := ordinaryCases(), r.options.Size[0]
	chosen := all[:1:1]
	for _, c := range all[1:] {
		if slices.Contains(r.options.Rows, c.name) || len(r.options.Rows) == 0 && !(c.large && size <= fullCells) {
			chosen = append(chosen, c)
		}
	}
	return append(chosen, all[0])
}

// caseOf runs a case in a folder of its own.
func (r *run) caseOf(c ordinary, dir string, closed *closedState) *caseResult {
	result := &caseResult{name: c.name, cells: c.cells(r.options.Size[0] - 1)}
	r.progress("%s, %s cells", c.name, cellsText(result.cells))
	own, err := os.MkdirTemp(dir, "")
	if err == nil {
		err = r.measureCase(c, own, closed, result)
	}
	if err == nil {
		err = result.check()
	}
	if result.failure = err; err != nil {
		r.progress("%s: %v", c.name, err)
	}
	return result
}

// measureCase times the steps of a case as they are in a run, and then splits and counts some. The first time that of the closed box is kept.
func (r *run) measureCase(c ordinary, dir string, closed *closedState, result *caseResult) error {
	start, err := r.developed(c, result.cells, dir, coarseSteps)
	if err != nil {
		return fmt.Errorf("on the coarser grid: %w", err)
	}
	loaded, err := r.loadCase(c, result.cells, result.cells, dir, start)
	if err != nil {
		return err
	}
	state, err := r.timeCase(loaded, dir, closed, result)
	if err != nil {
		return err
	}
	if closed.c == nil && c.name == closedBox {
		*closed, result.relative = closedState{loaded, state}, 1
	}
	return r.splitCase(loaded, state, result)
}

// timeCase runs a case until it was timed, and returns its state then.
func (r *run) timeCase(c *casefile.Case, dir string, closed *closedState, result *caseResult) (*physics.State, error) {
	s, err := physics.New(r.dev, c.Parameters, c.Controls)
	if err != nil {
		return nil, err
	}
	defer s.Free()
	result.nodes = float64(s.Grid().Nodes())
	w := &caseWatch{run: r, skip: r.options.Develop, block: blockSteps, most: r.options.Repeat}
	if w.copy, err = r.copyOf(r.dev, c.Parameters.Precision, s.Grid().Box.Len); err != nil {
		return nil, err
	}
	if closed.c != nil {
		if w.closed, err = closed.resume(r); err != nil {
			return nil, fmt.Errorf("the closed box beside it: %w", err)
		}
		defer w.closed.Free()
	}
	rows, err := series.New(series.Options{Dir: dir, Hold: series.UsualHold, Scales: c.Scales, Dimensions: s.Grid().Dimensions(), Scalars: c.Parameters.Transported(),
		Wells: c.WellColumns(), Surfaces: c.SurfaceNames()})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if err := watchCase(s, w, rows); err != nil {
		return nil, err
	}
	if result.relative = math.NaN(); w.closed != nil {
		result.relative = median(w.ratios) / result.nodes * float64(w.closed.Grid().Nodes())
	}
	steps := float64(blockSteps * len(w.seconds))
	result.seconds, result.copied = median(w.seconds), w.copy.bytes()/median(w.copies)
	result.pressure, result.heat, result.nusselt, result.imbalance = w.pressure/steps, w.heat/steps, w.nusselt/steps, w.imbalance
	return s.State()
}

// resume returns the closed box in its state, some steps later.
func (c *closedState) resume(r *run) (*physics.Simulation, error) {
	s, err := physics.Resume(r.dev, c.c.Parameters, c.c.Controls, c.state)
	if err != nil {
		return nil, err
	}
	if _, err := r.secondsOf(s, warmUp); err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}

// splitCase goes on from a state, and finds the bytes of a step, the memory, and the part that takes most time.
func (r *run) splitCase(c *casefile.Case, state *physics.State, result *caseResult) error {
	counted, before := newCounting(r.dev), 0.0
	s, err := physics.Resume(counted, c.Parameters, c.Controls, state)
	if err != nil {
		return err
	}
	defer s.Free()
	err = watchCase(s, &caseWatch{run: r, skip: warmUpSplit, block: splitSteps, most: 1, started: func() {
		before = counted.bytes
		s.EnableProfile()
	}})
	if err != nil {
		return err
	}
	result.bytes, result.memory = (counted.bytes-before)/splitSteps, counted.most
	total, most := 0.0, 0.0
	for _, part := range s.Profile() {
		if total += part.Seconds; part.Seconds > most {
			most, result.part = part.Seconds, part.Name
		}
	}
	result.share = most / total
	return nil
}

// watchCase runs until a watch has seen enough; the others observe each step before it.
func watchCase(s *physics.Simulation, w *caseWatch, before ...physics.Observer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.stop = cancel
	_, err := s.Run(ctx, append(before, w)...)
	return err
}

// imbalanceBound is what a scalar may gain in a step beside what entered, of its content.
const imbalanceBound = 1e-12

// check fails where the flow cannot be right. That every solve converged was a condition of every step.
func (c *caseResult) check() error {
	switch {
	case !(c.imbalance <= imbalanceBound):
		return fmt.Errorf("a step gained %.3g of its content beside what entered, more than %.3g", c.imbalance, imbalanceBound)
	case !(c.nusselt > 1) || math.IsInf(c.nusselt, 0):
		return fmt.Errorf("the Nusselt number is %.4g: nothing flows", c.nusselt)
	}
	return nil
}
