package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// transformRowsUsed is the number of scratch rows of separable.h, of as many lines of terms as it takes together.
const transformRowsUsed = 2

// Transform multiplies lines of nodes by a matrix.
func (d *Device) Transform(a kernels.TransformArgs) {
	c := d.begin("Transform", a.Out)
	s := hold(c, c.Transform(a))
	rows, n := (c.Rows()+C.transform_group-1)/C.transform_group, c.Box.N
	if a.Axis == kernels.Y {
		rows = n[kernels.Z]
	}
	c.reserve(transformRowsUsed * 8 * (C.transform_most*(n[a.Axis]+1) + 64))
	c.run(C.cv_transform, unsafe.Pointer(s), rows, c.Box.Nodes())
}

// Modes solves tridiagonal systems along z.
func (d *Device) Modes(a kernels.ModesArgs) {
	c := d.begin("Modes", a.X)
	s := hold(c, c.Modes(a))
	n := a.Turn(c.Box.N)
	c.reserveLines(2, C.modes_tile)
	c.run(C.cv_modes, unsafe.Pointer(s), (n[0]+C.modes_tile-1)/C.modes_tile*n[1], c.Box.Nodes())
}

// products is the measured Info.Products with the widest vectors (docs/notebook.md).
const products = 6
