package multigrid

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// methods are the ways of solving that tests run through.
var methods = []Options{{Method: Multigrid, Smoother: RedBlack}, {Method: ConjugateGradients}, {Method: Multigrid, Smoother: Chebyshev, Pre: 1, Post: 2},
	{Method: Multigrid, Smoother: Chebyshev, Mixed: true}, {Method: ConjugateGradients, Mixed: true}}

// precisions returns whether fields may be float32: not, and also, except with mixed precision.
func precisions(opt Options) []bool {
	if opt.Mixed {
		return []bool{false}
	}
	return []bool{false, true}
}

// last returns the last residual of a solve.
func last(r Result) float64 { return r.Residuals[len(r.Residuals)-1] }

func TestSolveReachesItsTolerance(t *testing.T) {
	dev := device(t)
	for _, opt := range methods {
		for _, tolerance := range []float64{1e-3, 1e-8, 1e-11} {
			opt.Tolerance = tolerance
			s, u, f := problem{cells: [3]int{16, 24, 32}, fixed: mixed}.solver(t, dev, opt)
			smoothRightSide(f)
			buffer := u.Buffer
			r := must[Result](t)(s.Solve(u, f, 0))
			residual := newField(t, s.op)
			s.op.Residual(residual, f, u)
			got := must[float64](t)(norm(residual))
			slack := 0.0
			if opt.Mixed { // the norm of the residual rounded to float32
				slack = 1e-7
			}
			if !r.Converged || got > tolerance*r.Reference*(1+1e-12+slack) || math.Abs(got-last(r)) > slack*got {
				t.Errorf("%s: residual %g, reported %g, wanted %g", opt.label(), got, last(r), tolerance*r.Reference)
			}
			if len(r.Residuals) != r.Iterations+1 && !(opt.Mixed && opt.Method == Multigrid) {
				t.Errorf("%s: %d residuals of %d iterations", opt.label(), len(r.Residuals), r.Iterations)
			}
			if u.Buffer != buffer {
				t.Errorf("%s: u has another buffer", opt.label())
			}
		}
	}
}

func TestSolveKeepsFixedValues(t *testing.T) {
	// u = 2 + 3z solves the problem exactly: with these values on the walls it must come out inside.
	dev := device(t)
	for _, opt := range methods {
		s, u, f := problem{cells: [3]int{16, 16, 20}, fixed: mixed}.solver(t, dev, opt)
		o := s.op
		for side, v := range map[kernels.Side]float64{kernels.Bottom: 2, kernels.Top: 5} {
			values := make([]float64, o.Grid.Box.WallNodes(side))
			fill(values, v)
			if err := o.Boundary.SetValues(side, values); err != nil {
				t.Fatal(err)
			}
		}
		u.Fill(7) // halo included: what lies beyond walls must not matter
		o.Boundary.Impose(u)
		must[Result](t)(s.Solve(u, f, 1))
		z := o.Grid.Coordinates(2)
		layer := o.Grid.Box.N[0] * o.Grid.Box.N[1]
		for n, v := range download(t, u) {
			if want := 2 + 3*z[n/layer]; math.Abs(v-want) > 1e-6 {
				t.Fatalf("%s: node %d is %g, want %g", opt.label(), n, v, want)
			}
		}
	}
}

func TestZeroRightSideReturnsAtOnce(t *testing.T) {
	dev := device(t)
	for _, opt := range methods {
		for _, fixed := range [][]kernels.Side{mixed, closed} {
			s, u, f := problem{cells: cube(16), fixed: fixed}.solver(t, dev, opt)
			r := must[Result](t)(s.Solve(u, f, 0))
			if r.Iterations != 0 || !r.Converged || r.Residuals[0] != 0 {
				t.Errorf("%s: %+v", opt.label(), r)
			}
		}
	}
}

