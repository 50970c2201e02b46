package stencil

import (
	"fmt"
	"math"
	"sync"

	"convect/kernels"
	"convect/kernels/parallel"
)

// uploadCells lays the cell arrays out like nodes: cell (i,j,k) at node (i,j,k), zero beyond walls, wrapped at
// periodic ends.
func (o *Operator) uploadCells(cells [3][]float64) error {
	g := o.Grid
	if cells[0] == nil {
		return nil
	}
	if g.Flat() && cells[kernels.Y] == nil {
		cells[kernels.Y] = cells[kernels.X]
	}
	n := g.CellShape()
	for d := range 3 {
		if len(cells[d]) != n[0]*n[1]*n[2] {
			return fmt.Errorf("stencil: %d coefficients along %s for %d cells", len(cells[d]), AxisName(d), n[0]*n[1]*n[2])
		}
		if p := sharedWith(cells, d); p < d {
			o.elliptic.Cells[d] = o.elliptic.Cells[p]
			continue
		}
		b, err := o.alloc()
		if err != nil {
			return err
		}
		nodes := make([]float64, g.Nodes())
		parallel.Ranges(n[1]*n[2], func(first, last int) {
			for row := first; row < last; row++ {
				j, k := row%n[1], row/n[1]
				copy(nodes[g.Box.N[0]*(j+g.Box.N[1]*k):][:n[0]], cells[d][n[0]*row:][:n[0]])
			}
		})
		g.Device.UploadBox(b, g.Box, nodes)
		g.wrapCells(b)
		o.elliptic.Cells[d] = b
	}
	o.contrast, o.layers = contrasts(cells), layersOf(cells, n)
	return nil
}

// contrasts returns the largest k_d/k_e over cells for each pair of directions; cells where k_d is zero do not count.
func contrasts(cells [3][]float64) (most [3][3]float64) {
	for d := range 3 {
		for e := range 3 {
			if &cells[d][0] == &cells[e][0] {
				most[d][e] = 1
				continue
			}
			most[d][e] = contrast(cells[d], cells[e])
		}
	}
	return most
}

// contrast returns the largest k/l over cells; cells where k is zero do not count.
func contrast(k, l []float64) (most float64) {
	var guard sync.Mutex
	parallel.Ranges(len(k), func(first, last int) {
		part := 0.0
		for c := first; c < last; c++ {
			if k[c] > 0 {
				part = math.Max(part, k[c]/l[c])
			}
		}
		guard.Lock()
		most = math.Max(most, part)
		guard.Unlock()
	})
	return most
}

// Contrast returns the largest k_d/k_e over the cells that the operator was made from, for each pair of directions. The arithmetic means
// of coarser cells have no larger ones, and a factor that acts alike in all directions leaves them.
func (o *Operator) Contrast() [3][3]float64 { return o.contrast }

// sharedWith returns the first direction whose slice is that of d.
func sharedWith(cells [3][]float64, d int) int {
	for p := range d {
		if &cells[p][0] == &cells[d][0] {
			return p
		}
	}
	return d
}

// wrapCells fills the periodic halo of a cell array.
func (g *Grid) wrapCells(b kernels.Buffer) {
	f := Field{Grid: g, Buffer: b}
	f.Exchange(1)
}

// inherit allocates the conductivities of an operator that was coarsened from another and computes them.
func (o *Operator) inherit(finer *Operator, factor [3]int) (err error) {
	if !finer.Variable() {
		return nil
	}
	o.finer, o.factor, o.contrast = finer, factor, finer.contrast
	cells := &o.elliptic.Cells
	for d := range 3 {
		if o.likeX(d) {
			cells[d] = cells[kernels.X]
			continue
		}
		if cells[d], err = o.alloc(); err != nil {
			return err
		}
	}
	o.Refresh()
	return o.measure()
}

// likeX tells whether the conductivities of an operator that was coarsened are along axis d those along x: where there is no y, and where the finer operator
// has one k a cell and means are alike along all axes.
func (o *Operator) likeX(d int) bool {
	switch k := o.finer.elliptic.Cells; {
	case d == kernels.X:
		return false
	case d == kernels.Y && o.Grid.Flat():
		return true
	default:
		return o.Stencil() == kernels.TwentySevenPoint && k[d] == k[kernels.X]
	}
}

