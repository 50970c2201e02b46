package multigrid

import (
	"math"
	"strings"
	"testing"

	"convect/kernels"
)

// mixedOptions are the ways of solving with mixed precision, float64 the same without.
var mixedOptions = [2]Options{{Method: Multigrid, Smoother: Chebyshev, Mixed: true}, {Method: ConjugateGradients, Mixed: true}}

// inRows are the cycles of those golden problems that take other numbers in rows, whose polynomials differ: 1.25e-10 of 1.26e-10 was left of the last after eight alike.
var inRows = map[string]int{"odd after one halving": 7, "prime": 7, "awkward closed": 9}

// TestGoldenIterationsOfMixedPrecision compares with the iterations of float64, whose cycles are made one by one. A single level is solved to single
// precision by one iteration, so it takes two.
func TestGoldenIterationsOfMixedPrecision(t *testing.T) {
	dev := device(t)
	for _, c := range golden {
		if c.layout != nil {
			continue
		}
		want := [2]int{c.want[1], c.want[5]}
		if n, ok := inRows[c.name]; ok {
			want[0] = n
		}
		var got [2]int
		for n, opt := range mixedOptions {
			s, u, f := c.solver(t, dev, opt)
			smoothRightSide(f)
			got[n] = must[Result](t)(s.Solve(u, f, 0)).Iterations
			if len(s.Levels()) == 1 {
				want[n] = 2
			}
			s.Free()
			u.Free()
			f.Free()
		}
		if got != want {
			t.Errorf("%s: iterations %v, want %v", c.name, got, want)
		}
	}
}

// TestMixedPrecisionIsFloat64 solves to 1e-10, far below what float32 reaches, and compares with the float64 solution.
func TestMixedPrecisionIsFloat64(t *testing.T) {
	dev := device(t)
	const tolerance = 1e-10
	patch := func(s kernels.Side, x, y, _ float64) bool { return s == kernels.Top && x > 0.3 && x < 0.7 && y < 0.4 }
	for name, p := range map[string]problem{
		"mixed walls": {cells: cube(32), fixed: mixed}, "closed": {cells: cube(32)}, "2-D": {cells: square(64), fixed: mixed, periodic: [3]bool{true}},
		"mass": {cells: cube(32), fixed: mixed, mass: 1e3}, "patch": {cells: cube(32), patch: patch},
		"log-normal": {cells: cube(32), layout: func(n [3]int) []float64 { return lognormal(n, 4, 6, 1) }},
		"layers":     {cells: cube(16), fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }},
	} {
		for _, opt := range mixedOptions {
			if p.layout != nil && opt.Method == Multigrid {
				continue
			}
			opt.Tolerance = tolerance
			s, u, f := p.solver(t, dev, opt)
			smoothRightSide(f)
			r := must[Result](t)(s.Solve(u, f, 0))
			if !r.Converged || last(r) > math.Max(tolerance*r.Reference, nearFloor*r.Floor) {
				t.Errorf("%s, %s: ends at %.2g", name, opt.label(), last(r)/r.Reference)
			}
			mixed := download(t, u)
			opt.Mixed, opt.Tolerance = false, 1e-13
			s, u, f = p.solver(t, dev, opt)
			smoothRightSide(f)
			must[Result](t)(s.Solve(u, f, 0))
			difference, size := 0.0, 0.0
			for n, v := range download(t, u) {
				difference += (v - mixed[n]) * (v - mixed[n])
				size += v * v
			}
			if got := math.Sqrt(difference / size); !(got < 20*tolerance) {
				t.Errorf("%s, %s: solutions differ by %.2g", name, opt.label(), got)
			}
		}
	}
}

// TestMixedPrecisionOfAnyScale solves right sides far outside the range of float32.
func TestMixedPrecisionOfAnyScale(t *testing.T) {
	dev := device(t)
	for _, opt := range mixedOptions {
		var want int
		for _, scale := range []float64{1, 1e-60, 1e60} {
			s, u, f := problem{cells: cube(16), fixed: mixed}.solver(t, dev, opt)
			v := noise(u.Grid.Nodes(), 3)
			for n := range v {
				v[n] *= scale
			}
			f.Upload(v)
			r := must[Result](t)(s.Solve(u, f, 0))
			if want == 0 {
				want = r.Iterations
			}
			if r.Iterations != want {
				t.Errorf("%s: %d iterations for a right side of %g, %d for one of 1", opt.label(), r.Iterations, scale, want)
			}
		}
	}
}

func TestMixedPrecisionNeedsDouble(t *testing.T) {
	o := problem{cells: square(8), float32: true}.operator(t, device(t))
	if _, err := New(o, Options{Mixed: true}); err == nil || !strings.Contains(err.Error(), "float64") {
		t.Errorf("mixed precision on float32 fields: %v", err)
	}
}
