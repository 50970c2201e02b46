package stencil

import (
	"fmt"
	"testing"

	"convect/kernels"
)

// tiedOperator ties random nodes of a graded box of a nodal mass, or of none.
func tiedOperator(t *testing.T, s kernels.Stencil, flat bool, mass []float64) (o *Operator, ties []float64) {
	t.Helper()
	g := gradedGrid(t, device(t), flat)
	b := must[*Boundary](t)(NewBoundary(g, walls(g, kernels.Left)))
	ties = make([]float64, g.Nodes())
	for n, v := range noise(g.Nodes(), 3) {
		if v > 0 {
			ties[n] = 7 * v
		}
	}
	if mass != nil {
		mass = lognormal(g.Nodes(), 1, 5)
	}
	return must[*Operator](t)(NewOperator(b, Coefficients{Stencil: s, Constant: [3]float64{1.5, 0.7, 2.5}, Mass: mass, Ties: ties})), ties
}

// TestTiesAddToTheDiagonal compares with the operator without ties, whatever the mass scale and the ties are set to.
func TestTiesAddToTheDiagonal(t *testing.T) {
	for n := range 8 {
		flat, s, mass := n%2 == 1, bothStencils[n/2%2], []float64(nil)
		if n >= 4 {
			mass = []float64{}
		}
		t.Run(fmt.Sprintf("flat=%v/%d/mass=%v", flat, s.Points(), mass != nil), func(t *testing.T) {
			o, ties := tiedOperator(t, s, flat, mass)
			x, bare := noise(o.Grid.Nodes(), 6), o.Untied()
			fixed := fixedNodes(o.Boundary)
			for _, scale := range []float64{0, 3, 3, 0.5} {
				o.SetMassScale(scale)
				bare.SetMassScale(scale)
				if o.MassScale() != scale {
					t.Errorf("the mass scale is %g, not %g", o.MassScale(), scale)
				}
				with, without := apply(t, o, x), apply(t, bare, x)
				for n := range x {
					if !fixed[n] {
						near(t, fmt.Sprintf("node %d", n), with[n]-without[n], ties[n]*x[n], 1e-12, 10)
					}
				}
				for n := range ties {
					ties[n] *= 1.5
				}
				o.SetTies(ties)
			}
			if o.Singular() || o.Mass() == nil != (mass == nil) {
				t.Errorf("singular %v, mass %v", o.Singular(), o.Mass())
			}
			r := field(t, o.Grid, x)
			o.Release(r, field(t, o.Grid, x))
			for n, v := range download(t, r) {
				near(t, fmt.Sprintf("release, node %d", n), v, x[n]*(1-ties[n]), rounding, 1+ties[n])
			}
		})
	}
}

// TestCoarseTiesKeepTheirSum coarsens and copies, and renews both after a change.
func TestCoarseTiesKeepTheirSum(t *testing.T) {
	o, ties := tiedOperator(t, kernels.SevenPoint, false, nil)
	coarse := must[*Operator](t)(o.Coarsen([3]int{2, 1, 2}, kernels.SevenPoint))
	single := must[*Operator](t)(o.InType(kernels.Float32))
	defer coarse.FreeAll()
	defer single.FreeAll()
	for range 2 {
		near(t, "coarse ties", sum(coarse.ties.values), sum(ties), rounding, sum(ties))
		near(t, "ties of the copy", sum(download(t, single.ties.tied)), sum(ties), 1e-6, sum(ties))
		for n := range ties {
			ties[n] += float64(n % 3)
		}
		o.SetTies(ties)
		coarse.Refresh()
		single.Refresh()
	}
}
