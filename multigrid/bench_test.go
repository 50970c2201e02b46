package multigrid

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"convect/kernels"
	"convect/stencil"
)

// words returns the least number of array elements a V-cycle moves per node of the finest level: sweep from zero 2,
// other Jacobi sweep 3, red–black 2 x 3, residual 3, restriction and prolongation 1 1/8 and 2 1/8, and 8/7 of the
// sum with all levels of a cube.
func words(o Options) float64 {
	sweep := 3.0
	if o.Smoother == RedBlack || o.Smoother == RedBlackSymmetric {
		sweep = 6
	}
	return (sweep*float64(o.Pre+o.Post) + 3 + 9.0/8 + 17.0/8) * 8 / 7
}

var benchmarked = []Options{
	{Smoother: Jacobi, Pre: 2, Post: 2},
	{Smoother: Chebyshev, Pre: 1, Post: 1}, {Smoother: Chebyshev, Pre: 2, Post: 2}, {Smoother: Chebyshev, Pre: 3, Post: 3},
	{Smoother: Chebyshev, Pre: 4, Post: 4},
	{Smoother: RedBlack, Pre: 1, Post: 1}, {Smoother: RedBlack, Pre: 2, Post: 1}, {Smoother: RedBlack, Pre: 2, Post: 2},
	{Smoother: RedBlackSymmetric, Pre: 1, Post: 1}, {Smoother: RedBlackSymmetric, Pre: 2, Post: 2},
}

func (o Options) label() string {
	name := fmt.Sprintf("%s/%s/V(%d,%d)", o.Method, o.Smoother, o.Pre, o.Post)
	if o.Mixed {
		name += "/mixed"
	}
	return name
}

