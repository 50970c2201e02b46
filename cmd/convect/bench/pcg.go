package bench

import (
	"math"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/lab/mueller"
)

func columns() Benchmark {
	return Benchmark{
		Name: "pcg", Title: "Conjugate gradients and multigrid on columns of a flat domain",
		Source: "Müller, Guo, Scheichl & Shi, Matrix-free GPU implementation of a preconditioned conjugate gradient solver for " +
			"anisotropic elliptic PDEs, 2013",
		Text: "The pressure equation of weather models on one panel of a gnomonic cubed sphere and on a flat square, to a relative " +
			"residual of 1e-5: conjugate gradients preconditioned by vertical systems, with a stored matrix, matrix-free, and " +
			"interleaved in two loops, and multigrid with the same systems as a smoother, in both orders of memory: its tables 2 to 7.",
		Size: []int{256, 256, 128}, Axes: []int{3}, Repeat: 7, Kinds: []string{float64Name, float32Name},
		Columns: true, measure: measurePCG,
	}
}

// pcgTolerance is the relative residual of the paper's solves.
const (
	pcgTolerance = 1e-5
	pcgMost      = 1000 // iterations
)

// multigridName names the solver that is no form of conjugate gradients.
const multigridName = "multigrid"

// panelSide is the right side: smooth, with structure in the vertical, the same at all resolutions.
func panelSide(p mueller.Parameters) func(x, y, r float64) float64 {
	return func(x, y, r float64) float64 {
		return math.Exp(-((x-0.3)*(x-0.3)+(y+0.2)*(y+0.2))/0.1) * (1 + math.Sin(5*(r-1)/p.Depth))
	}
}

// columnCase is one discretisation to be solved.
type columnCase struct {
	kind  string
	order mueller.Order
	flat  bool
}

func (c columnCase) panel() string {
	if c.flat {
		return "flat"
	}
	return "sphere"
}

func (c columnCase) row() report.Row {
	return report.Row{"panel": c.panel(), "order": c.order.String(), "precision": c.kind}
}

// columnProblem is a problem on a device with its right side, and room for a solution.
type columnProblem struct {
	columnCase
	*mueller.Problem
	u, f  kernels.Buffer
	setUp float64 // seconds that its discretisation took
}

func newColumnProblem(dev kernels.Device, c columnCase, p mueller.Parameters) (*columnProblem, error) {
	on, ok := mueller.On(dev)
	if !ok {
		return nil, ErrNotOffered
	}
	s, begin := &columnProblem{columnCase: c}, time.Now()
	var err error
	if s.Problem, err = mueller.New(on, element(c.kind), c.order, p); err != nil {
		return nil, err
	}
	s.setUp = time.Since(begin).Seconds()
	for _, b := range []*kernels.Buffer{&s.u, &s.f} {
		if *b, err = s.NewField(); err != nil {
			s.Free()
			return nil, err
		}
	}
	s.Set(s.f, true, panelSide(p))
	return s, dev.Sync()
}

// columnSolver is one of the solvers compared.
type columnSolver struct {
	name  string
	form  mueller.Form
	solve func(u, f kernels.Buffer, tolerance float64, most int) (mueller.Result, error)
	work  mueller.Work // of an iteration
	setUp float64      // seconds beyond the discretisation
	free  func()
}

// solvers makes all solvers: the forms of conjugate gradients, the stored matrix first, then multigrid.
func (p *columnProblem) solvers() (all []columnSolver, err error) {
	for _, form := range mueller.Forms() {
		s, err := p.NewKrylov(form)
		if err != nil {
			return all, err
		}
		c := columnSolver{name: form.String(), form: form, solve: s.Solve, work: s.Iteration(), free: func() {}}
		if form == mueller.Stored {
			if c.setUp, err = sample(p.Device, kernel(s.StoreMatrix), 1); err != nil {
				return all, err
			}
		}
		all = append(all, c)
	}
	begin := time.Now()
	m, err := p.NewMultigrid(2, 2)
	if err != nil {
		return all, err
	}
	return append(all, columnSolver{name: multigridName, solve: m.Solve, work: m.Cycle(), setUp: time.Since(begin).Seconds(),
		free: m.Free}), nil
}

func freeSolvers(all []columnSolver) {
	for _, s := range all {
		s.free()
	}
}

// columnTables are the tables of the benchmark.
type columnTables struct {
	kernels, solves, ratios, sizes *report.Table
}

func measurePCG(r *run) error {
	size := threeAxes(r.options.Size)
	standard := mueller.Standard(size[0], size[2], false)
	standard.Columns = [2]int{size[0], size[1]}
	standard.Courant, standard.Lambda, standard.Depth = r.options.Omega, r.options.Lambda, r.options.Depth
	r.pcgCounts()
	t := r.pcgTables(size)
	for _, kind := range r.kinds {
		for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
			if err := r.checkPCG(kind, order); err != nil {
				return err
			}
		}
	}
	for _, flat := range []bool{false, true} {
		p := standard
		p.Flat = flat
		for _, kind := range r.kinds {
			for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
				if err := r.pcgOf(t, columnCase{kind, order, flat}, p); err != nil {
					return err
				}
			}
			if err := r.pcgSizes(t.sizes, columnCase{kind, mueller.RowOrder, flat}, p); err != nil {
				return err
			}
		}
	}
	r.paperPCG()
	r.plotPCG(t)
	r.plotColumnKernels(t.kernels)
	r.pcgNotes(standard)
	return nil
}

// pcgOf measures kernels and solves of one problem.
func (r *run) pcgOf(t columnTables, c columnCase, parameters mueller.Parameters) error {
	p, err := newColumnProblem(r.dev, c, parameters)
	if err != nil {
		return err
	}
	defer p.Free()
	copied, err := r.copyOf(r.dev, p.Elem, p.Panel.Len)
	if err != nil {
		return err
	}
	all, err := p.solvers()
	defer func() { freeSolvers(all) }()
	if err != nil {
		return err
	}
	times, err := r.pcgSolves(t.solves, p, copied, all)
	if err != nil {
		return err
	}
	var parts partTimes
	if !c.flat { // the kernels are the same
		if parts, err = r.pcgKernels(t.kernels, p, copied); err != nil {
			return err
		}
	}
	r.pcgRatios(t.ratios, p, all, times, parts)
	return nil
}
