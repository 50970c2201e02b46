package multigrid

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// fullShapes are solutions for one kind of walls each; the values on the fixed ones are not zero.
var fullShapes = map[string][3]shape{
	"dirichlet": {sineShape, sineShape, sineShape}, "closed": {cosineShape, cosineShape, cosineShape},
	"mixed": {cosineShape, roundShape, sineShape}, "one of each": {slopeShape, cosineShape, slopeShape},
	"short waves": {shortShape, cosineShape, shortShape},
}

var (
	sineShape   = shape{func(x float64) float64 { return math.Sin(math.Pi*x) + 0.5 }, func(x float64) float64 { return -math.Pi * math.Pi * math.Sin(math.Pi*x) }, true, true, false}
	cosineShape = shape{func(x float64) float64 { return math.Cos(math.Pi * x) }, func(x float64) float64 { return -math.Pi * math.Pi * math.Cos(math.Pi*x) }, false, false, false}
	slopeShape  = shape{func(x float64) float64 { return math.Cos(math.Pi * x / 2) }, func(x float64) float64 { return -math.Pi * math.Pi / 4 * math.Cos(math.Pi*x/2) }, false, true, false}
	shortShape  = shape{func(x float64) float64 { return math.Sin(3*math.Pi*x) + math.Exp(x) }, func(x float64) float64 { return -9*math.Pi*math.Pi*math.Sin(3*math.Pi*x) + math.Exp(x) }, true, true, false}
	roundShape  = shape{func(x float64) float64 { return math.Sin(2 * math.Pi * x) }, func(x float64) float64 { return -4 * math.Pi * math.Pi * math.Sin(2*math.Pi*x) }, false, false, true}
)

// fullErrors returns the L2 error of the solution of a manufactured problem, that after one pass of full multigrid from zero,
// and the distance of the two.
func fullErrors(t testing.TB, dev kernels.Device, axes [3]shape, p problem, opt Options) (solved, pass, distance float64) {
	t.Helper()
	p.between(&axes)
	opt.Cycle, opt.Tolerance = FullMultigrid, 1e-9
	s, u, f := p.solver(t, dev, opt)
	defer func() { s.Free(); u.Free(); f.Free() }()
	exact, source, volume := manufactured(s.op.Grid, axes)
	start := append([]float64(nil), exact...)
	for n, free := range freeNodes(t, s.op) {
		if free {
			start[n] = 0
		}
	}
	measure := func(from []float64) float64 {
		square, total := 0.0, 0.0
		for n, v := range download(t, u) {
			square += volume[n] * (v - from[n]) * (v - from[n])
			total += volume[n]
		}
		return math.Sqrt(square / total)
	}
	f.Upload(source)
	u.Upload(start)
	must[Result](t)(s.Solve(u, f, 0))
	solved = measure(exact)
	solution := download(t, u)
	u.Upload(start)
	buffer := u.Buffer
	if err := s.begin(u, f, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.strategy.(*full).start(u, f); err != nil {
		t.Fatal(err)
	}
	s.restore(u, buffer)
	if s.op.Singular() {
		u.RemoveMean(false)
	}
	return solved, measure(exact), measure(solution)
}

// One pass with one V(2,2) a level leaves little more than the error of the discretisation, whatever the walls.
func TestFullMultigridReachesTheDiscretisationError(t *testing.T) {
	dev := device(t)
	for name, axes := range devicetest.Part(t, 2, fullShapes) {
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			for _, c := range []struct {
				problem
				opt Options
			}{
				{problem{cells: cube(32)}, Options{Method: Multigrid}}, {problem{cells: cube(64)}, Options{Method: Multigrid}},
				{problem{cells: cube(32)}, Options{Method: Multigrid, Mixed: true}}, {problem{cells: cube(32)}, Options{}},
				{problem{cells: square(64)}, Options{Method: Multigrid}},
			} {
				c.stencil, c.opt.Smoother = points, Chebyshev
				label := fmt.Sprintf("%s, %d points, %s, %s", name, points.Points(), label(c.cells), c.opt.label())
				solved, pass, distance := fullErrors(t, dev, axes, c.problem, c.opt)
				t.Logf("%s: error %.3g after a pass, %.3g of the solution: %.2f, distance %.2f", label, pass, solved, pass/solved, distance/solved)
				if !(pass <= 1.5*solved && distance <= 2*solved) {
					t.Errorf("%s: error %.3g after a pass, %.3g of the solution, from which it is %.3g away", label, pass, solved, distance)
				}
			}
		}
	}
}

