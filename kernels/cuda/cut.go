package cuda

import (
	"convect/kernels"
	"convect/kernels/call"
)

// cut is how a pass of a cycle cuts a grid into blocks of threads: the kernel and the launch, and what a block owns. There are no rows where shared memory has no
// room for the fewest.
type cut struct {
	kernel string
	geometry
	columns, rows, planes int64
}

// cutKey is what a cut depends on, of one device.
type cutKey struct {
	pass     string
	nodes    [3]int
	elem     kernels.Elem
	periodic bool
}

// cutFor returns the cut of a pass, which it searches once: the many that are compared take the host some 40 µs, as long as a GPU takes for some kernels.
func (d *Device) cutFor(c *call.Call, pass string, periodic bool, search func() cut) cut {
	key := cutKey{pass, c.Box.N, c.Elem, periodic}
	found, known := d.cuts[key]
	if !known {
		found = search()
		d.cuts[key] = found
	}
	return found
}
