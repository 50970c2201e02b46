package multigrid

import (
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// TestMemoryIsReturned makes each allocation of New fail in turn: the error must come up and nothing must stay
// allocated. Then New succeeds and Free returns everything.
func TestMemoryIsReturned(t *testing.T) {
	patch := func(s kernels.Side, x, _, _ float64) bool { return s == kernels.Top && x > 0.45 && x < 0.6 }
	for name, p := range map[string]problem{
		"plain": {cells: cube(8), fixed: mixed}, "log-normal": {cells: square(16), layout: func(n [3]int) []float64 { return lognormal(n, 1, 2, 1) }},
		"patch": {cells: square(16), patch: patch}, "one big level": {cells: cube(17)},
	} {
		for _, opt := range methods {
			dev := &devicetest.Scarce{Device: device(t), Left: 1 << 30}
			o := p.operator(t, dev)
			t.Run(name+"/"+opt.label(), func(t *testing.T) {
				dev.EachFails(t, 5, func() error {
					s, err := New(o, opt)
					if err == nil {
						s.Free()
						s.Free()
					}
					return err
				})
			})
		}
	}
}

// TestNodalMass solves with a mass that varies from node to node and keeps its total on all levels.
func TestNodalMass(t *testing.T) {
	dev := device(t)
	g := must[*stencil.Grid](t)(stencil.NewGrid(dev, kernels.Float64, stencil.Extent{Cells: cube(32), Size: [3]float64{1, 1, 1}}))
	b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, [6][]bool{}))
	mass := noise(g.Nodes(), 4)
	for n := range mass {
		mass[n] = (1.5 + mass[n]) / float64(len(mass))
	}
	o := must[*stencil.Operator](t)(stencil.NewOperator(b, stencil.Coefficients{Constant: [3]float64{1, 1, 1}, Mass: mass}))
	for _, opt := range methods {
		s := must[*Solver](t)(New(o, opt))
		for _, scale := range []float64{0, 1, 1e3, 1e6} {
			s.SetMassScale(scale)
			u, f := newField(t, o), newField(t, o)
			smoothRightSide(f)
			if r := must[Result](t)(s.Solve(u, f, 0)); r.Iterations > 12 {
				t.Errorf("%s, mass scale %g: %d iterations", opt.label(), scale, r.Iterations)
			}
		}
		s.Free()
	}
}
