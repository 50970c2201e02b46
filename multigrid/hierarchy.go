package multigrid

import (
	"fmt"

	"convect/kernels"
	"convect/stencil"
)

// fewNodes is the size at which coarsening ends: solving such a grid costs no more than another level.
const fewNodes = 125

// level is one grid of the hierarchy.
type level struct {
	op     *stencil.Operator
	factor [3]int // coarsening to the next level; {1,1,1} on the coarsest

	smoother Smoother // that of the options, or Line where the level is better off with it
	sweeper  Sweeper  // makes its sweeps; nil: the device

	u, f     *stencil.Field // correction and right side; on the finest level those of the solve
	residual *stencil.Field
	spare    *stencil.Field // second u of Jacobi sweeps, else nil

	overTrilinear bool      // 7 points, while the next level has trilinear elements
	pre, post     []float64 // weights of the smoother
	whole         []float64 // room for the weights of both together, where they share one polynomial; else nil
	ways          []passes  // the weights of each way to solve
	lengths       []passes  // on the finest level: the weights of usual cycles, and of longer ones; none: all are usual
	alone         []float64 // weights of the sweeps with which a cycle ends here; none: it goes on
	couplings     [3]float64
	spread        [3]float64     // of couplings by graded widths, see stencil.Operator.Spread
	density       float64        // nodal mass per volume, the mean over the grid
	mass          float64        // per volume, that the weights are for
	leak          float64        // mass scale that replaces a lost patch
	stiffest      float64        // the most that k is of what the couplings say
	stiffer       float64        // the most that it may become of that since the solver was made, above 1; 0: no more
	untied        *stencil.Field // 1 on free and 0 on fixed nodes where the next level has lost all fixed nodes, else nil
}

// buildLevels makes all levels and their fields, the finest without u and f unless cycles run in single precision.
func (s *Solver) buildLevels(o *stencil.Operator) error {
	density, err := meanDensity(o)
	if err != nil {
		return err
	}
	leak := 0.0
	smoother := s.options.Smoother
	for op := o; ; {
		if s.free && stuckInZ(op) {
			smoother = Line
		}
		l := &level{op: op, couplings: op.Couplings(), spread: op.Spread(), stiffest: op.Stiffest(), factor: [3]int{1, 1, 1}, density: density, leak: leak,
			smoother: smoother, sweeper: s.options.Sweeper}
		l.ways = s.waysOf(l)
		l.pre, l.post, l.whole = l.ways[0].pre, l.ways[0].post, l.ways[0].whole
		if len(s.levels) == 0 {
			s.allowLonger(l)
		}
		if len(s.levels) > 0 && s.options.Cycle != FullMultigrid { // whose pass begins at the bottom
			l.alone = make([]float64, 0, l.mostSweeps())
		}
		s.levels = append(s.levels, l)
		if err := l.allocate(smoother, op != s.op); err != nil {
			return err
		}
		factor := l.factors()
		if factor == [3]int{1, 1, 1} || s.options.Method.oneGrid() || len(s.levels) > 1 && solvesDirectly(op) {
			return nil
		}
		if smoother.jacobi() && smoother != Line && l.sweeper == nil {
			if err := op.KeepFaces(); err != nil {
				return fmt.Errorf("multigrid: what faces conduct: %w", err)
			}
		}
		stencil := l.coarseStencil(factor, len(s.levels) == 1)
		coarse, err := op.Coarsen(factor, stencil)
		if err != nil {
			return fmt.Errorf("multigrid: level %d: %w", len(s.levels), err)
		}
		l.factor, l.overTrilinear = factor, stencil == kernels.TwentySevenPoint && op.Stencil() == kernels.SevenPoint
		if op.Boundary.Mask != nil && coarse.Boundary.Mask == nil {
			if leak, err = l.losePatch(); err != nil {
				coarse.FreeAll()
				return err
			}
		}
		op = coarse
	}
}

// coarseStencil returns the stencil of the next level. Where all axes of an even grid are coarsened and k is constant, PᵀAP of 7 points
// is nearly the matrix of trilinear elements, and much less like 7 points, which take errors of medium length for stiffer than they are.
// Where k or the widths of cells vary, rediscretised elements are no longer nearly PᵀAP. The first level below elements still has them, and all that follow
// have 7 points, whose coarse cells conduct in series by their harmonic mean: about as many cycles (docs/notebook.md), each of fewer bytes.
func (l *level) coarseStencil(factor [3]int, finest bool) kernels.Stencil {
	switch {
	case !l.smoother.jacobi() || l.smoother == Line:
		return l.op.Stencil()
	case !even(l.op):
		if finest {
			return l.op.Stencil()
		}
		return kernels.SevenPoint
	}
	for d, n := range l.op.Grid.Cells {
		if n > 0 && factor[d] == 1 {
			return l.op.Stencil()
		}
	}
	return kernels.TwentySevenPoint
}

