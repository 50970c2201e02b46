package giles

// #cgo CFLAGS: -I${SRCDIR}/../../kernels/cpu -O3 -std=c11 -fopenmp-simd -Wall -Wno-unknown-pragmas -Wno-unused-function
// #include "cpu.h"
// #include "args.h"
// const cv_kernel *giles_kernels(int instructions, int type);
import "C"

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cpu"
)

// C and Go lay out the arguments alike.
var _ [C.sizeof_giles_laplace_args]byte = [unsafe.Sizeof(arguments{})]byte{}

// processor runs the kernels on the host's cores.
type processor struct{ *cpu.Device }

// table is the cpu.Guest of this package.
func table(instruction int, e kernels.Elem) unsafe.Pointer {
	return unsafe.Pointer(C.giles_kernels(C.int(instruction), C.int(e)))
}

// LaplaceJacobi makes Jacobi sweeps of Laplace's equation, one after the other.
func (d processor) LaplaceJacobi(a LaplaceJacobiArgs) {
	c := d.BeginGuest("LaplaceJacobi", a.Out, false)
	all := a.check(&c.Call)
	if !c.OK() {
		return
	}
	blocks := 1
	for axis, n := range c.Box.N {
		tile := int(all.Tile[axis])
		blocks *= (n + tile - 1) / tile
	}
	all.Stream = c.Streams(c.Arrays * c.Box.Nodes() * c.Elem.Size())
	for n := range max(a.Sweeps, 1) {
		s := all.pass(n, max(a.Sweeps, 1))
		c.Run(table, 0, unsafe.Pointer(&s), unsafe.Sizeof(s), blocks, c.Box.Nodes())
	}
}
