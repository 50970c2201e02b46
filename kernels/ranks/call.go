package ranks

import (
	"math"

	"convect/kernels"
)

// call is a kernel on arrays of one box. Its reads and writes are said first, then it runs.
type call struct {
	*Device
	layout   *layout
	shared   *layout // that of arrays of the box, for which others may stand
	periodic bool    // y is
	reads    []access
	writes   []access
	// stands are the whole arrays that stand for shared ones, where every rank does all of it.
	stands map[*Buffer]*Buffer
	alone  bool // ranks may ask the first one for what GPUs have written, so that they come in turn
	ghosts int  // that ranks compute, beside what they own
	edge   int  // rows that are wrong at the ends of a slab, whatever is written
	wide   bool // ranks compute all ghosts that they hold
}

// queue runs kernels on every rank.
func (c *call) queue(f func(r *rank)) {
	if c.alone && c.crew != nil && c.recording == nil {
		c.inTurn(f)
		return
	}
	c.Device.queue(f)
}

// access is an array of nodes with how many rows beyond one the kernel reads of it, or makes wrong at the ends of a slab when it writes.
type access struct {
	b     *Buffer
	reach int
}

// begin starts a call on a box.
func (d *Device) begin(kernel string, box kernels.Box, periodic bool) *call {
	d.kernel = kernel + ": "
	if d.recording != nil {
		d.recording.periodic = d.recording.periodic || periodic
	}
	l := d.layoutOf(box)
	return &call{Device: d, layout: l, shared: l, periodic: periodic, ghosts: d.options.Ghosts}
}

// beginWhole starts a call that every rank makes on the whole box, of shared arrays on gathered ones.
func (d *Device) beginWhole(kernel string, box kernels.Box, periodic bool) *call {
	d.kernel = kernel + ": "
	return &call{Device: d, layout: d.wholeOf(box), shared: d.layoutOf(box), periodic: periodic, stands: map[*Buffer]*Buffer{}, ghosts: d.options.Ghosts}
}

// end gives back what stood for shared arrays, after those that were written got their values.
func (c *call) end() {
	for b, s := range c.stands {
		for _, w := range c.writes {
			if w.b == b && c.ok() {
				b.scatter(s)
				break
			}
		}
		c.giveBack(s)
	}
}

// standing returns a whole array to stand for a shared one, with any values: one that was given back, or a new one. While kernels are recorded there may be none.
func (c *call) standing(l *layout, of *Buffer) *Buffer {
	s := c.takeIdle(l, of)
	if s != nil && c.options.Poison && c.recording == nil { // no result takes what is not put there
		c.inTurn(func(r *rank) { r.device.Fill(kernels.FillArgs{X: s.local[r.number], Value: math.NaN()}) })
	}
	return s
}

// takeIdle is standing, with the values that the array had.
func (c *call) takeIdle(l *layout, of *Buffer) *Buffer {
	kind := standKind{l, of.elem}
	if idle := c.idle[kind]; len(idle) > 0 {
		s := idle[len(idle)-1]
		c.idle[kind] = idle[:len(idle)-1]
		if c.recording != nil {
			c.recording.stands = append(c.recording.stands, s)
		}
		return s
	}
	if c.throughHost() {
		return nil
	}
	s := &Buffer{device: c.Device, elem: of.elem, n: of.n}
	if err := s.place(l); err != nil {
		c.fail("%w", err)
		return nil
	}
	return s
}

// giveBack keeps what has stood for an array, for the next that is like it: records of kernels have its address.
func (c *call) giveBack(s *Buffer) {
	s.seam, s.wrap = c.options.Ghosts, c.options.Ghosts
	kind := standKind{s.layout, s.elem}
	c.idle[kind] = append(c.idle[kind], s)
}

