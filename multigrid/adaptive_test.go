package multigrid

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// rough and gentle are media in which conjugate gradients and cycles alone take less work.
var (
	roughMedium  = func(n [3]int) []float64 { return lognormal(n, 6, 0, 1) }
	gentleMedium = func(n [3]int) []float64 { return lognormal(n, 0.1, 6, 1) }
)

// The way that takes less work is gone, whatever the solver began with and however large the reduction, and the other one is tried now and then.
func TestAdaptiveGoesTheCheaperWay(t *testing.T) {
	dev := device(t)
	patch := func(s kernels.Side, x, y, _ float64) bool { return s == kernels.Top && x > 0.3 && y > 0.6 }
	for name, c := range map[string]struct {
		problem
		want float64
	}{
		"gentle":               {problem{cells: cube(24), fixed: mixed, layout: gentleMedium}, byCycles},
		"gentle, 27 points":    {problem{cells: cube(17), layout: gentleMedium, stencil: kernels.TwentySevenPoint}, byCycles},
		"gentle, odd, 2-D":     {problem{cells: [3]int{51, 0, 33}, fixed: mixed, layout: gentleMedium}, byCycles},
		"gentle, float32":      {problem{cells: cube(24), fixed: mixed, layout: gentleMedium, float32: true}, byCycles},
		"rough":                {problem{cells: cube(24), fixed: mixed, layout: roughMedium}, byGradients},
		"rough, closed":        {problem{cells: [3]int{22, 17, 25}, layout: roughMedium}, byGradients},
		"rough, a patch":       {problem{cells: cube(20), patch: patch, layout: roughMedium}, byGradients},
		"rough, float32":       {problem{cells: cube(24), fixed: mixed, layout: roughMedium, float32: true}, byGradients},
		"rough, periodic, 2-D": {problem{cells: [3]int{64, 0, 40}, periodic: [3]bool{true}, fixed: mixed, layout: roughMedium}, byGradients},
	} {
		t.Run(name, func(t *testing.T) {
			const tolerance = 1e-3
			s, u, f := c.solver(t, dev, Options{Mixed: !c.float32, Tolerance: tolerance})
			gone := [ways]int{}
			for n := range 150 {
				if n > 20 {
					gone[int(s.Way)]++
				}
				u.Fill(0)
				smoothRightSide(f)
				r := must[Result](t)(s.Solve(u, f, 0))
				if !r.Converged || !c.float32 && last(r) > tolerance*r.Reference {
					t.Fatalf("solve %d: %+v", n, r)
				}
			}
			if other := gone[1-int(c.want)]; other == 0 || other > 6 {
				t.Errorf("%d solves by cycles alone, %d by conjugate gradients", gone[byCycles], gone[byGradients])
			}
		})
	}
}

// Where cycles alone gain little, or make the residual grow, a first solve ends by gradients. Its residuals are true ones, and its iterations are all that were made.
func TestAdaptiveGoesOverToGradients(t *testing.T) {
	dev := device(t)
	for _, single := range []bool{false, true} {
		p := problem{cells: cube(32), fixed: mixed, layout: roughMedium, float32: single}
		s, u, f := p.solver(t, dev, Options{Mixed: !single, Tolerance: 1e-3})
		smoothRightSide(f)
		r := must[Result](t)(s.Solve(u, f, 0))
		if s.Way != byGradients || !(s.OtherFactor > littleGained) {
			t.Errorf("float32 %v: the way %g, factors %g and %g", single, s.Way, s.OtherFactor, s.ConvergenceFactor)
		}
		residual := newField(t, s.op)
		s.op.Residual(residual, f, u)
		most := 1e-3 * r.Reference
		if single {
			most = max(most, nearFloor*r.Floor)
		}
		if left := must[float64](t)(norm(residual)); !r.Converged || !(left <= 1.01*most) {
			t.Errorf("float32 %v: %g of %g is left", single, left, r.Reference)
		}
		if r.Iterations != len(r.Residuals)-1 {
			t.Errorf("float32 %v: %d iterations with %d residuals", single, r.Iterations, len(r.Residuals))
		}
		if only := must[Result](t)(s.Solve(u, f, 0)); only.Iterations != 0 && !single {
			t.Errorf("float32 %v: the solution takes %d iterations more", single, only.Iterations)
		}
	}
}

// A solver that is told what another has learned goes on with its bits, in the middle of trials too.
func TestAdaptiveGoesOnWithWhatWasLearned(t *testing.T) {
	dev := device(t)
	for name, p := range map[string]problem{
		"mixed":   {cells: cube(20), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 1, 3, 1) }},
		"float32": {cells: cube(20), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 1, 3, 1) }, float32: true},
		"closed":  {cells: [3]int{15, 20, 12}, layout: func(n [3]int) []float64 { return lognormal(n, 2, 3, 1) }},
	} {
		o := p.operator(t, dev)
		opt := Options{Mixed: !p.float32, Tolerance: 1e-4}
		first := must[*Solver](t)(New(o, opt))
		u, f := newField(t, o), newField(t, o)
		solve := func(s *Solver) []float64 {
			u.Fill(0)
			smoothRightSide(f)
			must[Result](t)(s.Solve(u, f, 0))
			return must[[]float64](t)(u.Download())
		}
		for n := range 20 {
			next := must[*Solver](t)(New(o, opt))
			numbers := next.Numbers()
			for name, v := range first.Numbers() {
				*numbers[name] = *v
			}
			if a, b := solve(first), solve(next); !slices.Equal(a, b) || first.Learned != next.Learned {
				t.Errorf("%s: solve %d has other bits, or %+v is not %+v", name, n, next.Learned, first.Learned)
			}
			next.Free()
		}
		first.Free()
	}
}

