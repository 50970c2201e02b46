package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// A solve that begins from zero and is likely to need one reduction alone leaves its correction to its caller, who may have a pass to make over the
// solution that can add the correction and measure what it leaves on its way.

// Completion ends a solve with u = scale e and returns the norm of the residual that u leaves. Where that is too large it is called no more,
// and what it did is to be done again.
type Completion func(e *stencil.Field, scale float64) (float64, error)

// attemptable tells whether cycles in single precision on the right side, or a direct solve, may be enough.
func (s *Solver) attemptable() bool {
	return (len(s.levels) > 1 || s.options.Method == Direct) && s.levels[0].op.Grid.Elem == kernels.Float32 && !s.op.Singular()
}

// Correction returns the field that SolveFromZero gives to a Completion when it solves for u, times a scale, nil where it calls none.
func (s *Solver) Correction(u *stencil.Field) *stencil.Field {
	if !s.strategy.attempts() {
		return nil
	}
	e, _ := s.strategy.rooms(u)
	return e
}

// SingleRightSide returns the buffer that SolveFromZero, if it is told a Completion, takes its right side from in single precision, times the number: nil where it
// takes the right side itself.
func (s *Solver) SingleRightSide() (kernels.Buffer, float64) {
	_, right := s.strategy.rooms(nil)
	if right == nil || !s.strategy.attempts() {
		return nil, 0
	}
	if s.first.scale == 0 {
		s.first.scale = 1
	}
	return right.Buffer, 1 / s.first.scale
}

// MeasuresFirst tells whether the pass that a solve begins with measures the right side, so that its caller need not: see AddRightSide.
func (s *Solver) MeasuresFirst() bool { return s.strategy.measuresFirst() }

// AddRightSide has the next solve that is given a reference measure its residuals against that and so many times the norm of its right side over the free nodes.
func (s *Solver) AddRightSide(times float64) { s.monitor.added = times }

// NotMeasured stands for the norm of a right side that is left to a solver which MeasuresFirst.
const NotMeasured = -1

// SolveFromZero is Solve with a first guess of zero, whatever u holds. With a Completion, which may be nil, norm must be that of f over the free nodes, and the right
// side must be where SingleRightSide says, too, or norm is NotMeasured; where a first reduction is enough, completed is true and what u holds is lost.
func (s *Solver) SolveFromZero(u, f *stencil.Field, reference, norm float64, complete Completion) (result Result, completed bool, err error) {
	if complete != nil && s.strategy.attempts() && norm == NotMeasured {
		if norm, err = s.measureZero(f); err != nil {
			return Result{}, false, err
		}
	}
	m := &s.monitor
	more := reference + m.added*norm
	target := s.options.Tolerance * more
	if m.tight { // what ends the solve is likely to be the floor
		target = math.Max(target, s.LastFloor*more)
	}
	if complete == nil || !s.strategy.attempts() || !(reference > 0 && norm > target && norm < math.Inf(1)) || s.directFallsShort(target/norm) {
		result, err = s.solveZero(u, f, reference)
		return result, false, err
	}
	reference, m.added = more, 0
	m.residuals, m.reference, m.size, m.floor, m.extra = append(m.residuals[:0], norm), reference, norm, 0, 0
	m.least, m.foretold = 0, false
	s.FloorAge++
	if m.tight {
		m.foretell(s.LastFloor * m.reference)
	}
	e, scale, made := s.attempt(u, f)
	left, err := complete(e, scale)
	if m.residuals, m.extra = append(m.residuals, left), made.cycles-1; err == nil && m.tight {
		err = s.renewFloor(e, f)
	}
	if err != nil {
		return m.result(false), false, err
	}
	s.learn(made, left/norm)
	if left <= m.target() {
		s.strategy.ends(m.reduction())
		return m.result(true), true, nil
	}
	if e != u {
		u.Combine(stencil.Sum{C: scale, X: e})
	}
	result, err = s.Solve(u, f, reference)
	result.Iterations += made.cycles
	return result, false, err
}

// directFallsShort tells whether a direct solve reduced a residual by less than what is wanted when it did last: then a first one is not enough.
func (s *Solver) directFallsShort(wanted float64) bool {
	return s.options.Method == Direct && s.ConvergenceFactor != usualFactor && s.ConvergenceFactor > wanted
}

// solveZero is Solve with a first guess of zero, which is neither written nor read where the device corrects and measures in one pass.
func (s *Solver) solveZero(u, f *stencil.Field, reference float64) (Result, error) {
	s.unwritten = true
	if !s.strategy.leavesZero() {
		s.write(u)
	}
	result, err := s.Solve(u, f, reference)
	s.write(u)
	return result, err
}

// measureZero returns the norm of a right side over the free nodes and puts it where SingleRightSide says.
func (s *Solver) measureZero(f *stencil.Field) (float64, error) {
	_, right := s.strategy.rooms(nil)
	if s.first.scale == 0 {
		s.first.scale = 1
	}
	s.op.Correct(nil, nil, f, nil, right, stencil.Factor{}, 0, 1/s.first.scale, s.slots.correct)
	v, err := s.scalars()
	if err != nil {
		return 0, err
	}
	return math.Sqrt(v[s.slots.correct+4]), nil
}

// write makes u zero where it should be, but is not written yet.
func (s *Solver) write(u *stencil.Field) {
	if s.unwritten {
		u.Fill(0)
		s.unwritten = false
	}
}

// attempt makes as many cycles from zero as the reduction asks for and returns the correction, to be taken times scale.
func (s *Solver) attempt(u, f *stencil.Field) (e *stencil.Field, scale float64, made effort) {
	m, factor := &s.monitor, s.ConvergenceFactor
	if !(factor < slowestFirst) {
		factor = slowestFirst
	}
	e, right := s.strategy.rooms(u)
	scale = 1
	if right != nil {
		if ratio := m.last() / s.first.scale; ratio > widestScale || ratio < 1./widestScale { // the same numbers over another power of two
			s.first.scale = math.Exp2(math.Round(math.Log2(m.last())))
			right.Combine(stencil.Sum{C: 1 / s.first.scale, X: f})
		}
		scale = s.first.scale
	}
	made = s.effortTo(m.target()/m.last(), factor, false)
	s.lengthen(made.longer)
	s.strategy.cycles(u, f, made.cycles)
	return e, scale, made
}