// stand makes a whole array for a shared one.
func (c *call) stand(b *Buffer) {
	if c.stands == nil || !b.layout.split || c.stands[b] != nil {
		return
	}
	s := c.standing(c.layout, b)
	if s == nil {
		return
	}
	if c.periodic {
		b.need(kernels.HaloWidth, true)
	}
	b.gather(s)
	c.stands[b] = s
}

// dropIdle frees what has stood for arrays, where memory is wanted, and tells whether there was some. Records that use it are made again. On a link all ranks keep theirs.
func (d *Device) dropIdle() bool {
	if len(d.idle) == 0 || d.link != nil || d.recording != nil {
		return false
	}
	for _, all := range d.idle {
		for _, s := range all {
			d.Free(s)
		}
	}
	clear(d.idle)
	return true
}

// ok tells whether nothing has failed.
func (d *Device) ok() bool { return d.failure.Load() == nil }

// read says that the kernel reads an array of nodes, nil for none, and so many rows around each.
func (c *call) read(b kernels.Buffer, reach int) {
	if b == nil {
		return
	}
	if own := c.nodesOf(b, c.shared, "an array"); own != nil {
		c.stand(own)
		c.reads = append(c.reads, access{own, reach})
	}
}

// write says that the kernel writes an array, and that so many rows at the ends of a slab are wrong then, whatever is read.
func (c *call) write(edge int, b kernels.Buffer) {
	if b == nil {
		return
	}
	if own := c.nodesOf(b, c.shared, "an array"); own != nil {
		c.stand(own)
		c.writes = append(c.writes, access{own, edge})
	}
}

// run fetches the ghosts that are needed and runs the kernel on every rank.
func (c *call) run(f func(r *rank)) {
	defer c.end()
	if !c.ok() {
		return
	}
	periodic := c.periodic && c.layout.split
	expected := c.expected()
	for _, a := range c.reads {
		if c.layout.split {
			a.b.want(a.reach, expected, periodic)
		}
	}
	c.exchange()
	c.narrow(expected)
	c.queue(f)
	if c.stands != nil {
		for _, a := range c.writes {
			if c.stands[a.b] == nil { // every rank has it whole
				a.b.known(0, 0, false)
			}
		}
		return
	}
	seam, wrap, could := c.options.Ghosts, c.options.Ghosts, c.options.Ghosts
	for _, a := range c.reads {
		seam, wrap, could = min(seam, a.b.seam-a.reach), min(wrap, a.b.wrap-a.reach), min(could, a.b.most()-a.reach)
	}
	for _, a := range c.writes {
		right := max(c.ghosts-a.reach, min(0, c.options.Ghosts-a.reach)) // own rows are, unless all are lost
		a.b.known(min(seam, right), min(wrap, right), periodic)
		a.b.written(c.kernel, min(could, c.options.Ghosts-a.reach))
	}
}

// need fetches ghosts if fewer than so many are right.
func (b *Buffer) need(reach int, periodic bool) {
	b.want(reach, 0, periodic)
	b.device.exchange()
}

// known says how many ghosts are right after the array was written.
func (b *Buffer) known(seam, wrap int, periodic bool) {
	if !b.layout.split { // kernels write the rows of the whole alone
		seam = b.device.options.Ghosts
	}
	if !periodic || !b.layout.split {
		wrap = 0
	}
	b.seam, b.wrap, b.walled = seam, wrap, false
	b.prove(periodic)
}

// view returns the rows that a rank computes.
func (c *call) view(r *rank) rows { return c.layout.viewOf(r.number, c.periodic, c.ghosts) }

// boxOf returns the box of the rows that a rank computes.
func (c *call) boxOf(r *rank) kernels.Box { return c.layout.boxOf(r.number, c.view(r)) }

// nodes returns a rank's part of an array of nodes, nil for none.
func (c *call) nodes(r *rank, b kernels.Buffer) kernels.Buffer {
	own, ok := b.(*Buffer)
	if !ok || own == nil {
		return nil
	}
	if s := c.stands[own]; s != nil {
		own = s
	}
	if own.local == nil {
		return nil
	}
	return own.local[r.number]
}

