package cuda

import (
	"slices"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// maxArguments is the number of bytes that a kernel's arguments may take.
const maxArguments = 4096

// geometry is how the threads of a launch are laid out.
type geometry struct {
	grid, block [3]int
	shared      int // bytes of dynamic shared memory a block
}

// Threads of a block of the simple launches.
const (
	elementThreads = 256
	warp           = 32
)

// over returns the number of blocks that cover n.
func over(n, block int) int { return (n + block - 1) / block }

// overNodes gives every node of a box a thread: NODE in launch.h.
func overNodes(b kernels.Box) geometry { return overPoints(b.N) }

// overPoints is overNodes for any three extents.
func overPoints(n [3]int) geometry {
	g := geometry{block: [3]int{warp, 4, 2}}
	if n[1] == 1 {
		g.block = [3]int{warp, 1, 8}
	}
	for d := range n {
		g.grid[d] = over(max(n[d], 1), g.block[d])
	}
	return g
}

// cellBox is the box of so many cells along the axes, laid out as a box of nodes.
func cellBox(n [3]int64, b kernels.Box) kernels.Box {
	return kernels.Box{N: [3]int{int(n[0]), int(n[1]), int(n[2])}, Stride: b.Stride}
}

// overElements gives every element of a buffer a thread: ELEMENT in launch.h.
func overElements(n int) geometry {
	return geometry{grid: [3]int{over(max(n, 1), elementThreads), 1, 1}, block: [3]int{elementThreads, 1, 1}}
}

// blocks returns the number of blocks of a launch.
func (g geometry) blocks() int { return g.grid[0] * g.grid[1] * g.grid[2] }

// begin starts a call whose element type is that of a buffer.
func (d *Device) begin(kernel string, first kernels.Buffer) call.Call {
	if d.plan != nil {
		d.plan.Begin(kernel)
	}
	return call.Begin(&d.failure, kernel, first)
}

// suffix ends the name of a kernel of a type.
func suffix(e kernels.Elem) string {
	if e == kernels.Float64 {
		return "_f64"
	}
	return "_f32"
}

// launch runs a kernel of the call's type. It does nothing after a failure.
func (d *Device) launch(c *call.Call, kernel string, g geometry, args unsafe.Pointer, size uintptr) {
	if !c.OK() {
		return
	}
	if d.plan != nil {
		d.plan.Add(c.Kernel, kernel+suffix(c.Elem))
		return
	}
	if d.leading.open() {
		d.leading.launch(d, kernel, led{kernel: kernel + suffix(c.Elem), geometry: g, args: slices.Clone(unsafe.Slice((*byte)(args), size))})
		return
	}
	d.leading.close()
	// A copy, so that the caller's arguments need not live on the heap.
	copy(d.args[:size], unsafe.Slice((*byte)(args), size))
	d.keep(c.Kernel, d.gpu.Launch(kernel+suffix(c.Elem), g.grid, g.block, g.shared, unsafe.Pointer(&d.args[0]), size))
}

// partial returns room for n partial results of a reduction.
func (d *Device) partial(c *call.Call, n int) uintptr { return d.reserve(c, &d.partials, 8*n) }

// gather takes n partial results from one on together into a slot, in a fixed tree.
func (d *Device) gather(c *call.Call, slot, first, n int, way gathering) {
	a := call.Gather{Partial: d.partials.address + uintptr(8*first), Slot: d.slot(slot, 1), N: int64(n)}
	setWay(&a, 0, way)
	d.launchGather(c, &a, 1)
}

// Ways in which partial results are taken together.
type gathering uint8

const (
	addUp gathering = iota
	largest
	rootOfLargest
	addToSlot // what it holds counts too
)

// gatherAll gathers arrays of n partial results each, one after the other, into the slots from one on.
func (d *Device) gatherAll(c *call.Call, slot, n int, ways ...gathering) {
	a := call.Gather{Partial: d.partials.address, Slot: d.slot(slot, len(ways)), N: int64(n)}
	for b, way := range ways {
		setWay(&a, b, way)
	}
	d.launchGather(c, &a, len(ways))
}

// setWay says how array b is taken together.
func setWay(a *call.Gather, b int, way gathering) {
	switch way {
	case rootOfLargest:
		a.Root |= 1 << b
		a.Maximum |= 1 << b
	case largest:
		a.Maximum |= 1 << b
	case addToSlot:
		a.Add |= 1 << b
	}
}

// launchGather runs the one kernel for both types: partial results are double.
func (d *Device) launchGather(c *call.Call, a *call.Gather, sums int) {
	elem := c.Elem
	c.Elem = kernels.Float32
	d.launch(c, "gather", overSum(int(a.N), sums), unsafe.Pointer(a), unsafe.Sizeof(*a))
	c.Elem = elem
}

// overSum gives every sum of n terms a block.
func overSum(n, sums int) geometry {
	threads := elementThreads
	if n > 8*elementThreads {
		threads = 4 * elementThreads
	}
	return geometry{grid: [3]int{sums, 1, 1}, block: [3]int{threads, 1, 1}}
}

// Planes of a slab, at least, where there are blocks enough without: so many.
const (
	leastSlab  = 4
	slabBlocks = 2048
)

// overSlabs gives every column of nodes of a slab of planes a thread: slab_of in slab.cuh. The slabs depend on the box alone.
func overSlabs(b kernels.Box) geometry {
	n, g := b.N, geometry{block: [3]int{warp, slabRows, 1}}
	if b.Flat() {
		g.block = [3]int{4 * warp, 1, 1}
	}
	g.grid[0], g.grid[1] = over(n[0], g.block[0]), over(n[1], g.block[1])
	planes := min(max(g.grid[0]*g.grid[1]*n[2]/slabBlocks, leastSlab), slabPlanes)
	g.grid[2] = over(n[2], planes)
	return g
}

// rimPlanes is the most planes of a slab of blocks that overlap, for which two planes are computed besides.
const rimPlanes = 64

// overRims gives the columns of nodes of a slab of planes to blocks that overlap by their outer threads: rim_column_of in slab.cuh.
func overRims(b kernels.Box) geometry {
	g := geometry{block: [3]int{warp, rimWarps, 1}}
	g.grid[0], g.grid[1] = over(b.N[0], warp-2), over(b.N[1], rimWarps*rimEach-2)
	if b.Flat() {
		g.grid[0], g.grid[1] = over(g.grid[0], rimWarps), 1
	}
	planes := min(max(g.grid[0]*g.grid[1]*b.N[2]/slabBlocks, leastSlab), rimPlanes)
	g.grid[2] = over(b.N[2], planes)
	return g
}
