package multigrid

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/stencil"
)

// lineLimits are the ratios from which on vertical lines are measured to be worth their time, or points to leave more than a
// quarter of the residual in a cycle V(2,2) (see Recommended).
type lineLimits struct {
	layered float64 // of the conductivities of neighbouring layers
	steep   float64 // of the widest to the narrowest cells along z
	reach   float64 // of the coupling in z to that across where cells are narrow, with such a grading
	tied    float64 // of the same at widths between the mean and the narrowest, whatever the grading
}

// limitsOf returns the limits of a stencil. With 7 points those that are tied in z alone coarsen z alone, and need no lines.
func limitsOf(s kernels.Stencil) lineLimits {
	if s == kernels.TwentySevenPoint {
		return lineLimits{layered: 3, steep: 7, reach: 0.5, tied: 12}
	}
	return lineLimits{layered: 10, steep: 9, reach: 1, tied: math.Inf(1)}
}

// gentle is the ratio of the widest to the narrowest cells along x and y up to which a grading along z is all that matters.
const gentle = 2

// lineSweeps is the number of sweeps of lines before and after the correction that takes the least time.
const lineSweeps = 2

// chooseLines tells whether a level of an operator is best smoothed by vertical lines, where the caller did not say:
// where layers of different conductivity lie upon each other, whose jumps no coarser grid in z can know,
// where z, tied the most, cannot be coarsened, while another axis can, where z is steeply graded, and with 27 points where z is
// tied far more than x and y.
func chooseLines(o *stencil.Operator) (bool, error) {
	jump, err := o.Layering()
	if err != nil {
		return false, fmt.Errorf("multigrid: %w", err)
	}
	return jump >= limitsOf(o.Stencil()).layered || stuckInZ(o) || gradedInZ(o) || tiedInZ(o), nil
}

// gradedInZ tells whether z is tied the most where its cells are narrow and the least where they are wide, so that neither
// coarsening z nor leaving it suits all of the grid, and x and y are nearly uniform. In 2-D points are faster still.
func gradedInZ(o *stencil.Operator) bool {
	s, spread, limits := o.Couplings(), o.Spread(), limitsOf(o.Stencil())
	across := max(s[kernels.X], s[kernels.Y])
	return !o.Grid.Flat() && spread[kernels.Z] >= limits.steep && spread[kernels.X] <= gentle && spread[kernels.Y] <= gentle &&
		s[kernels.Z]/spread[kernels.Z] < across && s[kernels.Z]*spread[kernels.Z] > limits.reach*across
}

// tiedInZ tells whether z is tied so much that points damp what changes along x and y too little. In 2-D they are faster still.
func tiedInZ(o *stencil.Operator) bool {
	s, spread := o.Couplings(), o.Spread()
	for d := range s { // to where half the way to the extremes is gone, in the logarithm
		s[d] *= math.Sqrt(spread[d])
	}
	return !o.Grid.Flat() && s[kernels.Z] >= limitsOf(o.Stencil()).tied*max(s[kernels.X], s[kernels.Y])
}

// stuckInZ tells whether z is tied so much more than the other axes that it alone should be coarsened, but cannot.
func stuckInZ(o *stencil.Operator) bool {
	if o.Grid.Nodes() <= fewNodes || o.CoarsenFactors() != [3]int{1, 1, 1} || o.CoarsenFactorsInPlane() == [3]int{1, 1, 1} {
		return false
	}
	s := o.Couplings()
	return s[kernels.Z] >= s[kernels.X] && s[kernels.Z] >= s[kernels.Y]
}

// factors returns how a level is coarsened next; {1,1,1} ends the hierarchy.
func (l *level) factors() [3]int {
	switch {
	case l.op.Grid.Nodes() <= fewNodes:
		return [3]int{1, 1, 1}
	case l.smoother == Line:
		return l.op.CoarsenFactorsInPlane()
	}
	return l.op.CoarsenFactors()
}
