package multigrid

import (
	"errors"
	"math"
)

// monitor follows the residuals of one solve.
type monitor struct {
	residuals []float64
	reference float64
	size      float64 // norm of the right side
	added     float64 // times of that which the reference of the next solve is more than it is given
	tolerance float64
	floor     float64
	foretold  bool    // the floor is that of an earlier solve
	least     float64 // floor that the size of numbers sets where there is no right side to measure by
	most      int     // iterations
	recursive bool    // the residuals between the first and the last are recursive
	tight     bool    // the tolerance may be below the floor from the start
	extra     int     // iterations beyond one for each residual
	lastRow   int     // iterations from the last residual but one to the last
	alone     bool    // cycles by themselves, where coefficients vary
}

// Limits of a solve.
const (
	// growth of the residual over the larger of its first value and the reference that counts as divergence
	growth = 1e8
	// nearFloor and patience: no factor of 2 in patience iterations, within nearFloor times the floor, is the end
	nearFloor = 10
	patience  = 3
	// tightSingle is the tolerance from which on a solve in float32 is likely to end at its floor
	tightSingle = 1e-5
	// clearOfFloor times the floor of an earlier solve: a residual above it is not made of roundings, however much the solution has changed meanwhile
	clearOfFloor = 4
)

// refer sets the reference when the norm of the right side is known: what was given and its part of that norm, or the norm where nothing was given.
func (m *monitor) refer(given float64) {
	if m.reference = given + m.added*m.size; given <= 0 {
		m.reference = m.size
	}
}

// target returns the residual norm at which the solve ends.
func (m *monitor) target() float64 {
	return math.Max(m.tolerance*m.reference, math.Max(m.floor, m.least))
}

// replace puts the true residual in the place of the recursive one.
func (m *monitor) replace(r float64) { m.residuals[len(m.residuals)-1] = r }

func (m *monitor) last() float64 { return m.residuals[len(m.residuals)-1] }

// reduction returns by how much a solve was to reduce its first residual.
func (m *monitor) reduction() float64 { return m.target() / m.residuals[0] }

// iterations returns the number of iterations made.
func (m *monitor) iterations() int { return len(m.residuals) - 1 + m.extra }

// converged tells whether the last residual is small enough, or as small as rounding lets it become.
func (m *monitor) converged() bool { return m.last() <= m.target() || m.stalled() }

// stalled tells whether the residual no longer shrinks near the floor.
func (m *monitor) stalled() bool {
	n := len(m.residuals)
	return n > patience && m.last() > m.residuals[n-1-patience]/2 && m.last() <= nearFloor*m.floor
}

// stalls tells whether the last iteration gained less than a factor of 2, so that the floor may be near.
func (m *monitor) stalls() bool {
	n := len(m.residuals)
	return n > 1 && m.last() > m.residuals[n-2]/2
}

// early tells whether the floor must be known from the start: a recursive residual does not slow down there, and where the floor is likely to be the end cycles on
// rounding would be in vain.
func (m *monitor) early() bool { return (m.recursive || m.tight) && len(m.residuals) < 3 }

// foretell takes the floor of an earlier solve, if the last residual is clear of it, and tells whether it does. Recursive residuals must know their own.
func (m *monitor) foretell(earlier float64) bool {
	if !(earlier > 0) || m.recursive || m.stalls() || !(m.last() > clearOfFloor*earlier) {
		return false
	}
	m.floor, m.foretold = earlier, true
	return true
}

// failure returns the error that ends the solve, or nil.
func (m *monitor) failure() error {
	last := m.last()
	reason := ""
	switch {
	case math.IsNaN(last) || math.IsInf(last, 0):
		reason = "residual is not finite"
	case last > growth*math.Max(m.residuals[0], m.reference):
		reason = "residual diverges"
	case m.iterations() >= m.most:
		reason = "no convergence"
	default:
		return nil
	}
	return m.fail(reason)
}

// fail returns the error that ends a solve for a reason.
func (m *monitor) fail(reason string) error {
	return &ConvergenceError{Reason: reason, Target: m.target(), Iterations: m.iterations(), Residuals: append([]float64(nil), m.residuals...), Alone: m.alone}
}

// explain makes the error that ends a solve of a breakdown; another error stays as it is.
func (m *monitor) explain(err error) error {
	var b breakdown
	if errors.As(err, &b) {
		return m.fail(string(b))
	}
	return err
}

// result returns what Solve reports.
func (m *monitor) result(converged bool) Result {
	return Result{Iterations: m.iterations(), Residuals: m.residuals, Reference: m.reference, Floor: m.floor, Converged: converged}
}
