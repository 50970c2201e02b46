package multigrid

import (
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// wordsOf is what a solve in a step takes, in words of float32 a node moved at the speed of a copy: without a mass, and with one, beside which few cycles are made that end
// early. Without one, so many kernels take longer than their nodes, as on coarse levels.
type wordsOf struct {
	plain, massive float64
	kernels        int
}

// Words of cycles, for kinds of operators, as measured on an H100, an H200 and two cores (docs/notebook.md).
var (
	wordsOfLayers = wordsOf{1000, 500, 60} // lines, or many cycles
	wordsOfGraded = wordsOf{300, 150, 60}
	wordsOfOdd    = wordsOf{180, 90, 60} // periodic ends; axes that are not halved
	wordsOfHalved = wordsOf{100, 25, 60} // axes that are halved once
	wordsOfFlat   = wordsOf{100, 60, 60} // 2-D, beside fast transforms: kernels of single sweeps
	wordsOf27     = wordsOf{70, 18, 60}  // 27 points
	wordsOfEven   = wordsOf{65, 19, 0}   // beside fast transforms, three or four cycles
	wordsOfSingle = wordsOf{30, 19, 60}  // the same in single precision alone, one or two
	wordsOfOthers = wordsOf{30, 15, 0}   // beside others: fewer than they take, so that the cycles are chosen that all published numbers were made with
)

// Words of direct solves.
const (
	wordsOfDirect = 30 // residuals, and the systems along z
	wordsOfFast   = 13 // both fast transforms along an axis; others take as many as their products
)

// plain tells whether the options leave the way to solve open.
func (o *Options) plain() bool {
	return o.Smoother == BestSmoother && o.Cycle == VCycle && o.Pre == 0 && o.Post == 0 && o.Sweeper == nil
}

// directPays tells whether direct solves of an operator, or of the finer one for which a method is chosen, are expected to take less time than cycles.
func directPays(o *stencil.Operator, opt *Options) bool {
	info := o.Grid.Device.Info()
	if info.Products == 0 || o.Separability() != nil {
		return false
	}
	fast, products := o.Transforms()
	cycles := wordsOfEven
	switch {
	case o.Variable():
		cycles = wordsOfLayers
	case o.Spread() != [3]float64{1, 1, 1}:
		cycles = wordsOfGraded
	case o.Grid.Periodic != [3]bool{} || slices.ContainsFunc(o.Grid.Cells[:], func(n int) bool { return n%2 != 0 }):
		cycles = wordsOfOdd
	case fast > 0 && o.Grid.Flat():
		cycles = wordsOfFlat
	case slices.ContainsFunc(o.Grid.Cells[:], func(n int) bool { return n%4 != 0 }):
		cycles = wordsOfHalved
	case o.Stencil() == kernels.TwentySevenPoint:
		cycles = wordsOf27
	case products > 0:
		cycles = wordsOfOthers
	case !opt.Mixed && o.Grid.Elem == kernels.Float32:
		cycles = wordsOfSingle
	}
	finer := opt.Finer
	if finer == 0 {
		finer = 1
	}
	nodes := 1.
	for _, n := range o.Grid.Cells {
		nodes *= max(1, finer*float64(n))
	}
	most := cycles.plain + float64(cycles.kernels*info.Launch)/nodes
	if opt.Massive {
		most = cycles.massive
	}
	direct := float64(wordsOfDirect+fast*wordsOfFast) + finer*float64(products)/float64(info.Products)
	return direct < most
}

// Matrices returns the numbers of elements of the matrices that direct solves have on the device, of which each is an array of its own.
func (s *Solver) Matrices() []int {
	if s.coarsest.direct == nil {
		return nil
	}
	return s.coarsest.direct.Matrices()
}

// CoarseFactors returns the number of elements of the array in which the device keeps the factors of the coarsest level, 0 if it keeps none. It has about as many on any grid.
func (s *Solver) CoarseFactors() int { return s.coarsest.op.CoarseFactors() }
