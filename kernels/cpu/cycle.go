package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Descend makes the way down of a cycle on one level.
func (d *Device) Descend(a kernels.CycleArgs) {
	c := d.begin("Descend", a.Out)
	s := c.cycle(a)
	s.u = c.maybeNodes(a.U, "U")
	c.coarse(a, s)
	if c.ok() && a.Sweeps < 1 {
		c.fail("%d sweeps on the way down", a.Sweeps)
	}
	c.runCycle(C.cv_descend)
}

// Ascend makes the way up of a cycle on one level.
func (d *Device) Ascend(a kernels.CycleArgs) {
	c := d.begin("Ascend", a.Out)
	s := c.cycle(a)
	s.u = c.nodes(a.U, "U")
	a.CoarseMask = nil
	c.coarse(a, s)
	c.runCycle(C.cv_ascend)
}

// cycle puts what both ways share into the device's state.
func (c *call) cycle(a kernels.CycleArgs) *C.cv_cycle_args {
	s := &c.d.state.cycle
	*s = C.cv_cycle_args{a: c.elliptic(a.A), sweeps: C.int64_t(a.Sweeps), periodic: flags(a.Periodic), factor: ints(a.Factor)}
	c.wide = true
	s.out, s.f = c.nodes(a.Out, "Out"), c.nodes(a.F, "F")
	if c.ok() && a.Out == a.U {
		c.fail("Out is U")
	}
	for i, w := range a.Omega {
		s.omega[i] = C.double(w)
	}
	if c.ok() && (a.Sweeps < 0 || a.Sweeps > kernels.MaxSweeps) {
		c.fail("%d sweeps: at most %d", a.Sweeps, kernels.MaxSweeps)
	}
	return s
}

// coarse adds the coarse grid.
func (c *call) coarse(a kernels.CycleArgs, s *C.cv_cycle_args) {
	fine := c.box
	c.factors(a.Factor, fine, a.Coarse)
	s.coarse = c.setBox(a.Coarse)
	s.coarse_x = c.nodes(a.CoarseX, "CoarseX")
	s.coarse_mask = c.mask(a.CoarseMask)
	c.box = fine
}

// restrictedTogether is the number of scratch rows of gathered_scratch in transfer.h.
const restrictedTogether = 8

// fewRows is the height of a tile below which the rows that neighbours both compute weigh more than what the second-level cache
// saves over the last one.
const fewRows = 32

// tileHeight returns how many rows of y a tile owns. A tile keeps three planes of each stage and reads four of F, which are to
// fit into the second-level cache, or else into a thread's share of the last; `more` rows of it are its neighbours'.
func (c *call) tileHeight(stages, more, row int) int {
	rows := (3*stages + 4) * row
	if height := c.d.l2/rows - more; height >= fewRows {
		return height
	}
	return max(c.d.llc/2/c.d.threads/rows-more, 16)
}

// runCycle cuts the level into tiles and runs them.
func (c *call) runCycle(kernel C.int) {
	s := &c.d.state.cycle
	if !c.ok() {
		return
	}
	n, threads := c.box.N, c.d.threads
	if c.box.Nodes() < sharedElements {
		threads = 1
	}
	stages, more := int(s.sweeps)+2, 2*(int(s.sweeps)+3)
	row := (n[0] + 17) * c.elem.Size()
	height := c.tileHeight(stages, more, row)
	strips := (n[1] + height - 1) / height
	height = (n[1]+strips-1)/strips + more
	slabs := min((threads+strips-1)/strips, max(n[2]/8, 1))
	if strips > 1 && threads > 1 {
		slabs = min(threads, max(n[2]/8, 1))
	}
	s.strips, s.slabs, s.stream = C.int64_t(strips), C.int64_t(slabs), c.stream()
	rows := sweepRowsUsed + restrictedTogether
	c.reserve(8*rows*(n[0]+64) + 3*stages*height*row + 4096)
	c.run(kernel, unsafe.Pointer(s), strips*slabs, c.box.Nodes())
}
