package multigrid

import (
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// plainSweeper makes the device's own sweeps, and counts them.
type plainSweeper struct{ made int }

func (p *plainSweeper) Sweep(a *stencil.Operator, u, spare, f *stencil.Field, weights []float64, zero bool) {
	for _, w := range weights {
		from := u
		if zero {
			from = nil
		}
		a.Smooth(spare, from, f, w)
		u.Swap(spare)
		zero = false
		p.made++
	}
}

// A sweeper gets all weights of the smoother, on all levels: with the device's sweeps it makes the cycles that there are without.
func TestSweeper(t *testing.T) {
	dev := device(t)
	for _, opt := range []Options{{Smoother: Chebyshev, Pre: 3, Post: 2}, {Smoother: Jacobi, Pre: 1, Post: 2, Mixed: true}, {Smoother: Chebyshev, Pre: 2, Cycle: WCycle}} {
		for _, p := range []problem{{cells: [3]int{24, 20, 16}, fixed: mixed}, {cells: square(64), stencil: kernels.TwentySevenPoint}} {
			opt.Method = Multigrid
			var got [2][]float64
			var iterations [2]int
			sweeper := &plainSweeper{}
			for n := range got {
				s, u, f := p.solver(t, dev, opt)
				smoothRightSide(f)
				iterations[n] = must[Result](t)(s.Solve(u, f, 0)).Iterations
				got[n] = download(t, u)
				opt.Sweeper = sweeper
			}
			opt.Sweeper = nil
			if sweeper.made == 0 || iterations[0] != iterations[1] {
				t.Errorf("%s: %d iterations, with a sweeper %d, which made %d sweeps", opt.label(), iterations[0], iterations[1], sweeper.made)
			}
			bound := 1e-12 // both make the same sweeps, in passes that round differently
			if opt.Mixed { // so in float32, and then a solve ends at 1e-8 elsewhere
				bound = 1e-8
			}
			for n, w := range got[0] {
				if math.Abs(got[1][n]-w) > bound {
					t.Fatalf("%s: node %d is %v, with a sweeper %v", opt.label(), n, w, got[1][n])
				}
			}
		}
	}
}

// A sweeper makes sweeps of points, in cycles that need not be symmetric; where those may diverge the device makes the sweeps.
func TestSweeperRefused(t *testing.T) {
	dev := device(t)
	o := problem{cells: square(8), fixed: mixed}.operator(t, dev)
	for part, opt := range map[string]Options{"symmetric": {Method: ConjugateGradients}, "not red-black": {Smoother: RedBlack}, "not line": {Smoother: Line}} {
		opt.Sweeper = &plainSweeper{}
		if _, err := New(o, opt); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", part, err)
		}
	}
	patch := func(s kernels.Side, x, _, _ float64) bool { return s == kernels.Top && x > 0.5 }
	s, _, _ := problem{cells: square(16), patch: patch}.solver(t, dev, Options{Sweeper: &plainSweeper{}})
	if got := s.Options(); got.Sweeper != nil || got.Method != ConjugateGradients {
		t.Errorf("fixed in part: %s, sweeper %v", got.Method, got.Sweeper)
	}
}
