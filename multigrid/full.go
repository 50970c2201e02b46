package multigrid

import (
	"fmt"

	"convect/kernels"
	"convect/stencil"
)

// Full multigrid: the problem is solved on the coarsest level, and each finer one begins with the cubic interpolation of
// the solution below and makes one V-cycle. The right sides are those of the finest level, restricted.

// full is the strategy of one pass of full multigrid before another strategy.
type full struct {
	strategy
	s       *Solver
	masking kernels.Elliptic // an operator that is zero: its residual is the right side on free nodes
	lowest  *stencil.Field   // correction of the coarsest level
	partial bool             // a level has lost all fixed nodes, whose values it then cannot know
}

// newFull puts the pass before a strategy, which it returns where it fails.
func newFull(s *Solver, then strategy) (strategy, error) {
	root, last := s.root, s.levels[len(s.levels)-1]
	p := &full{strategy: then, s: s, masking: *root.Elliptic(), partial: root.Boundary.Mask != nil && last.op.Boundary.Mask == nil}
	m := &p.masking
	m.Stencil, m.K, m.Cells, m.MassScale, m.Mass = kernels.SevenPoint, [3]float64{}, [3]kernels.Buffer{}, 0, nil
	var err error
	if p.lowest, err = last.op.Grid.NewField("coarsest correction", last.op.Boundary); err != nil {
		return then, fmt.Errorf("full multigrid: %w", err)
	}
	return p, nil
}

func (p *full) iterate(u, f *stencil.Field) error {
	if err := p.start(u, f); err != nil {
		return err
	}
	return p.strategy.iterate(u, f)
}

// start improves u by the pass, unless it is good enough. A first guess gets a correction that is
// zero at fixed nodes; where there is none, that correction would jump next to fixed nodes that are not zero, which no
// coarser level could represent, and the pass solves for u itself with their values on all levels.
func (p *full) start(u, f *stencil.Field) error {
	m := &p.s.monitor
	r, scale, err := p.residual(u, f)
	if err != nil {
		return err
	}
	if r <= m.target() {
		return nil
	}
	m.residuals = append(m.residuals, r)
	values, err := p.needsValues(u)
	if err == nil {
		p.pass(p, u, f, scale, values)
	}
	return err
}

func (p *full) attempts() bool { return false }

func (p *full) free() {
	p.lowest.Free()
	p.strategy.free()
}

// needsValues tells whether the pass must know the values of fixed nodes: there is no first guess, and they are not all zero.
func (p *full) needsValues(u *stencil.Field) (bool, error) {
	if p.partial || p.s.unwritten {
		return false, nil
	}
	if !p.s.first.zero {
		guess, err := freeNorm(u, p.s.op.Boundary.Mask)
		if err != nil || guess != 0 {
			return false, err
		}
	}
	whole, err := freeNorm(u, nil)
	return whole != 0, err
}

// maskRightSide puts the finest level's right side on free nodes into its residual.
func (p *full) maskRightSide() {
	l := p.s.levels[0]
	l.op.Grid.Device.Residual(kernels.ResidualArgs{A: &p.masking, R: l.residual.Buffer, F: l.f.Buffer, U: l.u.Buffer})
}

// startOfPass tells what the finest level's u holds when a pass begins, and what becomes of it.
type startOfPass int

const (
	fromGuess  startOfPass = iota // what the coarser levels solve for is added to it
	fromValues                    // the same, and the fixed nodes of all levels have its values there
	fromZero                      // it holds nothing, and becomes what the coarser levels solve for
)

// climb makes the pass on the levels; source is what the coarser ones solve for.
func (p *full) climb(source *stencil.Field, start startOfPass) {
	last := len(p.s.levels) - 1
	for n, l := range p.s.levels[:last] {
		coarse := p.s.levels[n+1]
		stencil.Restrict(coarse.f, source, coarse.op.Boundary.Mask, l.factor)
		source = coarse.f
		if start == fromValues {
			stencil.Inject(coarse.u, l.u, l.factor)
		}
	}
	lowest := p.s.levels[last]
	if start == fromValues {
		lowest.op.Residual(lowest.residual, lowest.f, lowest.u)
		p.s.coarsest.solve(p.lowest, lowest.residual)
		lowest.u.Combine(stencil.Sum{C: 1, X: lowest.u}, stencil.Sum{C: 1, X: p.lowest})
	} else {
		p.s.coarsest.solve(lowest.u, lowest.f)
	}
	for n := last - 1; n >= 0; n-- {
		l := p.s.levels[n]
		stencil.ProlongCubic(l.u, p.s.levels[n+1].u, l.op.Boundary.Mask, l.factor, start == fromZero || start == fromGuess && n > 0)
		p.s.descend(n, VCycle, false)
	}
}