func TestNoiseRightSideConverges(t *testing.T) {
	// A right side that is rounding noise, consistent or not, must neither fail nor cost many iterations.
	dev := device(t)
	for _, opt := range methods {
		for _, single := range precisions(opt) {
			for _, fixed := range [][]kernels.Side{mixed, closed} {
				for _, scale := range []float64{1e-17, 1e-30} {
					s, u, f := problem{cells: cube(16), fixed: fixed, float32: single}.solver(t, dev, opt)
					v := noise(u.Grid.Nodes(), 3)
					for n := range v {
						v[n] *= scale
					}
					f.Upload(v)
					if r := must[Result](t)(s.Solve(u, f, 0)); !r.Converged || r.Iterations > 20 {
						t.Errorf("%s, float32 %v, noise of %g: %d iterations", opt.label(), single, scale, r.Iterations)
					}
				}
			}
		}
	}
}

func TestConstantRightSideOfClosedBox(t *testing.T) {
	// Sources that cannot leave: all that is left after the consistent part is rounding.
	dev := device(t)
	for _, opt := range methods {
		for _, single := range precisions(opt) {
			s, u, f := problem{cells: cube(16), float32: single}.solver(t, dev, opt)
			v := make([]float64, u.Grid.Nodes())
			for n := range v {
				v[n] = u.Grid.DualWidth(0, n%17) * u.Grid.DualWidth(1, n/17%17) * u.Grid.DualWidth(2, n/17/17)
			}
			f.Upload(v)
			if r := must[Result](t)(s.Solve(u, f, 0)); !r.Converged || r.Iterations > 2 {
				t.Errorf("%s, float32 %v: %d iterations", opt.label(), single, r.Iterations)
			}
		}
	}
}

func TestNullSpace(t *testing.T) {
	dev := device(t)
	for _, opt := range methods {
		for _, p := range []problem{{cells: cube(16)}, {cells: square(32), size: [3]float64{2, 0, 1}},
			{cells: cube(16), periodic: [3]bool{true, true, true}}, {cells: cube(17)}, {cells: [3]int{12, 12, 12}, layout: func(n [3]int) []float64 { return lognormal(n, 1, 3, 1) }}} {
			s, u, f := p.solver(t, dev, opt)
			g := u.Grid
			f.Upload(noise(g.Nodes(), 1)) // not consistent
			u.Fill(100)
			must[Result](t)(s.Solve(u, f, 0))
			u.Reduce(kernels.VolumeSum, nil, 0)
			f.Reduce(kernels.Sum, nil, 1)
			u.Reduce(kernels.MaxAbs, nil, 2)
			v := must[[]float64](t)(g.Device.Scalars())
			if math.Abs(v[0]) > 1e-12*v[2]*g.Volume() {
				t.Errorf("%s, %s: mean %g of a solution up to %g", opt.label(), label(p.cells), v[0]/g.Volume(), v[2])
			}
			if math.Abs(v[1]) > 1e-12*float64(g.Nodes()) {
				t.Errorf("%s, %s: right side sums to %g", opt.label(), label(p.cells), v[1])
			}
		}
	}
}

func TestPrecisionsAgreeToTheFloor(t *testing.T) {
	dev := device(t)
	for _, opt := range methods {
		var solutions [2][]float64
		floor := 0.0
		if opt.Mixed {
			continue
		}
		for n, single := range []bool{false, true} {
			s, u, f := problem{cells: cube(32), fixed: mixed, float32: single}.solver(t, dev, opt)
			smoothRightSide(f)
			r := must[Result](t)(s.Solve(u, f, 0))
			solutions[n] = download(t, u)
			floor = r.Floor
			if single && last(r) > math.Max(r.Floor, 1e-8*r.Reference) {
				t.Errorf("%s: float32 ended at %g, floor %g", opt.label(), last(r), r.Floor)
			}
		}
		// A residual as large as the floor is an error of u of at most floor / smallest eigenvalue of V⁻¹A (π²) / V.
		nodes, difference := float64(len(solutions[0])), 0.0
		for n, v := range solutions[0] {
			difference += (v - solutions[1][n]) * (v - solutions[1][n])
		}
		most := floor * (32 * 32 * 32) / (math.Pi * math.Pi) / math.Sqrt(nodes)
		if rms := math.Sqrt(difference / nodes); !(rms <= most) {
			t.Errorf("%s: solutions differ by %g, allowed %g", opt.label(), rms, most)
		}
	}
}

