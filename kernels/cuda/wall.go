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