// BenchmarkCycle times one V-cycle at 129³.
func BenchmarkCycle(b *testing.B) {
	dev := device(b)
	for _, elem := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		for _, opt := range benchmarked {
			opt.Method = Multigrid
			b.Run(fmt.Sprintf("%s/%s", elem, opt.label()), func(b *testing.B) {
				p := problem{cells: cube(128), fixed: mixed, float32: elem == kernels.Float32}
				s, u, f := p.solver(b, dev, opt)
				random(b, s.op, u, 1)
				b.SetBytes(int64(words(opt) * float64(u.Grid.Nodes()) * float64(elem.Size())))
				for b.Loop() {
					s.Cycle(u, f)
				}
				if err := dev.Sync(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkSolve times a solve to 1e-8 at 129³ in mixed precision, smooth right side, zero first guess, for each method and
// smoother, with both stencils, constant and log-normal coefficients. ns/digit chooses the default (see Recommended).
func BenchmarkSolve(b *testing.B) {
	dev := device(b)
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		for _, layout := range []struct {
			name string
			k    func([3]int) []float64
		}{{"constant", nil}, {"lognormal", func(n [3]int) []float64 { return lognormal(n, 4, 6, 1) }}} {
			for _, method := range []Method{Multigrid, ConjugateGradients} {
				for _, opt := range benchmarked {
					opt.Method, opt.Mixed = method, true
					if opt.WithDefaults().check() != nil || opt.checkStencil(points) != nil { // not a symmetric cycle, or no colours
						continue
					}
					b.Run(fmt.Sprintf("%d-point/%s/%s", points.Points(), layout.name, opt.label()), func(b *testing.B) {
						benchmarkSolve(b, dev, problem{cells: cube(128), fixed: mixed, layout: layout.k, stencil: points}, opt)
					})
				}
			}
		}
	}
}

// apart makes a V-cycle as descend does, but kernel by kernel.
func (s *Solver) apart(n int, zero bool) {
	l := s.levels[n]
	if n == len(s.levels)-1 {
		s.solveCoarsest(l, zero)
		return
	}
	coarse := s.levels[n+1]
	l.smoothBefore(zero)
	l.op.Residual(l.residual, l.f, l.u)
	stencil.Restrict(coarse.f, l.residual, coarse.op.Boundary.Mask, l.factor)
	s.apart(n+1, true)
	stencil.Prolong(l.u, coarse.u, l.op.Boundary.Mask, l.factor)
	l.smoothAfter()
}

// TestTwoPassesAreTheKernelsOneByOne compares a fused cycle with one that is not.
func TestTwoPassesAreTheKernelsOneByOne(t *testing.T) {
	dev := device(t)
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		for name, fixed := range map[string][]kernels.Side{"dirichlet": dirichlet, "closed": closed, "mixed": mixed} {
			s, u, _ := problem{cells: [3]int{24, 20, 16}, fixed: fixed, stencil: points}.solver(t, dev, Options{Method: ConjugateGradients})
			finest := s.levels[0]
			if !finest.canFuse() {
				t.Fatalf("%d points, %s: not fused", points.Points(), name)
			}
			random(t, s.op, finest.f, 3)
			var got [2][]float64
			for n, cycle := range []func(){func() { s.descend(0, VCycle, true) }, func() { s.apart(0, true) }} {
				cycle()
				got[n] = download(t, finest.u)
			}
			difference, size := 0.0, 0.0
			for m := range got[0] {
				difference = max(difference, math.Abs(got[0][m]-got[1][m]))
				size = max(size, math.Abs(got[1][m]))
			}
			if !(difference <= 1e-13*size && size > 0) {
				t.Errorf("%d points, %s: difference %g of %g", points.Points(), name, difference, size)
			}
			s.Free()
			u.Free()
		}
	}
}

// BenchmarkPasses times V(2,2) from zero at 257³ in two passes a level, kernel by kernel, and a copy, in turns. over-floor is
// the time over that of 5.25 words a node, 8/7 of them with all levels, at the speed of the copy; ratios are medians over turns.
func BenchmarkPasses(b *testing.B) {
	dev := device(b)
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		for _, elem := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			b.Run(fmt.Sprintf("%d-point/%s", points.Points(), elem), func(b *testing.B) {
				p := problem{cells: cube(256), fixed: dirichlet, stencil: points, float32: elem == kernels.Float32}
				s, u, f := p.solver(b, dev, Options{Method: ConjugateGradients, Pre: 2, Post: 2})
				random(b, s.op, s.levels[0].f, 1)
				random(b, s.op, f, 2)
				turns := []func(){func() { s.descend(0, VCycle, true) }, func() { s.apart(0, true) }, func() { u.Copy(f) }}
				times := make([][]float64, len(turns))
				for b.Loop() {
					for n, run := range turns {
						start := time.Now()
						run()
						times[n] = append(times[n], time.Since(start).Seconds())
					}
				}
				if err := dev.Sync(); err != nil {
					b.Fatal(err)
				}
				fused, apart, copied := times[0], times[1], times[2]
				floor := 5.25 * 8 / 7 / 2
				b.ReportMetric(median(fused)*1e3, "ms/fused")
				b.ReportMetric(median(apart)*1e3, "ms/apart")
				b.ReportMetric(median(ratios(apart, fused)), "apart/fused")
				b.ReportMetric(median(ratios(fused, copied))/floor, "over-floor")
				b.ReportMetric(2*float64(u.Grid.Nodes()*elem.Size())/median(copied)*1e-9, "GB/s-copy")
			})
		}
	}
}

// median returns the median of numbers, whose order it leaves.
func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// ratios returns a/b turn by turn: what the memory of the machine does to one it does to the other.
func ratios(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for n := range r {
		r[n] = a[n] / b[n]
	}
	return r
}

func benchmarkSolve(b *testing.B, dev kernels.Device, p problem, opt Options) {
	s, u, f := p.solver(b, dev, opt)
	smoothRightSide(f)
	var r Result
	var err error
	for b.Loop() {
		u.Fill(0)
		if r, err = s.Solve(u, f, 0); err != nil {
			b.Skip(err)
		}
	}
	digits := math.Log10(r.Residuals[0] / last(r))
	b.ReportMetric(float64(r.Iterations), "iterations")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/digits, "ns/digit")
}

// smoothRightSide sets f to the integrated 1 + sin(πx) sin(πy) sin(πz), in 2-D without y.
func smoothRightSide(f *stencil.Field) {
	g := f.Grid
	v := make([]float64, 0, g.Nodes())
	x, y, z := g.Coordinates(0), g.Coordinates(1), g.Coordinates(2)
	if g.Flat() {
		y[0] = 0.5
	}
	for k := range z {
		for j := range y {
			for i := range x {
				w := g.DualWidth(0, i) * g.DualWidth(1, j) * g.DualWidth(2, k)
				v = append(v, w*(1+math.Sin(math.Pi*x[i])*math.Sin(math.Pi*y[j])*math.Sin(math.Pi*z[k])))
			}
		}
	}
	f.Upload(v)
}
