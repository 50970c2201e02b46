package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
)

// transformResults are the results of a thread of the kernels of separable.cu.
var transformResults = [...]int{3, 4}

// Transform multiplies lines of nodes by a matrix.
func (d *Device) Transform(a kernels.TransformArgs) {
	c := d.begin("Transform", a.Out)
	s := c.Transform(a)
	if !c.OK() {
		return
	}
	n, lines := c.Box.N[a.Axis], c.Box.Nodes()/c.Box.N[a.Axis]
	if a.Folding != kernels.Whole {
		n = (n + 1) / 2
	}
	results, blocks := 0, 0
	for _, r := range transformResults {
		wide := 16 * r
		if a.Folding == kernels.Whole {
			wide *= 2
		}
		// A block takes some time of its own besides that of its results.
		if b := over(n, wide); results == 0 || b*(r+1) < blocks*(results+1) {
			results, blocks = r, b
		}
	}
	g := geometry{grid: [3]int{over(lines, transformLines), blocks, 1}, block: [3]int{transformThreads, 1, 1},
		shared: 2 * transformTerms * (transformLines + 4 + 16*results) * c.Elem.Size()}
	d.launch(&c, fmt.Sprintf("transform_%d", results), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// Modes solves tridiagonal systems along z.
func (d *Device) Modes(a kernels.ModesArgs) {
	c := d.begin("Modes", a.X)
	s := c.Modes(a)
	n := c.Box.N
	d.launch(&c, "modes", geometry{grid: [3]int{over(n[0], modesThreads), n[1], 1}, block: [3]int{modesThreads, 1, 1}}, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// products is the measured Info.Products (docs/notebook.md).
const products = 10
