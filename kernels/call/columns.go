package call

import "convect/kernels"

// setPanel checks a panel and makes it the call's.
func (c *Call) setPanel(p kernels.Panel) Panel {
	c.Panel = p
	return c.panel(p)
}

// panel checks a panel and converts it.
func (c *Call) panel(p kernels.Panel) Panel {
	if p.N[0] < 1 || p.N[1] < 1 || p.N[2] < 1 || p.Order > kernels.RowOrder || p != kernels.NewPanel(p.N, p.Order) {
		c.Fail("the panel of %d x %d columns of %d cells is not laid out by NewPanel", p.N[0], p.N[1], p.N[2])
	}
	return Panel{N: ints(p.N), Stride: ints(p.Stride), Run: int64(p.Run), Row: int64(p.Row), Order: int64(p.Order)}
}

// field returns the address of cell (0,0,0) of a field of the call's panel.
func (c *Call) field(b kernels.Buffer, name string) uintptr {
	c.Arrays++
	return c.at(c.Elements(b, c.Elem, c.Panel.Len, name), c.Panel.Origin)
}

// columns checks an operator, makes its panel the call's, and converts it.
func (c *Call) columns(a *kernels.ColumnOperator) Columns {
	if a == nil {
		c.Fail("the operator is missing")
	}
	if !c.OK() {
		return Columns{}
	}
	return Columns{Panel: c.setPanel(a.Panel), Mass: c.level(a.Mass, "Mass"), Vertical: c.level(a.Vertical, "Vertical"),
		Horizontal: c.level(a.Horizontal, "Horizontal"), Area: c.column(a.Area, "Area"), EdgeX: c.column(a.EdgeX, "EdgeX"),
		EdgeY: c.column(a.EdgeY, "EdgeY")}
}

// level returns the address of an array over levels.
func (c *Call) level(b kernels.Buffer, name string) uintptr {
	return c.Elements(b, c.Elem, c.Panel.Levels(), name)
}

// column returns the address of column (0,0) of an array over columns.
func (c *Call) column(b kernels.Buffer, name string) uintptr {
	return c.at(c.Elements(b, c.Elem, c.Panel.Around, name), c.Panel.Horizontal(0, 0))
}

// ColumnApply checks the fields; out is Y, z is X.
func (c *Call) ColumnApply(a kernels.ColumnApplyArgs) Column {
	s := Column{A: c.columns(a.A), Out: c.field(a.Y, "Y"), Z: c.field(a.X, "X")}
	c.differ(a.Y, a.X, "Y is X")
	return s
}

// ColumnSolve checks the fields; out is Z, f is R.
func (c *Call) ColumnSolve(a kernels.ColumnSolveArgs) Column {
	return Column{A: c.columns(a.A), Out: c.field(a.Z, "Z"), F: c.field(a.R, "R")}
}

// ColumnSearch checks the fields; out is U.
func (c *Call) ColumnSearch(a kernels.ColumnSearchArgs) Column {
	s := Column{A: c.columns(a.A), Out: c.field(a.U, "U"), P: c.field(a.P, "P"), Q: c.field(a.Q, "Q"), Z: c.field(a.Z, "Z"),
		Alpha: a.Alpha, Beta: a.Beta}
	c.slot(a.Slot, 1)
	return s
}

// ColumnDescend checks the fields; out is Z, f is R.
func (c *Call) ColumnDescend(a kernels.ColumnDescendArgs) Column {
	s := Column{A: c.columns(a.A), R: c.field(a.R, "R"), Q: c.field(a.Q, "Q"), Out: c.field(a.Z, "Z"), Alpha: a.Alpha}
	s.F = s.R
	c.slot(a.Slot, 2)
	return s
}

// ColumnIterate checks the slots; the rest is left to the kernels of an iteration.
func (c *Call) ColumnIterate(a kernels.ColumnIterateArgs) {
	c.slot(a.Slot, 4)
	c.slot(a.Norm, 2)
	if c.OK() && a.Norm > a.Slot-2 && a.Norm < a.Slot+4 {
		c.Fail("slots %d and %d overlap", a.Norm, a.Slot)
	}
}

// ColumnDot checks that the buffers are of one length. The operator is not set.
func (c *Call) ColumnDot(a kernels.ColumnDotArgs) (s Column) {
	x, _, n := c.live(a.X, "X")
	s.U, s.Z, s.Length = x, c.Elements(a.Y, c.Elem, n, "Y"), int64(n)
	if c.OK() && a.Y.Len() != n {
		c.Fail("Y has %d elements, X %d", a.Y.Len(), n)
	}
	c.slot(a.Slot, 1)
	return s
}

// ColumnSmooth checks the fields; u is 0 where U is nil.
func (c *Call) ColumnSmooth(a kernels.ColumnSmoothArgs) Column {
	s := Column{A: c.columns(a.A), Out: c.field(a.Out, "Out"), F: c.field(a.F, "F"), Omega: a.Omega}
	if a.U != nil {
		s.U = c.field(a.U, "U")
	}
	c.differ(a.Out, a.U, "Out is U")
	return s
}

// ColumnCorrect checks the fields; out is U.
func (c *Call) ColumnCorrect(a kernels.ColumnCorrectArgs) Column {
	s := Column{A: c.columns(a.A), Out: c.field(a.U, "U"), R: c.field(a.R, "R"), Z: c.field(a.Z, "Z")}
	c.differ(a.U, a.Z, "U or R is Z")
	c.differ(a.R, a.Z, "U or R is Z")
	c.slot(a.Slot, 1)
	return s
}

// ColumnRestrict checks the fields and the coarse panel; out is CoarseF.
func (c *Call) ColumnRestrict(a kernels.ColumnRestrictArgs) Column {
	s := Column{A: c.columns(a.A), U: c.field(a.U, "U"), F: c.field(a.F, "F")}
	s.Out = c.coarseField(&s, a.Coarse, a.CoarseF, a.Factor, "CoarseF")
	return s
}

// ColumnProlong checks the fields and the coarse panel; out is U, u is CoarseU. Of the operator only the panel is set.
func (c *Call) ColumnProlong(a kernels.ColumnProlongArgs) (s Column) {
	s.A.Panel, s.Out = c.setPanel(a.Fine), c.field(a.U, "U")
	s.U = c.coarseField(&s, a.Coarse, a.CoarseU, a.Factor, "CoarseU")
	return s
}

// coarseField adds the coarse panel, checks that it follows from the call's, and returns the address of a field on it.
func (c *Call) coarseField(s *Column, p kernels.Panel, b kernels.Buffer, factor [2]int, name string) uintptr {
	s.Coarse = c.panel(p)
	for d, f := range factor {
		if f < 1 || f > 2 || f*p.N[d] != c.Panel.N[d] {
			c.Fail("a factor of %d does not lead from %d to %d columns", f, c.Panel.N[d], p.N[d])
		}
		s.Factor[d] = int64(f)
	}
	if p.Order != c.Panel.Order || p.N[2] != c.Panel.N[2] {
		c.Fail("the panels differ in order or levels")
	}
	return c.at(c.Elements(b, c.Elem, p.Len, name), p.Origin)
}
