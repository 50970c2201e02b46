package multigrid

import (
	"math"

	"convect/stencil"
)

// singleGradients is the strategy of preconditioned conjugate gradients with mixed precision: u and its residual are of float64, all other fields
// of float32. The residual is that of u and not a recursive one, so that what the rounding of p and A p does is in it, and it is divided by
// the norm of the one before, the scale of an iteration, and rounded.
// Where constants are in the null space z keeps its mean: r has none, A p does not see it, and u loses its own at the end.
type singleGradients struct {
	inSingle

	// The first line belongs to the finest level.
	r, z      *stencil.Field // r = (f - A u)/scale, z = M r
	direction *stencil.Field // p

	rho, scale float64 // r·z and the scale of the last iteration
	fresh      bool    // there is none
}

// newSingleGradients allocates p; r and z are those of the finest level.
func newSingleGradients(s *Solver) (_ strategy, err error) {
	finest := s.levels[0]
	g := &singleGradients{inSingle: inSingle{usual{s}}, r: finest.f, z: finest.u}
	if g.direction, err = finest.op.Grid.NewField("conjugate gradients", finest.op.Boundary); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *singleGradients) free() { g.direction.Free() }

func (g *singleGradients) iterate(u, f *stencil.Field) error {
	g.fresh = true
	r, scale, err := g.residual(u, f)
	for {
		if err != nil {
			return err
		}
		if done, err := g.judge(u, f, r); done || err != nil {
			return err
		}
		made, broken := g.step(scale)
		if broken != nil {
			return g.monitor.explain(broken)
		}
		if !g.correctsLater() {
			u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: made, X: g.direction})
			made = 0
		}
		scale = r
		r, err = g.residualSingle(u, f, g.direction, made, scale)
		r *= scale
	}
}

// step chooses the next direction for a residual in units of scale, and returns how much of it is to be added to u. Where M or A turns out not to be
// positive, or a product not to be a number, it returns a breakdown.
func (g *singleGradients) step(scale float64) (float64, error) {
	g.precondition()
	rho, err := dot(g.r, g.z)
	if err != nil {
		return 0, err
	}
	if g.fresh {
		g.direction.Copy(g.z)
	} else {
		// The last direction is in units of the last scale.
		beta := rho * scale / (g.rho * g.scale)
		g.direction.Combine(stencil.Sum{C: 1, X: g.z}, stencil.Sum{C: beta, X: g.direction})
	}
	g.fresh, g.rho, g.scale = false, rho, scale
	energy, err := g.energy()
	if err != nil {
		return 0, err
	}
	alpha := rho / energy
	switch {
	case rho <= 0:
		return 0, preconditionerNotPositive
	case energy <= 0:
		return 0, operatorNotPositive
	case math.IsNaN(alpha):
		return 0, productNotANumber
	}
	return alpha * scale, nil
}

// energy returns p·A p.
func (g *singleGradients) energy() (float64, error) {
	g.root.Energy(g.direction, g.slots.norm)
	v, err := g.op.Grid.Device.Scalars()
	if err != nil {
		return 0, err
	}
	return v[g.slots.norm], nil
}

func (g *singleGradients) outer(u, f *stencil.Field, zero bool) {
	g.root.Energy(g.direction, g.slots.norm)
	g.inSingle.outer(u, f, zero)
}