func TestSolveAllocatesNothing(t *testing.T) {
	dev := device(t)
	for _, opt := range methods {
		for _, p := range []problem{{cells: cube(16), fixed: mixed}, {cells: cube(16)}, {cells: cube(17)}, {cells: square(16), periodic: [3]bool{true}}} {
			s, u, f := p.solver(t, dev, opt)
			smoothRightSide(f)
			allocations := testing.AllocsPerRun(3, func() {
				u.Fill(0)
				s.SetMassScale(0)
				if _, err := s.Solve(u, f, 0); err != nil {
					t.Error(err)
				}
				s.Cycle(u, f)
			})
			if allocations != 0 {
				t.Errorf("%s, %s: %g allocations", opt.label(), label(p.cells), allocations)
			}
		}
	}
}

func TestFailureNamesTheHistory(t *testing.T) {
	dev := device(t)
	for _, opt := range methods {
		opt.MaxIterations, opt.Tolerance = 3, 1e-12
		s, u, f := problem{cells: cube(16), fixed: mixed}.solver(t, dev, opt)
		smoothRightSide(f)
		r, err := s.Solve(u, f, 0)
		var failure *ConvergenceError
		if !errors.As(err, &failure) || len(failure.Residuals) > 4 || r.Converged || r.Iterations != 3 {
			t.Fatalf("%s: %v, %+v", opt.label(), err, r)
		}
		if text := err.Error(); !strings.Contains(text, "3 iterations") || !strings.Contains(text, fmt.Sprintf("%.3g", last(r))) || strings.Contains(text, "take") {
			t.Errorf("%s: message %q", opt.label(), text)
		}

		f.Fill(math.NaN())
		u.Fill(0)
		if _, err = s.Solve(u, f, 1); !errors.As(err, &failure) || !strings.Contains(err.Error(), "not finite") {
			t.Errorf("%s: a NaN gave %v", opt.label(), err)
		}
	}
}

func TestDivergenceIsFound(t *testing.T) {
	// Cycles alone overshoot in layers of large contrast.
	s, u, f := problem{cells: cube(32), fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }}.
		solver(t, device(t), Options{Method: Multigrid, Smoother: Chebyshev})
	smoothRightSide(f)
	var failure *ConvergenceError
	if _, err := s.Solve(u, f, 0); !errors.As(err, &failure) || !strings.Contains(err.Error(), "diverges") || !strings.Contains(err.Error(), "take the method cg") {
		t.Errorf("error %v", err)
	}
}

func TestBreakdownIsNamed(t *testing.T) {
	dev := device(t)
	s, u, f := problem{cells: cube(16), fixed: mixed}.solver(t, dev, Options{Method: ConjugateGradients})
	scaled := func(c float64) func() {
		return func() { krylovOf(s).correction.Combine(stencil.Sum{C: c, X: krylovOf(s).residual}) }
	}
	for _, c := range []struct {
		reason       string
		precondition func()
		mass         float64
	}{{"the preconditioner is not positive", scaled(-1), 0}, {"the operator is not positive", scaled(1), -1e6}} {
		krylovOf(s).precondition = c.precondition
		s.SetMassScale(c.mass)
		smoothRightSide(f)
		u.Fill(0)
		r, err := s.Solve(u, f, 0)
		var failure *ConvergenceError
		if !errors.As(err, &failure) || !strings.Contains(err.Error(), c.reason) || r.Converged || math.IsNaN(last(r)) {
			t.Errorf("%+v, error %v, want %q", r, err, c.reason)
		}
		u.Reduce(kernels.MaxAbs, nil, 0)
		if v := must[[]float64](t)(dev.Scalars()); !(v[0] < math.Inf(1)) {
			t.Errorf("%s: u holds %g", c.reason, v[0])
		}
	}
}

func TestMassScaleReachesAllLevels(t *testing.T) {
	// With the mass changed after New the iterations are those of a solver made with that mass.
	dev := device(t)
	for _, opt := range methods {
		p := problem{cells: cube(32), fixed: mixed, mass: 500}
		var results [2]Result
		for n := range results {
			if n == 1 {
				p.mass = 0
			}
			s, u, f := p.solver(t, dev, opt)
			s.SetMassScale(500)
			smoothRightSide(f)
			r := must[Result](t)(s.Solve(u, f, 0))
			results[n] = Result{Residuals: append([]float64(nil), r.Residuals...), Iterations: r.Iterations}
		}
		if fmt.Sprint(results[0]) != fmt.Sprint(results[1]) {
			t.Errorf("%s: %v and %v", opt.label(), results[0], results[1])
		}
	}
}

