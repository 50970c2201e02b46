package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// runCells runs a kernel on rows of cells.
func (c *job) runCells(kernel C.int) {
	s := &c.d.state.cells
	rows := int(s.Cells[1] * s.Cells[2])
	c.run(kernel, unsafe.Pointer(s), rows, int(s.Cells[0])*rows)
}

// Mobility computes the mobility of cells from the temperature.
func (d *Device) Mobility(a kernels.MobilityArgs) {
	c := d.begin("Mobility", a.T)
	d.state.cells = c.Mobility(a)
	c.reserveRows(1)
	c.runCells(C.cv_mobility)
}

// CoarsenCells averages conductivities over the children of coarse cells.
func (d *Device) CoarsenCells(a kernels.CoarsenCellsArgs) {
	c := d.begin("CoarsenCells", a.FineK)
	d.state.cells = c.CoarsenCells(a)
	c.runCells(C.cv_coarsen_cells)
}

// Coupling reduces conductivities to their extremes over the square of the width.
func (d *Device) Coupling(a kernels.CouplingArgs) {
	c := d.begin("Coupling", a.K)
	s := &d.state.cells
	*s = c.Coupling(a)
	rows := int(s.Cells[1] * s.Cells[2])
	c.reserveRows(1)
	s.Partial = c.partials(2 * rows)
	c.runCells(C.cv_coupling)
	c.store(a.Slot, c.max(0, rows))
	c.store(a.Slot+1, c.max(rows, rows))
}
