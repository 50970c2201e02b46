package multigrid

import (
	"errors"
	"fmt"
	"math"

	"convect/kernels"
	"convect/stencil"
)

// Solver solves A u = f for one operator. It is made once and allocates nothing afterwards. It uses some of the
// last reduction slots of the device.
type Solver struct {
	options  Options
	replaced bool              // the method asked for would not converge
	free     bool              // to choose the smoother of a level
	op       *stencil.Operator // of the caller
	root     *stencil.Operator // of the finest level: op, or its float32 copy with mixed precision
	levels   []*level
	coarsest *coarsest
	slots    slots
	// correction is z = M r of conjugate gradients, or the correction where there is only one level, or scratch; nil
	// where a strategy needs none.
	correction *stencil.Field
	strategy   strategy
	rounding   rounding
	monitor    monitor

	Learned

	lent      *stencil.Field // room for a solution, or nil
	renewed   bool           // no cycle was run since the last Refresh
	fresh     int            // levels that have what the last Refresh found
	product   product        // what the next cycle measures
	open      bool           // nobody has asked for a number of sweeps
	longer    bool           // the next cycles have more sweeps on the finest level than usual
	turn      turn           // of the cycle that is made, in its row
	way       int            // whose sweeps the levels have
	made      effort         // by the last solve, the most before a residual; cycles 0: none
	unwritten bool           // the solution is zero, whatever its field holds
	centred   bool           // the mean of the solution is known to be zero
	mean      float64        // as it was measured last
	first     firstResidual
	seen      []float64 // the reduction slots as they were read last, valid until the device is asked again

	mass    float64 // scale of the records
	records []record
	buffers []kernels.Buffer // room for those of the levels
}

// Result reports a solve.
type Result struct {
	Iterations int // cycles, or iterations of conjugate gradients
	// Residuals are the 2-norms of the integrated residual over free nodes, the first before any iteration; with
	// conjugate gradients those between the first and the last are of the recursive residual. Of cycles in float32 there
	// may be several from one to the next. Valid until the next Solve.
	Residuals []float64
	Reference float64 // what the tolerance is relative to
	Floor     float64 // residual that rounding of u alone makes (package text), or that of an earlier u where the last residual is clear of it; 0: it was never near
	Converged bool
}

// New builds the hierarchy of an operator and all work space. The solver owns the coarser operators, not o; Free
// releases it. Where a wall is fixed in part, cycles alone may diverge at the rim of the patch, whose width the
// levels see differently; ties that are strong are like it: Multigrid is then replaced by ConjugateGradients. New fails on options that make no sense
// and when memory does not suffice.
func New(o *stencil.Operator, opt Options) (*Solver, error) {
	patched := o.Tied() || fixedInPart(o.Boundary)
	wanted := opt
	if opt.Method == BestMethod && opt.plain() && directPays(o, &opt) {
		opt.Method = Direct
	}
	if opt.Points && opt.Method != Direct && opt.Smoother == BestSmoother {
		opt.Smoother = Chebyshev
	}
	free := opt.Smoother == BestSmoother && !opt.Method.oneGrid() && opt.Sweeper == nil
	if free {
		lines, err := chooseLines(o)
		if err != nil {
			return nil, err
		}
		if lines {
			opt.Smoother = Line
		}
	}
	single := opt.Mixed || o.Grid.Elem == kernels.Float32
	if opt.Method == BestMethod && (single && even(o) || opt.Smooth) && !patched && opt.Smoother != Line {
		opt.Method = Multigrid
	}
	opt = opt.withDefaults(!opt.Smooth && (o.Variable() || patched))
	if err := errors.Join(opt.check(), opt.checkStencil(o.Stencil())); err != nil {
		return nil, err
	}
	if patched && opt.Method == Multigrid {
		opt = opt.symmetric()
	}
	if single && wanted.Method == BestMethod && opt.Method == ConjugateGradients && opt.Cycle != FullMultigrid {
		opt.Method = Adaptive
	}
	if opt.Mixed && o.Grid.Elem != kernels.Float64 {
		return nil, fmt.Errorf("multigrid: mixed precision needs fields of float64, not %v", o.Grid.Elem)
	}
	s := &Solver{options: opt, op: o, root: o, free: free, replaced: wanted.Method == Multigrid && opt.Method != Multigrid, open: wanted.Pre == 0 && wanted.Post == 0, Learned: Learned{ConvergenceFactor: usualFactor}}
	s.monitor = monitor{tolerance: opt.Tolerance, most: opt.MaxIterations, residuals: make([]float64, 0, opt.MaxIterations+2),
		alone: opt.Method == Multigrid && o.Variable(), recursive: opt.Method.conjugate() && !opt.Mixed, tight: o.Grid.Elem == kernels.Float32 && opt.Tolerance < tightSingle}
	var err error
	if s.slots, err = slotsOf(o.Grid.Device); err != nil {
		return nil, err
	}
	if err := s.build(o); err != nil {
		s.Free()
		return nil, err
	}
	s.fresh = len(s.levels)
	s.SetMassScale(o.MassScale())
	return s, nil
}