// solvesDirectly tells whether the device solves on a grid about as fast as a coarser one would help to.
func solvesDirectly(o *stencil.Operator) bool {
	return kernels.Optional{Device: o.Grid.Device}.SolvesDirectly(o.Elliptic())
}

// sharesPolynomial tells whether the sweeps before and after the correction are best parts of one polynomial.
func (l *level) sharesPolynomial() bool {
	return l.smoother == Chebyshev || (l.smoother == Line && l.op.Stencil() == kernels.TwentySevenPoint)
}

// waysOf returns room for the weights of both smoothing passes of a level: of the one way to solve, or of cycles alone and of conjugate gradients.
func (s *Solver) waysOf(l *level) []passes {
	m, n := s.options.Pre, s.options.Post
	if l.smoother != s.options.Smoother { // chosen here, and so is its number of sweeps
		m, n = min(m, lineSweeps), min(n, lineSweeps)
	}
	symmetric := passes{pre: make([]float64, m), post: make([]float64, n)}
	shared := symmetric
	if s.options.Method == Adaptive {
		if s.open && l.smoother == Chebyshev {
			m, n = min(m, easySweeps), min(n, easySweeps)
		}
		shared.pre, shared.post = make([]float64, m), make([]float64, n)
	}
	if l.sharesPolynomial() && m+n > 0 {
		shared.whole = make([]float64, m+n)
	}
	switch s.options.Method {
	case Multigrid:
		return []passes{shared}
	case Adaptive:
		return []passes{byCycles: shared, byGradients: symmetric}
	}
	return []passes{symmetric}
}

// mostSweeps is how many a cycle has at most.
func (l *level) mostSweeps() int {
	most := 0
	for _, p := range l.ways {
		most = max(most, len(p.pre)+len(p.post))
	}
	return most
}

func (l *level) allocate(s Smoother, own bool) error {
	fields := []struct {
		dst  **stencil.Field
		name string
		need bool
	}{
		{&l.u, "correction", own}, {&l.f, "right side", own}, {&l.residual, "residual", true},
		{&l.spare, "spare correction", s.jacobi() && l.mostSweeps() > 0},
	}
	for _, f := range fields {
		if !f.need {
			continue
		}
		var err error
		if *f.dst, err = l.op.Grid.NewField(f.name, l.op.Boundary); err != nil {
			return fmt.Errorf("multigrid: %w", err)
		}
	}
	return nil
}

// free releases the level, with its operator if it is the solver's own.
func (l *level) free(own bool) {
	for _, f := range []*stencil.Field{l.u, l.f, l.residual, l.spare, l.untied} {
		f.Free()
	}
	if own {
		l.op.FreeAll()
	}
}

// meanDensity returns Σm / ΣV, the same on all levels because coarsening conserves both.
func meanDensity(o *stencil.Operator) (float64, error) {
	mass := o.Mass()
	if mass == nil {
		return 1, nil
	}
	slot, err := slotsOf(o.Grid.Device)
	if err != nil {
		return 0, err
	}
	mass.Reduce(kernels.Sum, nil, slot.norm)
	sum, err := o.Grid.Device.Scalars()
	if err != nil {
		return 0, fmt.Errorf("multigrid: nodal mass: %w", err)
	}
	return sum[slot.norm] / o.Grid.Volume(), nil
}

// losePatch prepares a level whose fixed nodes all fall between the nodes of the next, and returns its leakage.
func (l *level) losePatch() (float64, error) {
	g, b := l.op.Grid, l.op.Boundary
	one := make([]float64, g.Nodes())
	for n := range one {
		one[n] = 1
	}
	for d := range 6 {
		side := kernels.Side(d)
		for n, part := range b.Share(side) {
			if part > 0 {
				i, j, k := g.WallIndex(side, n)
				one[i+g.Box.N[0]*(j+g.Box.N[1]*k)] = 0
			}
		}
	}
	var err error
	if l.untied, err = g.NewField("free nodes", nil); err != nil {
		return 0, err
	}
	l.untied.Upload(one)
	return l.leakage()
}

