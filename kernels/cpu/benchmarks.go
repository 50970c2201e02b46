package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

var _ kernels.Benchmarks = (*Device)(nil)

// LaplaceJacobi makes Jacobi sweeps of Laplace's equation, one after the other.
func (d *Device) LaplaceJacobi(a kernels.LaplaceJacobiArgs) {
	c := d.begin("LaplaceJacobi", a.Out)
	all := c.LaplaceJacobi(a)
	if !c.OK() {
		return
	}
	blocks := 1
	for axis, n := range c.Box.N {
		tile := int(all.Tile[axis])
		blocks *= (n + tile - 1) / tile
	}
	all.Stream = c.stream()
	l := &d.state.laplace
	for n := range max(a.Sweeps, 1) {
		*l = all.Pass(n, max(a.Sweeps, 1))
		c.run(C.cv_laplace_jacobi, unsafe.Pointer(l), blocks, c.Box.Nodes())
	}
}

// Poisson2D makes one Jacobi sweep of Poisson's equation in the plane.
func (d *Device) Poisson2D(a kernels.Poisson2DArgs) {
	c := d.begin("Poisson2D", a.Out)
	p := &d.state.poisson
	*p = c.Poisson2D(a)
	if !c.OK() {
		return
	}
	across, up := int(p.Blocks), a.Blocks(c.Box.N[2])
	blocks := across * up
	switch a.Layout {
	case kernels.RowThreads:
		blocks = up
	case kernels.ColumnThreads:
		blocks = across
	case kernels.StagedTiles:
		c.reserve((min(a.Tile, c.Box.N[0]) + 2) * (min(a.Tile, c.Box.N[2]) + 2) * c.Elem.Size())
	}
	c.run(C.cv_poisson2d, unsafe.Pointer(p), blocks, c.Box.Nodes())
}

// HierarchicalJacobi makes a cycle of Jacobi sweeps on blocks.
func (d *Device) HierarchicalJacobi(a kernels.HierarchicalJacobiArgs) {
	c := d.begin("HierarchicalJacobi", a.Out)
	h := &d.state.hierarchical
	*h = c.HierarchicalJacobi(a)
	h.Stream = c.stream()
	wide, high := int(h.Room[0]), int(h.Room[1])
	switch {
	case a.Sweeps > 1 && a.Lines: // u, f and the way back of as many lines as a vector holds, at most 64 bytes wide
		c.reserve(3*64*(wide+64) + 64)
	case a.Sweeps > 1:
		c.reserve((3*(high+2)*(wide+33) + 32) * 8)
	}
	c.run(C.cv_hierarchical_jacobi, unsafe.Pointer(h), int(h.Blocks[0]*h.Blocks[1]), c.Box.Nodes())
}

// HierarchicalCube makes a cycle of Jacobi sweeps on blocks in three dimensions.
func (d *Device) HierarchicalCube(a kernels.HierarchicalCubeArgs) {
	c := d.begin("HierarchicalCube", a.Out)
	h := &d.state.cube
	*h = c.HierarchicalCube(a)
	h.Stream = c.stream()
	if a.Sweeps > 1 { // u, its successor and f, rows of whole cache lines
		c.reserve((3*(int(h.Room[1])+2)*(int(h.Room[2])+2)*(int(h.Room[0])+33) + 32) * 8)
	}
	c.run(C.cv_hierarchical_cube, unsafe.Pointer(h), int(h.Blocks[0]*h.Blocks[1]*h.Blocks[2]), c.Box.Nodes())
}
