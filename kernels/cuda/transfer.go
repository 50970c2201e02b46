package cuda

import (
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Restrict computes CoarseX = mask Pᵀ FineX.
func (d *Device) Restrict(a kernels.TransferArgs) {
	c := d.begin("Restrict", a.CoarseX)
	t := c.Restrict(a)
	if kernels.AnyBetween(a.Factor) {
		d.launch(&c, "restrict_between", overBetween(c.Box, 1), unsafe.Pointer(&t), unsafe.Sizeof(t))
		return
	}
	d.launch(&c, "restrict", overSlabs(c.Box), unsafe.Pointer(&t), unsafe.Sizeof(t))
}

// Prolong computes FineX += mask P CoarseX.
func (d *Device) Prolong(a kernels.TransferArgs) {
	c := d.begin("Prolong", a.FineX)
	t := c.Prolong(a)
	if kernels.AnyBetween(a.Factor) {
		d.launch(&c, "prolong", overBetween(c.Box, 2), unsafe.Pointer(&t), unsafe.Sizeof(t))
		return
	}
	if !c.OK() || a.Factor != [3]int{2, 2, 2} {
		d.transfer(&c, "prolong", &t)
		return
	}
	g := geometry{block: [3]int{warp, 8, 1}}
	g.grid = [3]int{over(a.Coarse.N[0], warp), over(a.Fine.N[1], 8), over(a.Coarse.N[2], halvedPlanes)}
	d.launch(&c, "prolong_halved", g, unsafe.Pointer(&t), unsafe.Sizeof(t))
}

// overBetween is overSlabs where threads have so many columns side by side in y. Setting out takes a thread as long as several planes, so that slabs are long where
// there are many blocks; where there are few, they are short.
func overBetween(b kernels.Box, columns int) geometry {
	const blocks, least = 800, 2
	n := b.N[2]
	b.N[1] = over(b.N[1], columns)
	g := overSlabs(b)
	g.grid[2] = over(n, min(max(g.grid[0]*g.grid[1]*n/blocks, least), slabPlanes))
	return g
}

// ProlongCubic computes FineX += mask P₃ CoarseX, or FineX = mask P₃ CoarseX.
func (d *Device) ProlongCubic(a kernels.TransferArgs) {
	c := d.begin("ProlongCubic", a.FineX)
	t := c.ProlongCubic(a)
	if min(a.Coarse.N[0], a.Coarse.N[1], a.Coarse.N[2]) >= 5 && a.Factor == [3]int{2, 2, 2} {
		d.prolongRows(&c, a, &t)
	} else {
		d.transfer(&c, "prolong_cubic", &t)
	}
}

// prolongRows runs prolong_cubic_rows, whose blocks march through slabs of coarse planes, and interpolate three more than they have.
func (d *Device) prolongRows(c *call.Call, a kernels.TransferArgs, t *call.Transfer) {
	if !c.OK() {
		return
	}
	const threads, blocks, ahead = 128, 3, 3
	across, n := over(over(a.Fine.N[0], 4)*over(a.Fine.N[1], 2), threads), a.Coarse.N[2]
	slabs, least := 1, math.MaxInt
	for s := 1; s <= over(n, 2); s++ {
		if cost := over(across*s, blocks*d.info.Multiprocessors) * (over(n, s) + ahead); cost < least {
			slabs, least = s, cost
		}
	}
	d.launch(c, "prolong_cubic_rows", geometry{grid: [3]int{across, slabs, 1}, block: [3]int{threads, 1, 1}}, unsafe.Pointer(t), unsafe.Sizeof(*t))
}

// Inject copies FineX at coincident nodes.
func (d *Device) Inject(a kernels.TransferArgs) {
	c := d.begin("Inject", a.CoarseX)
	t := c.Inject(a)
	d.transfer(&c, "inject", &t)
}

// transfer runs a kernel on the nodes of the call's box, the target.
func (d *Device) transfer(c *call.Call, kernel string, t *call.Transfer) {
	d.launch(c, kernel, overNodes(c.Box), unsafe.Pointer(t), unsafe.Sizeof(*t))
}
