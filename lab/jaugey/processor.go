package jaugey

// #cgo CFLAGS: -I${SRCDIR}/../../kernels/cpu -O3 -std=c11 -fopenmp-simd -Wall -Wno-unknown-pragmas -Wno-unused-function
// #include "cpu.h"
// #include "args.h"
// const cv_kernel *jaugey_kernels(int instructions, int type);
import "C"

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cpu"
)

// C and Go lay out the arguments alike.
var _ [C.sizeof_jaugey_poisson_args]byte = [unsafe.Sizeof(arguments{})]byte{}

// processor runs the kernels on the host's cores.
type processor struct{ *cpu.Device }

// table is the cpu.Guest of this package.
func table(instruction int, e kernels.Elem) unsafe.Pointer {
	return unsafe.Pointer(C.jaugey_kernels(C.int(instruction), C.int(e)))
}

// Poisson2D makes one Jacobi sweep of Poisson's equation in the plane.
func (d processor) Poisson2D(a Poisson2DArgs) {
	c := d.BeginGuest("Poisson2D", a.Out, false)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	across, up := int(s.Blocks), a.Blocks(c.Box.N[kernels.Z])
	blocks := across * up
	switch a.Layout {
	case RowThreads:
		blocks = up
	case ColumnThreads:
		blocks = across
	case StagedTiles:
		c.Reserve((min(a.Tile, c.Box.N[kernels.X]) + 2) * (min(a.Tile, c.Box.N[kernels.Z]) + 2) * c.Elem.Size())
	}
	c.Run(table, 0, unsafe.Pointer(&s), unsafe.Sizeof(s), blocks, c.Box.Nodes())
}
