package bench

import (
	"fmt"
	"math"

	"convect/cmd/convect/bench/report"
	"convect/lab/islam"
	"convect/multigrid"
)

// leastSmoothed is the least number of nodes along an axis on which smoothers are compared.
const leastSmoothed = 9

// blockSmoothers are sweeps on blocks of rows as a smoother: sweeps of an application, overlap.
var blockSmoothers = [][2]int{{2, 2}, {4, 4}, {8, 6}}

// smootherOptions are the smoothers compared: the multigrid's own, and blocks of rows that the solver chooses, and on a GPU smaller ones, of which
// more are at work.
func smootherOptions(dev *counting) ([]multigrid.Options, error) {
	all := []multigrid.Options{
		{Smoother: multigrid.Chebyshev, Pre: 2, Post: 2}, {Smoother: multigrid.RedBlack, Pre: 1, Post: 1}, {Smoother: multigrid.RedBlack, Pre: 2, Post: 2},
	}
	offer, ok := islam.On(dev.Device)
	if !ok {
		return nil, ErrNotOffered
	}
	blocks := []int{0}
	if ownClock(dev) {
		blocks = []int{0, 8, 4}
	}
	for _, edge := range blocks {
		for _, b := range blockSmoothers {
			s, err := islam.NewSmoother(countedBlocks{offer, dev}, b[0], b[1], edge)
			if err != nil {
				return nil, err
			}
			all = append(all, multigrid.Options{Smoother: multigrid.Chebyshev, Pre: b[0], Post: b[0], Sweeper: s})
		}
	}
	for n := range all {
		all[n].Method = multigrid.Multigrid
	}
	return all, nil
}

// countedBlocks counts the bytes of sweeps on blocks of rows with those of a device.
type countedBlocks struct {
	islam.Kernels
	counting *counting
}

// HierarchicalSmooth reads U (unless zero) and F and writes Out.
func (c countedBlocks) HierarchicalSmooth(a islam.HierarchicalSmoothArgs) {
	c.counting.operator(a.A, a.U, a.F, a.Out)
	c.Kernels.HierarchicalSmooth(a)
}

// smoothers compares smoothers of V-cycles on n/4+1 nodes along each axis: 257 by default.
func (r *run) smoothers(n int) error {
	nodes := n/4 + 1
	if nodes < leastSmoothed {
		return nil
	}
	t := r.table("smoothers", fmt.Sprintf("Smoothers of V-cycles, %d³ nodes, to a relative residual of 1e-8", nodes), append(solverColumns(),
		report.Column{Key: "sweeps", Title: "sweeps", Unit: "/application", Origin: report.Counted},
		report.Column{Key: "overlap", Title: "overlap", Unit: "rows", Origin: report.Counted},
		report.Column{Key: "rows", Title: "block", Unit: "rows", Origin: report.Label},
		report.Column{Key: columnTime.Key, Title: "time", Unit: "ms/cycle", Origin: report.Measured, Format: "%.3f"},
		columnBytes, columnModel, columnSpeed, columnCopy, columnFraction,
		report.Column{Key: "iterations", Title: "cycles", Origin: report.Measured},
		report.Column{Key: "factor", Title: "factor", Unit: "/cycle", Origin: report.Measured, Format: "%.3f"},
		report.Column{Key: "milliseconds_per_digit", Title: "time", Unit: "ms/digit", Origin: report.Measured, Format: "%.3f"},
		report.Column{Key: "bytes_per_digit", Title: "bytes", Unit: "/node/digit", Origin: report.Counted, Format: "%.0f"})...)
	for _, d := range discretisations() {
		if err := r.smoothersOf(t, d, nodes); err != nil {
			return err
		}
	}
	r.plotSmoothers(t, nodes)
	r.note("Smoothers: cycles alone, from zero, the problem of the benchmark multigrid, in mixed precision (cycles in float32). An application of hierarchical makes its sweeps with the weights of " +
		"Chebyshev's polynomial on blocks of whole rows, that many of them handed on along y and z (chosen: by the solver, so that a block takes 2 MiB); bytes: counted kernel by kernel, every array " +
		"once, without the rims of blocks and what they move in caches. time/cycle: of one from zero, as a residual is made a correction.")
	return nil
}

