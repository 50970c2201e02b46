package call

import "convect/kernels"

// Relative residuals at which SolveCoarse stops.
const (
	coarseTolerance32 = 1e-9
	coarseTolerance64 = 1e-15
)

// mask checks a mask of the call's box and converts it.
func (c *Call) mask(m *kernels.RowMask) Mask {
	if m == nil || !c.OK() {
		return Mask{}
	}
	if m.Rows < 2 || m.Stride < c.Box.N[0] {
		c.Fail("the mask has %d rows at a stride of %d", m.Rows, m.Stride)
	}
	return Mask{
		Index:  c.Elements(m.Index, kernels.Int32, c.Box.N[1]*c.Box.N[2], "Mask.Index"),
		Table:  c.Elements(m.Table, c.Elem, m.Rows*m.Stride, "Mask.Table"),
		Stride: int64(m.Stride),
	}
}

// Elliptic checks an operator, makes its box the call's, and converts it.
func (c *Call) Elliptic(a *kernels.Elliptic) Elliptic {
	if a == nil {
		c.Fail("the operator is missing")
	}
	if !c.OK() {
		return Elliptic{}
	}
	if a.Stencil != kernels.SevenPoint && a.Stencil != kernels.TwentySevenPoint {
		c.Fail("unknown stencil %d", a.Stencil)
		return Elliptic{}
	}
	e := Elliptic{Box: c.SetBox(a.Box), Points: int64(a.Stencil.Points()), K: a.K, MassScale: a.MassScale}
	e.H, e.RH, e.W = c.axes(a.H, "H"), c.axes(a.RH, "RH"), c.axes(a.W, "W")
	for d := range a.K {
		if a.Cells[0] == nil { // and Faces are of another operator, whose masses it has
			continue
		}
		e.Cells[d] = c.Nodes(a.Cells[d], "Cells")
		if a.Faces[d] != nil {
			e.Faces[d] = c.Nodes(a.Faces[d], "Faces")
		}
	}
	e.Mass = c.maybeNodes(a.Mass, "Mass")
	e.Mask = c.mask(a.Mask)
	return e
}

// checkResidual takes R, which may be float32 where all else is float64.
func (c *Call) checkResidual(a *kernels.ResidualArgs, s *Sweep) {
	if c.OK() && c.Elem == kernels.Float64 && a.R != nil && a.R.Elem() == kernels.Float32 {
		s.Out, s.Single, s.Scale = c.singleNodes(a.R, "R"), 1, a.Scale
	} else {
		s.Out = c.Nodes(a.R, "R")
	}
}

// Correct checks the fields; u is 0 where U is nil. The sweep's out is R.
func (c *Call) Correct(a kernels.CorrectArgs) (Sweep, Correct) {
	s := Sweep{A: c.Elliptic(a.A), U: c.maybeNodes(a.U, "U"), F: c.Nodes(a.F, "F"), Single: 1, Scale: 1}
	k := Correct{Scale: a.Scale, Shift: a.Shift}
	switch {
	case !c.OK():
	case c.Elem == kernels.Float64:
		s.Out, s.Scale = c.singleNodes(a.R, "R"), a.Inverse
		if a.E != nil {
			k.E, k.Corrected = c.singleNodes(a.E, "E"), c.Nodes(a.Out, "Out")
			c.differ(a.Out, a.U, "Out is U")
		}
	case a.E != nil || a.R != nil:
		c.Fail("E and R are for float64 only")
	}
	if a.E == nil && a.Shift != 0 {
		c.Fail("Shift is for corrections only")
	}
	c.slot(a.Slot, kernels.CorrectSlots)
	return s, k
}

// Conjugate checks the fields; the sweep's u is X.
func (c *Call) Conjugate(a kernels.ConjugateArgs) (Sweep, Conjugate) {
	s := Sweep{A: c.Elliptic(a.A), U: c.Nodes(a.X, "X")}
	k := Conjugate{P: c.Nodes(a.P, "P"), Out: c.Nodes(a.Out, "Out"), Scale: a.Scale}
	c.differ(a.Out, a.X, "Out is X")
	c.differ(a.Out, a.P, "Out is P")
	c.slot(a.Slot, 1)
	return s, k
}

// checkEnergy checks that the image is another field.
func (c *Call) checkEnergy(a *kernels.EnergyArgs, _ *Energy) {
	if a.Image != nil {
		c.differ(a.Image, a.X, "Image is X")
	}
}

// checkRedBlack works on U in place. Only the 7-point stencil has colours: with others nodes of one colour are coupled to each other.
func (c *Call) checkRedBlack(a *kernels.RedBlackArgs, s *Sweep) {
	if c.OK() && a.A.Stencil != kernels.SevenPoint {
		c.Fail("the %d-point stencil has no such kernel, only the 7-point one", a.A.Stencil.Points())
	}
	s.U = s.Out
}

// checkLineSmooth refuses lines that meet themselves.
func (c *Call) checkLineSmooth(a *kernels.LineSmoothArgs, _ *Line) {
	if a.Periodic && c.Box.N[kernels.Z] < 2 {
		c.Fail("one node along z cannot be periodic")
	}
}

// checkSolveFactored sets the tolerance, and refuses planes that are too large or coupled end to end.
func (c *Call) checkSolveFactored(a *kernels.SolveFactoredArgs, s *Coarse) {
	c.checkSolveCoarse(nil, s)
	n := c.Box.N
	nodes := n[0] * n[1] * n[2] / n[a.Along]
	planes, inverse := kernels.FactorEntries(n, a.Along)
	switch {
	case a.Periodic[a.Along]:
		c.Fail("planes across a periodic axis cannot be eliminated")
	case nodes > kernels.MostFactored:
		c.Fail("%d nodes in a plane, %d at most", nodes, kernels.MostFactored)
	case a.Factors == nil:
		s.Renew = 1
	case a.Entries != planes+inverse:
		c.Fail("%d entries of factors, want %d", a.Entries, planes+inverse)
	default:
		s.Kept = c.Elements(a.Factors, kernels.Float64, a.Entries, "Factors")
	}
	s.Factored = 1
}

// checkSolveCoarse sets the tolerance.
func (c *Call) checkSolveCoarse(_ *kernels.SolveCoarseArgs, s *Coarse) {
	s.Tolerance = coarseTolerance64
	if c.Elem == kernels.Float32 {
		s.Tolerance = coarseTolerance32
	}
}