func TestCoarsestOnly(t *testing.T) {
	// Few cells along the axis that is tied the most: one level, solved in one iteration by the coarse kernel, or by conjugate gradients.
	dev := device(t)
	for _, cells := range [][3]int{{3, 5, 5}, {3, 0, 33}, {3, 33, 33}} {
		for _, opt := range methods {
			s, u, f := problem{cells: cells, size: [3]float64{0.07, 1, 1}, fixed: []kernels.Side{kernels.Left, kernels.Top}}.solver(t, dev, opt)
			if len(s.Levels()) != 1 {
				t.Fatalf("%s has %d levels", label(cells), len(s.Levels()))
			}
			smoothRightSide(f)
			r := must[Result](t)(s.Solve(u, f, 0))
			few, left := 1, 1e-11
			if opt.Mixed {
				few, left = 2, 1e-4
			}
			if big := u.Grid.Nodes() > smallGrid; (len(s.Warnings()) == 1) != big || (r.Iterations > few) != (big && !opt.Mixed) {
				t.Errorf("%s: %d iterations, warnings %v", label(cells), r.Iterations, s.Warnings())
			}
			u.Fill(0)
			s.Cycle(u, f)
			residual := newField(t, s.op)
			s.op.Residual(residual, f, u)
			if got := must[float64](t)(norm(residual)); got > left*r.Reference {
				t.Errorf("%s: one cycle leaves %g of %g", label(cells), got, r.Reference)
			}
		}
	}
}

func TestLevels(t *testing.T) {
	s, _, _ := problem{cells: [3]int{32, 32, 16}, size: [3]float64{2, 2, 0.5}}.solver(t, device(t), Options{})
	levels := s.Levels()
	if levels[0].Factor != [3]int{1, 1, 2} || levels[1].Cells != [3]int{32, 32, 8} || levels[1].Factor != [3]int{2, 2, 2} {
		t.Errorf("levels %+v", levels)
	}
	if last := levels[len(levels)-1]; last.Factor != [3]int{1, 1, 1} || last.Nodes > fewNodes {
		t.Errorf("coarsest %+v", last)
	}
	if w := s.Warnings(); len(w) != 0 {
		t.Errorf("warnings %v", w)
	}
}

func TestPatchesConverge(t *testing.T) {
	// Patches whose rim or whole falls between coarse nodes; the walls are closed otherwise.
	dev := device(t)
	for _, r := range [][2]float64{{0.25, 0.75}, {0.3, 0.7}, {0.51, 0.55}, {0.47, 0.53}, {0.03, 0.04}} {
		patch := func(s kernels.Side, x, y, _ float64) bool {
			return s == kernels.Top && x >= r[0] && x <= r[1] && y >= r[0] && y <= r[1]
		}
		for _, opt := range []Options{{}, {Method: Multigrid}, {Method: Multigrid, Smoother: RedBlack}} {
			s, u, f := problem{cells: cube(32), patch: patch}.solver(t, dev, opt)
			smoothRightSide(f)
			if s.Options().Method != ConjugateGradients || (len(s.Warnings()) == 1) != (opt.Method == Multigrid) {
				t.Errorf("patch %v: method %s, warnings %v", r, s.Options().Method, s.Warnings())
			}
			if got := must[Result](t)(s.Solve(u, f, 0)); got.Iterations > 14 {
				t.Errorf("patch %v, %s: %d iterations", r, s.Options().label(), got.Iterations)
			}
		}
	}
}

func TestSolveFromFieldOfOtherBoundary(t *testing.T) {
	// The solver looks at the operator's boundary only: fields without one are as good.
	s, _, f := problem{cells: cube(16), fixed: mixed}.solver(t, device(t), Options{})
	smoothRightSide(f)
	u := must[*stencil.Field](t)(f.Grid.NewField("plain", nil))
	if r := must[Result](t)(s.Solve(u, f, 0)); !r.Converged {
		t.Errorf("%+v", r)
	}
}
