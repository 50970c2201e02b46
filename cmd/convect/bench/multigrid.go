package bench

import (
	"fmt"
	"math"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/kernels/parallel"
	"convect/multigrid"
	"convect/stencil"
)

func solvers() Benchmark {
	return Benchmark{
		Name: "multigrid", Title: "Multigrid for Poisson's equation",
		Source: "Krotkiewski & Dabrowski, Efficient 3D stencil computations and geometric multigrid on modern GPUs",
		Text: "Poisson's equation on the unit cube, fixed walls, smooth right side, zero first guess: V-cycles a second, bytes and " +
			"time for each decimal digit, time to a relative residual of 1e-8, and the observed order of accuracy.",
		Size: []int{257}, Axes: []int{1}, Repeat: 9, Kinds: []string{mixedName, float64Name, float32Name},
		measure: measureMultigrid,
	}
}

// solverOptions are the solvers compared, the defaults of all precisions among them.
func solverOptions() []multigrid.Options {
	return []multigrid.Options{
		{Method: multigrid.ConjugateGradients, Smoother: multigrid.Chebyshev, Pre: 2, Post: 2},
		{Method: multigrid.Multigrid, Smoother: multigrid.Chebyshev, Pre: 2, Post: 2},
		{Method: multigrid.Multigrid, Cycle: multigrid.FullMultigrid, Smoother: multigrid.Chebyshev, Pre: 2, Post: 2},
		{Method: multigrid.Multigrid, Smoother: multigrid.RedBlack, Pre: 1, Post: 1},
		{Method: multigrid.Multigrid, Smoother: multigrid.RedBlack, Pre: 2, Post: 2},
		{Method: multigrid.Multigrid, Smoother: multigrid.Jacobi, Pre: 2, Post: 2},
		{Method: multigrid.Direct},
	}
}

// dirichlet is -∇²u = f on the unit cube with u = 0 on the walls and the solution u = g(x) g(y) g(z), g(s) = s (1-s) eˢ.
type dirichlet struct {
	discretisation
	dev      *counting
	grid     *stencil.Grid
	boundary *stencil.Boundary
	op       *stencil.Operator
	u, f     *stencil.Field
	room     *stencil.Field // for the solver; nil where it has no use for it
	exact    []float64
	right    []float64 // integrated
	host     []float64 // for downloads
}

func newDirichlet(dev kernels.Device, d discretisation, elem kernels.Elem, nodes int) (*dirichlet, error) {
	p := &dirichlet{discretisation: d, dev: newCounting(dev)}
	var err error
	e := stencil.Extent{Cells: [3]int{nodes - 1, nodes - 1, nodes - 1}, Size: [3]float64{1, 1, 1}}
	if p.grid, err = stencil.NewGrid(p.dev, elem, e); err != nil {
		return nil, err
	}
	var fixed [6][]bool
	for s := range fixed {
		fixed[s] = trues(p.grid.Box.WallNodes(kernels.Side(s)))
	}
	if p.boundary, err = stencil.NewBoundary(p.grid, fixed); err != nil {
		return p, err
	}
	c := stencil.Coefficients{Constant: [3]float64{1, 1, 1}}
	d.choose(&c)
	if p.op, err = stencil.NewOperator(p.boundary, c); err != nil {
		return p, err
	}
	fields := []**stencil.Field{&p.u, &p.f}
	if p.op.Corrects() {
		fields = append(fields, &p.room)
	}
	for _, f := range fields {
		if *f, err = p.grid.NewField("field", p.boundary); err != nil {
			return p, err
		}
	}
	p.manufacture()
	p.f.Upload(p.right)
	return p, dev.Sync()
}

// manufacture computes the solution and the right side, integrated over the dual volumes.
func (p *dirichlet) manufacture() {
	n := p.grid.Box.N[0]
	g, second := make([]float64, n), make([]float64, n) // g and -g''
	for i, s := range p.grid.Coordinates(0) {
		g[i], second[i] = s*(1-s)*math.Exp(s), (3*s+s*s)*math.Exp(s)
	}
	volume := math.Pow(1/float64(n-1), 3) // of inner nodes; the others are fixed
	p.exact, p.right = make([]float64, n*n*n), make([]float64, n*n*n)
	parallel.Ranges(n*n, func(first, last int) {
		for row := first; row < last; row++ {
			j, k := row%n, row/n
			exact, right := p.exact[row*n:][:n], p.right[row*n:][:n]
			inner := min(j, k) > 0 && max(j, k) < n-1
			for i := range exact {
				exact[i] = g[i] * g[j] * g[k]
				if inner && i > 0 && i < n-1 {
					right[i] = volume * (second[i]*g[j]*g[k] + g[i]*second[j]*g[k] + g[i]*g[j]*second[k])
				}
			}
		}
	})
}

