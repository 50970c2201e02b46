package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Mobility computes the mobility of cells from the temperature.
func (d *Device) Mobility(a kernels.MobilityArgs) {
	c := d.begin("Mobility", a.T)
	s := c.Mobility(a)
	d.launch(&c, "mobility", overPoints(cellsOf(&s)), unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// CoarsenCells averages conductivities over the children of coarse cells.
func (d *Device) CoarsenCells(a kernels.CoarsenCellsArgs) {
	c := d.begin("CoarsenCells", a.FineK)
	s := c.CoarsenCells(a)
	d.launch(&c, "coarsen_cells", overPoints(cellsOf(&s)), unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// Coupling reduces conductivities to their extremes over the square of the width.
func (d *Device) Coupling(a kernels.CouplingArgs) {
	c := d.begin("Coupling", a.K)
	s := c.Coupling(a)
	g := overSlabs(kernels.Box{N: cellsOf(&s), Stride: c.Box.Stride})
	s.Partial = d.partial(&c, 2*g.blocks())
	d.launch(&c, "coupling", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gatherAll(&c, a.Slot, g.blocks(), largest, largest)
}

// cellsOf returns the numbers of cells along the axes.
func cellsOf(s *call.Cells) [3]int { return [3]int{int(s.Cells[0]), int(s.Cells[1]), int(s.Cells[2])} }