// kind is what an array that is not of nodes holds.
type kind uint8

const (
	axisValues kind = iota
	wallValues
	maskRows
	modesTable
)

// axis returns a rank's part of the array of an axis.
func (c *call) axis(r *rank, b kernels.Buffer, axis int) kernels.Buffer {
	return c.Device.axis(r, c.layout, c.view(r), b, axis)
}

// axes returns those of three axes; nil ones stay.
func (c *call) axes(r *rank, b [3]kernels.Buffer) (local [3]kernels.Buffer) {
	for d := range b {
		if b[d] != nil {
			local[d] = c.axis(r, b[d], d)
		}
	}
	return local
}

func (d *Device) axis(r *rank, l *layout, view rows, b kernels.Buffer, axis int) kernels.Buffer {
	own, ok := b.(*Buffer)
	if !ok || own == nil || own.layout != nil {
		return nil
	}
	n := l.box.N[kernels.Y]
	if axis != kernels.Y || view == (rows{0, n}) {
		return own.whole(r)
	}
	if d.tooShort(own, n+2*kernels.HaloWidth, "an axis array") {
		return nil
	}
	return own.partOf(r, partKey{axisValues, view, l.box.N}, func() ([]float64, []int32) {
		const w = kernels.HaloWidth
		v := make([]float64, view.count()+2*w)
		for i := range v {
			row := view[0] + i - w
			if row < -w || row >= n+w || view[0] < 0 || view[1] > n {
				row = modulo(row, n)
			}
			v[i] = own.floats[row+w]
		}
		return v, nil
	})
}

// tooShort fails where an array has not so many values.
func (d *Device) tooShort(b *Buffer, n int, name string) bool {
	if len(d.values(b)) >= n {
		return false
	}
	d.fail("%s has %d elements of %v, not %d", name, b.n, b.elem, n)
	return true
}

// wall returns a rank's part of a wall array: nil where it does not have the side, or there is none.
func (c *call) wall(r *rank, b kernels.Buffer, side kernels.Side) kernels.Buffer {
	own, ok := b.(*Buffer)
	if !ok || own == nil || own.layout != nil {
		return nil
	}
	l, view := c.layout, c.view(r)
	if !l.split {
		return own.whole(r)
	}
	if side.Axis() == kernels.Y {
		if c.has(r, side) {
			return own.whole(r)
		}
		return nil
	}
	n := l.box.N
	if c.tooShort(own, l.box.WallNodes(side), "a wall array") {
		return nil
	}
	return own.partOf(r, partKey{wallValues, view, [3]int{n[0], n[2], side.Axis()}}, func() (v []float64, _ []int32) {
		if side.Axis() == kernels.X {
			for k := range n[2] {
				for row := view[0]; row < view[1]; row++ {
					v = append(v, own.floats[modulo(row, n[1])+n[1]*k])
				}
			}
			return v, nil
		}
		for row := view[0]; row < view[1]; row++ {
			v = append(v, own.floats[n[0]*modulo(row, n[1]):][:n[0]]...)
		}
		return v, nil
	})
}

// has tells whether a rank computes nodes of a side.
func (c *call) has(r *rank, side kernels.Side) bool {
	if side.Axis() != kernels.Y || !c.layout.split {
		return true
	}
	view := c.view(r)
	if side.High() {
		return view[1] == c.layout.box.N[kernels.Y]
	}
	return view[0] == 0
}

// sharers returns the ranks that own nodes of a side.
func (c *call) sharers(side kernels.Side) rows {
	switch {
	case side.Axis() != kernels.Y || !c.layout.split:
		return rows{0, c.size}
	case side.High():
		return rows{c.size - 1, c.size}
	}
	return rows{0, 1}
}