func (p *dirichlet) free() {
	for _, f := range []*stencil.Field{p.u, p.f, p.room} {
		f.Free()
	}
	if p.op != nil {
		p.op.Free()
	}
	if p.boundary != nil {
		p.boundary.Free()
	}
	p.grid.Free()
}

// solver makes a solver in a precision.
func (p *dirichlet) solver(o multigrid.Options, kind string) (*multigrid.Solver, error) {
	o.Mixed = kind == mixedName
	s, err := multigrid.New(p.op, o)
	if err == nil && p.room != nil {
		s.SetScratch(p.room)
	}
	return s, err
}

// solve solves from zero.
func (p *dirichlet) solve(s *multigrid.Solver) (multigrid.Result, error) {
	result, _, err := s.SolveFromZero(p.u, p.f, 0, 0, nil)
	return result, err
}

// error returns the root mean square of the error of u.
func (p *dirichlet) error() (float64, error) {
	if p.host == nil {
		p.host = make([]float64, p.grid.Nodes())
	}
	if err := p.u.DownloadTo(p.host); err != nil {
		return 0, err
	}
	u, n := p.host, p.grid.Box.N
	planes := make([]float64, n[2]) // sums of their own, so that the processors do not matter
	parallel.Ranges(n[2], func(first, last int) {
		for k := first; k < last; k++ {
			sum, begin := 0.0, k*n[0]*n[1]
			for c := begin; c < begin+n[0]*n[1]; c++ {
				sum += (u[c] - p.exact[c]) * (u[c] - p.exact[c])
			}
			planes[k] = sum
		}
	})
	sum := 0.0
	for _, s := range planes {
		sum += s
	}
	return math.Sqrt(sum / float64(len(u))), nil
}

// plainResidual returns ‖f - A u‖ / ‖f‖ over inner nodes from the plain operator.
func (p *dirichlet) plainResidual() (float64, error) {
	u, err := p.u.Download()
	if err != nil {
		return 0, err
	}
	image, _ := p.plain(p.grid, [3][]float64{}, u)
	n := p.grid.Box.N[0]
	var residual, size float64
	for c, f := range p.right {
		i, j, k := c%n, c/n%n, c/(n*n)
		if min(i, j, k) > 0 && max(i, j, k) < n-1 {
			residual += (f - image[c]) * (f - image[c])
			size += f * f
		}
	}
	return math.Sqrt(residual / size), nil
}

func measureMultigrid(r *run) error {
	cycles := r.table("cycles", fmt.Sprintf("One V-cycle on %d³ nodes", r.options.Size[0]), append(solverColumns(),
		report.Column{Key: "from", Title: "from", Origin: report.Label}, columnTime,
		report.Column{Key: "cycles_per_second", Title: "V-cycles", Unit: "/s", Origin: report.Measured, Format: "%.2f"},
		columnBytes, columnModel, columnSpeed, columnCopy, columnFraction)...)
	solves := r.table("solves", "Solves to a relative residual of 1e-8", append(solverColumns(),
		report.Column{Key: "levels", Title: "levels", Origin: report.Counted},
		report.Column{Key: "iterations", Title: "iterations", Origin: report.Measured},
		report.Column{Key: "residual", Title: "residual", Origin: report.Measured, Format: "%.1e"},
		report.Column{Key: "factor", Title: "factor", Unit: "/iteration", Origin: report.Measured, Format: "%.3f"},
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Measured, Format: "%.3f"},
		report.Column{Key: "milliseconds_per_digit", Title: "time", Unit: "ms/digit", Origin: report.Measured, Format: "%.2f"},
		report.Column{Key: "bytes_per_digit", Title: "bytes", Unit: "/node/digit", Origin: report.Counted, Format: "%.0f"},
		columnSpeed, columnCopy, columnFraction,
		report.Column{Key: "error", Title: "rms error", Origin: report.Measured, Format: "%.2e"},
		report.Column{Key: "order", Title: "order", Origin: report.Measured, Format: "%.2f"})...)
	passes := r.table("passes", "One pass of full multigrid from zero", append(solverColumns(), columnTime,
		report.Column{Key: "residual", Title: "residual", Origin: report.Measured, Format: "%.1e"},
		report.Column{Key: "error_ratio", Title: "rms error", Unit: "of the solution's", Origin: report.Measured, Format: "%.2f"},
		columnBytes, columnModel, columnSpeed, columnCopy, columnFraction)...)
	for _, d := range discretisations() {
		for _, kind := range r.kinds {
			if err := r.multigridOf(cycles, solves, passes, d, kind); err != nil {
				return err
			}
		}
	}
	r.paperMultigrid()
	r.plotMultigrid(cycles, solves)
	r.note("bytes: counted kernel by kernel on all levels, every array read or written once; small levels lie in caches, " +
		"so the fraction of copy may exceed 1. factor: the geometric mean of the reduction of the residual.")
	r.note("from: a first guess, as cycles follow each other, with its residual in float64 and its correction in mixed precision; or zero, as a residual is " +
		"made a correction, in mixed precision and for conjugate gradients.")
	r.note("direct: fast transforms along two axes and tridiagonal systems along the third on the whole grid, in float32 with mixed precision; an iteration is " +
		"such a solve and the residual that it leaves. Runs solve so where the coefficient is constant, if it is expected to be faster (`convect check --plan`).")
	r.note("A pass of full multigrid makes one V-cycle a level; its error is beside that of the solution that has converged, which is that of the " +
		"discretisation. Its time includes the norm of the right side and the residuals before and after.")
	r.note("order: log2 of the ratio of the errors on %d³ and %d³ nodes; second order is expected. Single precision ends at "+
		"its rounding floor, which hides it on fine grids.", (r.options.Size[0]+1)/2, r.options.Size[0])
	return nil
}

