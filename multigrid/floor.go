package multigrid

import (
	"fmt"
	"math"
	"math/rand/v2"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// floorFactor is c in the rounding floor (package text). Iterated on until nothing changes any more, cycles and
// conjugate gradients end at 0.3 to 0.6 of the estimate with c = 1, in float32 and float64, 2-D and 3-D, constant,
// log-normal and anisotropic coefficients, and at 0.1 where mass dominates (TestRoundingFloor).
const floorFactor = 1

// rounding estimates the residual that the rounding of u makes: if every u_n is off by ε u_n with random signs ξ_n, the
// residual is off by ε ‖A (ξ u)‖.
type rounding struct {
	op     *stencil.Operator
	signs  *stencil.Field   // ξ
	signed kernels.Elliptic // the operator with ξ for nodal mass, so that MassUpdate multiplies by 1/ξ = ξ
	x, y   *stencil.Field   // work space of others

	epsilon float64 // unit roundoff of u
}

// newRounding draws the signs for solutions of a unit roundoff, which may be that of a wider type than the operator's. x
// and y are overwritten by every estimate.
func newRounding(o *stencil.Operator, epsilon float64, x, y *stencil.Field) (rounding, error) {
	signs, err := o.Grid.NewField("signs", nil)
	if err != nil {
		return rounding{}, fmt.Errorf("multigrid: %w", err)
	}
	signs.Upload(drawSigns(o.Grid.Nodes()))
	r := rounding{op: o, signs: signs, signed: *o.Elliptic(), x: x, y: y, epsilon: epsilon}
	r.signed.Mass, r.signed.MassScale, r.signed.Mask = signs.Buffer, 1, nil
	return r, nil
}

// signPiece is how many signs have a sequence of their own, so that all processors draw some.
const signPiece = 1 << 16

// drawSigns returns n random signs, the same on any number of processors.
func drawSigns(n int) []float64 {
	v := make([]float64, n)
	parallel.Ranges((n+signPiece-1)/signPiece, func(first, last int) {
		for piece := first; piece < last; piece++ {
			random := rand.NewPCG(1, 2+uint64(piece))
			var bits uint64
			for i := piece * signPiece; i < min(n, (piece+1)*signPiece); i++ {
				if i%64 == 0 {
					bits = random.Uint64()
				}
				v[i] = float64(2*int(bits&1) - 1)
				bits >>= 1
			}
		}
	})
	return v
}

// underflow is the least residual norm on so many nodes at which numbers of a type keep all of their digits, and so do
// their squares, which are summed in float64.
func underflow(e kernels.Elem, nodes int) float64 {
	least := 0x1p-511
	if e == kernels.Float32 {
		least = 0x1p-126
	}
	return least * math.Sqrt(float64(nodes))
}

// floor returns the residual norm below which rounding hides everything, for a right side of norm f.
func (r *rounding) floor(u *stencil.Field, f float64) (float64, error) {
	v, err := r.roundings(u, f)
	return math.Max(v, underflow(u.Grid.Elem, u.Grid.Nodes())), err
}

// roundings returns the floor as far as the size of numbers sets none.
func (r *rounding) roundings(u *stencil.Field, f float64) (float64, error) {
	scale := 1.0
	if u.Grid.Elem != r.op.Grid.Elem { // single precision is enough for an estimate
		var err error
		if scale, err = norm(u); err != nil || scale == 0 {
			return floorFactor * r.epsilon * f, err
		}
		r.y.Combine(stencil.Sum{C: 1 / scale, X: u})
		u = r.y
	}
	r.x.Fill(0)
	r.op.Grid.Device.MassUpdate(kernels.MassUpdateArgs{A: &r.signed, U: r.x.Buffer, R: u.Buffer})
	r.op.Apply(r.y, r.x)
	v, err := norm(r.y)
	return floorFactor * r.epsilon * (v*scale + f), err
}

// freeNorm returns the 2-norm of f over the free nodes.
func freeNorm(f *stencil.Field, mask *kernels.RowMask) (float64, error) {
	slot, err := slotsOf(f.Grid.Device)
	if err != nil {
		return 0, err
	}
	queueNorm(f, mask, slot.norm)
	v, err := f.Grid.Device.Scalars()
	if err != nil {
		return 0, err
	}
	return math.Sqrt(v[slot.norm]), nil
}

// queueNorm queues the square of the norm of freeNorm into a slot.
func queueNorm(f *stencil.Field, mask *kernels.RowMask, slot int) {
	f.Grid.Device.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: f.Grid.Box, X: f.Buffer, Y: f.Buffer, Mask: mask, Slot: slot})
}
