package stencil

import "convect/kernels"

// CoarsenFactors returns for each axis 2 where it should coarsen next, else 1: an axis coarsens while its number
// of cells is even and at least 4 and its coupling is at least 2/3 of the strongest.
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
		if n >= 4 && n%2 == 0 && s[d] >= strongest*2/3 {
			factor[d] = 2
		}
	}
	return factor
}

// Coarsen discretises the operator with the stencil s on the grid that keeps every factor[d]-th node, with the boundary of
// corrections. The new operator owns its grid and boundary; FreeAll releases them.
func (o *Operator) Coarsen(factor [3]int, s kernels.Stencil) (*Operator, error) {
	grid, err := o.Grid.Coarsen(factor)
	if err != nil {
		return nil, err
	}
	boundary, err := o.Boundary.Coarsen(grid, factor)
	if err != nil {
		grid.Free()
		return nil, err
	}
	c := Coefficients{Stencil: s, Constant: o.elliptic.K}
	if o.mass != nil {
		c.Mass = restrictMass(o.mass, o.Grid, grid, factor)
	}
	if o.ties != nil {
		c.Ties = restrictMass(o.ties.values, o.Grid, grid, factor)
	}
	coarse, err := NewOperator(boundary, c)
	if err != nil {
		boundary.Free()
		grid.Free()
		return nil, err
	}
	coarse.inheritTies(o, factor)
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
func restrictMass(mass []float64, fine, coarse *Grid, factor [3]int) []float64 {
	shape := fine.Box.N
	for d := range 3 {
		if factor[d] == 1 {
			continue
		}
		next := shape
		next[d] = coarse.Box.N[d]
		mass = restrictAxis(mass, shape, next, d, fine.Periodic[d])
		shape = next
	}
	return mass
}

func restrictAxis(v []float64, shape, next [3]int, d int, periodic bool) []float64 {
	out := make([]float64, next[0]*next[1]*next[2])
	at := func(ijk [3]int, i int) float64 {
		if periodic {
			i = (i + shape[d]) % shape[d]
		}
		if i < 0 || i >= shape[d] {
			return 0
		}
		ijk[d] = i
		return v[ijk[0]+shape[0]*(ijk[1]+shape[1]*ijk[2])]
	}
	for n := range out {
		ijk := [3]int{n % next[0], n / next[0] % next[1], n / (next[0] * next[1])}
		i := 2 * ijk[d]
		out[n] = at(ijk, i) + (at(ijk, i-1)+at(ijk, i+1))/2
	}
	return out
}

// Restrict computes coarse = Pᵀ fine for integrated residuals, zero at nodes that are fixed on the coarse grid.
func Restrict(coarse, fine *Field, mask *kernels.RowMask, factor [3]int) {
	fine.Exchange(1)
	fine.Grid.Device.Restrict(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer, Mask: mask})
}

// Prolong computes fine += P coarse by multilinear interpolation, leaving nodes that are fixed on the fine grid.
func Prolong(fine, coarse *Field, mask *kernels.RowMask, factor [3]int) {
	coarse.Exchange(1)
	fine.Grid.Device.Prolong(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer, Mask: mask})
}

// ProlongCubic computes fine += P₃ coarse by cubic interpolation, leaving nodes that are fixed on the fine grid.
func ProlongCubic(fine, coarse *Field, mask *kernels.RowMask, factor [3]int) {
	fine.Grid.Device.ProlongCubic(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer, Mask: mask, Periodic: fine.Grid.Periodic})
}

// Inject sets coarse to fine at the nodes that both have.
func Inject(coarse, fine *Field, factor [3]int) {
	fine.Grid.Device.Inject(kernels.TransferArgs{Fine: fine.Grid.Box, Coarse: coarse.Grid.Box, Factor: factor,
		FineX: fine.Buffer, CoarseX: coarse.Buffer})
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
	a := o.cycle(out, f, weights, coarseU, factor)
	a.U = u.Buffer
	o.Grid.Device.Ascend(a)
}

// cycle returns what both ways share.
func (o *Operator) cycle(out, f *Field, weights []float64, coarse *Field, factor [3]int) kernels.CycleArgs {
	a := kernels.CycleArgs{A: &o.elliptic, Periodic: o.Grid.Periodic, Out: out.Buffer, F: f.Buffer, Sweeps: len(weights),
		Coarse: coarse.Grid.Box, Factor: factor, CoarseX: coarse.Buffer}
	copy(a.Omega[:], weights)
	return a
}
