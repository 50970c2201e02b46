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
	r.Slot, r.Counter = d.slot(a.Slot, 1), d.slot(counterSlot, 1)
	d.reduceSlabs(&c, &r)
}

// reduceSlabs computes the partial results of all slabs and returns their number.
func (d *Device) reduceSlabs(c *call.Call, r *call.Reduce) int {
	g := overVectors(c, sumSlabs)
	r.Partial = d.partial(c, g.blocks())
	kernel := "reduce"
	if r.Mask.Index != 0 {
		kernel = "reduce_masked"
	}
	d.launch(c, kernel, g, unsafe.Pointer(r), unsafe.Sizeof(*r))
	return g.blocks()
}

// Slots after the public ones: the mean that RemoveMean takes away; and, as a number of blocks, how many of a reduction are done,
// which is 0 between reductions.
const (
	meanSlot    = kernels.Slots
	counterSlot = kernels.Slots + 1
)

// RemoveMean removes the volume-weighted mean, which stays on the GPU.
func (d *Device) RemoveMean(a kernels.RemoveMeanArgs) {
	c := d.begin("RemoveMean", a.X)
	r, s := c.RemoveMean(a)
	parts := d.reduceSlabs(&c, &r)
	m := call.Mean{Box: s.Box, X: s.X, W: s.W, Integrated: s.Integrated, Partial: r.Partial, Parts: int64(parts),
		Mean: d.slot(meanSlot, 1)}
	d.launch(&c, "mean", overSum(parts, 1), unsafe.Pointer(&m), unsafe.Sizeof(m))
	d.launch(&c, "shift", overVectors(&c, lightSlabs), unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// Vectors of a thread of HorizontalMean, at least, and the most blocks that share a plane.
const (
	planeVectors   = 4
	mostPlaneParts = 16
)

// HorizontalMean averages over every z plane: of equal values exactly.
func (d *Device) HorizontalMean(a kernels.HorizontalMeanArgs) {
	c := d.begin("HorizontalMean", a.X)
	m := d.areaSums(&c, a, false)
	d.launch(&c, "mean", overSum(int(m.Parts), a.Box.N[kernels.Z]), unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// areaSums computes the partial sums of each plane: of differences from Out if it is given, or from the first value of the plane.
func (d *Device) areaSums(c *call.Call, a kernels.HorizontalMeanArgs, given bool) call.Mean {
	r, out := c.HorizontalMean(a)
	nz := a.Box.N[kernels.Z]
	vectors := over(a.Box.N[kernels.X], laneBytes/c.Elem.Size()) * a.Box.N[kernels.Y]
	parts := min(over(vectors, planeVectors*elementThreads), mostPlaneParts)
	m := call.Mean{Box: r.Box, X: r.X, W: r.W, Partial: d.partial(c, parts*nz), Parts: int64(parts), Out: out}
	if given {
		m.Base = out
	}
	g := geometry{grid: [3]int{parts, nz, 1}, block: [3]int{elementThreads, 1, 1}}
	d.launch(c, "area_sum", g, unsafe.Pointer(&m), unsafe.Sizeof(m))
	return m
}
