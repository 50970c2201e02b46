package multigrid

import (
	"fmt"

	"convect/kernels"
	"convect/stencil"
)

// layered is the ratio of the conductivities of neighbouring layers from which on vertical lines are measured to
// be worth their time (see Recommended).
const layered = 10

// lineSweeps is the number of sweeps of lines before and after the correction that takes the least time.
const lineSweeps = 2

// chooseLines tells whether a level of an operator is best smoothed by vertical lines, where the caller did not say:
// where layers of different conductivity lie upon each other, whose jumps no coarser grid in z can know,
// where z, tied the most, cannot be coarsened, while another axis can, and where z is steeply graded.
func chooseLines(o *stencil.Operator) (bool, error) {
	if o.Stencil() != kernels.SevenPoint { // lines are those of the 7-point form
		return false, nil
	}
	jump, err := o.Layering()
	if err != nil {
		return false, fmt.Errorf("multigrid: %w", err)
	}
	return jump >= layered || stuckInZ(o) || gradedInZ(o), nil
}

// steep and gentle are the ratios of the widest to the narrowest cells from which on, along z, and up to which, along x and
// y, lines take less time than points.
const steep, gentle = 9, 2

// gradedInZ tells whether z is tied the most where its cells are narrow and the least where they are wide, so that neither
// coarsening z nor leaving it suits all of the grid, and x and y are nearly uniform. In 2-D points are faster still.
func gradedInZ(o *stencil.Operator) bool {
	s, spread := o.Couplings(), o.Spread()
	across := max(s[kernels.X], s[kernels.Y])
	return !o.Grid.Flat() && spread[kernels.Z] >= steep && spread[kernels.X] <= gentle && spread[kernels.Y] <= gentle &&
		s[kernels.Z]/spread[kernels.Z] < across && s[kernels.Z]*spread[kernels.Z] > across
}

// stuckInZ tells whether z is tied so much more than the other axes that it alone should be coarsened, but cannot.
func stuckInZ(o *stencil.Operator) bool {
	if o.Stencil() != kernels.SevenPoint || o.Grid.Nodes() <= fewNodes || o.CoarsenFactors() != [3]int{1, 1, 1} || o.CoarsenFactorsInPlane() == [3]int{1, 1, 1} {
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