// leakage returns the mass scale that gives a constant the energy on the next level that it has on this one:
// Σ_n (A 1)_n / Σ m, with 1 on free and 0 on fixed nodes.
func (l *level) leakage() (float64, error) {
	g := l.op.Grid
	scale := l.op.MassScale()
	l.op.SetMassScale(0)
	l.op.Apply(l.residual, l.untied)
	l.op.SetMassScale(scale)
	slot, err := slotsOf(g.Device)
	if err != nil {
		return 0, err
	}
	l.residual.Reduce(kernels.Sum, nil, slot.norm)
	energy, err := g.Device.Scalars()
	if err != nil {
		return 0, err
	}
	return energy[slot.norm] / (g.Volume() * l.density), nil
}

// Refresh renews all levels after the conductivities of the finest (see stencil.Mobility) or its ties have changed. Which axes
// coarsen, and the weights of the smoothers, stay: they follow from the ratios of the couplings when the solver was made,
// which a factor that acts alike in all directions leaves as they are. Levels below that on which cycles end with the present mass follow when they are needed. It
// allocates nothing.
func (s *Solver) Refresh() error {
	s.renewed = true
	s.fresh = 0
	leak := 0.0
	for n, l := range s.levels {
		l.leak = leak
		if l.untied == nil {
			continue
		}
		s.freshen(n)
		s.forget() // the masses of levels may have changed
		var err error
		if leak, err = l.leakage(); err != nil {
			return fmt.Errorf("multigrid: %w", err)
		}
	}
	s.SetMassScale(s.levels[0].op.MassScale())
	return nil
}

// freshen renews the levels down to the n-th that the last Refresh has left as they were.
func (s *Solver) freshen(n int) {
	for ; s.fresh <= n; s.fresh++ {
		s.levels[s.fresh].op.Refresh()
	}
}

// Stiffen tells that the k which the next Refresh finds lies between that which the solver was made with and most times as much. Beside a mass the weights of the
// smoothers depend on k itself.
func (s *Solver) Stiffen(most float64) {
	for _, l := range s.levels {
		if l.stiffer != most {
			s.forget() // records have the weights
		}
		l.stiffer = most
	}
}

// setMassScale sets s on a level, and the weights that depend on it.
func (l *level) setMassScale(m float64) {
	l.op.SetMassScale(m + l.leak)
	l.setWeights((m + l.leak) * l.density)
	l.setAlone((m + l.leak) * l.density)
}

// LevelInfo describes one level of the hierarchy.
type LevelInfo struct {
	Cells  [3]int // along x, y, z; 0 along an absent axis
	Nodes  int
	Factor [3]int // coarsening to the next level, 1, 2 or kernels.Between per axis; {1,1,1} on the coarsest
}

// Levels describes the hierarchy, finest level first.
func (s *Solver) Levels() []LevelInfo {
	info := make([]LevelInfo, len(s.levels))
	for n, l := range s.levels {
		info[n] = LevelInfo{Cells: l.op.Grid.Cells, Nodes: l.op.Grid.Nodes(), Factor: l.factor}
	}
	return info
}

// Warnings returns what makes the solver slower or less safe than it could be, one sentence each.
func (s *Solver) Warnings() []string {
	var w []string
	lowest := s.levels[len(s.levels)-1].op
	if last := lowest.Grid; last.Nodes() > smallGrid && !s.options.Method.oneGrid() && !solvesDirectly(lowest) {
		w = append(w, fmt.Sprintf("the coarsest of %d multigrid levels still has %s cells (%d nodes), which slows every "+
			"solve: an axis is coarsened while it has enough cells and they are not long compared with the others", len(s.levels), cellsText(last.Cells), last.Nodes()))
	}
	if s.replaced {
		w = append(w, "cycles alone may diverge where a wall is fixed in part: conjugate gradients are used instead of method multigrid")
	} else if s.options.Method == Multigrid && s.levels[0].op.Variable() && !s.options.Smooth {
		w = append(w, "cycles alone may converge slowly or not at all where the coefficient jumps: method cg is safer")
	}
	return w
}

func cellsText(cells [3]int) string {
	if cells[kernels.Y] == 0 {
		return fmt.Sprintf("%d x %d", cells[0], cells[2])
	}
	return fmt.Sprintf("%d x %d x %d", cells[0], cells[1], cells[2])
}
