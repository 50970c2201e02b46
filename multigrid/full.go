package multigrid

import (
	"fmt"

	"convect/kernels"
	"convect/stencil"
)

// Full multigrid: the problem is solved on the coarsest level, and each finer one begins with the cubic interpolation of
// the solution below and makes one V-cycle. The right sides are those of the finest level, restricted.

// full is what the start of full multigrid needs beside the levels.
type full struct {
	masking kernels.Elliptic // an operator that is zero: its residual is the right side on free nodes
	lowest  *stencil.Field   // correction of the coarsest level
	partial bool             // a level has lost all fixed nodes, whose values it then cannot know
}

func newFull(root *stencil.Operator, last *level) (*full, error) {
	f := &full{masking: *root.Elliptic(), partial: root.Boundary.Mask != nil && last.op.Boundary.Mask == nil}
	m := &f.masking
	m.Stencil, m.K, m.Cells, m.MassScale, m.Mass = kernels.SevenPoint, [3]float64{}, [3]kernels.Buffer{}, 0, nil
	var err error
	if f.lowest, err = last.op.Grid.NewField("coarsest correction", last.op.Boundary); err != nil {
		return nil, fmt.Errorf("multigrid: full multigrid: %w", err)
	}
	return f, nil
}

// startFull improves u by a pass of full multigrid, unless it is good enough. A first guess gets a correction that is
// zero at fixed nodes; where there is none, that correction would jump next to fixed nodes that are not zero, which no
// coarser level could represent, and the pass solves for u itself with their values on all levels.
func (s *Solver) startFull(u, f *stencil.Field) error {
	m, finest := &s.monitor, s.levels[0]
	r, scale, err := s.beforeFull(u, f)
	if err != nil {
		return err
	}
	if r <= m.target() {
		return nil
	}
	m.residuals = append(m.residuals, r)
	values, err := s.needsValues(u)
	if err != nil {
		return err
	}
	if s.single != nil {
		s.fullSingle(u, f, scale, values)
		return nil
	}
	ownU, ownF := finest.u, finest.f
	finest.u, finest.f = u, f
	if values {
		s.maskRightSide()
	}
	s.climb(finest.residual, values)
	finest.u, finest.f = ownU, ownF
	return nil
}

// beforeFull returns the norm of the residual, which it leaves in the finest level's residual, or over a scale in its right side where that is in
// single precision.
func (s *Solver) beforeFull(u, f *stencil.Field) (r, scale float64, err error) {
	if s.single != nil {
		return s.firstSingle(u, f)
	}
	finest := s.levels[0]
	s.first.known = false
	s.op.Residual(finest.residual, f, u)
	r, err = norm(finest.residual)
	return r, 1, err
}

// needsValues tells whether the pass must know the values of fixed nodes: there is no first guess, and they are not all zero.
func (s *Solver) needsValues(u *stencil.Field) (bool, error) {
	if s.full.partial || s.unwritten {
		return false, nil
	}
	if !s.first.zero {
		guess, err := freeNorm(u, s.op.Boundary.Mask)
		if err != nil || guess != 0 {
			return false, err
		}
	}
	whole, err := freeNorm(u, nil)
	return whole != 0, err
}

// fullSingle makes the pass in float32 on the finest level's own fields, whose right side holds the residual over scale.
func (s *Solver) fullSingle(u, f *stencil.Field, scale float64, values bool) {
	finest := s.levels[0]
	if !values {
		finest.u.Fill(0)
		s.climb(finest.f, false)
		if s.fuses() && s.mixed == nil {
			s.made = scale // with the residual that comes next
			return
		}
		u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: scale, X: finest.u})
		return
	}
	finest.f.Combine(stencil.Sum{C: 1 / scale, X: f})
	finest.u.Combine(stencil.Sum{C: 1 / scale, X: u})
	s.maskRightSide()
	s.climb(finest.residual, true)
	finest.residual.Combine(stencil.Sum{C: 1 / scale, X: u}) // the same bits as before, so that fixed nodes change by zero
	finest.u.Combine(stencil.Sum{C: 1, X: finest.u}, stencil.Sum{C: -1, X: finest.residual})
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: scale, X: finest.u})
}

// maskRightSide puts the finest level's right side on free nodes into its residual.
func (s *Solver) maskRightSide() {
	l := s.levels[0]
	l.op.Grid.Device.Residual(kernels.ResidualArgs{A: &s.full.masking, R: l.residual.Buffer, F: l.f.Buffer, U: l.u.Buffer})
}

// climb makes the pass on the levels: source is what the coarser ones solve for, which is added to the finest one's u.
// With values the fixed nodes of all levels have those of the finest.
func (s *Solver) climb(source *stencil.Field, values bool) {
	last := len(s.levels) - 1
	for n, l := range s.levels[:last] {
		coarse := s.levels[n+1]
		stencil.Restrict(coarse.f, source, coarse.op.Boundary.Mask, l.factor)
		source = coarse.f
		if values {
			stencil.Inject(coarse.u, l.u, l.factor)
		} else {
			coarse.u.Fill(0)
		}
	}
	lowest := s.levels[last]
	if values {
		lowest.op.Residual(lowest.residual, lowest.f, lowest.u)
		s.coarsest.solve(s.full.lowest, lowest.residual)
		lowest.u.Combine(stencil.Sum{C: 1, X: lowest.u}, stencil.Sum{C: 1, X: s.full.lowest})
	} else {
		s.coarsest.solve(lowest.u, lowest.f)
	}
	for n := last - 1; n >= 0; n-- {
		l := s.levels[n]
		stencil.ProlongCubic(l.u, s.levels[n+1].u, l.op.Boundary.Mask, l.factor)
		s.descend(n, VCycle, false)
	}
}
