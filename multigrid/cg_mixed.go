package multigrid

import (
	"math"

	"convect/stencil"
)

// singleGradients is the strategy of preconditioned conjugate gradients with mixed precision: u and its residual are of float64, all other fields
// of float32. The residual is that of u and not a recursive one, so that what the rounding of p and A p does is in it, and it is divided by
// the norm of the one before, the scale of an iteration, and rounded.
type singleGradients struct {
	inSingle

	// The first line belongs to the finest level.
	r, z      *stencil.Field // r = (f - A u)/scale, z = M r
	direction *stencil.Field // p
	image     *stencil.Field // A p

	rho, scale float64 // r·z and the scale of the last iteration
	fresh      bool    // there is none
}

// newSingleGradients allocates p and A p; r and z are those of the finest level.
func newSingleGradients(s *Solver) (strategy, error) {
	finest := s.levels[0]
	g := &singleGradients{inSingle: inSingle{usual{s}}, r: finest.f, z: finest.u}
	for _, f := range []**stencil.Field{&g.direction, &g.image} {
		var err error
		if *f, err = finest.op.Grid.NewField("conjugate gradients", finest.op.Boundary); err != nil {
			g.free()
			return nil, err
		}
	}
	return g, nil
}

func (g *singleGradients) free() {
	g.direction.Free()
	g.image.Free()
}

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
		if err := g.step(u, scale); err != nil {
			return g.monitor.explain(err)
		}
		scale = r
		r, err = g.residualSingle(u, f, 0, scale)
		r *= scale
	}
}

// step makes one iteration with a residual in units of scale. Where M or A turns out not to be positive, or a product not to be a
// number, it leaves u and returns a breakdown.
func (g *singleGradients) step(u *stencil.Field, scale float64) error {
	g.precondition()
	if g.op.Singular() {
		g.z.RemoveMean(false)
	}
	rho, err := dot(g.r, g.z)
	if err != nil {
		return err
	}
	if g.fresh {
		g.direction.Copy(g.z)
	} else {
		// The last direction is in units of the last scale.
		beta := rho * scale / (g.rho * g.scale)
		g.direction.Combine(stencil.Sum{C: 1, X: g.z}, stencil.Sum{C: beta, X: g.direction})
	}
	g.fresh, g.rho, g.scale = false, rho, scale
	g.root.Apply(g.image, g.direction)
	energy, err := dot(g.direction, g.image)
	if err != nil {
		return err
	}
	alpha := rho / energy
	switch {
	case rho <= 0:
		return preconditionerNotPositive
	case energy <= 0:
		return operatorNotPositive
	case math.IsNaN(alpha):
		return productNotANumber
	}
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: alpha * scale, X: g.direction})
	return nil
}
