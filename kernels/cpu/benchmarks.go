package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

var _ kernels.Benchmarks = (*Device)(nil)

// LaplaceJacobi makes one Jacobi sweep of Laplace's equation.
func (d *Device) LaplaceJacobi(a kernels.LaplaceJacobiArgs) {
	c := d.begin("LaplaceJacobi", a.Out)
	l := &d.state.laplace
	*l = C.cv_laplace_args{box: c.setBox(a.Box), out: c.nodes(a.Out, "Out"), u: c.nodes(a.U, "U")}
	if c.ok() && a.U == a.Out {
		c.fail("Out is U")
	}
	if a.Box.Flat() {
		c.fail("the box is flat")
	}
	blocks := 1
	for axis, n := range a.Tile {
		if n < 0 {
			c.fail("a tile of %d nodes", n)
		}
		if n <= 0 || n > c.box.N[axis] {
			n = max(c.box.N[axis], 1)
		}
		l.tile[axis] = C.int64_t(n)
		blocks *= (c.box.N[axis] + n - 1) / n
	}
	l.stream = c.stream()
	c.run(C.cv_laplace_jacobi, unsafe.Pointer(l), blocks, c.box.Nodes())
}

// Poisson2D makes one Jacobi sweep of Poisson's equation in the plane.
func (d *Device) Poisson2D(a kernels.Poisson2DArgs) {
	c := d.begin("Poisson2D", a.Out)
	p := &d.state.poisson
	*p = C.cv_poisson_args{box: c.setBox(a.Box), out: c.nodes(a.Out, "Out"), u: c.nodes(a.U, "U"), f: c.nodes(a.F, "F"),
		layout: C.int64_t(a.Layout), tile: C.int64_t(a.Tile)}
	switch {
	case c.ok() && (a.U == a.Out || a.F == a.Out):
		c.fail("Out is U or F")
	case !a.Box.Flat():
		c.fail("the box is not flat")
	case a.Tile < 1:
		c.fail("a tile of %d nodes", a.Tile)
	case a.Layout > kernels.StagedTiles:
		c.fail("unknown layout %d", a.Layout)
	}
	if !c.ok() {
		return
	}
	across, up := a.Blocks(c.box.N[0]), a.Blocks(c.box.N[2])
	p.blocks = C.int64_t(across)
	blocks := across * up
	switch a.Layout {
	case kernels.RowThreads:
		blocks = up
	case kernels.ColumnThreads:
		blocks = across
	case kernels.StagedTiles:
		c.reserve((min(a.Tile, c.box.N[0]) + 2) * (min(a.Tile, c.box.N[2]) + 2) * c.elem.Size())
	}
	c.run(C.cv_poisson2d, unsafe.Pointer(p), blocks, c.box.Nodes())
}

// HierarchicalJacobi makes a cycle of Jacobi sweeps on blocks.
func (d *Device) HierarchicalJacobi(a kernels.HierarchicalJacobiArgs) {
	c := d.begin("HierarchicalJacobi", a.Out)
	h := &d.state.hierarchical
	*h = C.cv_hierarchical_args{box: c.setBox(a.Box), out: c.nodes(a.Out, "Out"), u: c.nodes(a.U, "U"), f: c.nodes(a.F, "F"),
		lines: flag(a.Lines), overlap: C.int64_t(a.Overlap), sweeps: C.int64_t(a.Sweeps)}
	switch {
	case c.ok() && (a.U == a.Out || a.F == a.Out):
		c.fail("Out is U or F")
	case !a.Box.Flat():
		c.fail("the box is not flat")
	case a.Box.N[0] < 3 || a.Box.N[2] < 3 && !a.Lines:
		c.fail("%d x %d nodes hold no unknown", a.Box.N[0], a.Box.N[2])
	case a.Tile[0] < 1 || a.Tile[1] < 1 || a.Sweeps < 1:
		c.fail("%d sweeps on blocks of %d x %d unknowns", a.Sweeps, a.Tile[0], a.Tile[1])
	case a.Overlap < 0 || a.Overlap%2 != 0 || a.Overlap >= a.Tile[0] || a.Overlap >= a.Tile[1] && !a.Lines:
		c.fail("an overlap of %d unknowns of %d x %d is not even and smaller", a.Overlap, a.Tile[0], a.Tile[1])
	}
	if !c.ok() {
		return
	}
	wide, high := min(a.Tile[0], a.Box.N[0]-2), min(a.Tile[1], a.Box.N[2])
	h.tile = [2]C.int64_t{C.int64_t(a.Tile[0]), C.int64_t(a.Tile[1])}
	h.room = [2]C.int64_t{C.int64_t(wide), C.int64_t(high)}
	blocks := a.Blocks()
	h.blocks = [2]C.int64_t{C.int64_t(blocks[0]), C.int64_t(blocks[1])}
	h.stream = c.stream()
	switch {
	case a.Sweeps > 1 && a.Lines: // u, f and the way back of as many lines as a vector holds, at most 64 bytes wide
		c.reserve(3*64*(wide+64) + 64)
	case a.Sweeps > 1:
		c.reserve((3*(high+2)*(wide+33) + 32) * 8)
	}
	c.run(C.cv_hierarchical_jacobi, unsafe.Pointer(h), blocks[0]*blocks[1], c.box.Nodes())
}
