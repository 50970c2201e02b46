package multigrid

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// narrow returns a grading with narrow cells at both ends.
func narrow(ratio float64) stencil.Grading {
	return stencil.Grading{Cluster: stencil.ClusterBoth, Ratio: ratio}
}

// A cycle of V(2,2) leaves at most a quarter where z is graded up to 1 : 10, whatever the walls, with the smoother that New takes.
func TestFactorOnGradedGrids(t *testing.T) {
	devicetest.Long(t)
	dev, drawn := device(t), devicetest.Draw(t, 3)
	check := func(p problem) {
		if !drawn() {
			return
		}
		for name, fixed := range map[string][]kernels.Side{"mixed": mixed, "dirichlet": dirichlet, "closed": closed} {
			g := p.grading[kernels.Z]
			t.Run(fmt.Sprintf("%d/%v %g/%s/%s", p.stencil.Points(), g.Cluster, g.Ratio, name, label(p.cells)), func(t *testing.T) {
				p.fixed = fixed
				if got := asymptoticFactor(t, p, dev, Options{Pre: 2, Post: 2}); !(got <= 0.25) {
					t.Errorf("factor %.3f", got)
				}
			})
		}
	}
	gradings := func(ratio float64) []stencil.Grading {
		return []stencil.Grading{narrow(ratio), {Cluster: stencil.ClusterLow, Ratio: ratio}, {Cluster: stencil.ClusterHigh, Ratio: ratio}}
	}
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		for _, g := range gradings(10) {
			for _, p := range []problem{{cells: cube(32)}, {cells: cube(64)}, {cells: [3]int{32, 24, 33}, size: [3]float64{1, 1, 2}}} {
				p.stencil, p.grading[kernels.Z] = points, g
				check(p)
			}
		}
	}
	for _, ratio := range []float64{2, 3, 4, 6} {
		for _, g := range gradings(ratio)[:2] {
			for _, size := range [][3]float64{{1, 1, 4}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {10, 10, 1}} {
				p := problem{cells: cube(32), size: size, stencil: kernels.TwentySevenPoint}
				p.grading[kernels.Z] = g
				check(p)
			}
		}
	}
}

// goldenGraded lists iterations of conjugate gradients to 1e-8 with a smooth right side, as New chooses the smoother: with 7
// and with 27 points.
var goldenGraded = []struct {
	name string
	problem
	want [2]int
}{
	{"z 4", problem{cells: cube(32), fixed: mixed, grading: [3]stencil.Grading{2: narrow(4)}}, [2]int{8, 8}},
	{"z 10", problem{cells: cube(32), fixed: mixed, grading: [3]stencil.Grading{2: narrow(10)}}, [2]int{6, 7}},
	{"z 10, closed", problem{cells: cube(32), grading: [3]stencil.Grading{2: narrow(10)}}, [2]int{6, 7}},
	{"z 10, flat cells", problem{cells: cube(32), size: [3]float64{10, 10, 1}, fixed: mixed, grading: [3]stencil.Grading{2: narrow(10)}}, [2]int{7, 6}},
	{"x 10", problem{cells: cube(32), fixed: mixed, grading: [3]stencil.Grading{narrow(10)}}, [2]int{9, 9}},
	{"all 4", problem{cells: cube(32), fixed: mixed, grading: [3]stencil.Grading{narrow(4), narrow(4), narrow(4)}}, [2]int{12, 13}},
	{"all 10", problem{cells: cube(32), fixed: mixed, grading: [3]stencil.Grading{narrow(10), narrow(10), narrow(10)}}, [2]int{20, 23}},
	{"2-D, all 4", problem{cells: square(64), fixed: mixed, grading: [3]stencil.Grading{0: narrow(4), 2: narrow(4)}}, [2]int{11, 11}},
	{"2-D, all 10", problem{cells: square(64), fixed: mixed, grading: [3]stencil.Grading{0: narrow(10), 2: narrow(10)}}, [2]int{20, 20}},
	{"all 4, mass", problem{cells: cube(32), mass: 1e4, grading: [3]stencil.Grading{narrow(4), narrow(4), narrow(4)}}, [2]int{4, 4}},
}

