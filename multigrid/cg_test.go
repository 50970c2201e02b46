package multigrid

import (
	"fmt"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
)

// TestJumpingMedia solves to 1e-8 on 64³ cells of log-normal permeability of variance 4, correlated over 6 cells or
// not at all.
func TestJumpingMedia(t *testing.T) {
	dev := device(t)
	for _, c := range []struct {
		correlation float64
		most        int
	}{{6, 20}, {0, 40}} {
		for name, fixed := range devicetest.Part(t, 3, map[string][]kernels.Side{"dirichlet": dirichlet, "closed": closed, "mixed": mixed}) {
			k := func(n [3]int) []float64 { return lognormal(n, 4, c.correlation, 1) }
			p := problem{cells: cube(64), fixed: fixed, layout: k}
			o := p.operator(t, dev)
			u, f := newField(t, o), newField(t, o)
			for _, opt := range []Options{{}, {Method: ConjugateGradients, Smoother: RedBlackSymmetric}} {
				t.Run(fmt.Sprintf("correlation %g/%s/%s", c.correlation, name, opt.label()), func(t *testing.T) {
					s := must[*Solver](t)(New(o, opt))
					defer s.Free()
					smoothRightSide(f)
					u.Fill(0)
					r := must[Result](t)(s.Solve(u, f, 0))
					t.Logf("%d iterations", r.Iterations)
					if r.Iterations > c.most || last(r) > 1e-8*r.Reference {
						t.Errorf("%d iterations to %.2g, at most %d allowed", r.Iterations, last(r)/r.Reference, c.most)
					}
				})
			}
			u.Free()
			f.Free()
		}
	}
}

func TestLayersOfLargeContrastConverge(t *testing.T) {
	dev := device(t)
	for _, cells := range [][3]int{cube(32), square(64)} {
		for name, fixed := range map[string][]kernels.Side{"closed": closed, "mixed": mixed, "sides": {kernels.Left, kernels.Right}} {
			for seed := uint64(1); seed <= 2; seed++ {
				p := problem{cells: cells, fixed: fixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, seed) }}
				s, u, f := p.solver(t, dev, Options{})
				smoothRightSide(f)
				r, err := s.Solve(u, f, 0)
				if err != nil || !r.Converged {
					t.Errorf("%s, %s, seed %d: %v", label(cells), name, seed, err)
				}
				t.Logf("%s, %s, seed %d: %d iterations", label(cells), name, seed, r.Iterations)
			}
		}
	}
}

// TestPreconditionerIsSymmetric compares <M a, b> and <a, M b>, and looks that <M a, a> is positive.
func TestPreconditionerIsSymmetric(t *testing.T) {
	dev := device(t)
	for _, smoother := range []Smoother{Jacobi, Chebyshev, RedBlackSymmetric} {
		for name, p := range map[string]problem{
			"mixed": {cells: [3]int{16, 12, 24}, fixed: mixed}, "closed": {cells: cube(16)}, "2-D": {cells: square(24), periodic: [3]bool{true}},
			"log-normal": {cells: cube(16), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 4, 3, 1) }},
			"patch": {cells: cube(16), patch: func(s kernels.Side, x, y, _ float64) bool {
				return s == kernels.Top && x > 0.3 && x < 0.7 && y < 0.4
			}},
		} {
			s, a, b := p.solver(t, dev, Options{Method: ConjugateGradients, Smoother: smoother})
			o := s.op
			apply := func(seed uint64) (x, mx []float64) {
				random(t, o, a, seed)
				if o.Singular() {
					a.RemoveMean(true)
				}
				krylovOf(s).residual.Copy(a)
				krylovOf(s).precondition()
				b.Copy(krylovOf(s).correction)
				return download(t, a), download(t, b)
			}
			x, mx := apply(1)
			y, my := apply(2)
			left, right, scale := sumProduct(mx, y), sumProduct(x, my), sumProduct(mx, x)
			if !(scale > 0) || left-right > 1e-12*scale || right-left > 1e-12*scale {
				t.Errorf("%s, %s: <Mx,y> %.15g, <x,My> %.15g, <Mx,x> %g", smoother, name, left, right, scale)
			}
		}
	}
}

func sumProduct(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
