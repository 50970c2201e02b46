package islam

// #cgo CFLAGS: -I${SRCDIR}/../../kernels/cpu -O3 -std=c11 -fopenmp-simd -Wall -Wno-unknown-pragmas -Wno-unused-function
// #include "cpu.h"
// #include "args.h"
// const cv_kernel *islam_kernels(int instructions, int type);
import "C"

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cpu"
)

// C and Go lay out the arguments alike.
var (
	_ [C.sizeof_islam_jacobi_args]byte = [unsafe.Sizeof(flat{})]byte{}
	_ [C.sizeof_islam_cube_args]byte   = [unsafe.Sizeof(cube{})]byte{}
	_ [C.sizeof_islam_smooth_args]byte = [unsafe.Sizeof(rows{})]byte{}
)

// Numbers of the kernels in their table.
const (
	hierarchicalJacobi = iota
	hierarchicalCube
	hierarchicalSmooth
)

// processor runs the kernels on the host's cores.
type processor struct{ *cpu.Device }

// table is the cpu.Guest of this package.
func table(instruction int, e kernels.Elem) unsafe.Pointer {
	return unsafe.Pointer(C.islam_kernels(C.int(instruction), C.int(e)))
}

// HierarchicalJacobi makes a cycle of Jacobi sweeps on blocks.
func (d processor) HierarchicalJacobi(a HierarchicalJacobiArgs) {
	c := d.BeginGuest("HierarchicalJacobi", a.Out, false)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	s.Stream = c.Streams(c.Arrays * c.Box.Nodes() * c.Elem.Size())
	wide, high := int(s.Room[0]), int(s.Room[1])
	switch {
	case a.Sweeps > 1 && a.Lines: // u, f and the way back of as many lines as a vector holds, at most 64 bytes wide
		c.Reserve(3*64*(wide+64) + 64)
	case a.Sweeps > 1:
		c.Reserve((3*(high+2)*(wide+33) + 32) * 8)
	}
	c.Run(table, hierarchicalJacobi, unsafe.Pointer(&s), unsafe.Sizeof(s), int(s.Blocks[0]*s.Blocks[1]), c.Box.Nodes())
}

// HierarchicalCube makes a cycle of Jacobi sweeps on blocks in three dimensions.
func (d processor) HierarchicalCube(a HierarchicalCubeArgs) {
	c := d.BeginGuest("HierarchicalCube", a.Out, false)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	s.Stream = c.Streams(c.Arrays * c.Box.Nodes() * c.Elem.Size())
	if a.Sweeps > 1 { // u, its successor and f, rows of whole cache lines
		c.Reserve((3*(int(s.Room[1])+2)*(int(s.Room[2])+2)*(int(s.Room[0])+33) + 32) * 8)
	}
	c.Run(table, hierarchicalCube, unsafe.Pointer(&s), unsafe.Sizeof(s), int(s.Blocks[0]*s.Blocks[1]*s.Blocks[2]), c.Box.Nodes())
}

// Scratch memory of HierarchicalSmooth: the rows of sweep_scratch in sweep.h, and the elements of a row of a block beside its nodes.
const (
	sweepRows = 19
	rowEnds   = 48
)

// HierarchicalSmooth makes Jacobi sweeps on blocks of rows.
func (d processor) HierarchicalSmooth(a HierarchicalSmoothArgs) {
	c := d.BeginGuest("HierarchicalSmooth", a.Out, a.A != nil && a.A.Stencil == kernels.TwentySevenPoint)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	n, size := c.Box.N, c.Elem.Size()
	s.Stream = c.Streams(c.Arrays * c.Box.Nodes() * size)
	tiles, room := 1, 2*size*(n[0]+rowEnds)
	for i, tile := range s.Tile {
		tiles *= over(n[i+1], int(tile))
		room *= int(tile) + 2*int(s.Margin) + 2
	}
	c.Reserve(8*sweepRows*(n[0]+64) + room + 64*size)
	c.Run(table, hierarchicalSmooth, unsafe.Pointer(&s), unsafe.Sizeof(s), tiles, c.Box.Nodes())
}