// BenchmarkFullMultigrid reports the error after one pass over that of the solution, on 129³ nodes.
func BenchmarkFullMultigrid(b *testing.B) {
	for name, axes := range fullShapes {
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			b.Run(fmt.Sprintf("%s/%d-points", name, points.Points()), func(b *testing.B) {
				for range b.N {
					solved, pass, distance := fullErrors(b, device(b), axes, problem{cells: cube(128), stencil: points}, Options{Method: Multigrid, Smoother: Chebyshev})
					b.ReportMetric(pass/solved, "error/discretisation")
					b.ReportMetric(distance/solved, "distance/discretisation")
				}
			})
		}
	}
}

// A W- or F-cycle reduces the residual at least as much as a V-cycle.
func TestFactorsOfOtherCycles(t *testing.T) {
	dev, drawn := device(t), devicetest.Draw(t, 3)
	for _, p := range []problem{
		{cells: cube(32), fixed: dirichlet}, {cells: cube(32), fixed: mixed}, {cells: cube(32)}, {cells: square(64), fixed: mixed},
		{cells: cube(32), fixed: mixed, float32: true}, {cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 100}},
	} {
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			for _, smoother := range []Smoother{Jacobi, Chebyshev, RedBlack} {
				if points == kernels.TwentySevenPoint && smoother == RedBlack || !drawn() {
					continue
				}
				p.stencil = points
				var factor [3]float64
				for n, c := range []Cycle{VCycle, WCycle, FCycle} {
					factor[n] = asymptoticFactor(t, p, dev, Options{Cycle: c, Smoother: smoother, Pre: 2, Post: 2})
				}
				t.Logf("%s, fixed %v, float32 %v, %d points, %s: V %.4f, W %.4f, F %.4f", label(p.cells), p.fixed, p.float32, points.Points(), smoother, factor[0], factor[1], factor[2])
				if worst := math.Max(factor[1], factor[2]); !(worst <= factor[0]*1.01) { // 1 %: the mean over 5 cycles wavers
					t.Errorf("%s, fixed %v, %d points, %s: V %.4f, W %.4f, F %.4f", label(p.cells), p.fixed, points.Points(), smoother, factor[0], factor[1], factor[2])
				}
			}
		}
	}
}

// goldenCycles lists iterations as golden does, for the options of goldenCycleOptions.
var goldenCycles = []struct {
	name string
	problem
	want [7]int
}{
	{"3-D dirichlet", problem{cells: cube(32), fixed: dirichlet}, [7]int{7, 7, 6, 6, 5, 5, 6}},
	{"3-D closed", problem{cells: cube(32)}, [7]int{7, 7, 5, 5, 4, 4, 5}},
	{"3-D periodic layer", problem{cells: [3]int{48, 32, 16}, size: [3]float64{3, 2, 1}, periodic: [3]bool{true, true, false}, fixed: mixed}, [7]int{7, 7, 5, 6, 5, 5, 5}},
	{"2-D mixed", problem{cells: square(64), fixed: mixed}, [7]int{7, 7, 4, 5, 4, 4, 4}},
	{"anisotropic k", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 100}}, [7]int{6, 6, 4, 5, 4, 4, 4}},
	{"odd axis", problem{cells: [3]int{32, 27, 32}, fixed: mixed}, [7]int{9, 9, 7, 6, 5, 5, 6}},
	{"awkward", problem{cells: [3]int{25, 31, 49}, size: [3]float64{25, 31, 49}, fixed: mixed}, [7]int{8, 8, 6, 6, 5, 5, 6}},
	{"mass", problem{cells: cube(32), fixed: mixed, mass: 1000}, [7]int{6, 6, 5, 5, 4, 4, 5}},
	{"27 points", problem{cells: cube(32), fixed: mixed, stencil: kernels.TwentySevenPoint}, [7]int{6, 6, 4, 5, 4, 4, 4}},
	{"27 points, closed", problem{cells: cube(32), stencil: kernels.TwentySevenPoint}, [7]int{5, 5, 4, 4, 4, 4, 4}},
}

