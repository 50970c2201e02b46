package multigrid

import (
	"fmt"

	"convect/kernels"
	"convect/stencil"
)

// Solver solves A u = f for one operator. It is made once and allocates nothing afterwards. It uses the last
// reduction slot of the device.
type Solver struct {
	options  Options
	replaced bool // the method asked for would not converge
	levels   []*level
	coarsest *coarsest
	// correction is z = M r of conjugate gradients, or the correction where there is only one level, or scratch.
	correction *stencil.Field
	krylov     *krylov // nil: cycles alone
	rounding   rounding
	monitor    monitor
}

// Result reports a solve.
type Result struct {
	Iterations int // cycles, or iterations of conjugate gradients
	// Residuals are the 2-norms of the integrated residual over free nodes, the first before any iteration; with
	// conjugate gradients those between the first and the last are of the recursive residual. Valid until the next
	// Solve.
	Residuals []float64
	Reference float64 // what the tolerance is relative to
	Floor     float64 // residual that rounding of u alone makes (package text)
	Converged bool
}

// New builds the hierarchy of an operator and all work space. The solver owns the coarser operators, not o; Free
// releases it. Where a wall is fixed in part, cycles alone may diverge at the rim of the patch, whose width the
// levels see differently: Multigrid is then replaced by ConjugateGradients. New fails on options that make no sense
// and when memory does not suffice.
func New(o *stencil.Operator, opt Options) (*Solver, error) {
	patched := fixedInPart(o.Boundary)
	wanted := opt
	opt = opt.withDefaults(o.Variable() || patched)
	if err := opt.check(); err != nil {
		return nil, err
	}
	if patched && opt.Method == Multigrid {
		opt = opt.symmetric()
	}
	s := &Solver{options: opt, replaced: wanted.Method == Multigrid && opt.Method != Multigrid}
	s.monitor = monitor{tolerance: opt.Tolerance, most: opt.MaxIterations, residuals: make([]float64, 0, opt.MaxIterations+2)}
	if err := s.build(o); err != nil {
		s.Free()
		return nil, err
	}
	s.SetMassScale(o.MassScale())
	return s, nil
}

func (s *Solver) build(o *stencil.Operator) error {
	err := s.buildLevels(o)
	if err != nil {
		return err
	}
	finest, last := s.levels[0], s.levels[len(s.levels)-1]
	if s.coarsest, err = newCoarsest(last.op); err != nil {
		return err
	}
	if s.correction, err = o.Grid.NewField("correction", o.Boundary); err != nil {
		return fmt.Errorf("multigrid: %w", err)
	}
	switch {
	case finest == last && s.coarsest.krylov != nil:
		s.krylov = s.coarsest.krylov
	case s.options.Method == ConjugateGradients:
		if s.krylov, err = newKrylov(o, s.correction); err != nil {
			return fmt.Errorf("multigrid: %w", err)
		}
		s.krylov.precondition = s.precondition
		finest.u, finest.f = s.correction, s.krylov.residual
	}
	s.rounding, err = newRounding(o, finest.residual, s.scratch())
	return err
}

// scratch returns a field of the finest level that holds nothing between iterations.
func (s *Solver) scratch() *stencil.Field {
	switch finest := s.levels[0]; {
	case s.krylov != nil:
		return s.krylov.image
	case finest.spare != nil && len(s.levels) > 1:
		s.correction.Free()
		return finest.spare
	}
	return s.correction
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
	for _, l := range s.levels {
		l.setMassScale(m, s.options.Smoother)
	}
}

// Solve improves u until ‖f - A u‖₂ over the free nodes is at most Tolerance times the reference, or at the floor
// that rounding sets. A reference of zero or less stands for ‖f‖₂ over the free nodes. Fixed nodes of u hold their
// values and keep them; the others hold the first guess. Where constants are in the null space, f is made
// consistent (f_n -= V_n Σf / ΣV, in place) and u ends with zero volume-weighted mean; otherwise f is not changed.
//
// A *ConvergenceError tells that the residual did not get there within MaxIterations, grew without bound or is not
// finite, or that the operator or the preconditioner is not positive; other errors are those of the device.
func (s *Solver) Solve(u, f *stencil.Field, reference float64) (Result, error) {
	m := &s.monitor
	if err := s.begin(f, reference); err != nil {
		return Result{}, err
	}
	singular := s.levels[0].op.Singular()
	if singular {
		f.RemoveMean(true)
		u.RemoveMean(false)
	}
	buffer := u.Buffer
	var err error
	if s.krylov != nil {
		err = s.iterateKrylov(u, f)
	} else {
		err = s.iterateCycles(u, f)
	}
	s.restore(u, buffer)
	if singular {
		u.RemoveMean(false)
	}
	return m.result(err == nil), err
}

// begin resets the monitor.
func (s *Solver) begin(f *stencil.Field, reference float64) error {
	size, err := freeNorm(f, s.levels[0].op.Boundary.Mask)
	if err != nil {
		return err
	}
	if reference <= 0 {
		reference = size
	}
	m := &s.monitor
	m.residuals, m.reference, m.size, m.floor = m.residuals[:0], reference, size, 0
	return nil
}

// record keeps a residual norm and renews the floor where it may matter.
func (s *Solver) record(u *stencil.Field, norm float64) error {
	m := &s.monitor
	m.residuals = append(m.residuals, norm)
	if !m.slow() {
		return nil
	}
	var err error
	m.floor, err = s.rounding.floor(u, m.size)
	return err
}

func (s *Solver) iterateCycles(u, f *stencil.Field) error {
	finest := s.levels[0]
	for {
		finest.op.Residual(finest.residual, f, u)
		r, err := norm(finest.residual)
		if err != nil {
			return err
		}
		if err := s.record(u, r); err != nil {
			return err
		}
		if s.monitor.converged() {
			return nil
		}
		if err := s.monitor.failure(); err != nil {
			return err
		}
		s.cycle(u, f)
	}
}

// iterateKrylov runs conjugate gradients. The recursive residual drifts from the true one, so where it promises
// convergence the true one decides, and the iteration starts anew from it if that is not small enough.
func (s *Solver) iterateKrylov(u, f *stencil.Field) error {
	r, err := s.krylov.start(u, f)
	for {
		if err != nil {
			return s.monitor.explain(err)
		}
		if err = s.record(u, r); err != nil {
			return err
		}
		if s.monitor.converged() && !s.krylov.fresh {
			if r, err = s.krylov.start(u, f); err != nil {
				return err
			}
			s.monitor.replace(r)
		}
		if s.monitor.converged() {
			return nil
		}
		if err = s.monitor.failure(); err != nil {
			return err
		}
		r, err = s.krylov.step(u)
	}
}

// restore gives u its buffer back after an odd number of Jacobi sweeps.
func (s *Solver) restore(u *stencil.Field, buffer kernels.Buffer) {
	if u.Buffer != buffer {
		u.Swap(s.levels[0].spare)
		u.Copy(s.levels[0].spare)
	}
}

// Free releases the solver's device memory. A second call does nothing.
func (s *Solver) Free() {
	if s.krylov != nil && s.krylov != s.coarsest.krylov {
		s.krylov.free()
		s.levels[0].u, s.levels[0].f = nil, nil
	}
	if s.coarsest != nil {
		s.coarsest.free()
	}
	s.correction.Free()
	s.rounding.signs.Free()
	for n, l := range s.levels {
		l.free(n > 0)
	}
	*s = Solver{options: s.options}
}