// Refresh recomputes the conductivities, the ties and what faces conduct of an operator made by Coarsen or InType after those of the operator that it was
// made from have changed. Its couplings stay.
func (o *Operator) Refresh() {
	o.FactorAgain()
	o.refreshTies()
	if o.original != nil {
		o.copyCells()
	}
	if o.finer != nil {
		o.coarsenCells()
	}
	if o.original != nil || o.finer != nil { // others renew it with their conductivities
		o.conduct()
	}
}

// coarsenCells computes the conductivities from those of the finer operator.
func (o *Operator) coarsenCells() {
	fine := o.finer
	for d, b := range o.elliptic.Cells {
		if o.likeX(d) {
			continue
		}
		o.Grid.Device.CoarsenCells(kernels.CoarsenCellsArgs{Fine: fine.Grid.Box, Coarse: o.Grid.Box, Periodic: o.Grid.Periodic,
			Factor: o.factor, H: fine.Grid.h, Axis: d, Arithmetic: o.Stencil() == kernels.TwentySevenPoint, FineK: fine.elliptic.Cells[d], CoarseK: b})
		o.Grid.wrapCells(b)
	}
}

// KeepFacesToSweep is KeepFaces where residuals too are faster so.
func (o *Operator) KeepFacesToSweep() error {
	if !(kernels.Optional{Device: o.Grid.Device}).SweepsFaces(&o.elliptic) {
		return nil
	}
	return o.KeepFaces()
}

// KeepFaces computes what faces conduct, and has Refresh renew it, where the device makes cycles on the operator faster so.
func (o *Operator) KeepFaces() (err error) {
	if o.elliptic.Faces[0] != nil || !(kernels.Optional{Device: o.Grid.Device}).Conducts(&o.elliptic) {
		return nil
	}
	var faces [3]kernels.Buffer
	for axis := range faces {
		if axis == kernels.Y && o.Grid.Flat() {
			continue
		}
		if faces[axis], err = o.alloc(); err != nil {
			return err
		}
	}
	o.elliptic.Faces = faces
	o.conduct()
	return nil
}

// conduct computes what faces conduct, where that is kept.
func (o *Operator) conduct() {
	if o.elliptic.Faces[0] != nil {
		kernels.Optional{Device: o.Grid.Device}.Conductance(kernels.ConductanceArgs{A: &o.elliptic, Out: o.elliptic.Faces})
	}
}

// Couplings returns, per axis, the strength k/h² by which neighbours are tied: the geometric mean of its extremes
// over cells, when the operator was made; 0 along an absent axis.
func (o *Operator) Couplings() [3]float64 { return o.couplings }

// Stiffest returns how much more the strongest tie is than Couplings say, where k varies: the most of all axes; 1 where it does not vary.
func (o *Operator) Stiffest() float64 { return max(1, o.stiffest) }

// Spread returns, per axis, the largest over the smallest width of cells: couplings range over Spread times and 1/Spread of
// their geometric mean where k does not vary. 1 along an absent axis.
func (o *Operator) Spread() [3]float64 {
	spread := [3]float64{1, 1, 1}
	for d, w := range o.Grid.Widths {
		if len(w) > 0 {
			lo, hi := extremes(w)
			spread[d] = hi / lo
		}
	}
	return spread
}

// measure computes the couplings.
func (o *Operator) measure() error {
	g := o.Grid
	slot, err := g.Device.Reserve("couplings", 2)
	if err != nil {
		return fmt.Errorf("stencil: %w", err)
	}
	for d := range 3 {
		if g.Cells[d] == 0 {
			continue
		}
		if !o.Variable() {
			lo, hi := extremes(g.Widths[d])
			o.couplings[d] = o.elliptic.K[d] / (lo * hi)
			continue
		}
		g.Device.Coupling(kernels.CouplingArgs{Box: g.Box, Periodic: g.Periodic, Axis: d, RH: g.rh[d],
			K: o.elliptic.Cells[d], Slot: slot})
		s, err := g.Device.Scalars()
		if err != nil {
			return fmt.Errorf("stencil: couplings: %w", err)
		}
		o.couplings[d] = math.Sqrt(s[slot] / s[slot+1])
		o.stiffest = max(o.stiffest, s[slot]/o.couplings[d])
	}
	return nil
}

// extremes returns the least and the greatest of some numbers.
func extremes(v []float64) (lo, hi float64) {
	lo, hi = v[0], v[0]
	for _, x := range v {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return lo, hi
}
