package ranks

import (
	"slices"

	"convect/kernels"
)

// columns are arrays in which each rank has all rows of y of some nodes of x, for lines along y. There are two of each. Either may hold what belongs in the rows of an
// array, until somebody asks for these: so systems along z are solved there too, and rows are exchanged once each way.
type columns struct {
	layout *layout             // of what they hold
	first  []int               // of x, by rank, and the end
	boxes  []kernels.Box       // by rank
	local  [2][]kernels.Buffer // by rank, nil of those that are not here
	holds  [2]*Buffer          // nil: nothing that is not in rows too
}

// columnsKey names the columns of a box.
type columnsKey struct {
	box  kernels.Box
	elem kernels.Elem
}

// aside is what numbers of nodes where columns begin are multiples of: so many words are copied at a time.
const aside = 4

// columnsOf returns the columns of a box that is shared out, or nil after a failure.
func (d *Device) columnsOf(l *layout, e kernels.Elem) *columns {
	key := columnsKey{l.box, e}
	if c := d.columns[key]; c != nil {
		return c
	}
	c := &columns{local: [2][]kernels.Buffer{make([]kernels.Buffer, d.size), make([]kernels.Buffer, d.size)}, layout: l}
	n := l.box.N
	for r := range d.size {
		c.first = append(c.first, r*n[0]/d.size/aside*aside)
	}
	c.first = append(c.first, n[0])
	for r := range d.size {
		own := n
		own[0] = max(c.first[r+1]-c.first[r], 1)
		c.boxes = append(c.boxes, kernels.NewBox(own, false))
	}
	for _, r := range d.ranks {
		for _, b := range c.local {
			var err error
			if b[r.number], err = r.device.Alloc(e, c.boxes[r.number].Len); err != nil {
				c.free(d)
				d.fail("%w", err)
				return nil
			}
		}
	}
	d.columns[key] = c
	d.allOf = append(d.allOf, c)
	return c
}

func (c *columns) free(d *Device) {
	for _, all := range c.local {
		for _, r := range d.ranks {
			r.device.Free(all[r.number])
		}
	}
}

// ColumnArrays returns how many arrays of the nodes of a grid the ranks have together for columns, once lines along y of it have been transformed.
func (d *Device) ColumnArrays() int {
	if d.size == 1 {
		return 0
	}
	return len(columns{}.local)
}

// width returns how many nodes of x a rank has.
func (c *columns) width(rank int) int { return c.first[rank+1] - c.first[rank] }

// place returns in which of the two an array is, 2: in none.
func (c *columns) place(b *Buffer) int {
	n := slices.Index(c.holds[:], b)
	if n < 0 || b == nil {
		return len(c.holds)
	}
	return n
}

// fill makes one of the two hold the rows of an array, and returns which.
func (c *columns) fill(b *Buffer) int {
	at := c.place(b)
	if at < len(c.holds) {
		return at
	}
	if at = 0; c.holds[0] != nil && c.holds[1] == nil {
		at = 1
	}
	c.bringBack(at)
	l := c.layout
	b.device.copyBlocks(func(r int) (all []block) {
		for owner, s := range l.slabs {
			all = append(all, block{owner, c.local[at][r], b.local[owner], c.boxes[r], s.box, [3]int{0, s.own[0], 0}, [3]int{c.first[r], s.own[0] - s.held[0], 0},
				[3]int{c.width(r), rows(s.own).count(), l.box.N[2]}})
		}
		return all
	}, nil)
	return at
}

// bringBack puts what one of the two holds into the rows of its array.
func (c *columns) bringBack(at int) {
	b, l := c.holds[at], c.layout
	if b == nil {
		return
	}
	b.leave()
	b.device.copyBlocks(func(r int) (all []block) {
		s := l.slabs[r]
		for owner := range l.slabs {
			all = append(all, block{owner, b.local[r], c.local[at][owner], s.box, c.boxes[owner], [3]int{c.first[owner], s.own[0] - s.held[0], 0}, [3]int{0, s.own[0], 0},
				[3]int{c.width(owner), rows(s.own).count(), l.box.N[2]}})
		}
		return all
	}, nil)
	b.known(0, 0, false)
}

// leave forgets what columns hold of an array, if they do.
func (b *Buffer) leave() {
	if c := b.across; c != nil {
		c.holds[c.place(b)], b.across = nil, nil
	}
}

// inRows brings the values of an array back from columns.
func (b *Buffer) inRows() {
	if c := b.across; c != nil {
		c.bringBack(c.place(b))
	}
}

// allInRows does so for all arrays.
func (d *Device) allInRows() {
	for _, c := range d.allOf {
		for at := range c.holds {
			c.bringBack(at)
		}
	}
}

// other makes room for an array that is computed from one of the two, in the other one.
func (c *columns) other(at int, b *Buffer) {
	if c.holds[1-at] != b {
		c.bringBack(1 - at)
	}
	b.leave()
}

// along makes lines along y of one array from those of another, by a kernel that reads and writes columns.
func (c *columns) along(in, out *Buffer, kernel func(r *rank, box kernels.Box, in, out kernels.Buffer)) {
	at := c.fill(in)
	if out == in {
		in.leave()
	}
	c.other(at, out)
	out.device.queue(func(r *rank) {
		if c.width(r.number) > 0 {
			kernel(r, c.boxes[r.number], c.local[at][r.number], c.local[1-at][r.number])
		}
	})
	c.holds[1-at], out.across = out, c
}
