package stencil

import "convect/kernels"

// CoarsenFactors returns for each axis how it should coarsen next: 2, kernels.Between, or 1 where it should not. An axis coarsens while its
// coupling is at least 2/3 of the strongest: it is halved where its number of cells is even and at least 4; where it is odd and at least 9, on large
// grids 5, it gets a coarse grid of its own (see betweenCells).
func (o *Operator) CoarsenFactors() [3]int { return o.coarsenFactors(o.Couplings()) }

// CoarsenFactorsInPlane is CoarsenFactors for x and y alone, for a cycle whose smoother takes care of z.
func (o *Operator) CoarsenFactorsInPlane() [3]int {
	s := o.Couplings()
	s[kernels.Z] = -1
	return o.coarsenFactors(s)
}

func (o *Operator) coarsenFactors(s [3]float64) [3]int {
	strongest := max(s[0], s[1], s[2])
	factor := [3]int{1, 1, 1}
	for d, n := range o.Grid.Cells {
		switch {
		case s[d] < strongest*2/3:
		case n%2 == 0 && n >= 4:
			factor[d] = 2
		case n%2 == 1 && (n >= leastBetween || n >= leastOfLarge && o.Grid.Nodes() > largeGrid):
			factor[d] = kernels.Between
		}
	}
	return factor
}

// leastBetween is the least odd number of cells that is coarsened; on grids of more than largeGrid nodes, which cost more to solve than another level, it is
// leastOfLarge.
const (
	leastBetween = 9
	leastOfLarge = 5
	largeGrid    = 1000
)

// betweenCells returns the number of cells of the coarse grid of an axis of n cells whose factor is kernels.Between: the least number that is not below n/2 and
// has at most four bits before its zeros, 8 to 15 times a power of two: that can be halved down to a few cells, and is so little more than n/2 that axes
// coarsen alike.
func betweenCells(n int) int {
	step := 1
	for 16*step <= (n+1)/2 {
		step *= 2
	}
	return ((n+1)/2 + step - 1) / step * step
}

// Coarsen discretises the operator with the stencil s on the grid that Grid.Coarsen makes, with the boundary of
// corrections. The new operator owns its grid and boundary; FreeAll releases them.
func (o *Operator) Coarsen(factor [3]int, s kernels.Stencil) (*Operator, error) {
	grid, err := o.Grid.Coarsen(factor)
	if err != nil {
		return nil, err
	}
	boundary, err := o.Boundary.Coarsen(grid)
	if err != nil {
		grid.Free()
		return nil, err
	}
	c := Coefficients{Stencil: s, Constant: o.elliptic.K}
	if o.mass != nil {
		c.Mass = restrictMass(o.mass, o.Grid, grid)
	}
	if o.ties != nil {
		c.Ties = restrictMass(o.ties.values, o.Grid, grid)
	}
	coarse, err := NewOperator(boundary, c)
	if err != nil {
		boundary.Free()
		grid.Free()
		return nil, err
	}
	coarse.inheritTies(o)
	if err = coarse.inherit(o, factor); err != nil {
		coarse.FreeAll()
		return nil, err
	}
	return coarse, nil
}

// FreeAll releases the operator with its boundary and grid.
func (o *Operator) FreeAll() {
	o.Free()
	o.Boundary.Free()
	o.Grid.Free()
}

// restrictMass applies the transposed multilinear prolongation to nodal masses, axis by axis.
func restrictMass(mass []float64, fine, coarse *Grid) []float64 {
	shape := fine.Box.N
	for d := range 3 {
		if fine.Cells[d] == coarse.Cells[d] {
			continue
		}
		next := shape
		next[d] = coarse.Box.N[d]
		mass = restrictAxis(mass, shape, next, d, fine.Cells[d], coarse.Cells[d])
		shape = next
	}
	return mass
}