// All cycles but F, and smoothers that are symmetric, serve both ways, with any numbers of sweeps that are alike, in any precision.
func TestAdaptiveTakesSymmetricCycles(t *testing.T) {
	dev := device(t)
	medium := func(n [3]int) []float64 { return lognormal(n, 1, 4, 1) }
	for _, opt := range []Options{{}, {Cycle: WCycle}, {Cycle: FullMultigrid}, {Smoother: Jacobi}, {Smoother: RedBlackSymmetric}, {Smoother: Line}, {Pre: 1, Post: 1}, {Pre: 3, Post: 3}} {
		for _, single := range []bool{false, true} {
			opt.Method, opt.Mixed = Adaptive, single
			t.Run(fmt.Sprintf("%s %v", opt.label(), single), func(t *testing.T) {
				s, u, f := problem{cells: [3]int{20, 16, 24}, fixed: mixed, layout: medium}.solver(t, dev, opt)
				for n := range 5 {
					u.Fill(0)
					smoothRightSide(f)
					if r := must[Result](t)(s.Solve(u, f, 0)); !r.Converged || r.Iterations > 25 {
						t.Errorf("solve %d: %d iterations, converged %v", n, r.Iterations, r.Converged)
					}
				}
			})
		}
	}
	o := problem{cells: cube(8)}.operator(t, dev)
	for _, opt := range []Options{{Cycle: FCycle}, {Smoother: RedBlack}, {Pre: 1, Post: 2}} {
		opt.Method = Adaptive
		if s, err := New(o, opt); err == nil {
			s.Free()
			t.Errorf("%+v is taken", opt)
		}
	}
}

// A solve that fails by gradients, too, says so.
func TestAdaptiveFails(t *testing.T) {
	s, u, f := problem{cells: cube(16), fixed: mixed, layout: roughMedium}.solver(t, device(t), Options{Mixed: true, MaxIterations: 6})
	smoothRightSide(f)
	_, err := s.Solve(u, f, 0)
	var failed *ConvergenceError
	if !errors.As(err, &failed) || failed.Reason != "no convergence" || failed.Iterations < 6 || failed.Iterations > 7 {
		t.Errorf("%v", err)
	}
}

// A solve that ends from zero, before it iterates, after one that went over to gradients.
func TestAdaptiveFromZeroAfterGoingOver(t *testing.T) {
	s, u, f := problem{cells: cube(16), fixed: mixed, mass: 1, layout: roughMedium}.solver(t, device(t), Options{Mixed: true, Tolerance: 1e-3})
	s.SetMassScale(0)
	smoothRightSide(f)
	must[Result](t)(s.Solve(u, f, 0))
	if s.Way != byGradients || !(s.OtherFactor > littleGained) {
		t.Fatalf("the solve did not go over: %+v", s.Learned)
	}
	s.SetMassScale(1e9)
	s.ConvergenceFactor = twoDigits / 2
	smoothRightSide(f)
	size := must[float64](t)(freeNorm(f, s.op.Boundary.Mask))
	right, scale := s.SingleRightSide()
	if right == nil {
		t.Fatal("no solve from zero")
	}
	s.levels[0].f.Combine(stencil.Sum{C: scale, X: f})
	left := newField(t, s.op)
	r, done, err := s.SolveFromZero(u, f, size, size, func(e *stencil.Field, scale float64) (float64, error) {
		u.Combine(stencil.Sum{C: scale, X: e})
		s.op.Residual(left, f, u)
		return norm(left)
	})
	if err != nil || !done || s.Gains[byGradients].Number != float64(r.Iterations) {
		t.Errorf("%v, completed %v, %+v, learned %+v", err, done, r, s.Learned)
	}
}

// With a mass, as heat has, a solve from zero leaves its correction to who asks for it where it goes by cycles alone.
func TestAdaptiveFromZero(t *testing.T) {
	s, u, f := problem{cells: cube(16), fixed: mixed, mass: 2000, layout: func(n [3]int) []float64 { return lognormal(n, 2, 3, 1) }}.solver(t, device(t), Options{Mixed: true, Tolerance: 1e-3, Massive: true})
	left := newField(t, s.op)
	completed := 0
	for n := range 40 {
		smoothRightSide(f)
		size := must[float64](t)(freeNorm(f, s.op.Boundary.Mask))
		if right, scale := s.SingleRightSide(); right != nil {
			s.levels[0].f.Combine(stencil.Sum{C: scale, X: f})
		}
		r, done, err := s.SolveFromZero(u, f, size, size, func(e *stencil.Field, scale float64) (float64, error) {
			u.Combine(stencil.Sum{C: scale, X: e})
			s.op.Residual(left, f, u)
			return norm(left)
		})
		if err != nil || !r.Converged {
			t.Fatalf("solve %d: %v, %+v", n, err, r)
		}
		if done {
			completed++
		}
	}
	if s.Solves != 40 || completed == 0 {
		t.Errorf("%g solves were counted, %d ended from zero", s.Solves, completed)
	}
}
