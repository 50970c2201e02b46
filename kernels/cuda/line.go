package cuda

import (
	"unsafe"

	"convect/kernels"
)

// lineThreads is the number of columns of a block.
const lineThreads = 128

// LineSmooth makes one damped sweep of vertical lines.
func (d *Device) LineSmooth(a kernels.LineSmoothArgs) {
	c := d.begin("LineSmooth", a.Out)
	s := c.LineSmooth(a)
	kernel, values := "line_smooth", 2
	if a.U == nil {
		kernel = "line_smooth_zero"
	}
	if a.Periodic {
		values = 3
	}
	n := c.Box.N
	s.Scratch = d.reserve(&c, &d.scratch, values*c.Box.Nodes()*c.Elem.Size())
	g := geometry{grid: [3]int{over(n[0], warp), over(n[1], lineThreads/warp), 1}, block: [3]int{warp, lineThreads / warp, 1}}
	if n[1] == 1 {
		g = geometry{grid: [3]int{over(n[0], warp), 1, 1}, block: [3]int{warp, 1, 1}}
	}
	d.launch(&c, variant(kernel, &s.Sweep.A), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}
