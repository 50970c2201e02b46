package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// cells makes a box the call's and returns its number of cells along each axis.
func (c *call) cells(box kernels.Box, periodic [3]bool) (n [3]int) {
	c.box = box
	for d, nodes := range box.N {
		n[d] = nodes
		if !periodic[d] && (d != kernels.Y || !box.Flat()) {
			n[d]--
		}
	}
	return n
}

// runCells runs a kernel on rows of cells.
func (c *call) runCells(kernel C.int, s *C.cv_cells_args, n [3]int) {
	s.cells = ints(n)
	c.run(kernel, unsafe.Pointer(s), n[1]*n[2], n[0]*n[1]*n[2])
}

// Mobility computes the mobility of cells from the temperature.
func (d *Device) Mobility(a kernels.MobilityArgs) {
	c := d.begin("Mobility", a.T)
	s, n := &d.state.cells, c.cells(a.Box, a.Periodic)
	*s = C.cv_cells_args{box: c.cBox(a.Box), t: c.nodes(a.T, "T"), k: c.maybeNodes(a.Cells, "Cells"), out: c.nodes(a.Out, "Out"),
		table: c.elements(a.Table, c.elem, a.Entries, "Table"), entries: C.int64_t(a.Entries), constant: C.double(a.K),
		low: C.double(a.Low), per_unit: C.double(a.PerUnit)}
	if a.Entries < 2 {
		c.fail("a table of %d entries is too short", a.Entries)
	}
	c.reserveRows(1)
	c.runCells(C.cv_mobility, s, n)
}

// CoarsenCells averages conductivities over the children of coarse cells.
func (d *Device) CoarsenCells(a kernels.CoarsenCellsArgs) {
	c := d.begin("CoarsenCells", a.FineK)
	s, fine := &d.state.cells, c.cells(a.Fine, a.Periodic)
	h := c.axes(a.H, "H")
	n := c.cells(a.Coarse, a.Periodic)
	c.axis(a.Axis)
	for d, f := range a.Factor {
		if f != 1 && f != 2 || fine[d] != f*n[d] {
			c.fail("factor %d along axis %d does not lead from %d to %d cells", f, d, fine[d], n[d])
		}
	}
	*s = C.cv_cells_args{box: c.cBox(a.Coarse), fine: c.cBox(a.Fine), factor: ints(a.Factor), axis: C.int64_t(a.Axis),
		arithmetic: flag(a.Arithmetic), h: h, k: c.nodesOf(a.FineK, a.Fine, "FineK"), out: c.nodes(a.CoarseK, "CoarseK")}
	c.runCells(C.cv_coarsen_cells, s, n)
}

// Coupling reduces conductivities to their extremes over the square of the width.
func (d *Device) Coupling(a kernels.CouplingArgs) {
	c := d.begin("Coupling", a.K)
	s, n := &d.state.cells, c.cells(a.Box, a.Periodic)
	c.axis(a.Axis)
	c.slot(a.Slot, 2)
	if !c.ok() {
		return
	}
	*s = C.cv_cells_args{box: c.cBox(a.Box), k: c.nodes(a.K, "K"), axis: C.int64_t(a.Axis)}
	s.h[0] = c.at(c.elements(a.RH, c.elem, a.Box.N[a.Axis]+2*kernels.HaloWidth, "RH"), kernels.HaloWidth)
	rows := n[1] * n[2]
	c.reserveRows(1)
	s.partial = c.partials(2 * rows)
	c.runCells(C.cv_coupling, s, n)
	c.store(a.Slot, c.max(0, rows))
	c.store(a.Slot+1, c.max(rows, rows))
}
