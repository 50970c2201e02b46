package mueller

import (
	"convect/kernels"
	"convect/kernels/call"
)

// panelArgs is mueller_panel: a Panel.
type panelArgs struct {
	N, Stride       [3]int64
	Run, Row, Order int64
}

// operatorArgs is mueller_columns: a ColumnOperator.
type operatorArgs struct {
	Panel                      panelArgs
	Mass, Vertical, Horizontal uintptr
	Area, EdgeX, EdgeY         uintptr
}

// arguments is mueller_args: what all kernels get.
type arguments struct {
	A                            operatorArgs
	Coarse                       panelArgs
	Factor                       [2]int64
	Out, P, Q, R                 uintptr
	U, Z, F                      uintptr
	Stored                       [3]uintptr
	Start, Column                uintptr
	Alpha, Beta, Omega           float64
	Partial                      uintptr
	Length, Width, Strip, Stream int64
}

// checked is a call whose arguments are checked and converted: one method a kernel, named like it. It knows the panel that the kernel works on.
type checked struct {
	*call.Call
	Panel Panel
}

// at returns the address of an element of the call's type; 0 for 0.
func (c *checked) at(p uintptr, element int) uintptr {
	if p == 0 {
		return 0
	}
	return p + uintptr(element*c.Elem.Size())
}

// slot checks that n slots from slot on exist.
func (c *checked) slot(slot, n int) {
	if slot < 0 || slot+n > kernels.Slots {
		c.Fail("slots %d to %d do not exist", slot, slot+n-1)
	}
}

// differ checks that an output is not one of the inputs of a kernel that does not work in place.
func (c *checked) differ(out, in kernels.Buffer, names string) {
	if c.OK() && out == in {
		c.Fail("%s", names)
	}
}

// ints converts three numbers.
func ints(v [3]int) [3]int64 { return [3]int64{int64(v[0]), int64(v[1]), int64(v[2])} }

// setPanel checks a panel and makes it the call's.
func (c *checked) setPanel(p Panel) panelArgs {
	c.Panel = p
	return c.panel(p)
}

// panel checks a panel and converts it.
func (c *checked) panel(p Panel) panelArgs {
	if p.N[0] < 1 || p.N[1] < 1 || p.N[2] < 1 || p.Order > RowOrder || p != NewPanel(p.N, p.Order) {
		c.Fail("the panel of %d x %d columns of %d cells is not laid out by NewPanel", p.N[0], p.N[1], p.N[2])
	}
	return panelArgs{N: ints(p.N), Stride: ints(p.Stride), Run: int64(p.Run), Row: int64(p.Row), Order: int64(p.Order)}
}

// field returns the address of cell (0,0,0) of a field of the call's panel.
func (c *checked) field(b kernels.Buffer, name string) uintptr {
	c.Arrays++
	return c.at(c.Elements(b, c.Elem, c.Panel.Len, name), c.Panel.Origin)
}

// columns checks an operator, makes its panel the call's, and converts it.
func (c *checked) columns(a *ColumnOperator) operatorArgs {
	if a == nil {
		c.Fail("the operator is missing")
	}
	if !c.OK() {
		return operatorArgs{}
	}
	return operatorArgs{Panel: c.setPanel(a.Panel), Mass: c.level(a.Mass, "Mass"), Vertical: c.level(a.Vertical, "Vertical"),
		Horizontal: c.level(a.Horizontal, "Horizontal"), Area: c.column(a.Area, "Area"), EdgeX: c.column(a.EdgeX, "EdgeX"),
		EdgeY: c.column(a.EdgeY, "EdgeY")}
}

// level returns the address of an array over levels.
func (c *checked) level(b kernels.Buffer, name string) uintptr {
	return c.Elements(b, c.Elem, c.Panel.Levels(), name)
}

// column returns the address of column (0,0) of an array over columns.
func (c *checked) column(b kernels.Buffer, name string) uintptr {
	return c.at(c.Elements(b, c.Elem, c.Panel.Around, name), c.Panel.Horizontal(0, 0))
}

// ColumnApply checks the fields; out is Y, z is X.
func (c *checked) ColumnApply(a ColumnApplyArgs) arguments {
	s := arguments{A: c.columns(a.A), Out: c.field(a.Y, "Y"), Z: c.field(a.X, "X")}
	c.differ(a.Y, a.X, "Y is X")
	return s
}