// restrictAxis gives coarse node J of `to` cells the part 1 - |i to - J from|/from of what fine node i of `from` cells has; beyond the ends of a periodic axis
// nodes are those of the other end.
func restrictAxis(v []float64, shape, next [3]int, d, from, to int) []float64 {
	out := make([]float64, next[0]*next[1]*next[2])
	periodic := shape[d] == from
	for n := range out {
		ijk := [3]int{n % next[0], n / next[0] % next[1], n / (next[0] * next[1])}
		J, nearest := ijk[d], (2*ijk[d]*from+to)/(2*to)
		own, rest := 0.0, 0.0
		for i := nearest - 2; i <= nearest+2; i++ {
			away := i*to - J*from
			if away = max(away, -away); away >= from || !periodic && (i < 0 || i >= shape[d]) {
				continue
			}
			ijk[d] = (i + shape[d]) % shape[d]
			part := float64(from-away) / float64(from) * v[ijk[0]+shape[0]*(ijk[1]+shape[1]*ijk[2])]
			if i == nearest {
				own = part
			} else {
				rest += part
			}
		}
		out[n] = own + rest
	}
	return out
}

// Restrict computes coarse = Pᵀ fine for integrated residuals, zero at nodes that are fixed on the coarse grid.
func Restrict(coarse, fine *Field, mask *kernels.RowMask, factor [3]int) {
	fine.Exchange(1)
	fine.Grid.Device.Restrict(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer, Mask: mask, Periodic: fine.Grid.Periodic})
}

// Prolong computes fine += P coarse by multilinear interpolation, leaving nodes that are fixed on the fine grid.
func Prolong(fine, coarse *Field, mask *kernels.RowMask, factor [3]int) {
	coarse.Exchange(1)
	fine.Grid.Device.Prolong(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer, Mask: mask, Periodic: fine.Grid.Periodic})
}

// ProlongCubic computes fine += P₃ coarse by cubic interpolation, leaving nodes that are fixed on the fine grid, or fine = P₃ coarse, zero at fixed nodes.
func ProlongCubic(fine, coarse *Field, mask *kernels.RowMask, factor [3]int, replaces bool) {
	fine.Grid.Device.ProlongCubic(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer, Mask: mask, Periodic: fine.Grid.Periodic, Replaces: replaces})
}

// Inject sets coarse to fine at the nodes that both have, and on the line between the two around where there is none.
func Inject(coarse, fine *Field, factor [3]int) {
	fine.Grid.Device.Inject(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer, Periodic: fine.Grid.Periodic})
}

// Descend makes the way down of a cycle in one pass over memory: out becomes sweeps of damped Jacobi on A u = f, one
// for each weight, from u (nil: zero); coarseF becomes Pᵀ of the residual, zero at fixed nodes of the coarse operator.
// At most kernels.MaxSweeps sweeps.
func (o *Operator) Descend(out, u, f *Field, weights []float64, coarse *Operator, coarseF *Field, factor [3]int) {
	a := o.cycle(out, f, weights, coarseF, factor)
	a.CoarseMask = coarse.Boundary.Mask
	if u != nil {
		a.U = u.Buffer
	}
	o.Grid.Device.Descend(a)
}

// Ascend makes the way up of a cycle in one pass over memory: out becomes sweeps of damped Jacobi on A u = f from
// u + P coarseU, fixed nodes of u being left alone.
func (o *Operator) Ascend(out, u, f *Field, weights []float64, coarseU *Field, factor [3]int) {
	o.Grid.Device.Ascend(o.up(out, u, f, weights, coarseU, factor))
}

// AscendMeasured is Ascend, and queues Σ f out into a slot: for devices that measure cycles.
func (o *Operator) AscendMeasured(out, u, f *Field, weights []float64, coarseU *Field, factor [3]int, slot int) {
	a := o.up(out, u, f, weights, coarseU, factor)
	a.Measures, a.Slot = true, slot
	o.Grid.Device.Ascend(a)
}

// up returns the arguments of the way up.
func (o *Operator) up(out, u, f *Field, weights []float64, coarseU *Field, factor [3]int) kernels.CycleArgs {
	a := o.cycle(out, f, weights, coarseU, factor)
	a.U = u.Buffer
	return a
}

// cycle returns what both ways share.
func (o *Operator) cycle(out, f *Field, weights []float64, coarse *Field, factor [3]int) kernels.CycleArgs {
	a := kernels.CycleArgs{A: &o.elliptic, Periodic: o.Grid.Periodic, Out: out.Buffer, F: f.Buffer, Sweeps: len(weights),
		Coarse: coarse.Grid.Box, Factor: factor, CoarseX: coarse.Buffer}
	copy(a.Omega[:], weights)
	return a
}
