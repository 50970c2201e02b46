package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Reduce reduces the nodes of a box to one slot.
func (d *Device) Reduce(a kernels.ReduceArgs) {
	c := d.begin("Reduce", a.X)
	r := c.Reduce(a)
	n := d.reduceSlabs(&c, &r)
	d.gather(&c, a.Slot, 0, n, a.Kind == kernels.MaxAbs || a.Kind == kernels.MaxDiff)
}

// reduceSlabs computes the partial results of all slabs and returns their number.
func (d *Device) reduceSlabs(c *call.Call, r *call.Reduce) int {
	g := overSlabs(c.Box)
	r.Partial = d.partial(c, g.blocks())
	d.launch(c, "reduce", g, unsafe.Pointer(r), unsafe.Sizeof(*r))
	return g.blocks()
}

// meanSlot is the slot, after the public ones, of the mean that RemoveMean takes away.
const meanSlot = kernels.Slots

// RemoveMean removes the volume-weighted mean, which stays on the GPU.
func (d *Device) RemoveMean(a kernels.RemoveMeanArgs) {
	c := d.begin("RemoveMean", a.X)
	r, s := c.RemoveMean(a)
	parts := d.reduceSlabs(&c, &r)
	m := call.Mean{Box: s.Box, X: s.X, W: s.W, Integrated: s.Integrated, Partial: r.Partial, Parts: int64(parts), Mean: d.slot(meanSlot)}
	d.launch(&c, "volume_mean", overSum(parts, 1), unsafe.Pointer(&m), unsafe.Sizeof(m))
	d.launch(&c, "shift", overSlabs(a.Box), unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// mostPlaneParts bounds the number of blocks that share a plane of HorizontalMean.
const mostPlaneParts = 16

// HorizontalMean averages over every z plane: of equal values exactly.
func (d *Device) HorizontalMean(a kernels.HorizontalMeanArgs) {
	c := d.begin("HorizontalMean", a.X)
	r, out := c.HorizontalMean(a)
	nz, g := a.Box.N[kernels.Z], overSlabs(a.Box)
	parts := min(g.grid[1], mostPlaneParts)
	m := call.Mean{Box: r.Box, X: r.X, W: r.W, Partial: d.partial(&c, parts*nz), Parts: int64(parts), Out: out}
	g.grid = [3]int{parts, nz, 1}
	d.launch(&c, "area_sum", g, unsafe.Pointer(&m), unsafe.Sizeof(m))
	d.launch(&c, "plane_mean", geometry{grid: [3]int{nz, 1, 1}, block: [3]int{4 * warp, 1, 1}}, unsafe.Pointer(&m), unsafe.Sizeof(m))
}