var goldenCycleOptions = [7]Options{
	{Method: Multigrid, Cycle: WCycle},
	{Method: Multigrid, Cycle: FCycle},
	{Method: Multigrid, Cycle: FullMultigrid},
	{Cycle: WCycle},
	{Cycle: FullMultigrid},
	{Method: ConjugateGradients, Cycle: FullMultigrid, Mixed: true},
	{Cycle: FullMultigrid, Mixed: true},
}

func TestGoldenIterationsOfOtherCycles(t *testing.T) {
	dev, drawn := device(t), devicetest.Draw(t, 3)
	for _, c := range goldenCycles {
		if !drawn() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.iterate(t, dev, goldenCycleOptions[:], c.want[:])
		})
	}
}

// A patch that no coarser level knows leaves its values to the finest one: the pass is a correction, and the solve as good as
// with V-cycles, but for two iterations at most.
func TestFullMultigridWithAPatchThatIsLost(t *testing.T) {
	dev := device(t)
	p := problem{cells: square(64), patch: func(s kernels.Side, x, _, _ float64) bool { return s == kernels.Top && math.Abs(x-33.0/64) < 1e-9 }}
	for _, mixed := range []bool{false, true} {
		var n [2]int
		for i, c := range []Cycle{VCycle, FullMultigrid} {
			s, u, f := p.solver(t, dev, Options{Cycle: c, Mixed: mixed})
			smoothRightSide(f)
			n[i] = must[Result](t)(s.Solve(u, f, 0)).Iterations
		}
		t.Logf("mixed %v: V %d, FMG %d", mixed, n[0], n[1])
		if n[1] > n[0]+2 {
			t.Errorf("mixed %v: %d iterations, %d with V-cycles", mixed, n[1], n[0])
		}
	}
}

// A first guess is improved, not thrown away, and fixed values keep their bits, in mixed precision too.
func TestFullMultigridKeepsGuessAndFixedValues(t *testing.T) {
	dev := device(t)
	for _, opt := range []Options{{Method: Multigrid}, {Method: Multigrid, Mixed: true}, {Mixed: true}} {
		opt.Cycle, opt.Tolerance = FullMultigrid, 1e-6
		s, u, f := problem{cells: cube(32), fixed: mixed}.solver(t, dev, opt)
		smoothRightSide(f)
		must[Result](t)(s.Solve(u, f, 0))
		if r := must[Result](t)(s.Solve(u, f, 0)); r.Iterations != 0 || len(r.Residuals) != 1 {
			t.Errorf("%s: %d iterations from the solution, residuals %v", opt.label(), r.Iterations, r.Residuals)
		}
		shift := newField(t, s.op)
		smoothRightSide(shift)
		u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: 1e-3, X: shift}) // fixed nodes are no longer zero
		before := download(t, u)
		guessed := must[Result](t)(s.Solve(u, f, 0)).Iterations
		free := freeNodes(t, s.op)
		for n, v := range download(t, u) {
			if !free[n] && v != before[n] {
				t.Fatalf("%s: fixed node %d is %v, was %v", opt.label(), n, v, before[n])
			}
			if free[n] {
				before[n] = 0
			}
		}
		want := download(t, u)
		u.Upload(before)
		fromZero := must[Result](t)(s.Solve(u, f, 0)).Iterations
		for n, v := range download(t, u) {
			if !free[n] && v != before[n] {
				t.Fatalf("%s: fixed node %d is %v, was %v", opt.label(), n, v, before[n])
			}
			if math.Abs(v-want[n]) > 1e-5 {
				t.Fatalf("%s: node %d is %g from zero and %g from a guess", opt.label(), n, v, want[n])
			}
		}
		if guessed > fromZero {
			t.Errorf("%s: %d iterations from a guess, %d from zero", opt.label(), guessed, fromZero)
		}
	}
}

func TestCycleNames(t *testing.T) {
	for _, c := range []Cycle{VCycle, WCycle, FCycle, FullMultigrid} {
		if got, err := ParseCycle(c.String()); err != nil || got != c {
			t.Errorf("cycle %s: %v, %v", c, got, err)
		}
	}
	if _, err := ParseCycle("X"); err == nil {
		t.Error("X is a cycle")
	}
}
