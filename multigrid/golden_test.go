package multigrid

import (
	"testing"

	"convect/kernels/devicetest"
	"convect/stencil"
)

// golden lists the iterations of solves to 1e-8 with a smooth right side and a zero first guess, for the smoothers
// of goldenOptions in their order. They are exact: a change that costs a cycle, or saves one, shows here.
var golden = []struct {
	name string
	problem
	want [6]int
}{
	{"3-D dirichlet", problem{cells: cube(32), fixed: dirichlet}, [6]int{13, 7, 9, 11, 6, 6}},
	{"3-D closed", problem{cells: cube(32), fixed: closed}, [6]int{11, 7, 9, 10, 6, 5}},
	{"3-D mixed", problem{cells: cube(32), fixed: mixed}, [6]int{13, 7, 9, 10, 7, 6}},
	{"3-D periodic", problem{cells: cube(32), periodic: [3]bool{true, true, true}}, [6]int{11, 7, 9, 10, 6, 6}},
	{"3-D periodic layer", problem{cells: [3]int{48, 32, 16}, size: [3]float64{3, 2, 1}, periodic: [3]bool{true, true, false}, fixed: mixed}, [6]int{13, 8, 10, 11, 7, 6}},
	{"2-D dirichlet", problem{cells: square(64), fixed: dirichletInPlane}, [6]int{9, 7, 7, 9, 6, 6}},
	{"2-D closed", problem{cells: square(64), fixed: closed}, [6]int{8, 7, 6, 8, 5, 5}},
	{"2-D mixed", problem{cells: square(64), fixed: mixed}, [6]int{9, 7, 6, 8, 5, 6}},
	{"2-D periodic", problem{cells: square(64), periodic: [3]bool{true, false, true}}, [6]int{8, 7, 6, 8, 5, 5}},
	{"anisotropic k", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 100}}, [6]int{9, 8, 7, 9, 6, 6}},
	{"anisotropic k, 3 axes", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 10, 0.1}}, [6]int{7, 7, 8, 8, 6, 5}},
	{"cells 10:1 flat", problem{cells: cube(32), size: [3]float64{10, 10, 1}, fixed: mixed}, [6]int{9, 8, 7, 9, 6, 6}},
	{"cells 10:1 flat, 2-D", problem{cells: square(64), size: [3]float64{10, 0, 1}, fixed: mixed}, [6]int{9, 8, 7, 9, 6, 6}},
	{"odd after one halving", problem{cells: [3]int{30, 26, 22}, size: [3]float64{3, 2.6, 2.2}, fixed: mixed}, [6]int{13, 8, 10, 11, 7, 6}},
	{"odd axis", problem{cells: [3]int{32, 27, 32}, fixed: mixed}, [6]int{12, 8, 8, 10, 7, 7}},
	{"prime", problem{cells: [3]int{37, 0, 53}, fixed: mixed}, [6]int{8, 8, 6, 8, 6, 6}},
	{"cube of a prime", problem{cells: cube(23), fixed: mixed}, [6]int{13, 9, 10, 11, 7, 6}},
	{"twice a prime", problem{cells: cube(34), fixed: closed}, [6]int{11, 7, 10, 11, 7, 6}},
	{"awkward closed", problem{cells: [3]int{25, 31, 49}, size: [3]float64{1, 1.24, 1.96}, fixed: closed}, [6]int{11, 8, 10, 11, 7, 6}},
	{"awkward periodic layer", problem{cells: [3]int{51, 45, 27}, size: [3]float64{51, 45, 27}, periodic: [3]bool{true, true, false}, fixed: mixed}, [6]int{13, 9, 10, 11, 7, 6}},
	{"awkward 2-D", problem{cells: [3]int{125, 0, 77}, size: [3]float64{125, 0, 77}, fixed: dirichletInPlane}, [6]int{9, 8, 8, 9, 6, 6}},
	{"awkward with mass", problem{cells: [3]int{33, 37, 41}, size: [3]float64{33, 37, 41}, fixed: mixed, mass: 1}, [6]int{9, 6, 9, 7, 5, 5}},
	{"awkward, log-normal, variance 1", problem{cells: [3]int{25, 31, 27}, size: [3]float64{25, 31, 27}, fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}, [6]int{18, 13, 13, 14, 9, 8}},
	{"awkward, graded", problem{cells: [3]int{25, 27, 31}, size: [3]float64{25, 27, 31}, fixed: mixed, grading: [3]stencil.Grading{2: {Ratio: 4, Cluster: stencil.ClusterBoth}}}, [6]int{20, 11, 13, 13, 8, 8}},
	{"mass", problem{cells: cube(32), fixed: mixed, mass: 1000}, [6]int{9, 6, 9, 7, 5, 5}},
	{"closed with mass", problem{cells: cube(32), fixed: closed, mass: 1000}, [6]int{7, 5, 9, 6, 5, 5}},
	{"log-normal, variance 1", problem{cells: cube(32), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}, [6]int{20, 13, 15, 14, 9, 8}},
	{"log-normal, variance 4", problem{cells: cube(32), fixed: closed, layout: func(n [3]int) []float64 { return lognormal(n, 4, 6, 1) }}, [6]int{35, 25, 42, 24, 13, 12}},
}

// goldenOptions are the columns of golden.
var goldenOptions = [6]Options{
	{Method: Multigrid, Smoother: Jacobi, Pre: 2, Post: 2},
	{Method: Multigrid, Smoother: Chebyshev, Pre: 2, Post: 2},
	{Method: Multigrid, Smoother: RedBlack, Pre: 1, Post: 1},
	{Method: Multigrid, Smoother: RedBlackSymmetric, Pre: 2, Post: 2},
	{Method: ConjugateGradients, Smoother: RedBlackSymmetric, Pre: 2, Post: 2},
	{}, // the default
}

func TestGoldenIterations(t *testing.T) {
	dev, drawn := device(t), devicetest.Draw(t, 3)
	for _, c := range golden {
		if !drawn() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.iterate(t, dev, goldenOptions[:], c.want[:])
		})
	}
}
