package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// singleGradients is the strategy of preconditioned conjugate gradients with mixed precision: u and its residual are of float64, all other fields
// of float32. The residual is that of u, with what the rounding of p and A p has done in it, divided by the norm of the one before, the scale of a leg of steps, and rounded.
// Where it takes more than one pass, and the host is asked for products, steps follow each other on one that is brought forward, r -= α A p, as long as each halves it and the next one is not expected to
// come near the tolerance.
// Where constants are in the null space z keeps its mean: r has none, A p does not see it, and u loses its own at the end.
type singleGradients struct {
	inSingle

	// The first line belongs to the finest level.
	r, z      *stencil.Field // r = (f - A u)/scale, z = M r, and then A p
	direction *stencil.Field // p

	scale   float64 // of the last iteration; 0: there is none
	turn    int     // of the slots of r·z, which is its own
	waits   bool    // the device takes no ratios of slots
	drifted bool    // in this solve a residual that was brought forward parted from the true one
}

// Steps go on without the residual of u as long as the next one is expected to leave more than nearTarget times what ends a solve, and longestLeg of what there was: single
// precision knows no more digits of it for sure. Where it knows fewer, the residual of u is more than drift times what was brought forward.
const (
	nearTarget = 3
	longestLeg = 1e-3
	drift      = 1.1
)

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

// twoDigits is the factor of a cycle below which directions have nothing to gain.
const twoDigits = 0.01

// attempts tells that the last cycles gained two digits each.
func (g *singleGradients) attempts() bool { return g.attemptable() && g.ConvergenceFactor < twoDigits }

func (g *singleGradients) iterate(u, f *stencil.Field) error {
	g.scale, g.drifted = 0, false
	r, scale, err := g.residual(u, f)
	for {
		if err != nil {
			return err
		}
		if done, err := g.judge(u, f, r); done || err != nil {
			return err
		}
		first := r
		made, left, steps, err := g.leg(u, scale)
		if err != nil {
			return err
		}
		brought, pending := steps, made.C != 0
		if pending {
			brought, scale = steps-1, left
		}
		swaps := pending && g.correctsLater() && !g.unwritten
		if pending && !g.correctsLater() {
			g.addTo(u, made)
			made = stencil.Factor{}
		}
		if r, err = g.residualSingle(u, f, g.direction, made, scale); err == nil && !g.waits {
			if err = g.broken(); err != nil && swaps {
				u.Swap(g.lent)
			}
		}
		r *= scale
		g.ConvergenceFactor = math.Pow(r/first, 1/float64(steps))
		if brought > 0 && !(r <= drift*left) {
			g.scale, g.drifted = 0, true // directions that belong to the other residual would only disturb
		}
	}
}

// leg makes steps for a residual in units of scale. It returns how many, how much of the last direction is still to be added to u, and the norm of the residual before that: nothing is
// to be added where the residual that was brought forward is small enough, or as small as it may be.
func (g *singleGradients) leg(u *stencil.Field, scale float64) (made stencil.Factor, left float64, steps int, err error) {
	m := &g.monitor
	first := m.last()
	for left = first; ; {
		ends := g.endsLeg(left, first)
		steps++
		if made, err = g.stepped(scale, !ends); err != nil || ends {
			return made, left, steps, err
		}
		if left, err = g.bringForward(u, made, scale); err != nil {
			return made, left, steps, err
		}
		if left <= m.target() || left <= longestLeg*first {
			return stencil.Factor{}, left, steps, nil
		}
		m.residuals = append(m.residuals, left)
		if err = m.failure(); err != nil {
			return made, left, steps, err
		}
	}
}

// stepped is step, with what it adds as a number where the device takes no ratios.
func (g *singleGradients) stepped(scale float64, image bool) (stencil.Factor, error) {
	made := g.step(scale, image)
	if !g.waits {
		return made, nil
	}
	if _, err := g.scalars(); err != nil {
		return made, err
	}
	return stencil.Factor{C: made.C * (g.seen[made.By.Of] / g.seen[made.By.Over])}, g.broken()
}

// endsLeg tells whether the residual of u is computed after the next step, on a residual that was brought forward from a first one.
func (g *singleGradients) endsLeg(left, first float64) bool {
	m, expected := &g.monitor, left*g.ConvergenceFactor
	return !g.waits || g.op.Corrects() || g.drifted || m.early() || m.stalls() || !(expected > nearTarget*m.target() && expected > longestLeg*first) || m.iterations()+1 >= m.most
}

// bringForward adds made, a number, times the direction to u and takes what that does to the residual from it. It returns the norm of what is left.
func (g *singleGradients) bringForward(u *stencil.Field, made stencil.Factor, scale float64) (float64, error) {
	g.addTo(u, made)
	g.r.Combine(stencil.Sum{C: 1, X: g.r}, stencil.Sum{C: -made.C / scale, X: g.z})
	g.r.Reduce(kernels.Dot, g.r, g.slots.norm)
	seen, err := g.scalars()
	if err != nil {
		return 0, err
	}
	return scale * math.Sqrt(seen[g.slots.norm]), nil
}

// addTo adds made times the direction to u.
func (g *singleGradients) addTo(u *stencil.Field, made stencil.Factor) {
	g.write(u)
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: made.C, X: g.direction, By: made.By})
}

// step chooses the next direction for a residual in units of scale, and returns how much of it is to be added to u. The device finds r·z and p·A p as it comes
// to what they are factors of, so that nobody waits for them where it takes ratios. z is lost; with image it holds A p.
func (g *singleGradients) step(scale float64, image bool) stencil.Factor {
	before := g.slots.product[g.turn]
	g.turn = 1 - g.turn
	product := g.slots.product[g.turn]
	g.preconditionMeasured(product)
	var imageOf *stencil.Field
	if image {
		imageOf = g.z
	}
	spare := g.levels[0].spare
	var more stencil.Factor // of the last direction
	if g.scale != 0 {
		more = stencil.Factor{C: scale / g.scale, By: kernels.Ratio{Of: product, Over: before}} // which is in units of the last scale
	}
	switch {
	case g.scale == 0:
		g.direction.Swap(g.z) // z is made anew by the next iteration
		g.root.Energy(imageOf, g.direction, g.slots.energy)
	case !image && spare != nil && g.root.Conjugates():
		g.root.Conjugate(spare, g.z, g.direction, more, g.slots.energy)
		g.direction.Swap(spare)
	default:
		g.direction.Combine(stencil.Sum{C: 1, X: g.z}, stencil.Sum{C: more.C, X: g.direction, By: more.By})
		g.root.Energy(imageOf, g.direction, g.slots.energy)
	}
	g.scale = scale
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
	g.root.Energy(nil, g.direction, g.slots.energy)
	g.inSingle.outer(u, f, zero)
}
