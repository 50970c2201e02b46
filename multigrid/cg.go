package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// krylov is the state of preconditioned conjugate gradients on A u = f (Hestenes & Stiefel 1952). Where constants are
// in the null space r is kept consistent and z free of its mean: near the rounding floor a constant part of either would
// have no energy and be amplified without bound.
type krylov struct {
	op *stencil.Operator

	residual   *stencil.Field // r = f - A u, updated by recursion
	correction *stencil.Field // z = M r
	direction  *stencil.Field // p
	image      *stencil.Field // A p

	precondition func() // z = M r, from zero
	rho          float64
	fresh        bool
}

// newKrylov allocates r, p and A p; z is given, because the preconditioner owns it.
func newKrylov(o *stencil.Operator, correction *stencil.Field) (*krylov, error) {
	k := &krylov{op: o, correction: correction}
	for _, f := range []**stencil.Field{&k.residual, &k.direction, &k.image} {
		var err error
		if *f, err = o.Grid.NewField("conjugate gradients", o.Boundary); err != nil {
			k.free()
			return nil, err
		}
	}
	return k, nil
}

func (k *krylov) free() {
	k.residual.Free()
	k.direction.Free()
	k.image.Free()
}

// start computes the residual of u and returns its norm.
func (k *krylov) start(u, f *stencil.Field) (float64, error) {
	k.op.Residual(k.residual, f, u)
	if k.op.Singular() {
		k.residual.RemoveMean(true)
	}
	k.fresh = true
	return norm(k.residual)
}

// breakdown says why conjugate gradients cannot go on.
type breakdown string

// Error returns the reason.
func (b breakdown) Error() string { return string(b) }

const (
	preconditionerNotPositive breakdown = "the preconditioner is not positive" // <r, M r> <= 0
	operatorNotPositive       breakdown = "the operator is not positive"       // <p, A p> <= 0
	productNotANumber         breakdown = "a product is not a number"
)

// step makes one iteration and returns the norm of the residual. Where M or A turns out not to be positive it leaves u
// and returns a breakdown, where a product is not a number it leaves u and returns NaN.
func (k *krylov) step(u *stencil.Field) (float64, error) {
	k.precondition()
	if k.op.Singular() {
		k.correction.RemoveMean(false)
	}
	rho, err := dot(k.residual, k.correction)
	if err != nil {
		return 0, err
	}
	if k.fresh {
		k.direction.Swap(k.correction) // which is made anew by the next iteration
	} else {
		k.direction.Combine(stencil.Sum{C: 1, X: k.correction}, stencil.Sum{C: rho / k.rho, X: k.direction})
	}
	k.fresh, k.rho = false, rho
	k.op.Apply(k.image, k.direction)
	energy, err := dot(k.direction, k.image)
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
		return alpha, nil
	}
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: alpha, X: k.direction})
	k.residual.Combine(stencil.Sum{C: 1, X: k.residual}, stencil.Sum{C: -alpha, X: k.image})
	if k.op.Singular() {
		k.residual.RemoveMean(true)
	}
	return norm(k.residual)
}

// gradients is the strategy of conjugate gradients, preconditioned by one cycle from zero or by lines.
type gradients struct {
	inField
	krylov *krylov
}

// newGradients gives the finest level the residual and its correction, which cycles precondition.
func newGradients(s *Solver) (strategy, error) {
	k, err := newKrylov(s.op, s.correction)
	if err != nil {
		return nil, err
	}
	k.precondition = s.precondition
	s.levels[0].u, s.levels[0].f = s.correction, k.residual
	return &gradients{inField{usual{s}}, k}, nil
}

func (g *gradients) begin(_, f *stencil.Field) error { return g.measureRightSide(f) }

// iterate runs conjugate gradients. The recursive residual drifts from the true one, so where it promises
// convergence the true one decides, and the iteration starts anew from it if that is not small enough.
func (g *gradients) iterate(u, f *stencil.Field) error {
	r, err := g.krylov.start(u, f)
	for {
		if err != nil {
			return g.monitor.explain(err)
		}
		if err = g.record(u, f, r); err != nil {
			return err
		}
		if g.monitor.converged() && !g.krylov.fresh {
			if r, err = g.krylov.start(u, f); err != nil {
				return err
			}
			g.monitor.replace(r)
		}
		if g.monitor.converged() {
			return nil
		}
		if err = g.monitor.failure(); err != nil {
			return err
		}
		r, err = g.krylov.step(u)
	}
}

func (g *gradients) outer(u, f *stencil.Field, _ bool) {
	g.krylov.op.Residual(g.krylov.residual, f, u)
	g.krylov.op.Apply(g.krylov.image, g.krylov.direction)
}

func (g *gradients) scratch() *stencil.Field { return g.krylov.image }

func (g *gradients) free() {
	g.krylov.free()
	g.levels[0].u, g.levels[0].f = nil, nil // which are among them
}

// dot returns Σ x y over all nodes.
func dot(x, y *stencil.Field) (float64, error) {
	slot, err := slotsOf(x.Grid.Device)
	if err != nil {
		return 0, err
	}
	x.Reduce(kernels.Dot, y, slot.norm)
	v, err := x.Grid.Device.Scalars()
	if err != nil {
		return 0, err
	}
	return v[slot.norm], nil
}

// norm returns the 2-norm over all nodes.
func norm(x *stencil.Field) (float64, error) {
	v, err := dot(x, x)
	return math.Sqrt(v), err
}
