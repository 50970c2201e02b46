package cuda

import (
	"unsafe"

	"convect/kernels"
)

// LineSmooth makes one damped sweep of vertical lines.
func (d *Device) LineSmooth(a kernels.LineSmoothArgs) {
	c := d.begin("LineSmooth", a.Out)
	s := c.LineSmooth(a)
	values := 2
	if a.Periodic {
		values = 3
	}
	n := c.Box.N
	s.Scratch = d.reserve(&c, &d.scratch, values*c.Box.Nodes()*c.Elem.Size())
	g := geometry{block: [3]int{warp, min(n[1], lineThreads/warp), 1}}
	for axis, threads := range g.block {
		g.grid[axis] = over(n[axis], max(threads, 1))
	}
	g.grid[2] = 1
	d.launch(&c, Variant("line_smooth", &s.Sweep.A), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}
