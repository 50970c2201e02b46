package ranks

import "convect/kernels"

// columns are arrays in which each rank has all rows of y of some nodes of x, for lines along y.
type columns struct {
	first   []int            // of x, by rank, and the end
	boxes   []kernels.Box    // by rank
	in, out []kernels.Buffer // by rank, nil of those that are not here
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
	c := &columns{in: make([]kernels.Buffer, d.size), out: make([]kernels.Buffer, d.size)}
	n := l.box.N
	for r := range d.size + 1 {
		c.first = append(c.first, r*n[0]/d.size)
	}
	for r := range d.size {
		own := n
		own[0] = max(c.first[r+1]-c.first[r], 1)
		c.boxes = append(c.boxes, kernels.NewBox(own, false))
	}
	for _, r := range d.ranks {
		for _, b := range [][]kernels.Buffer{c.in, c.out} {
			var err error
			if b[r.number], err = r.device.Alloc(e, c.boxes[r.number].Len); err != nil {
				c.free(d)
				d.fail("%w", err)
				return nil
			}
		}
	}
	d.columns[key] = c
	return c
}

func (c *columns) free(d *Device) {
	for _, all := range [][]kernels.Buffer{c.in, c.out} {
		for _, r := range d.ranks {
			r.device.Free(all[r.number])
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
	in, out := a.In.(*Buffer).local, a.Out.(*Buffer).local
	c.copyBlocks(func(r int) (all []block) {
		for owner, s := range l.slabs {
			all = append(all, block{owner, of.in[r], in[owner], of.boxes[r], s.box, [3]int{0, s.own[0], 0}, [3]int{of.first[r], s.own[0] - s.held[0], 0},
				[3]int{width(r), rows(s.own).count(), n[2]}})
		}
		return all
	}, nil)
	c.queue(func(r *rank) {
		local := a
		local.Box, local.In, local.Out, local.Matrix = of.boxes[r.number], of.in[r.number], of.out[r.number], c.whole(r, a.Matrix)
		if width(r.number) > 0 {
			r.device.Transform(local)
		}
	})
	c.copyBlocks(func(r int) (all []block) {
		s := l.slabs[r]
		for owner := range l.slabs {
			all = append(all, block{owner, out[r], of.out[owner], s.box, of.boxes[owner], [3]int{of.first[owner], s.own[0] - s.held[0], 0}, [3]int{0, s.own[0], 0},
				[3]int{width(owner), rows(s.own).count(), n[2]}})
		}
		return all
	}, nil)
	for _, w := range c.writes {
		w.b.known(0, 0, false)
	}
}
