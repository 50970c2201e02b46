package call

import "convect/kernels"

// cells makes a box the call's and returns its number of cells along each axis.
func (c *Call) cells(box kernels.Box, periodic [3]bool) (n [3]int) {
	c.Box = box
	for d, nodes := range box.N {
		n[d] = nodes
		if !periodic[d] && (d != kernels.Y || !box.Flat()) {
			n[d]--
		}
	}
	return n
}

// Mobility checks the temperature and the table.
func (c *Call) Mobility(a kernels.MobilityArgs) Cells {
	n := c.cells(a.Box, a.Periodic)
	if a.Entries < 2 {
		c.Fail("a table of %d entries is too short", a.Entries)
	}
	return Cells{Box: c.box(a.Box), Cells: ints(n), T: c.Nodes(a.T, "T"), K: c.maybeNodes(a.Cells, "Cells"), Out: c.Nodes(a.Out, "Out"),
		Table: c.Elements(a.Table, c.Elem, a.Entries, "Table"), Entries: int64(a.Entries), Constant: a.K, Low: a.Low, PerUnit: a.PerUnit}
}

// CoarsenCells checks that the coarse cells follow from the fine ones.
func (c *Call) CoarsenCells(a kernels.CoarsenCellsArgs) Cells {
	fine := c.cells(a.Fine, a.Periodic)
	h := c.axes(a.H, "H")
	n := c.cells(a.Coarse, a.Periodic)
	c.isAxis(a.Axis)
	for d, f := range a.Factor {
		if f != 1 && f != 2 || fine[d] != f*n[d] {
			c.Fail("factor %d along axis %d does not lead from %d to %d cells", f, d, fine[d], n[d])
		}
	}
	return Cells{Box: c.box(a.Coarse), Fine: c.box(a.Fine), Cells: ints(n), Factor: ints(a.Factor), Axis: int64(a.Axis),
		Arithmetic: flag(a.Arithmetic), H: h, K: c.nodesOf(a.FineK, a.Fine, "FineK"), Out: c.Nodes(a.CoarseK, "CoarseK")}
}

// Coupling checks the conductivity; h[0] is RH of the axis.
func (c *Call) Coupling(a kernels.CouplingArgs) Cells {
	n := c.cells(a.Box, a.Periodic)
	c.isAxis(a.Axis)
	c.slot(a.Slot, 2)
	if !c.OK() {
		return Cells{}
	}
	s := Cells{Box: c.box(a.Box), Cells: ints(n), K: c.Nodes(a.K, "K"), Axis: int64(a.Axis)}
	s.H[0] = c.axis(a.RH, a.Axis, "RH")
	return s
}
