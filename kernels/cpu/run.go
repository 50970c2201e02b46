package cpu

// #cgo noescape cv_run
// #cgo nocallback cv_run
// #cgo nocallback cv_tree_sum
// #cgo nocallback cv_tree_max
// #include "cpu.h"
// #include <stdlib.h>
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// smallest number of elements that is worth sharing out over threads.
const sharedElements = 1 << 14

// run runs a kernel on rows 0..rows-1, which hold so many elements together.
func (c *call) run(kernel C.int, args unsafe.Pointer, rows, elements int) {
	if !c.ok() {
		return
	}
	parts := c.d.threads
	if elements < sharedElements {
		parts = 1
	}
	table := c.d.tables[c.elem]
	if c.wide {
		table = c.d.wide[c.elem]
	}
	C.cv_run(c.d.pool, table, kernel, args, C.int64_t(rows), C.int(parts))
}

// runRows runs a kernel on the rows (j,k) of the call's box.
func (c *call) runRows(kernel C.int, args unsafe.Pointer) {
	c.run(kernel, args, c.rows(), c.box.Nodes())
}

// rows returns the number of rows of the call's box.
func (c *call) rows() int { return c.box.N[1] * c.box.N[2] }

// reserveRows gives every thread scratch memory for n rows of the call's box.
func (c *call) reserveRows(n int) { c.reserve(n * 8 * (c.box.N[0] + 64)) }

// reserve gives every thread so many bytes of scratch memory.
func (c *call) reserve(bytes int) {
	if !c.ok() || bytes <= c.d.scratch {
		return
	}
	if C.cv_pool_reserve(c.d.pool, C.int64_t(bytes)) == 0 {
		c.fail("cannot allocate %d bytes of scratch memory", bytes)
		return
	}
	c.d.scratch = bytes
}

// partials returns room for n partial results.
func (c *call) partials(n int) *C.double {
	d := c.d
	if !c.ok() {
		return nil
	}
	if n > len(d.partials) {
		p := (*float64)(C.calloc(C.size_t(n), 8))
		if p == nil {
			c.fail("cannot allocate %d bytes of partial sums", 8*n)
			return nil
		}
		C.free(unsafe.Pointer(unsafe.SliceData(d.partials)))
		d.partials = unsafe.Slice(p, n)
	}
	return (*C.double)(unsafe.SliceData(d.partials))
}

// sum returns the sum of n partials from one on, in the fixed tree.
func (c *call) sum(first, n int) float64 {
	if !c.ok() {
		return 0
	}
	return float64(C.cv_tree_sum((*C.double)(&c.d.partials[first]), C.int64_t(n)))
}

// max returns the largest of n partials from one on.
func (c *call) max(first, n int) float64 {
	if !c.ok() {
		return 0
	}
	return float64(C.cv_tree_max((*C.double)(&c.d.partials[first]), C.int64_t(n)))
}

// store puts a result into a slot.
func (c *call) store(slot int, v float64) {
	if c.ok() {
		c.d.slots()[slot] = v
	}
}

// stream tells whether the arrays of the call are so large that its output is better streamed to memory.
func (c *call) stream() C.int64_t {
	return flag(c.arrays*c.box.Nodes()*c.elem.Size() > c.d.llc)
}

// strip returns how many rows of y, of so many arrays, fit in half of a cache of so many bytes.
func (c *call) strip(arrays, cache int) C.int64_t {
	bytes := arrays * (c.box.N[0] + 2*kernels.HaloWidth) * c.elem.Size()
	return C.int64_t(min(max(cache/2/bytes, 8), max(c.box.N[1], 1)))
}