// even tells whether an operator is the same at all nodes but those at walls, where cycles alone in float32 are measured to be the
// fastest (see Recommended).
func even(o *stencil.Operator) bool {
	return !o.Variable() && o.Spread() == [3]float64{1, 1, 1}
}

func (s *Solver) build(o *stencil.Operator) error {
	if s.options.Mixed {
		single, err := o.InType(kernels.Float32)
		if err != nil {
			return fmt.Errorf("multigrid: single precision: %w", err)
		}
		s.root = single
		if err := o.KeepFacesToSweep(); err != nil {
			return fmt.Errorf("multigrid: what faces conduct: %w", err)
		}
	}
	err := s.buildLevels(s.root)
	if err != nil {
		return err
	}
	last := s.levels[len(s.levels)-1]
	switch s.options.Method {
	case LineGradients:
		s.coarsest = newLines(last.op)
	case Direct:
		s.coarsest, err = newDirect(last.op)
	default:
		s.coarsest, err = newCoarsest(last.op, last.smoother == Line)
	}
	if err != nil {
		return err
	}
	if s.root == s.op {
		if s.correction, err = s.op.Grid.NewField("correction", s.op.Boundary); err != nil {
			return fmt.Errorf("multigrid: %w", err)
		}
	}
	if s.strategy, err = s.choose(); err != nil {
		return fmt.Errorf("multigrid: %w", err)
	}
	s.rounding, err = newRounding(s.root, o.Grid.Elem.Epsilon(), s.levels[0].residual, s.strategy.scratch())
	return err
}

// fixedInPart tells whether a wall has both fixed and free nodes.
func fixedInPart(b *stencil.Boundary) bool {
	for s := range 6 {
		side := kernels.Side(s)
		if !b.Fixed(side) {
			continue
		}
		for _, part := range b.Share(side) {
			if part == 0 {
				return true
			}
		}
	}
	return false
}

// Options returns the options in use, defaults filled in.
func (s *Solver) Options() Options { return s.options }

// SetMassScale sets the mass scale s of the operator on every level, the finest included.
func (s *Solver) SetMassScale(m float64) {
	if m != s.mass { // which the caller's operator, that of the finest level in one precision, may have already
		s.forget()
	}
	s.mass = m
	s.op.SetMassScale(m)
	for _, l := range s.levels {
		l.setMassScale(m)
	}
	s.freshen(s.deepest())
}

// Solve improves u until ‖f - A u‖₂ over the free nodes is at most Tolerance times the reference, or at the floor
// that rounding sets. A reference of zero or less stands for ‖f‖₂ over the free nodes. Fixed nodes of u hold their
// values and keep them; the others hold the first guess. FullMultigrid corrects a first guess, and solves for all of u
// where the free nodes are zero; its pass counts as the first iteration. Where constants are in the null space, f is made
// consistent (f_n -= V_n Σf / ΣV, in place), to a thousandth of the tolerance, and u ends with zero volume-weighted mean, to the tolerance times its root mean
// square; otherwise f is not changed.
//
// A *ConvergenceError tells that the residual did not get there within MaxIterations, grew without bound or is not
// finite, or that the operator or the preconditioner is not positive; other errors are those of the device.
func (s *Solver) Solve(u, f *stencil.Field, reference float64) (Result, error) {
	m := &s.monitor
	defer func() { m.added = 0 }()
	if err := s.begin(u, f, reference); err != nil {
		return Result{}, err
	}
	buffer := u.Buffer
	err := s.strategy.iterate(u, f)
	s.restore(u, buffer)
	if err == nil {
		s.strategy.ends(m.reduction())
	}
	if s.op.Singular() && !s.centred {
		u.RemoveMean(false)
	}
	return m.result(err == nil), err
}

// inconsistent is the part of the tolerance that a right side with a sum which no solution can have may add to the residual.
const inconsistent = 1e-3

