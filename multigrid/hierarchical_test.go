package multigrid

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// With blocks that overlap by twice the sweeps an application is that many Chebyshev sweeps of all nodes; with the default it is
// not, but hardly worse.
func TestBlocksBecomeSweepsOfAllNodes(t *testing.T) {
	dev := device(t)
	for _, p := range []problem{{cells: [3]int{24, 20, 28}, fixed: mixed}, {cells: square(64)}, {cells: cube(24), periodic: [3]bool{true, true, true}},
		{cells: cube(24), fixed: mixed, stencil: kernels.TwentySevenPoint}} {
		const sweeps = 4
		var got [3][]float64
		for n, opt := range []Options{{Smoother: Chebyshev, Pre: sweeps, Post: sweeps}, {Smoother: Hierarchical, Overlap: 2 * sweeps, Block: 6},
			{Smoother: Hierarchical, Block: 6}} {
			opt.Method = Multigrid
			s, u, f := p.solver(t, dev, opt)
			random(t, s.op, u, 1)
			random(t, s.op, f, 2)
			s.Cycle(u, f)
			got[n] = download(t, u)
			s.Free()
		}
		size, same, near := 0.0, 0.0, 0.0
		for n, w := range got[0] {
			size = max(size, math.Abs(w))
			same, near = max(same, math.Abs(got[1][n]-w)), max(near, math.Abs(got[2][n]-w))
		}
		if !(same <= 1e-12*size) || !(near > 1e-6*size && near < 0.1*size) {
			t.Errorf("%s, %d points: %g and %g of %g apart", label(p.cells), p.stencil.Points(), same, near, size)
		}
	}
}

// Factors with blocks so small that most rows lie near a rim.
func TestHierarchicalFactors(t *testing.T) {
	dev := device(t)
	for _, c := range []struct {
		cells                  [3]int
		points                 kernels.Stencil
		subiterations, overlap int
		most                   float64
	}{
		{cube(64), kernels.SevenPoint, 4, 4, 0.05}, {cube(64), kernels.SevenPoint, 8, 6, 0.03}, {cube(64), kernels.TwentySevenPoint, 4, 4, 0.05},
		{square(256), kernels.SevenPoint, 4, 4, 0.05}, {square(256), kernels.SevenPoint, 8, 6, 0.03},
	} {
		for name, fixed := range map[string][]kernels.Side{"mixed": mixed, "closed": closed} {
			opt := Options{Smoother: Hierarchical, Pre: 1, Post: 1, Subiterations: c.subiterations, Overlap: c.overlap, Block: 8}
			got := asymptoticFactor(t, problem{cells: c.cells, fixed: fixed, stencil: c.points}, dev, opt)
			if !(got <= c.most) {
				t.Errorf("%s, %d points, %s, %d sweeps on blocks that overlap by %d: factor %.4f, at most %.2f allowed", label(c.cells), c.points.Points(),
					name, c.subiterations, c.overlap, got, c.most)
			}
		}
	}
}

// hierarchicalGolden lists iterations of cycles alone to 1e-8: by default, and in mixed precision with 8 subiterations on small blocks.
var hierarchicalGolden = []struct {
	name string
	problem
	want [2]int
}{
	{"3-D dirichlet", problem{cells: cube(32), fixed: dirichlet}, [2]int{6, 6}},
	{"3-D closed", problem{cells: cube(32)}, [2]int{6, 6}},
	{"3-D periodic", problem{cells: cube(32), periodic: [3]bool{true, true, true}}, [2]int{6, 6}},
	{"2-D mixed", problem{cells: square(64), fixed: mixed}, [2]int{6, 6}},
	{"cells 10:1 flat", problem{cells: cube(32), size: [3]float64{10, 10, 1}, fixed: mixed}, [2]int{6, 5}},
	{"mass", problem{cells: cube(32), fixed: mixed, mass: 1000}, [2]int{5, 5}},
	{"27 points", problem{cells: cube(32), fixed: mixed, stencil: kernels.TwentySevenPoint}, [2]int{7, 6}},
	{"log-normal, variance 1", problem{cells: cube(32), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}, [2]int{11, 10}},
	{"z 4", problem{cells: cube(32), fixed: mixed, grading: [3]stencil.Grading{2: narrow(4)}}, [2]int{8, 9}},
}

func TestHierarchicalGoldenIterations(t *testing.T) {
	dev := device(t)
	options := []Options{{Smoother: Hierarchical}, {Smoother: Hierarchical, Subiterations: 8, Overlap: 8, Block: 8, Mixed: true}}
	for _, c := range hierarchicalGolden {
		t.Run(c.name, func(t *testing.T) { c.iterate(t, dev, options, c.want[:]) })
	}
}

func TestHierarchicalRefuses(t *testing.T) {
	o := problem{cells: square(8), fixed: mixed}.operator(t, device(t))
	for part, opt := range map[string]Options{
		"symmetric": {Method: ConjugateGradients}, "even": {Overlap: 3}, "from 2 on": {Overlap: -2}, "subiterations": {Subiterations: 33}, "rows": {Block: -1},
	} {
		opt.Smoother = Hierarchical
		if _, err := New(o, opt); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// BenchmarkHierarchical times solves to 1e-8 from zero with a smooth right side beside Chebyshev and red–black.
func BenchmarkHierarchical(b *testing.B) {
	dev := device(b)
	for _, cells := range [][3]int{cube(128), cube(256), square(2048)} {
		p := problem{cells: cells, fixed: mixed}
		for _, opt := range []Options{{Smoother: Chebyshev, Pre: 2, Post: 2}, {Smoother: RedBlack, Pre: 1, Post: 1}, {Smoother: Hierarchical, Subiterations: 2, Overlap: 2},
			{Smoother: Hierarchical}, {Smoother: Hierarchical, Subiterations: 8, Overlap: 6}} {
			opt.Method, opt.Mixed = Multigrid, true
			b.Run(fmt.Sprintf("%s/%s/%d", label(cells), opt.withDefaults(false).label(), opt.Subiterations), func(b *testing.B) {
				s, u, f := p.solver(b, dev, opt)
				smoothRightSide(f)
				var r Result
				for b.Loop() {
					u.Fill(0)
					r = must[Result](b)(s.Solve(u, f, 0))
				}
				b.ReportMetric(float64(r.Iterations), "iterations")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/math.Log10(r.Residuals[0]/last(r)), "ns/digit")
				s.Free()
				u.Free()
				f.Free()
			})
		}
	}
}
