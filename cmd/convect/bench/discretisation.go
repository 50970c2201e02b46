package bench

import (
	"convect/kernels"
	"convect/stencil"
)

// discretisation is one of the stencils.
type discretisation struct {
	name string
	// choose makes coefficients those of the stencil.
	choose func(c *stencil.Coefficients)
	// flops of one point of Apply, by number of cell arrays (0, 1, 3): additions, subtractions and products of its formula.
	flops map[int]int
	// plain returns A u without mass and the sum of the sizes of its terms, one node at a time.
	plain func(g *stencil.Grid, cells [3][]float64, u []float64) (out, size []float64)
	// redBlack tells whether neighbours have two colours.
	redBlack bool
}

// discretisations are the stencils that there are. 27-point, constant and uniform in x: 8 differences, 5 to add them, 6 each for
// O and B, 4 for u's own neighbours in x, 3 to add all, 2 for the mass. With cell values 30, or 36 where they differ by direction,
// for each of the four rows of cells, and 10 to add them up. 7-point, constant: 4 for x, 5 each for y and z, 2 to add them, 2 for
// the mass. With cell values a conductance in x takes 8 and is used twice, those of y and z 9 each, four of them; the
// diagonal, which is not stored, 5 and 2; the balance 19.
func discretisations() []discretisation {
	return []discretisation{
		{name: "7-point", choose: func(*stencil.Coefficients) {}, flops: map[int]int{0: 18, 1: 70, 3: 70}, plain: plainApply, redBlack: true},
		{name: "27-point", choose: func(c *stencil.Coefficients) { c.Stencil = kernels.TwentySevenPoint },
			flops: map[int]int{0: 34, 1: 130, 3: 154}, plain: plainElements},
	}
}
