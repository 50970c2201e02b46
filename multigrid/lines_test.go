package multigrid

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// goldenLines lists iterations to 1e-8 with a smooth right side, over the whole range of anisotropy: of cycles alone and
// of conjugate gradients, as New chooses the smoother, and of conjugate gradients with lines; with 7 points and with 27.
var goldenLines = []struct {
	name string
	problem
	want, want27 [3]int
}{
	{"Kz/Kx 1e-4", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1e-4}}, [3]int{9, 6, 6}, [3]int{7, 6, 5}},
	{"Kz/Kx 1e-2", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1e-2}}, [3]int{9, 7, 6}, [3]int{7, 6, 5}},
	{"Kz/Kx 0.3", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 0.3}}, [3]int{9, 6, 6}, [3]int{7, 5, 5}},
	{"Kz/Kx 1.45", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1.45}}, [3]int{8, 6, 6}, [3]int{7, 6, 5}},
	{"Kz/Kx 1.55", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1.55}}, [3]int{8, 6, 6}, [3]int{7, 5, 5}},
	{"Kz/Kx 30", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 30}}, [3]int{8, 6, 5}, [3]int{8, 6, 6}},
	{"Kz/Kx 1e4", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1e4}}, [3]int{8, 5, 4}, [3]int{6, 5, 5}},
	{"Kz/Kx 1e4, closed", problem{cells: cube(32), k: [3]float64{1, 1, 1e4}}, [3]int{9, 6, 6}, [3]int{10, 7, 7}},
	{"Kx 1, Ky 0.1, Kz 0.01", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 0.1, 0.01}}, [3]int{7, 5, 5}, [3]int{11, 8, 5}},
	{"Kx 1, Ky 100, Kz 1e4", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 100, 1e4}}, [3]int{8, 6, 4}, [3]int{8, 5, 5}},
	{"cells 3:1 flat", problem{cells: cube(32), size: [3]float64{3, 3, 1}, fixed: mixed}, [3]int{8, 6, 6}, [3]int{12, 8, 6}},
	{"cells 30:1 flat", problem{cells: cube(32), size: [3]float64{30, 30, 1}, fixed: mixed}, [3]int{8, 5, 4}, [3]int{9, 6, 6}},
	{"cells 100:1 flat", problem{cells: cube(32), size: [3]float64{100, 100, 1}, fixed: mixed}, [3]int{8, 5, 4}, [3]int{8, 6, 6}},
	{"cells 100:1 flat, closed", problem{cells: cube(32), size: [3]float64{100, 100, 1}}, [3]int{7, 5, 5}, [3]int{8, 7, 7}},
	{"cells 100:1 flat, Kz/Kx 1e-4", problem{cells: cube(32), size: [3]float64{100, 100, 1}, fixed: mixed, k: [3]float64{1, 1, 1e-4}}, [3]int{7, 6, 5}, [3]int{7, 5, 4}},
	{"cells 100:1 flat, periodic", problem{cells: cube(32), size: [3]float64{100, 100, 1}, periodic: [3]bool{true, true, true}}, [3]int{7, 6, 4}, [3]int{7, 6, 6}},
	{"2-D, cells 100:1 flat", problem{cells: square(64), size: [3]float64{100, 0, 1}, fixed: mixed}, [3]int{8, 5, 3}, [3]int{10, 7, 4}},
	{"2-D, Kz/Kx 1e4", problem{cells: square(64), fixed: mixed, k: [3]float64{1, 1, 1e4}}, [3]int{8, 5, 3}, [3]int{9, 7, 3}},
	{"2-D, Kz/Kx 1e-4", problem{cells: square(64), fixed: mixed, k: [3]float64{1, 1, 1e-4}}, [3]int{7, 5, 5}, [3]int{8, 6, 5}},
	{"flat cells, odd z", problem{cells: [3]int{32, 32, 17}, size: [3]float64{16, 16, 1}, fixed: mixed}, [3]int{9, 6, 5}, [3]int{7, 6, 6}},
	{"flat cells, z odd after a halving", problem{cells: [3]int{64, 64, 6}, size: [3]float64{4, 4, 0.1}, fixed: mixed}, [3]int{7, 4, 3}, [3]int{5, 5, 5}},
}

func TestGoldenAnisotropy(t *testing.T) {
	dev, drawn := device(t), devicetest.Draw(t, 3)
	options := [3]Options{{Method: Multigrid}, {}, {Smoother: Line}}
	for _, c := range goldenLines {
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			if !drawn() {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", c.name, points.Points()), func(t *testing.T) {
				c.stencil = points
				want := c.want
				if points == kernels.TwentySevenPoint {
					want = c.want27
				}
				var got [3]int
				for n, opt := range options {
					s, u, f := c.solver(t, dev, opt)
					smoothRightSide(f)
					r := must[Result](t)(s.Solve(u, f, 0))
					got[n] = r.Iterations
					// With 27 points x tied far more than y, and y far more than z, wants lines along x.
					along := points == kernels.TwentySevenPoint && c.k[0] > 2*c.k[1] && c.k[1] > 2*c.k[2]
					if rate := slowest(r.Residuals[1:]); n == 0 && rate > 0.25 && !along {
						t.Errorf("a cycle leaves %.3f of the residual", rate)
					}
					s.Free()
				}
				if got != want {
					t.Errorf("iterations %v, want %v", got, want)
				}
			})
		}
	}
}