// mask returns a rank's part of a mask.
func (d *Device) mask(r *rank, l *layout, view rows, m *kernels.RowMask) *kernels.RowMask {
	if m == nil {
		return nil
	}
	index, table := d.plain(m.Index), d.plain(m.Table)
	if index == nil || table == nil {
		return nil
	}
	local, n := *m, l.box.N
	local.Table = table.whole(r)
	if view == (rows{0, n[kernels.Y]}) {
		local.Index = index.whole(r)
		return &local
	}
	if index.elem != kernels.Int32 || len(index.ints) < n[1]*n[2] {
		d.fail("a mask has %d rows, not %d", len(index.ints), n[1]*n[2])
		return nil
	}
	local.Index = index.partOf(r, partKey{maskRows, view, n}, func() (_ []float64, v []int32) {
		for k := range n[2] {
			for row := view[0]; row < view[1]; row++ {
				v = append(v, index.ints[modulo(row, n[1])+n[1]*k])
			}
		}
		return nil, v
	})
	local.Fixed[kernels.Front] = m.Fixed[kernels.Front] && view[0] == 0
	local.Fixed[kernels.Back] = m.Fixed[kernels.Back] && view[1] == n[1]
	return &local
}

// operatorKey names a rank's part of an operator.
type operatorKey struct {
	of   *kernels.Elliptic
	rows rows
}

// operator returns a rank's part of an operator.
func (c *call) operator(r *rank, a *kernels.Elliptic) *kernels.Elliptic {
	key := operatorKey{a, c.view(r)}
	local := r.operators[key]
	if local == nil {
		local = new(kernels.Elliptic)
		r.operators[key] = local
	}
	*local = *a
	local.Box = c.boxOf(r)
	if c.layout.split {
		local.Shape.Periodic[kernels.Y] = false
	}
	for _, s := range []*[3]kernels.Buffer{&local.H, &local.RH, &local.W} {
		*s = c.axes(r, *s)
	}
	for d := range local.Cells {
		if a.Cells[d] != nil {
			local.Cells[d] = c.nodes(r, a.Cells[d])
		}
	}
	for d, b := range a.Faces {
		if b != nil {
			local.Faces[d] = c.nodes(r, b)
		}
	}
	if a.Mass != nil {
		local.Mass = c.nodes(r, a.Mass)
	}
	local.Mask = c.Device.mask(r, c.layout, c.view(r), a.Mask)
	return local
}

// readOperator says that the kernel reads an operator.
func (c *call) readOperator(a *kernels.Elliptic) {
	c.readCoefficients(a)
	if a != nil {
		for _, b := range a.Faces {
			c.read(b, 1)
		}
	}
}

// readCoefficients says that the kernel reads the coefficients of an operator, but not what is made of them.
func (c *call) readCoefficients(a *kernels.Elliptic) {
	if a == nil {
		return
	}
	for d, b := range a.Cells {
		if b != nil && (d == 0 || b != a.Cells[d-1]) {
			c.read(b, 1)
		}
	}
	c.read(a.Mass, 0)
	c.copy(a.H[:]...)
	c.copy(a.RH[:]...)
	c.copy(a.W[:]...)
	c.copyMask(a.Mask)
}

// copy gives every rank whole copies of arrays that are not of nodes; nil ones stay.
func (c *call) copy(all ...kernels.Buffer) {
	for _, b := range all {
		if own, ok := b.(*Buffer); ok && own != nil && own.layout == nil && own.device == c.Device {
			own.copies()
			switch {
			case own.stale && c.queued: // what GPUs have written comes to the host where it is cut
				c.alone = true
			case own.elem != kernels.Int32:
				c.values(own)
			}
		}
	}
}

func (c *call) copyMask(m *kernels.RowMask) {
	if m != nil {
		c.copy(m.Index, m.Table)
	}
}

// periodicAxes returns what a rank's kernels are told of periodic ends.
func (c *call) periodicAxes(p [3]bool) [3]bool {
	if c.layout.split {
		p[kernels.Y] = false
	}
	return p
}