// smoothersOf measures all smoothers of one stencil.
func (r *run) smoothersOf(t *report.Table, d discretisation, nodes int) error {
	p, err := newDirichlet(r.dev, d, element(mixedName), nodes)
	if err != nil {
		return err
	}
	defer p.free()
	c, err := r.copyOf(r.dev, element(mixedName), p.grid.Box.Len)
	if err != nil {
		return err
	}
	options, err := smootherOptions(p.dev)
	if err != nil {
		return err
	}
	for _, o := range options {
		if o.Smoother == multigrid.RedBlack && !d.redBlack {
			continue
		}
		r.progress("%s, %s", d.name, smootherName(o))
		if err := r.checkSolver(d, o, mixedName); err != nil {
			return err
		}
		row, err := r.smootherRow(c, p, o)
		if err != nil {
			return err
		}
		t.Add(row)
	}
	return nil
}

// smootherName is hierarchical V(1,1), 4 sweeps, overlap 4, blocks of 8, say.
func smootherName(o multigrid.Options) string {
	if b, ok := o.Sweeper.(islam.Smoother); ok {
		row := blockRow(o, b)
		return fmt.Sprintf("%v %v, %d sweeps, overlap %d, blocks %v", row["smoother"], row["cycle"], b.Sweeps, b.Overlap, row["rows"])
	}
	return fmt.Sprintf("%s %s", o.Smoother, cycleName(o))
}

// blockRow names sweeps on blocks: applications of the smoother, each of some sweeps, and how many rows a block hands on along an axis.
func blockRow(o multigrid.Options, b islam.Smoother) report.Row {
	o.Pre, o.Post = o.Pre/b.Sweeps, o.Post/b.Sweeps
	row := report.Row{"smoother": "hierarchical", "cycle": cycleName(o), "sweeps": b.Sweeps, "overlap": b.Overlap, "rows": "chosen"}
	if b.Block > 0 {
		row["rows"] = fmt.Sprint(b.Block)
	}
	return row
}

// smootherRow times a cycle and a solve.
func (r *run) smootherRow(c *plainCopy, p *dirichlet, o multigrid.Options) (report.Row, error) {
	s, err := p.solver(o, mixedName)
	if err != nil {
		return nil, err
	}
	defer s.Free()
	v, err := r.timeSolve(c, p, s)
	if err != nil {
		return nil, err
	}
	nodes, before := p.grid.Nodes(), p.dev.bytes
	s.CycleFromZero(p.u, p.f)
	bytes := p.dev.bytes - before
	took, err := r.inTurns(p.dev, c, kernel(func() { s.CycleFromZero(p.u, p.f) }))
	if err != nil {
		return nil, err
	}
	digits := math.Log10(v.first / v.last)
	row := with(took.row(bytes/float64(nodes), nodes), solverRow(p.discretisation, s.Options(), mixedName))
	delete(row, columnPoints.Key)
	row = with(row, report.Row{"iterations": v.iterations, "factor": math.Pow(v.last/v.first, 1/float64(v.iterations)),
		"milliseconds_per_digit": v.took.seconds * 1e3 / digits, "bytes_per_digit": v.bytes / float64(nodes) / digits})
	if b, ok := o.Sweeper.(islam.Smoother); ok {
		row = with(row, blockRow(o, b))
	}
	return row, nil
}

// plotSmoothers shows the time of a digit.
func (r *run) plotSmoothers(t *report.Table, nodes int) {
	p := &report.Plot{File: "hierarchical-9.png", Title: fmt.Sprintf("Smoothers, %d³ nodes (hierarchical: sweeps-overlap, block)", nodes),
		Y: report.Axis{Label: "ms for each decimal digit", Log: true}}
	s := report.Series{Name: mixedName}
	for _, row := range t.Rows {
		name := fmt.Sprintf("%s %s %s", row["stencil"], row["smoother"], row["cycle"])
		if row["rows"] != nil {
			name = fmt.Sprintf("%v hierarchical %v-%v, %v", row["stencil"], row["sweeps"], row["overlap"], row["rows"])
		}
		s.Y, p.Bars = append(s.Y, number(row, "milliseconds_per_digit")), append(p.Bars, name)
	}
	p.Series = []report.Series{s}
	r.report.Plots = append(r.report.Plots, p)
}
