package multigrid

import (
	"errors"
	"fmt"
	"testing"

	"convect/kernels/devicetest"
	"convect/stencil"
)

// TestRoundingFloor iterates until nothing changes and compares what is left with the estimate: never above it, so
// that every solve ends there, and not far below it, so that none ends early.
func TestRoundingFloor(t *testing.T) {
	variable := func(variance, correlation float64) func([3]int) []float64 {
		return func(n [3]int) []float64 { return lognormal(n, variance, correlation, 1) }
	}
	for name, p := range devicetest.Part(t, 3, map[string]problem{
		"mixed":           {cells: cube(32), fixed: mixed},
		"dirichlet":       {cells: cube(32), fixed: dirichlet},
		"closed":          {cells: cube(32)},
		"2-D":             {cells: square(128), fixed: mixed},
		"2-D closed":      {cells: square(128)},
		"flat cells":      {cells: cube(16), fixed: mixed, size: [3]float64{10, 10, 1}},
		"mass":            {cells: cube(32), fixed: mixed, mass: 1e4},
		"much mass":       {cells: cube(32), fixed: mixed, mass: 1e6},
		"log-normal":      {cells: cube(16), fixed: mixed, layout: variable(4, 6)},
		"uncorrelated":    {cells: cube(16), fixed: mixed, layout: variable(4, 0)},
		"log-normal, cls": {cells: cube(16), layout: variable(4, 6)},
	}) {
		for _, single := range []bool{false, true} {
			p.float32 = single
			for _, method := range []Method{Multigrid, ConjugateGradients} {
				if method == Multigrid && p.layout != nil {
					continue // cycles alone need not converge
				}
				t.Run(fmt.Sprintf("%s/float32=%v/%s", name, single, method), func(t *testing.T) {
					ratio := stagnation(t, p, Options{Method: method, Smoother: Chebyshev})
					t.Logf("%.2f", ratio)
					if !(ratio > 0.08 && ratio < 0.7) {
						t.Errorf("stagnates at %.2f of the estimate", ratio)
					}
				})
			}
		}
	}
}

// stagnation returns the residual after many iterations over the estimated floor.
func stagnation(t *testing.T, p problem, opt Options) float64 {
	t.Helper()
	s, u, f := p.solver(t, device(t), opt)
	finest := s.levels[0]
	smoothRightSide(f)
	if finest.op.Singular() {
		f.RemoveMean(true)
	}
	size := must[float64](t)(freeNorm(f, finest.op.Boundary.Mask))
	for n := range 80 {
		if opt.Method == Multigrid {
			s.Cycle(u, f)
			continue
		}
		if n%40 == 0 {
			must[float64](t)(krylovOf(s).start(u, f))
		}
		if _, err := krylovOf(s).step(u); err != nil && !errors.As(err, new(breakdown)) { // far below the floor <r, M r> underflows
			t.Fatal(err)
		}
	}
	if finest.op.Singular() {
		u.RemoveMean(false)
	}
	finest.op.Residual(finest.residual, f, u)
	return must[float64](t)(norm(finest.residual)) / must[float64](t)(s.rounding.floor(u, size))
}

// TestSolveStopsAtTheFloor asks for more than the precision allows.
func TestSolveStopsAtTheFloor(t *testing.T) {
	dev := device(t)
	for _, opt := range methods {
		for _, single := range precisions(opt) {
			for name, p := range map[string]problem{"mixed": {cells: cube(32), fixed: mixed}, "closed": {cells: square(128)},
				"layers": {cells: cube(16), fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }}} {
				if p.layout != nil && opt.Method == Multigrid {
					continue
				}
				p.float32 = single
				opt.Tolerance = 1e-18
				s, u, f := p.solver(t, dev, opt)
				smoothRightSide(f)
				r, err := s.Solve(u, f, 0)
				if err != nil || r.Iterations > 30 && p.layout == nil || last(r) > nearFloor*r.Floor {
					t.Errorf("%s, %s, float32 %v: %d iterations to %g, floor %g: %v", name, opt.label(), single, r.Iterations,
						last(r), r.Floor, err)
				}
			}
		}
	}
}

func TestMonitorEndsNearTheFloorWithoutProgress(t *testing.T) {
	m := monitor{residuals: []float64{1, 1e-3, 8e-6, 7e-6, 6e-6, 6e-6}, tolerance: 1e-8, reference: 1, floor: 1e-6, most: 100}
	if !m.converged() || !m.stalled() {
		t.Error("no progress at 6 times the floor goes on")
	}
	m.floor = 1e-7
	if m.converged() {
		t.Error("no progress at 60 times the floor counts as converged")
	}
	m.floor, m.residuals = 1e-6, []float64{1, 1e-3, 5e-5, 2e-5, 8e-6}
	if m.converged() {
		t.Error("progress near the floor counts as converged")
	}
}

// A right side whose numbers lose digits by underflow is solved as far as they go.
func TestSolveEndsWhereNumbersUnderflow(t *testing.T) {
	dev := device(t)
	for _, single := range []bool{false, true} {
		for _, opt := range []Options{{Method: Multigrid}, {Method: ConjugateGradients}} {
			s, u, f := problem{cells: cube(8), fixed: mixed, float32: single}.solver(t, dev, opt)
			smoothRightSide(f)
			scale := 1e-160
			if single {
				scale = 1e-42
			}
			f.Combine(stencil.Sum{C: scale, X: f})
			if r, err := s.Solve(u, f, 0); err != nil {
				t.Errorf("float32 %v, %s: %v, floor %g", single, opt.Method, err, r.Floor)
			}
		}
	}
}

// TestFloorsServe solves for many right sides in float32, to as little as rounding leaves: a floor is estimated anew after seven solves, or where one ends a little above it, and all end near what it would be.
func TestFloorsServe(t *testing.T) {
	o := problem{cells: cube(16), fixed: mixed, float32: true}.operator(t, device(t))
	s := must[*Solver](t)(New(o, Options{Method: Multigrid, Tolerance: 1e-9}))
	defer s.Free()
	u, f := newField(t, o), newField(t, o)
	estimates, size := 0, 1.0
	for n := range uint64(33) {
		u.Fill(0)
		size *= 1.3 // the floor follows the reference
		v := noise(o.Grid.Nodes(), n+1)
		for i := range v {
			v[i] *= size
		}
		f.Upload(v)
		r := must[Result](t)(s.Solve(u, f, 0))
		if s.FloorAge == 0 {
			estimates++
		}
		floor := must[float64](t)(s.rounding.floor(u, must[float64](t)(norm(f))))
		if left := last(r); !(left <= 1.5*floor) {
			t.Errorf("solve %d leaves %.3g, the floor is %.3g", n, left, floor)
		}
	}
	if estimates < 33/floorLasts || estimates > 33/3 {
		t.Errorf("%d floors were estimated in 33 solves", estimates)
	}
}