func TestGoldenGradedGrids(t *testing.T) {
	dev := device(t)
	for _, c := range goldenGraded {
		t.Run(c.name, func(t *testing.T) {
			var got [2]int
			for n, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
				c.stencil = points
				s, u, f := c.solver(t, dev, Options{})
				smoothRightSide(f)
				got[n] = must[Result](t)(s.Solve(u, f, 0)).Iterations
				s.Free()
			}
			if got != c.want {
				t.Errorf("iterations %v, want %v", got, c.want)
			}
		})
	}
}

// No eigenvalue of D⁻¹A lies above the bound: a power iteration on D⁻¹A stays below it, and comes near.
func TestUpperBoundOnGradedGrids(t *testing.T) {
	dev := device(t)
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		for _, grading := range [][3]stencil.Grading{{2: narrow(10)}, {narrow(10), narrow(4), narrow(10)}, {0: {Cluster: stencil.ClusterLow, Ratio: 30}}} {
			p := problem{cells: cube(16), stencil: points, grading: grading}
			s, u, f := p.solver(t, dev, Options{Smoother: Chebyshev})
			largest := powerIteration(t, s.op, u, f, s.op.Smooth)
			bound := s.levels[0].bounds(0).high
			if !(largest <= bound*(1+1e-9)) || largest < 0.7*bound {
				t.Errorf("%d points, %v: eigenvalue %.4f, bound %.4f", points.Points(), grading, largest, bound)
			}
			s.Free()
		}
	}
}

// powerIteration returns an estimate from below of the largest eigenvalue of M⁻¹A, given u + M⁻¹(f - A u).
func powerIteration(t *testing.T, o *stencil.Operator, u, f *stencil.Field, sweep func(out, u, f *stencil.Field, omega float64)) (largest float64) {
	t.Helper()
	next := newField(t, o)
	defer next.Free()
	random(t, o, u, 3)
	f.Fill(0)
	for range 300 {
		before := must[float64](t)(norm(u))
		u.Combine(stencil.Sum{C: 1 / before, X: u})
		sweep(next, u, f, 1) // u - M⁻¹A u
		u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: -1, X: next})
		largest = must[float64](t)(norm(u))
	}
	return largest
}

// The 7- and the 27-point form are of second order on graded grids.
func TestSecondOrderOnGradedGrids(t *testing.T) {
	dev := device(t)
	fixed := shape{func(x float64) float64 { return math.Sin(math.Pi*x) + 0.5 }, func(x float64) float64 { return -math.Pi * math.Pi * math.Sin(math.Pi*x) }, true, true, false}
	natural := shape{func(x float64) float64 { return math.Cos(math.Pi * x) }, func(x float64) float64 { return -math.Pi * math.Pi * math.Cos(math.Pi*x) }, false, false, false}
	wrapped := shape{func(x float64) float64 { return math.Sin(2 * math.Pi * x) }, func(x float64) float64 { return -4 * math.Pi * math.Pi * math.Sin(2*math.Pi*x) }, false, false, true}
	grading := [3]stencil.Grading{{Cluster: stencil.ClusterHigh, Ratio: 4}, narrow(3), {Cluster: stencil.ClusterLow, Ratio: 5}}
	for name, axes := range map[string][3]shape{"dirichlet": {fixed, fixed, fixed}, "neumann": {natural, natural, natural}, "mixed": {natural, wrapped, fixed}} {
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			for _, flat := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/flat=%v/%d", name, flat, points.Points()), func(t *testing.T) {
					var e [2]float64
					for n, cells := range []int{16, 32} {
						e[n] = discretisationError(t, dev, problem{stencil: points, grading: grading}, axes, cells, flat)
					}
					if order := math.Log2(e[0] / e[1]); !(order > 1.9 && order < 2.2) {
						t.Errorf("order %.3f (errors %.3g, %.3g)", order, e[0], e[1])
					}
				})
			}
		}
	}
}
