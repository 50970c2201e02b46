package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
)

// transformTiles are the columns of a matrix that the kernels of separable.cu multiply by, in eights.
var transformTiles = [...]int{6, 10}

// Transform multiplies lines of nodes by a matrix.
func (d *Device) Transform(a kernels.TransformArgs) {
	c := d.begin("Transform", a.Out)
	s := c.Transform(a)
	if !c.OK() {
		return
	}
	n, rows := c.Box.N[a.Axis], transformLinesF32
	lines := c.Box.Nodes() / n
	if c.Elem == kernels.Float64 {
		rows = transformLinesF64
	}
	if a.Folding != kernels.Whole {
		n = (n + 1) / 2
	}
	tile, blocks := 0, 0
	for _, t := range transformTiles {
		wide := 8 * t
		if a.Folding == kernels.Whole {
			wide *= 2
		}
		if b := over(n, wide); tile == 0 || b*t <= blocks*tile {
			tile, blocks = t, b
		}
	}
	g := geometry{grid: [3]int{over(lines, rows) * blocks, 1, 1}, block: [3]int{transformThreads, 1, 1}}
	d.launch(&c, fmt.Sprintf("transform_%d", tile), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// Modes solves tridiagonal systems along z, whose factors are in shared memory as far as there is room.
func (d *Device) Modes(a kernels.ModesArgs) {
	c := d.begin("Modes", a.X)
	s := c.Modes(a)
	n := c.Box.N
	g := geometry{grid: [3]int{over(n[0]*n[1], modesThreads), 1, 1}, block: [3]int{modesThreads, 1, 1}}
	g.shared = modesThreads * min(over(n[2], modesAhead)*modesAhead*c.Elem.Size(), modesKept)
	d.launch(&c, "modes", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// products returns Info.Products: as measured with tensor cores that know these types (docs/notebook.md), which GPUs have from compute capability 8.0 on; the others
// exchange terms by shuffles, of which they make an estimated eighth.
func products(major int) int {
	const measured, tensors = 18, 8
	if major < tensors {
		return measured / 8
	}
	return measured
}
