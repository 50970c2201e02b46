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