// ColumnSolve checks the fields; out is Z, f is R.
func (c *checked) ColumnSolve(a ColumnSolveArgs) arguments {
	return arguments{A: c.columns(a.A), Out: c.field(a.Z, "Z"), F: c.field(a.R, "R")}
}

// ColumnSearch checks the fields; out is U.
func (c *checked) ColumnSearch(a ColumnSearchArgs) arguments {
	s := arguments{A: c.columns(a.A), Out: c.field(a.U, "U"), P: c.field(a.P, "P"), Q: c.field(a.Q, "Q"), Z: c.field(a.Z, "Z"),
		Alpha: a.Alpha, Beta: a.Beta}
	c.slot(a.Slot, 1)
	return s
}

// ColumnDescend checks the fields; out is Z, f is R.
func (c *checked) ColumnDescend(a ColumnDescendArgs) arguments {
	s := arguments{A: c.columns(a.A), R: c.field(a.R, "R"), Q: c.field(a.Q, "Q"), Out: c.field(a.Z, "Z"), Alpha: a.Alpha}
	s.F = s.R
	c.slot(a.Slot, 2)
	return s
}

// ColumnIterate checks the slots; the rest is left to the kernels of an iteration.
func (c *checked) ColumnIterate(a ColumnIterateArgs) {
	c.slot(a.Slot, 4)
	c.slot(a.Norm, 2)
	if c.OK() && a.Norm > a.Slot-2 && a.Norm < a.Slot+4 {
		c.Fail("slots %d and %d overlap", a.Norm, a.Slot)
	}
}

// ColumnDot checks that the buffers are of one length. The operator is not set.
func (c *checked) ColumnDot(a ColumnDotArgs) (s arguments) {
	if !c.OK() {
		return s
	}
	n := a.X.Len()
	s.U, s.Z, s.Length = c.Elements(a.X, c.Elem, n, "X"), c.Elements(a.Y, c.Elem, n, "Y"), int64(n)
	if c.OK() && a.Y.Len() != n {
		c.Fail("Y has %d elements, X %d", a.Y.Len(), n)
	}
	c.slot(a.Slot, 1)
	return s
}

// ColumnSmooth checks the fields; u is 0 where U is nil.
func (c *checked) ColumnSmooth(a ColumnSmoothArgs) arguments {
	s := arguments{A: c.columns(a.A), Out: c.field(a.Out, "Out"), F: c.field(a.F, "F"), Omega: a.Omega}
	if a.U != nil {
		s.U = c.field(a.U, "U")
	}
	c.differ(a.Out, a.U, "Out is U")
	return s
}

// ColumnCorrect checks the fields; out is U.
func (c *checked) ColumnCorrect(a ColumnCorrectArgs) arguments {
	s := arguments{A: c.columns(a.A), Out: c.field(a.U, "U"), R: c.field(a.R, "R"), Z: c.field(a.Z, "Z")}
	c.differ(a.U, a.Z, "U or R is Z")
	c.differ(a.R, a.Z, "U or R is Z")
	c.slot(a.Slot, 1)
	return s
}

// ColumnRestrict checks the fields and the coarse panel; out is CoarseF.
func (c *checked) ColumnRestrict(a ColumnRestrictArgs) arguments {
	s := arguments{A: c.columns(a.A), U: c.field(a.U, "U"), F: c.field(a.F, "F")}
	s.Out = c.coarseField(&s, a.Coarse, a.CoarseF, a.Factor, "CoarseF")
	return s
}

// ColumnProlong checks the fields and the coarse panel; out is U, u is CoarseU. Of the operator only the panel is set.
func (c *checked) ColumnProlong(a ColumnProlongArgs) (s arguments) {
	s.A.Panel, s.Out = c.setPanel(a.Fine), c.field(a.U, "U")
	s.U = c.coarseField(&s, a.Coarse, a.CoarseU, a.Factor, "CoarseU")
	return s
}

// coarseField adds the coarse panel, checks that it follows from the call's, and returns the address of a field on it.
func (c *checked) coarseField(s *arguments, p Panel, b kernels.Buffer, factor [2]int, name string) uintptr {
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
