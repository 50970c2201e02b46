package ranks

import "slices"

// Rows that a rank computes for itself though they are a neighbour's spare an exchange where somebody reads them. They are of no use where nobody does, or where what
// is read is fetched all the same. How many are read was seen when the same kernel wrote the same array before; so it is with rows that are fetched. Where fewer are
// there than are read they are fetched, so that results never depend on it. GPUs compute and fetch all that they hold: their kernels are recorded once.

// use says how many ghosts were read of what a kernel has written into an array.
type use struct {
	rows   int // the most, as far as is known
	recent int // of the last writes
	writes int
}

// remembered is after how many writes less use is believed.
const remembered = 8

// learn takes what was read of a write.
func (u *use) learn(asked int) {
	u.rows, u.recent, u.writes = max(u.rows, asked), max(u.recent, asked), u.writes+1
	if u.writes == remembered {
		*u = use{rows: u.recent}
	}
}

// expected returns how many ghosts are likely to be read of what a kernel is to write into the array.
func (b *Buffer) expected(kernel string) int {
	if u := b.uses[kernel]; u != nil { // none on GPUs
		return u.rows
	}
	return b.device.options.Ghosts
}

// written says that a kernel has written the array, "" for what is no kernel, and how many ghosts could be right if all had been computed.
func (b *Buffer) written(kernel string, could int) {
	if b.device.queued {
		return
	}
	b.learn()
	b.writer, b.asked, b.could = kernel, 0, could
}

// learn takes what was read of the array since it was written.
func (b *Buffer) learn() {
	if b.writer == "" {
		return
	}
	u := b.uses[b.writer]
	if u == nil {
		u = &use{rows: b.device.options.Ghosts}
		if b.uses == nil {
			b.uses = map[string]*use{}
		}
		b.uses[b.writer] = u
	}
	u.learn(b.asked)
}

// most returns how many ghosts could be right: more than are where not all were computed.
func (b *Buffer) most() int { return max(b.seam, b.could) }

// ask says that so many ghosts are read, and that more would be of use: no more than could be right, and none where those that are read must be fetched anyway.
func (b *Buffer) ask(reach, more int) {
	if most := b.most(); reach <= most {
		b.asked = max(b.asked, min(reach+more, most))
	}
}

// width returns how many ghosts are fetched where so many are wanted.
func (b *Buffer) width(key string, wanted int) int {
	if most := b.device.options.Ghosts; b.layout.split && !b.device.queued {
		return min(max(wanted, b.expected(key)), most)
	}
	return b.device.options.Ghosts
}

// expected returns how many ghosts are likely to be read of what a kernel writes.
func (c *call) expected() (rows int) {
	if c.wide {
		return c.options.Ghosts
	}
	for _, a := range c.writes {
		rows = max(rows, a.b.expected(c.kernel))
	}
	return rows
}

// narrow lets ranks compute so many ghosts of what is written and no more, as far as what is read lets them be right.
func (c *call) narrow(rows int) {
	if !c.narrows() {
		return
	}
	edge := c.edge
	for _, a := range slices.Concat(c.reads, c.writes) {
		if a.reach < c.options.Ghosts { // else its values are lost
			edge = max(edge, a.reach)
		}
	}
	for _, a := range c.reads {
		rows = min(rows, max(a.b.seam, a.b.wrap)-a.reach)
	}
	c.compute(edge + max(rows, 0))
}

// compute sets how many ghosts ranks compute, at least so many and no more than they hold. Slabs end at nodes of the coarse grid, so that it is an even number.
func (c *call) compute(ghosts int) { c.ghosts = min(ghosts+ghosts%2, c.options.Ghosts) }

// narrows tells whether ranks may compute fewer ghosts than they hold.
func (c *call) narrows() bool { return c.layout.split && c.stands == nil && !c.wide && !c.queued }
