package cuda

import (
	"unsafe"

	"convect/kernels"
)

// WallFlux finds the velocity through walls of fixed pressure.
func (d *Device) WallFlux(a kernels.WallFluxArgs) {
	c := d.begin("WallFlux", a.Q[0])
	s := c.WallFlux(a)
	nodes := 0
	for side, share := range a.Share {
		if share != nil {
			nodes = max(nodes, a.Box.WallNodes(kernels.Side(side)))
		}
	}
	if nodes == 0 {
		return
	}
	g := overElements(nodes)
	g.grid[1] = len(a.Share)
	d.launch(&c, "wall_flux", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// WallSum reduces a weighted sum over the nodes of one side.
func (d *Device) WallSum(a kernels.WallSumArgs) {
	c := d.begin("WallSum", a.X)
	w := c.WallSum(a)
	g := overElements(a.Box.WallNodes(a.Side))
	w.Partial = d.partial(&c, g.blocks())
	d.launch(&c, "wall_sum", g, unsafe.Pointer(&w), unsafe.Sizeof(w))
	d.gather(&c, a.Slot, 0, g.blocks(), false)
}
