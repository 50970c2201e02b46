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
	c.factors(a.Factor, a.Fine, a.Coarse, a.Periodic)
}

// checkTabulate checks the size of the table.
func (c *Call) checkTabulate(a *kernels.TabulateArgs, _ *Tabulate) {
	if a.Entries != a.Columns*a.Rows {
		c.Fail("%d entries are not %d columns by %d rows", a.Entries, a.Columns, a.Rows)
	}
}