// solverColumns name a solver.
func solverColumns() []report.Column {
	return []report.Column{
		{Key: "stencil", Title: "stencil", Origin: report.Label}, {Key: "method", Title: "method", Origin: report.Label},
		{Key: "smoother", Title: "smoother", Origin: report.Label}, {Key: "cycle", Title: "cycle", Origin: report.Label},
		columnPrecision,
	}
}

// solverRow names a solver.
func solverRow(d discretisation, o multigrid.Options, kind string) report.Row {
	row := report.Row{"stencil": d.name, "method": o.Method.String(), "precision": kind}
	if o.Method != multigrid.Direct {
		row["smoother"], row["cycle"] = o.Smoother.String(), cycleName(o)
	}
	return row
}

// cycleName is V(2,2), say.
func cycleName(o multigrid.Options) string { return fmt.Sprintf("%s(%d,%d)", o.Cycle, o.Pre, o.Post) }

// multigridOf measures all solvers in one precision.
func (r *run) multigridOf(cycles, solves, passes *report.Table, d discretisation, kind string) error {
	elem, nodes := element(kind), r.options.Size[0]
	half, err := newDirichlet(r.dev, d, elem, (nodes+1)/2)
	if err != nil {
		return err
	}
	defer half.free()
	p, err := newDirichlet(r.dev, d, elem, nodes)
	if err != nil {
		return err
	}
	defer p.free()
	c, err := r.copyOf(r.dev, elem, p.grid.Box.Len)
	if err != nil {
		return err
	}
	for _, o := range solverOptions() {
		if o.Smoother == multigrid.RedBlack && !d.redBlack {
			continue
		}
		s, err := p.solver(o, kind)
		if err != nil {
			return err
		}
		if err = r.checkSolver(d, s.Options(), kind); err == nil {
			r.progress("%s, %s, %s, %s", d.name, s.Options().Method, s.Options().Smoother, kind)
			err = r.timeSolver(cycles, solves, kind, c, p, half, s)
		}
		s.Free()
		if err == nil && o.Cycle == multigrid.FullMultigrid {
			err = r.timePass(passes, kind, c, p, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// timeSolver times a cycle and a solve.
func (r *run) timeSolver(cycles, solves *report.Table, kind string, c *plainCopy, p, half *dirichlet, s *multigrid.Solver) error {
	nodes := p.grid.Nodes()
	if o := s.Options(); o.Method == multigrid.Multigrid && o.Cycle == multigrid.VCycle {
		for _, way := range []struct {
			from string
			run  func(u, f *stencil.Field)
		}{{"a guess", s.Cycle}, {"zero", s.CycleFromZero}} {
			before := p.dev.bytes
			way.run(p.u, p.f)
			bytes := p.dev.bytes - before
			took, err := r.inTurns(p.dev, c, kernel(func() { way.run(p.u, p.f) }))
			if err != nil {
				return err
			}
			row := with(took.row(bytes/float64(nodes), nodes), solverRow(p.discretisation, s.Options(), kind))
			delete(row, columnPoints.Key)
			cycles.Add(with(row, report.Row{"from": way.from, "cycles_per_second": 1 / took.seconds}))
		}
	}
	coarse, err := half.solver(s.Options(), kind)
	if err != nil {
		return err
	}
	defer coarse.Free()
	if _, err := half.solve(coarse); err != nil {
		return err
	}
	halfError, err := half.error()
	if err != nil {
		return err
	}
	v, err := r.timeSolve(c, p, s)
	if err != nil {
		return err
	}
	digits := math.Log10(v.first / v.last)
	row := report.Row{
		"levels": len(s.Levels()), "iterations": v.iterations, "residual": v.last / v.reference,
		"factor":                 math.Pow(v.last/v.first, 1/float64(v.iterations)),
		"milliseconds_per_digit": v.took.seconds * 1e3 / digits, "bytes_per_digit": v.bytes / float64(nodes) / digits,
		columnSpeed.Key: v.bytes / v.took.seconds / 1e9, columnCopy.Key: v.took.copied / 1e9,
		columnFraction.Key: v.bytes / v.took.seconds / v.took.copied, "error": v.error, "order": math.Log2(halfError / v.error),
	}
	if v.last <= multigrid.DefaultTolerance*v.reference*(1+1e-12) { // not stopped by rounding
		row["seconds"] = v.took.seconds
	}
	solves.Add(with(row, solverRow(p.discretisation, s.Options(), kind)))
	return nil
}

// afterPass is a tolerance that one pass of full multigrid meets.
const afterPass = 0.05

// timePass times one pass of full multigrid, with the residual that ends it. The solution of u's solver is still there.
func (r *run) timePass(passes *report.Table, kind string, c *plainCopy, p *dirichlet, o multigrid.Options) error {
	solved, err := p.error()
	if err != nil {
		return err
	}
	o.Tolerance = afterPass
	s, err := p.solver(o, kind)
	if err != nil {
		return err
	}
	defer s.Free()
	v, err := r.timeSolve(c, p, s)
	if err != nil {
		return err
	}
	residual, nodes := v.last/v.reference, p.grid.Nodes()
	if v.iterations != 1 {
		return fmt.Errorf("a pass of full multigrid leaves %.2g of the right side, more than %g", residual, afterPass)
	}
	row := with(v.took.row(v.bytes/float64(nodes), nodes), solverRow(p.discretisation, s.Options(), kind))
	delete(row, columnPoints.Key)
	passes.Add(with(row, report.Row{"residual": residual, "error_ratio": v.error / solved}))
	return nil
}

// timedSolve is a solve: its first and last residual, what they are relative to, the bytes that it moves, the error of its solution, and its time.
type timedSolve struct {
	iterations             int
	first, last, reference float64
	bytes, error           float64
	took                   timing
}

// timeSolve counts a solve from zero, and times others.
func (r *run) timeSolve(c *plainCopy, p *dirichlet, s *multigrid.Solver) (v timedSolve, err error) {
	before := p.dev.bytes
	result, err := p.solve(s)
	if err != nil {
		return v, err
	}
	v = timedSolve{iterations: result.Iterations, first: result.Residuals[0], last: result.Residuals[len(result.Residuals)-1],
		reference: result.Reference, bytes: p.dev.bytes - before}
	if v.error, err = p.error(); err != nil {
		return v, err
	}
	v.took, err = r.inTurns(p.dev, c, func() error {
		_, err := p.solve(s)
		return err
	})
	return v, err
}

// checkSolver solves on a small grid and measures what is left with the plain operator.
func (r *run) checkSolver(d discretisation, o multigrid.Options, kind string) error {
	p, err := newDirichlet(r.dev, d, element(kind), 17)
	if err != nil {
		return err
	}
	defer p.free()
	s, err := p.solver(o, kind)
	if err != nil {
		return err
	}
	defer s.Free()
	result, err := p.solve(s)
	if err != nil {
		return err
	}
	left, err := p.plainResidual()
	if err != nil {
		return err
	}
	o = s.Options()
	bound := 1.01 * max(o.Tolerance, 2*result.Floor/result.Reference)
	return r.check(fmt.Sprintf("%s, %s, %s, %s, 17³: residual by the plain operator", d.name, o.Method, smootherName(o), kind), left, bound)
}
