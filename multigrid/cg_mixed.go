package multigrid

import (
	"math"

	"convect/stencil"
)

// krylovMixed is the state of preconditioned conjugate gradients with mixed precision: u and its residual are of float64, all other fields
// of float32. The residual is that of u and not a recursive one, so that what the rounding of p and A p does is in it, and it is divided by
// the norm of the one before, the scale of an iteration, and rounded.
type krylovMixed struct {
	// The first two belong to the finest level.
	residual   *stencil.Field // r = (f - A u)/scale
	correction *stencil.Field // z = M r
	direction  *stencil.Field // p
	image      *stencil.Field // A p

	rho, scale float64 // r·z and the scale of the last iteration
	fresh      bool    // there is none
}

// newKrylovMixed allocates p and A p; r and z are those of the finest level.
func newKrylovMixed(finest *level) (*krylovMixed, error) {
	k := &krylovMixed{residual: finest.f, correction: finest.u}
	for _, f := range []**stencil.Field{&k.direction, &k.image} {
		var err error
		if *f, err = finest.op.Grid.NewField("conjugate gradients", finest.op.Boundary); err != nil {
			k.free()
			return nil, err
		}
	}
	return k, nil
}

func (k *krylovMixed) free() {
	k.direction.Free()
	k.image.Free()
}

// iterateKrylovMixed runs conjugate gradients with mixed precision.
func (s *Solver) iterateKrylovMixed(u, f *stencil.Field) error {
	s.mixed.fresh = true
	r, scale, err := s.firstSingle(u, f)
	for {
		if err != nil {
			return err
		}
		if done, err := s.judge(u, f, r); done || err != nil {
			return err
		}
		if err := s.stepMixed(u, scale); err != nil {
			return s.monitor.explain(err)
		}
		scale = r
		r, err = s.residualSingle(u, f, 0, scale)
		r *= scale
	}
}

// stepMixed makes one iteration with a residual in units of scale. Where M or A turns out not to be positive, or a product not to be a
// number, it leaves u and returns a breakdown.
func (s *Solver) stepMixed(u *stencil.Field, scale float64) error {
	k := s.mixed
	s.precondition()
	if s.op.Singular() {
		k.correction.RemoveMean(false)
	}
	rho, err := dot(k.residual, k.correction)
	if err != nil {
		return err
	}
	if k.fresh {
		k.direction.Copy(k.correction)
	} else {
		// The last direction is in units of the last scale.
		beta := rho * scale / (k.rho * k.scale)
		k.direction.Combine(stencil.Sum{C: 1, X: k.correction}, stencil.Sum{C: beta, X: k.direction})
	}
	k.fresh, k.rho, k.scale = false, rho, scale
	s.single.Apply(k.image, k.direction)
	energy, err := dot(k.direction, k.image)
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
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: alpha * scale, X: k.direction})
	return nil
}
