package multigrid

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
)

// goldenLineGradients lists the iterations to 1e-8, with noise as the right side, of conjugate gradients preconditioned by vertical lines, in float64 and in
// mixed precision.
var goldenLineGradients = []struct {
	name string
	problem
	want [2]int
}{
	{"cells as long as the fluid is deep", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}, fixed: mixed}, [2]int{10, 10}},
	{"twice as many columns", problem{cells: [3]int{48, 48, 16}, size: [3]float64{48, 48, 1}, fixed: mixed}, [2]int{10, 10}},
	{"twice as many levels", problem{cells: [3]int{24, 24, 32}, size: [3]float64{24, 24, 1}, fixed: mixed}, [2]int{9, 9}},
	{"periodic", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}, periodic: [3]bool{true, true, false}, fixed: mixed}, [2]int{10, 10}},
	{"2-D", problem{cells: [3]int{64, 0, 16}, size: [3]float64{64, 0, 1}, fixed: mixed}, [2]int{8, 8}},
	{"closed below", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}, fixed: []kernels.Side{kernels.Top}}, [2]int{17, 17}},
	{"layers of contrast 1e6", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}, fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }}, [2]int{157, 158}},
	{"closed", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}}, [2]int{95, 95}},
	{"closed with mass", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}, mass: 1}, [2]int{26, 26}},
	{"a few nodes", problem{cells: [3]int{4, 4, 4}, size: [3]float64{4, 4, 1}, fixed: mixed}, [2]int{10, 10}},
	{"cube", problem{cells: cube(16), fixed: mixed}, [2]int{80, 80}},
	{"27 points", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}, fixed: mixed, stencil: kernels.TwentySevenPoint}, [2]int{27, 27}},
	{"27 points, twice as many columns", problem{cells: [3]int{48, 48, 16}, size: [3]float64{48, 48, 1}, fixed: mixed, stencil: kernels.TwentySevenPoint}, [2]int{27, 27}},
	{"27 points, 2-D", problem{cells: [3]int{64, 0, 16}, size: [3]float64{64, 0, 1}, fixed: mixed, stencil: kernels.TwentySevenPoint}, [2]int{15, 15}},
	{"27 points, closed with mass", problem{cells: [3]int{24, 24, 16}, size: [3]float64{24, 24, 1}, mass: 1, stencil: kernels.TwentySevenPoint}, [2]int{27, 27}},
}

func TestGoldenLineGradients(t *testing.T) {
	dev := device(t)
	for _, c := range goldenLineGradients {
		t.Run(c.name, func(t *testing.T) {
			var got [2]int
			for n, single := range []bool{false, true} {
				s, u, f := c.solver(t, dev, Options{Method: LineGradients, Mixed: single})
				random(t, s.op, f, 3)
				r := must[Result](t)(s.Solve(u, f, 0))
				got[n] = r.Iterations
				if !r.Converged {
					t.Errorf("no convergence: %v", r.Residuals)
				}
				agree(t, dev, c.problem, download(t, u))
				s.Free()
			}
			if got != c.want {
				t.Errorf("iterations %v, want %v", got, c.want)
			}
		})
	}
}

// agree compares a solution to 1e-8 with that of the default solver to 1e-10, in parts of the largest value.
func agree(t *testing.T, dev kernels.Device, p problem, got []float64) {
	t.Helper()
	s, u, f := p.solver(t, dev, Options{Tolerance: 1e-10})
	defer s.Free()
	random(t, s.op, f, 3)
	must[Result](t)(s.Solve(u, f, 0))
	most, apart := 0.0, 0.0
	for n, v := range download(t, u) {
		most, apart = math.Max(most, math.Abs(v)), math.Max(apart, math.Abs(v-got[n]))
	}
	if apart > 1e-6*most {
		t.Errorf("the solution is %g of its largest value from that of the default solver", apart/most)
	}
}

// The residual in the norm of M⁻¹ falls at least as fast as the condition of M⁻¹A promises, 2 ((√κ-1)/(√κ+1))ⁿ in the
// energy, with the eigenvalues of the package text.
func TestLineGradientsKeepTheirBound(t *testing.T) {
	dev := device(t)
	for _, long := range []float64{0.5, 1, 3} { // of a cell, in depths
		const n, levels = 32, 16
		p := problem{cells: [3]int{n, n, levels}, size: [3]float64{n * long, n * long, 1}, fixed: mixed}
		s, u, f := p.solver(t, dev, Options{Method: LineGradients, Tolerance: 1e-10})
		random(t, s.op, f, 3)
		r := must[Result](t)(s.Solve(u, f, 0))
		s.Free()
		plane := 2 / (long * long)
		rho := plane / (plane + levels*levels*(1-math.Cos(math.Pi/levels)))
		root := math.Sqrt((1 + rho) / (1 - rho))
		// From the energy to the 2-norm of the residual: the root of the condition of A, (s_x+s_y+s_z) over the least eigenvalue.
		energy := math.Sqrt((plane + 2*levels*levels) / (levels * levels * (1 - math.Cos(math.Pi/levels))))
		bound := math.Ceil(math.Log(2*energy*1e10) / math.Log((root+1)/(root-1)))
		if float64(r.Iterations) > bound {
			t.Errorf("cells %g depths long: %d iterations, at most %g expected", long, r.Iterations, bound)
		}
	}
}

func TestLineGradientsRefuse(t *testing.T) {
	dev := device(t)
	o := problem{cells: cube(8), fixed: mixed}.operator(t, dev)
	for name, opt := range map[string]Options{
		"smoother": {Method: LineGradients, Smoother: Chebyshev},
		"sweeps":   {Method: LineGradients, Pre: 1, Post: 1},
	} {
		if _, err := New(o, opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// BenchmarkFlat times solves to 1e-8 on flat domains, noise as the right side: time for a digit of line-cg and of the default.
func BenchmarkFlat(b *testing.B) {
	dev := device(b)
	for _, long := range []float64{0.3, 1, 10} {
		for _, opt := range []Options{{}, {Smoother: Line}, {Method: LineGradients}} {
			opt.Mixed = true
			b.Run(fmt.Sprintf("cells %g depths long/%s %s", long, opt.Method, opt.Smoother), func(b *testing.B) {
				const n, levels = 128, 32
				p := problem{cells: [3]int{n, n, levels}, size: [3]float64{n * long, n * long, 1}, fixed: mixed}
				s, u, f := p.solver(b, dev, opt)
				random(b, s.op, f, 3)
				var r Result
				for b.Loop() {
					u.Fill(0)
					r = must[Result](b)(s.Solve(u, f, 0))
				}
				b.ReportMetric(float64(r.Iterations), "iterations")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/math.Log10(r.Residuals[0]/last(r)), "ns/digit")
			})
		}
	}
}
