package multigrid

import (
	"math"
	"math/rand/v2"

	"convect/kernels"
	"convect/stencil"
)

// floorFactor is c in the rounding floor (package text). Solves of every kind in both precisions, repeated until
// they stagnate, end between FIXME of the estimate with c = 1.
const floorFactor = 1

// rounding estimates the residual that the rounding of u makes. If every u_n is off by a relative ε of random sign,
// the residual is off by about ε rms(u) ‖A ξ‖ with random signs ξ, and, with the mass scale s,
//
//	‖A(s) ξ‖² = ‖A(0) ξ‖² + 2 s ξᵀ M A(0) ξ + s² ‖M ξ‖².
type rounding struct {
	plain, cross, mass float64 // the three coefficients of 1, s, s²
	epsilon            float64
	nodes              float64
}

// newRounding measures an operator; x and y are work space.
func newRounding(o *stencil.Operator, x, y *stencil.Field) (rounding, error) {
	r := rounding{epsilon: o.Grid.Elem.Epsilon(), nodes: float64(o.Grid.Nodes())}
	random := rand.New(rand.NewPCG(1, 2))
	signs := make([]float64, o.Grid.Nodes())
	for n := range signs {
		signs[n] = float64(2*random.IntN(2) - 1)
	}
	x.Upload(signs)
	scale := o.MassScale()
	defer o.SetMassScale(scale)

	square := func(s float64) (float64, error) {
		o.SetMassScale(s)
		o.Apply(y, x)
		return dot(y, y)
	}
	var err error
	if r.plain, err = square(0); err != nil {
		return r, err
	}
	if r.mass, err = massSquared(o); err != nil {
		return r, err
	}
	// The mass scale at which both parts are equally large shows the cross term best.
	s := math.Sqrt(r.plain / r.mass)
	if s == 0 {
		return r, nil
	}
	both, err := square(s)
	r.cross = (both - r.plain - s*s*r.mass) / s
	return r, err
}

// massSquared returns Σ m_n².
func massSquared(o *stencil.Operator) (float64, error) {
	if mass := o.Elliptic().Mass; mass != nil {
		m := &stencil.Field{Grid: o.Grid, Buffer: mass}
		return dot(m, m)
	}
	product := 1.0
	for d := range 3 {
		sum := 0.0
		for i := range o.Grid.Box.N[d] {
			w := o.Grid.DualWidth(d, i)
			sum += w * w
		}
		product *= sum
	}
	return product, nil
}

// floor returns the residual norm below which rounding hides everything, for mass scale s and right side norm f.
func (r rounding) floor(u *stencil.Field, s, f float64) (float64, error) {
	square, err := dot(u, u)
	response := math.Sqrt(math.Max(0, r.plain+s*(r.cross+s*r.mass)))
	return floorFactor * r.epsilon * (math.Sqrt(square/r.nodes)*response + f), err
}

// freeNorm returns the 2-norm of f over the free nodes.
func freeNorm(f *stencil.Field, mask *kernels.RowMask) (float64, error) {
	dev := f.Grid.Device
	dev.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: f.Grid.Box, X: f.Buffer, Y: f.Buffer, Mask: mask, Slot: slot})
	v, err := dev.Scalars()
	if err != nil {
		return 0, err
	}
	return math.Sqrt(v[slot]), nil
}