// slowest returns the largest factor by which a residual falls.
func slowest(residuals []float64) float64 {
	worst := 0.0
	for n := range residuals[1:] {
		worst = math.Max(worst, residuals[n+1]/residuals[n])
	}
	return worst
}

// Layers of contrast 1e6, random from cell to cell, so that their boundaries are off all coarser nodes.
func TestLayersChooseLines(t *testing.T) {
	dev := device(t)
	for name, p := range devicetest.Part(t, 3, map[string]problem{
		"mixed": {cells: cube(32), fixed: mixed}, "closed": {cells: cube(32)}, "dirichlet": {cells: cube(32), fixed: dirichlet},
		"2-D": {cells: square(64), fixed: mixed}, "flat": {cells: cube(32), size: [3]float64{100, 100, 1}},
		"tall": {cells: cube(32), size: [3]float64{1, 1, 30}, fixed: mixed}, "odd": {cells: [3]int{24, 20, 33}, fixed: closed},
		"periodic": {cells: cube(32), periodic: [3]bool{true, true, true}}, "mass": {cells: cube(32), mass: 1e4},
		"float32": {cells: cube(32), fixed: mixed, float32: true}, "27": {cells: cube(32), fixed: mixed, stencil: kernels.TwentySevenPoint},
		"27, closed": {cells: cube(32), stencil: kernels.TwentySevenPoint}, "27, flat": {cells: cube(32), size: [3]float64{100, 100, 1}, stencil: kernels.TwentySevenPoint},
		"27, 2-D": {cells: square(64), fixed: mixed, stencil: kernels.TwentySevenPoint}, "27, periodic": {cells: cube(32), periodic: [3]bool{true, true, true}, stencil: kernels.TwentySevenPoint},
	}) {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				p.layout = func(n [3]int) []float64 { return layers(n, 1e6, seed) }
				s, u, f := p.solver(t, dev, Options{})
				smoothRightSide(f)
				if got := s.Options().Smoother; got != Line {
					t.Fatalf("smoother %s", got)
				}
				for _, l := range s.Levels() {
					if l.Factor[kernels.Z] != 1 || l.Cells[kernels.Z] != p.cells[kernels.Z] {
						t.Errorf("level %+v coarsens in z", l)
					}
				}
				if r := must[Result](t)(s.Solve(u, f, 0)); r.Iterations > 12 {
					t.Errorf("seed %d: %d iterations", seed, r.Iterations)
				}
				s.Free()
			}
		})
	}
}

// Points stay the choice where lines do not pay, and wherever the caller names them.
func TestLinesAreNotForced(t *testing.T) {
	dev := device(t)
	for _, c := range []struct {
		problem
		opt  Options
		want Smoother
	}{
		{problem{cells: cube(16), fixed: mixed, k: [3]float64{1, 1, 1e4}}, Options{}, Chebyshev},
		{problem{cells: cube(16), fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 3, 1) }}, Options{}, Chebyshev},
		{problem{cells: cube(16), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 4, 0, 1) }}, Options{}, Chebyshev},
		{problem{cells: cube(16), fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }}, Options{Smoother: Jacobi}, Jacobi},
	} {
		s, _, _ := c.solver(t, dev, c.opt)
		if got := s.levels[0].smoother; got != c.want || s.Options().Smoother != c.want {
			t.Errorf("%+v, %s: smoother %s", c.opt, label(c.cells), got)
		}
	}
}

// One cycle of lines is a symmetric preconditioner: (x, M y) = (M x, y).
func TestLinesAreSymmetric(t *testing.T) {
	dev := device(t)
	for _, p := range []problem{{cells: [3]int{16, 8, 9}, fixed: mixed}, {cells: cube(8)}, {cells: cube(12), periodic: [3]bool{false, true, true}},
		{cells: [3]int{12, 8, 10}, fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }},
		{cells: [3]int{16, 8, 9}, fixed: mixed, stencil: kernels.TwentySevenPoint, size: [3]float64{1, 2, 3}},
		{cells: cube(12), periodic: [3]bool{false, true, true}, stencil: kernels.TwentySevenPoint},
		{cells: [3]int{12, 8, 10}, stencil: kernels.TwentySevenPoint, layout: func(n [3]int) []float64 { return layers(n, 1e6, 1) }}} {
		s, x, y := p.solver(t, dev, Options{Smoother: Line})
		o := s.levels[0].op
		random(t, o, x, 1)
		random(t, o, y, 2)
		apply := func(r *stencil.Field) []float64 {
			krylovOf(s).residual.Copy(r)
			if o.Singular() {
				krylovOf(s).residual.RemoveMean(true)
			}
			s.precondition()
			if o.Singular() {
				krylovOf(s).correction.RemoveMean(false)
			}
			return download(t, krylovOf(s).correction)
		}
		mx, my, vx, vy := apply(x), apply(y), download(t, x), download(t, y)
		a, b, size := 0.0, 0.0, 0.0
		for n := range mx {
			a, b = a+mx[n]*vy[n], b+vx[n]*my[n]
			size += math.Abs(mx[n] * vy[n])
		}
		if math.Abs(a-b) > 1e-11*size {
			t.Errorf("%s: %v and %v", fmt.Sprint(p.cells), a, b)
		}
	}
}
