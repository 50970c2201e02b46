package multigrid

import (
	"math"

	"convect/kernels"
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

	scale float64 // of the last iteration; 0: there is none
	turn  int     // of the slots of r·z, which is its own
	waits bool    // the device takes no ratios of slots
}

// newSingleGradients allocates p; r and z are those of the finest level.
func newSingleGradients(s *Solver) (_ strategy, err error) {
	finest := s.levels[0]
	g := &singleGradients{inSingle: inSingle{usual{s}}, r: finest.f, z: finest.u}
	g.waits = !kernels.Optional{Device: s.op.Grid.Device}.TakesRatios()
	if g.direction, err = finest.op.Grid.NewField("conjugate gradients", finest.op.Boundary); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *singleGradients) free() { g.direction.Free() }

func (g *singleGradients) iterate(u, f *stencil.Field) error {
	g.scale = 0
	r, scale, err := g.residual(u, f)
	for {
		if err != nil {
			return err
		}
		if done, err := g.judge(u, f, r); done || err != nil {
			return err
		}
		made := g.step(scale)
		if g.waits {
			if _, err := g.scalars(); err != nil {
				return err
			}
			if err := g.broken(); err != nil {
				return err
			}
			made = stencil.Factor{C: made.C * (g.seen[made.By.Of] / g.seen[made.By.Over])} // which need not be asked for again
		}
		swaps := g.correctsLater() && !g.unwritten
		if !g.correctsLater() {
			u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: made.C, X: g.direction, By: made.By})
			made = stencil.Factor{}
		}
		scale = r
		if r, err = g.residualSingle(u, f, g.direction, made, scale); err == nil && !g.waits {
			if err = g.broken(); err != nil && swaps {
				u.Swap(g.lent)
			}
		}
		r *= scale
	}
}

// step chooses the next direction for a residual in units of scale, and returns how much of it is to be added to u. The device finds r·z and p·A p as it comes
// to what they are factors of, so that nobody waits for them where it takes ratios.
func (g *singleGradients) step(scale float64) stencil.Factor {
	g.precondition()
	before := g.slots.product[g.turn]
	g.turn = 1 - g.turn
	product := g.slots.product[g.turn]
	g.r.Reduce(kernels.Dot, g.z, product)
	if g.scale == 0 {
		g.direction.Swap(g.z) // z is made anew by the next iteration
	} else {
		// The last direction is in units of the last scale.
		g.direction.Combine(stencil.Sum{C: 1, X: g.z}, stencil.Sum{C: scale / g.scale, X: g.direction, By: kernels.Ratio{Of: product, Over: before}})
	}
	g.scale = scale
	g.root.Energy(g.direction, g.slots.energy)
	return stencil.Factor{C: scale, By: kernels.Ratio{Of: product, Over: g.slots.energy}}
}

// broken returns a breakdown where M or A has turned out not to be positive, or a product not to be a number, by the slots that were read last.
func (g *singleGradients) broken() error {
	product, energy := g.seen[g.slots.product[g.turn]], g.seen[g.slots.energy]
	switch {
	case product <= 0:
		return g.monitor.explain(preconditionerNotPositive)
	case energy <= 0:
		return g.monitor.explain(operatorNotPositive)
	case math.IsNaN(product / energy):
		return g.monitor.explain(productNotANumber)
	}
	return nil
}

func (g *singleGradients) outer(u, f *stencil.Field, zero bool) {
	g.root.Energy(g.direction, g.slots.energy)
	g.inSingle.outer(u, f, zero)
}