// begin resets the monitor, and makes f consistent where it must be.
func (s *Solver) begin(u, f *stencil.Field, reference float64) error {
	m := &s.monitor
	m.residuals, m.reference, m.size, m.floor, m.extra, m.lastRow = m.residuals[:0], reference, 0, 0, 0, 1
	m.least, m.foretold = 0, false
	s.FloorAge++
	s.centred, s.first.known, s.first.zero = false, false, false
	return s.strategy.begin(u, f)
}

// measureRightSide begins with the norm of the right side and its sum, as far as they are needed.
func (s *Solver) measureRightSide(f *stencil.Field) error {
	m, singular := &s.monitor, s.op.Singular()
	if m.reference > 0 && m.added == 0 && !singular {
		return nil
	}
	if singular {
		f.Reduce(kernels.Sum, nil, s.slots.sum)
	}
	v, err := s.measure(f)
	if err != nil {
		return err
	}
	m.refer(m.reference)
	s.measureByNumbers()
	if singular && !s.consistent(v[s.slots.sum]) {
		f.RemoveMean(true)
	}
	return nil
}

// measureByNumbers ends a solve without a right side where the residual of its first guess, all that there is, is below the numbers of the cycles.
func (s *Solver) measureByNumbers() {
	if s.monitor.reference == 0 {
		s.monitor.least = underflow(s.levels[0].op.Grid.Elem, s.op.Grid.Nodes())
	}
}

// consistent tells whether the sum of a right side is within a thousandth of the tolerance: the residual of a solution has V_n Σf / ΣV, whose norm is
// Σf (ΣV²)^½ / ΣV.
func (s *Solver) consistent(sum float64) bool {
	g, m := s.op.Grid, &s.monitor
	return math.Abs(sum)*math.Sqrt(g.LargestVolume()/g.Volume()) <= inconsistent*m.tolerance*m.reference
}

// measure puts the norm of the right side into the monitor and returns the device's scalars.
func (s *Solver) measure(f *stencil.Field) ([]float64, error) {
	queueNorm(f, s.op.Boundary.Mask, s.slots.norm)
	v, err := f.Grid.Device.Scalars()
	if err != nil {
		return nil, err
	}
	s.monitor.size = math.Sqrt(v[s.slots.norm])
	return v, nil
}

// floorLasts is how many solves later a floor, which until then ends solves over their references, is estimated anew.
const floorLasts = 8

// record keeps a residual norm and renews the floor where it may matter.
func (s *Solver) record(u, f *stencil.Field, norm float64) error {
	s.monitor.residuals = append(s.monitor.residuals, norm)
	return s.renewFloor(u, f)
}

// renewFloor renews the floor where it may matter to the last residual. Its estimate takes some passes: while residuals are clear of the floor of an earlier solve that
// one serves, and where that was estimated not long ago it ends solves, too.
func (s *Solver) renewFloor(u, f *stencil.Field) error {
	m := &s.monitor
	near := m.foretold && m.last() <= clearOfFloor*m.floor
	within := m.last() <= m.tolerance*m.reference || near && m.last() <= m.floor && s.FloorAge < floorLasts
	if within && !m.recursive {
		return nil
	}
	if !m.early() && !m.stalls() && !near || m.foretell(s.LastFloor*m.reference) {
		return nil
	}
	s.write(u)
	var err error
	if m.size == 0 {
		if _, err = s.measure(f); err != nil {
			return err
		}
	}
	m.floor, err = s.rounding.floor(u, m.size)
	if m.foretold = false; len(m.residuals) > 1 && m.reference > 0 { // that of a first guess, which may be zero, foretells nothing
		s.LastFloor, s.FloorAge = m.floor/m.reference, 0
	}
	return err
}

// restore gives u its buffer back where an odd number of Jacobi sweeps has left it to the finest level.
func (s *Solver) restore(u *stencil.Field, buffer kernels.Buffer) {
	if spare := s.levels[0].spare; spare != nil && spare.Buffer == buffer {
		u.Swap(spare)
		u.Copy(spare)
	}
}

// Free releases the solver's device memory. A second call does nothing.
func (s *Solver) Free() {
	s.forget()
	if s.strategy != nil {
		s.strategy.free()
	}
	if s.coarsest != nil {
		s.coarsest.free()
	}
	s.correction.Free()
	s.rounding.signs.Free()
	for n, l := range s.levels {
		l.free(n > 0)
	}
	if s.root != s.op {
		s.root.FreeAll()
	}
	*s = Solver{options: s.options}
}
