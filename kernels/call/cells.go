package call

import "convect/kernels"

// cellsOf returns a box's number of cells along each axis.
func cellsOf(box kernels.Box, periodic [3]bool) (n [3]int) {
	for d, nodes := range box.N {
		n[d] = nodes
		if !periodic[d] && (d != kernels.Y || !box.Flat()) {
			n[d]--
		}
	}
	return n
}

// checkCoarsenCells checks that the coarse cells follow from the fine ones.
func (c *Call) checkCoarsenCells(a *kernels.CoarsenCellsArgs, _ *CoarsenCells) {
	fine, coarse := cellsOf(a.Fine, a.Periodic), cellsOf(a.Coarse, a.Periodic)
	for d, f := range a.Factor {
		if f != 1 && f != 2 || fine[d] != f*coarse[d] {
			c.Fail("factor %d along axis %d does not lead from %d to %d cells", f, d, fine[d], coarse[d])
		}
	}
}

// checkTabulate checks the size of the table.
func (c *Call) checkTabulate(a *kernels.TabulateArgs, _ *Tabulate) {
	if a.Entries != a.Columns*a.Rows {
		c.Fail("%d entries are not %d columns by %d rows", a.Entries, a.Columns, a.Rows)
	}
}
