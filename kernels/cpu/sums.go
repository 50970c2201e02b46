package cpu

// #cgo nocallback cv_fold
// #cgo nocallback cv_tree_sum
// #cgo nocallback cv_tree_max
// #include "cpu.h"
// #include <stdlib.h>
import "C"

import (
	"math"
	"unsafe"

	"convect/kernels"
)

// partials returns the address of room for n partial results.
func (c *job) partials(n int) uintptr {
	d := c.d
	if !c.acts() {
		return 0
	}
	if n > len(d.partials) {
		p := (*float64)(C.calloc(C.size_t(n), 8))
		if p == nil {
			c.Fail("cannot allocate %d bytes of partial sums", 8*n)
			return 0
		}
		C.free(unsafe.Pointer(unsafe.SliceData(d.partials)))
		d.partials = unsafe.Slice(p, n)
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(d.partials)))
}

// sum returns the sum of n partials from one on, in the fixed tree.
func (c *job) sum(first, n int) float64 {
	if !c.acts() {
		return 0
	}
	return float64(C.cv_tree_sum((*C.double)(&c.d.partials[first]), C.int64_t(n)))
}

// max returns the largest of n partials from one on.
func (c *job) max(first, n int) float64 {
	if !c.acts() {
		return 0
	}
	return float64(C.cv_tree_max((*C.double)(&c.d.partials[first]), C.int64_t(n)))
}

// counted returns the rows of y whose partials count, of one line's or of all lines in one row.
func (c *job) counted(over extent) (first, last, rows int) {
	if over.rows == 0 {
		return 0, 1, 1
	}
	if own := c.Box.Own; own != [2]int{} {
		return min(own[0], over.rows), min(own[1], over.rows), over.rows
	}
	return 0, over.rows, over.rows
}

// rowSums returns the sums of the partials, from one on, of each row of y that counts, until the next kernel.
func (c *job) rowSums(at int, over extent) []float64 {
	first, last, rows := c.counted(over)
	C.cv_fold((*C.double)(&c.d.partials[at]), C.int64_t(rows), C.int64_t(over.lines/rows))
	return c.d.partials[at+first : at+last]
}

// largest returns the largest of the partials, from one on, of the rows that count; NaN if there is one.
func (c *job) largest(at int, over extent) float64 {
	first, last, rows := c.counted(over)
	if first == 0 && last == rows {
		return c.max(at, over.lines)
	}
	most := 0.0
	for layer := range over.lines / rows {
		most = math.Max(most, c.max(at+layer*rows+first, last-first))
	}
	return most
}

// Ways in which partial results are taken together.
type gathering uint8

const (
	addUp gathering = iota
	largest
	rootOfLargest
)

// gather takes arrays of partials, of each line one, one array after the other, together into the slots from one on: sums of rows of y first, and then of all rows, so
// that those of a part of the rows are parts of the whole.
func (c *job) gather(slot int, over extent, ways ...gathering) {
	if !c.acts() || over.lines == 0 {
		return
	}
	for m, way := range ways {
		at, s := m*over.lines, slot+m
		switch way {
		case addUp:
			sums := c.rowSums(at, over)
			if c.Box.Own != [2]int{} {
				c.d.rowsOfSlots[s] = append(c.d.rowsOfSlots[s][:0], sums...)
			}
			c.d.state.slots[s] = kernels.TreeSum(sums)
		case largest:
			c.d.state.slots[s] = c.largest(at, over)
		case rootOfLargest:
			c.d.state.slots[s] = math.Sqrt(c.largest(at, over))
		}
	}
}

// RowSums implements [kernels.RowReducer].
func (d *Device) RowSums(slot int) []float64 { return d.rowsOfSlots[slot] }

// store puts a result into a slot.
func (c *job) store(slot int, v float64) {
	if c.acts() {
		c.d.state.slots[slot] = v
	}
}
