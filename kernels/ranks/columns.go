package ranks

import "convect/kernels"

// columns are arrays in which each rank has all rows of y of some nodes of x, for lines along y.
type columns struct {
	first   []int         // of x, by rank, and the end
	boxes   []kernels.Box // by rank
	in, out []kernels.Buffer
}

// columnsKey names the columns of a box.
type columnsKey struct {
	box  kernels.Box
	elem kernels.Elem
}

// columnsOf returns the columns of a box that is shared out, or nil after a failure.
func (d *Device) columnsOf(l *layout, e kernels.Elem) *columns {
	key := columnsKey{l.box, e}
	if c := d.columns[key]; c != nil {
		return c
	}
	c := &columns{}
	n := l.box.N
	for r := range d.size + 1 {
		c.first = append(c.first, r*n[0]/d.size)
	}
	for _, r := range d.ranks {
		own := n
		own[0] = max(c.first[r.number+1]-c.first[r.number], 1)
		box := kernels.NewBox(own, false)
		c.boxes = append(c.boxes, box)
		for _, b := range []*[]kernels.Buffer{&c.in, &c.out} {
			local, err := r.device.Alloc(e, box.Len)
			if err != nil {
				c.free(d)
				d.fail("%w", err)
				return nil
			}
			*b = append(*b, local)
		}
	}
	d.columns[key] = c
	return c
}

func (c *columns) free(d *Device) {
	for _, all := range [][]kernels.Buffer{c.in, c.out} {
		for r, b := range all {
			d.ranks[r].device.Free(b)
		}
	}
}

// acrossColumns transforms lines along y: each rank gets all rows of some columns, transforms them, and takes back the rows that it owns.
func (c *call) acrossColumns(a kernels.TransformArgs) {
	defer c.end()
	if !c.ok() {
		return
	}
	l, n := c.layout, c.layout.box.N
	of := c.columnsOf(l, a.Out.Elem())
	if of == nil {
		return
	}
	width := func(r int) int { return of.first[r+1] - of.first[r] }
	c.each(func(r *rank) {
		for owner, s := range l.slabs {
			r.device.CopyBlock(of.in[r.number], of.boxes[r.number], [3]int{0, s.own[0], 0}, c.nodes(c.ranks[owner], a.In), s.box,
				[3]int{of.first[r.number], s.own[0] - s.held[0], 0}, [3]int{width(r.number), rows(s.own).count(), n[2]})
		}
		local := a
		local.Box, local.In, local.Out, local.Matrix = of.boxes[r.number], of.in[r.number], of.out[r.number], c.whole(r, a.Matrix)
		if width(r.number) > 0 {
			r.device.Transform(local)
		}
	})
	c.each(func(r *rank) {
		s := l.slabs[r.number]
		for owner := range l.slabs {
			r.device.CopyBlock(c.nodes(r, a.Out), s.box, [3]int{of.first[owner], s.own[0] - s.held[0], 0}, of.out[owner], of.boxes[owner],
				[3]int{0, s.own[0], 0}, [3]int{width(owner), rows(s.own).count(), n[2]})
		}
	})
	for _, w := range c.writes {
		w.b.known(0, 0, false)
	}
}
