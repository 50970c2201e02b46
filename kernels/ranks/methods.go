package ranks

import "convect/kernels"

// RedBlack relaxes the nodes of one colour of the whole grid.
func (d *Device) RedBlack(a kernels.RedBlackArgs) {
	if a.A == nil {
		d.fail("RedBlack: the operator is missing")
		return
	}
	c := d.begin("RedBlack", a.A.Box, a.A.Shape.Periodic[kernels.Y])
	c.readOperator(a.A)
	c.read(a.U, 1)
	c.read(a.F, 0)
	c.write(1, a.U)
	c.run(func(r *rank) {
		l := a
		l.A, l.U, l.F = c.operator(r, a.A), c.nodes(r, a.U), c.nodes(r, a.F)
		if a.Colour == 0 || a.Colour == 1 {
			l.Colour = modulo(a.Colour+c.view(r)[0], 2)
		}
		r.device.RedBlack(l)
	})
}

// Transform multiplies lines along x on the rows that a rank owns, and lines along y on columns that ranks exchange.
func (d *Device) Transform(a kernels.TransformArgs) {
	d.lines("Transform", a.Box, a.Axis, a.In, a.Out, a.Matrix, func(r *rank, box kernels.Box, in, out, matrix kernels.Buffer) {
		l := a
		l.Box, l.In, l.Out, l.Matrix = box, in, out, matrix
		r.device.Transform(l)
	})
}

// FastTransform does so by fast Fourier transforms.
func (q Queued) FastTransform(a kernels.FastTransformArgs) {
	q.lines("FastTransform", a.Box, a.Axis, a.In, a.Out, a.Table, func(r *rank, box kernels.Box, in, out, table kernels.Buffer) {
		l := a
		l.Box, l.In, l.Out, l.Table = box, in, out, table
		r.device.(kernels.FastTransformer).FastTransform(l)
	})
}

// lines runs a kernel on lines of nodes along x or y, of which it writes every one.
func (d *Device) lines(kernel string, box kernels.Box, axis int, in, out, table kernels.Buffer, f func(r *rank, box kernels.Box, in, out, table kernels.Buffer)) {
	c := d.begin(kernel, box, false)
	from, isIn := in.(*Buffer)
	to, isOut := out.(*Buffer)
	if axis == kernels.Y && c.layout.split && isIn && isOut && from != nil && to != nil && d.ok() {
		d.linesAcross(c, from, to, table, f)
		return
	}
	if isOut && to != nil && out != in {
		to.leave() // it is written anew
	}
	c.read(in, 0)
	c.write(d.options.Ghosts, out)
	c.copy(table)
	c.run(func(r *rank) { f(r, c.ownBox(r), c.nodes(r, in), c.nodes(r, out), c.whole(r, table)) })
}

// linesAcross does so along y of a grid that is shared out.
func (d *Device) linesAcross(c *call, in, out *Buffer, table kernels.Buffer, f func(r *rank, box kernels.Box, in, out, table kernels.Buffer)) {
	of := d.columnsOf(c.layout, out.elem)
	if of == nil {
		return
	}
	for _, b := range []*Buffer{in, out} { // those that columns hold stay there
		if b.across != of {
			c.read(b, 0)
		} else if d.recording != nil {
			d.recording.touch(b)
		}
	}
	c.copy(table)
	if d.ok() {
		of.along(in, out, func(r *rank, box kernels.Box, in, out kernels.Buffer) { f(r, box, in, out, c.whole(r, table)) })
	}
}

// Modes solves along z in the columns of nodes that a rank owns: those of its rows or, after a transform along y, of some nodes of x.
func (d *Device) Modes(a kernels.ModesArgs) {
	if a.Turned {
		d.turnedModes(a)
		return
	}
	c := d.begin("Modes", a.Box, false)
	if x, isOne := a.X.(*Buffer); isOne && x != nil && !x.freed && x.across != nil && d.ok() {
		c.copy(a.Table)
		d.modesAcross(c, x, a)
		return
	}
	c.read(a.X, 0)
	c.write(d.options.Ghosts, a.X)
	c.write(d.options.Ghosts, a.Work)
	c.copy(a.Table)
	c.run(func(r *rank) {
		l, own := a, rows(c.layout.slabs[r.number].own)
		l.Box, l.X, l.Work = c.ownBox(r), c.nodes(r, a.X), c.nodes(r, a.Work)
		c.modesOf(r, &l, a, [2]rows{{0, a.Box.N[0]}, own})
		r.device.Modes(l)
	})
}

// modesAcross does so in columns that hold X.
func (d *Device) modesAcross(c *call, x *Buffer, a kernels.ModesArgs) {
	of := x.across
	at := of.place(x)
	work, ok := a.Work.(*Buffer)
	if !ok || work == nil || work.freed {
		d.fail("there is no room to work in")
		return
	}
	of.other(at, work)
	if d.recording != nil {
		d.recording.touch(x)
		d.recording.touch(work)
	}
	d.queue(func(r *rank) {
		if of.width(r.number) == 0 {
			return
		}
		l := a
		l.Box, l.X, l.Work = of.boxes[r.number], of.local[at][r.number], of.local[1-at][r.number]
		c.modesOf(r, &l, a, [2]rows{{of.first[r.number], of.first[r.number+1]}, {0, a.Box.N[1]}})
		r.device.Modes(l)
	})
}

// modesOf gives local arguments what the table has of some nodes of x and y.
func (c *call) modesOf(r *rank, l *kernels.ModesArgs, a kernels.ModesArgs, of [2]rows) {
	l.Table = c.whole(r, a.Table)
	table, _ := a.Table.(*Buffer)
	if !c.layout.split || table == nil || table.layout != nil || a.Entries != kernels.ModesEntries(a.Box.N) {
		return
	}
	nx, ny := a.Box.N[0], a.Box.N[1]
	l.Entries = kernels.ModesEntries(l.Box.N)
	l.Singular = a.Singular && of[0][0] == 0 && of[1][0] == 0
	// Rows of x and y name a part together.
	l.Table = table.partOf(r, partKey{modesTable, rows{of[0][0] + nx*of[1][0], of[0][1] + nx*of[1][1]}, a.Box.N}, func() (v []float64, _ []int32) {
		first := 0
		for d, n := range []int{nx, ny} {
			for range 2 {
				v = append(v, table.floats[first+of[d][0]:first+of[d][1]]...)
				first += n
			}
		}
		return append(v, table.floats[2*nx+2*ny:]...), nil
	})
}

// AxisMean takes means along the lines of an axis: on slabs where they lie in them, else on whole arrays.
func (d *Device) AxisMean(a kernels.AxisMeanArgs) {
	from, to := d.begin("AxisMean", a.From, false), d.begin("AxisMean", a.Box, false)
	if a.Axis == kernels.Y || from.layout.split != to.layout.split {
		from, to = d.beginWhole("AxisMean", a.From, false), d.beginWhole("AxisMean", a.Box, false)
	}
	from.read(a.X, 0)
	from.read(a.Spread, 0)
	to.write(0, a.Out)
	to.write(0, a.Square)
	to.wide = true // as the other one
	from.copy(a.Part)
	if !d.ok() {
		return
	}
	to.run(func(r *rank) {
		l := a
		l.Box, l.From, l.Part = to.boxOf(r), from.boxOf(r), from.whole(r, a.Part)
		l.X, l.Spread, l.Out, l.Square = from.nodes(r, a.X), from.nodes(r, a.Spread), to.nodes(r, a.Out), to.nodes(r, a.Square)
		r.device.AxisMean(l)
	})
	for _, b := range []kernels.Buffer{a.Out, a.Square} {
		if own, ok := b.(*Buffer); ok && own != nil && own.layout != nil && own.layout.split && to.stands == nil {
			own.known(0, 0, false)
		}
	}
	from.end()
}

// ownBox returns the box of the rows that a rank owns.
func (c *call) ownBox(r *rank) kernels.Box {
	return c.layout.boxOf(r.number, rows(c.layout.slabs[r.number].own))
}

// whole returns a rank's copy of an array that is not of nodes.
func (c *call) whole(r *rank, b kernels.Buffer) kernels.Buffer {
	if own, ok := b.(*Buffer); ok && own != nil && own.layout == nil {
		return own.whole(r)
	}
	return nil
}

// Reduce reduces the nodes that ranks own.
func (d *Device) Reduce(a kernels.ReduceArgs) {
	c := d.begin("Reduce", a.Box, false)
	c.read(a.X, 0)
	if a.Y != nil && (a.Kind == kernels.Dot || a.Kind == kernels.VolumeDot || a.Kind == kernels.MaxDiff) {
		c.read(a.Y, 0)
	}
	c.copy(a.W[:]...)
	c.copyMask(a.Mask)
	c.run(func(r *rank) {
		l := a
		l.Box, l.X, l.Y, l.W = c.boxOf(r), c.nodes(r, a.X), c.nodes(r, a.Y), c.axes(r, a.W)
		l.Mask = d.mask(r, c.layout, c.view(r), a.Mask)
		r.device.Reduce(l)
	})
	w := addUp
	if a.Kind == kernels.MaxAbs || a.Kind == kernels.MaxDiff {
		w = largest
	}
	d.reduced(a.Slot, c.layout, rows{0, d.size}, w)
}

// Halo fills halos along x and z; those along y are ghosts, which are fetched.
func (d *Device) Halo(a kernels.HaloArgs) {
	c := d.begin("Halo", a.Box, false)
	b := d.nodesOf(a.X, c.layout, "Halo: X")
	if b == nil {
		return
	}
	seam, wrap := b.seam, b.wrap
	c.run(func(r *rank) {
		l, view := a, c.view(r)
		if c.layout.split {
			view = c.layout.view(r.number, a.Periodic[kernels.Y])
		}
		l.Box, l.X, l.Periodic = c.layout.boxOf(r.number, view), c.nodes(r, a.X), c.periodicAxes(a.Periodic)
		r.device.Halo(l)
	})
	switch b.seam, b.wrap = seam, wrap; {
	case !c.layout.split || !a.Periodic[kernels.Y]:
		b.wrap = 0
	default:
		b.need(a.Width, true)
	}
}

// Fill sets every element.
func (d *Device) Fill(a kernels.FillArgs) {
	b := d.find(a.X, "Fill: X")
	if b == nil {
		return
	}
	b.copies()
	if d.ok() {
		d.queue(func(r *rank) { r.device.Fill(kernels.FillArgs{X: b.local[r.number], Value: a.Value}) })
		b.changed()
	}
}

// changed says that kernels have written a whole buffer, ghosts and all.
func (b *Buffer) changed() {
	if b.layout == nil {
		b.stale = b.elem != kernels.Int32
		b.writes++
		return
	}
	b.seam, b.wrap = b.device.options.Ghosts, b.device.options.Ghosts
}

// alike gives buffers that are not yet of nodes the layout of one among them that is, if their lengths are the same.
func (d *Device) alike(all ...*Buffer) {
	var l *layout
	for _, b := range all {
		if b != nil && b.layout != nil {
			l = b.layout
		}
	}
	for _, b := range all {
		if b == nil {
			continue
		}
		if l != nil && b.layout == nil && b.n == l.box.Len {
			if err := b.place(l); err != nil {
				d.fail("%w", err)
			}
		}
		b.copies()
	}
}

// Copy copies all elements.
func (d *Device) Copy(a kernels.CopyArgs) {
	dst, src := d.find(a.Dst, "Copy: Dst"), d.find(a.Src, "Copy: Src")
	if dst == nil || src == nil {
		return
	}
	d.alike(dst, src)
	if !d.ok() {
		return
	}
	d.queue(func(r *rank) { r.device.Copy(kernels.CopyArgs{Dst: dst.local[r.number], Src: src.local[r.number]}) })
	if dst.elem == kernels.Int32 {
		dst.ints = append([]int32(nil), src.ints...)
	}
	src.ask(0, dst.expected("Copy"))
	dst.changed()
	dst.written("Copy", src.most())
	if dst.seam, dst.wrap = src.seam, src.wrap; dst.layout != nil {
		dst.prove(false)
	}
}

// Combine computes a sum of up to four scaled buffers.
func (d *Device) Combine(a kernels.CombineArgs) {
	all := []*Buffer{d.find(a.Out, "Combine: Out")}
	for _, x := range a.X {
		if x == nil {
			continue
		}
		all = append(all, d.find(x, "Combine: X"))
	}
	if a.By != [4]kernels.Ratio{} {
		d.fail("Combine: ranks take no ratios, since a slot is the sum of theirs")
	}
	if !d.ok() {
		return
	}
	d.alike(all...)
	if !d.ok() {
		return
	}
	d.queue(func(r *rank) {
		l := kernels.CombineArgs{Out: all[0].local[r.number], C: a.C}
		n := 1
		for m, x := range a.X {
			if x != nil {
				l.X[m] = all[n].local[r.number]
				n++
			}
		}
		r.device.Combine(l)
	})
	seam, wrap, could, read := d.options.Ghosts, d.options.Ghosts, d.options.Ghosts, all[0].expected("Combine")
	for _, x := range all[1:] {
		if x.layout != nil {
			x.ask(0, read)
			seam, wrap, could = min(seam, x.seam), min(wrap, x.wrap), min(could, x.most())
		}
	}
	all[0].changed()
	all[0].written("Combine", could)
	if all[0].layout != nil {
		all[0].seam, all[0].wrap = seam, wrap
		all[0].prove(false)
	}
}

// AdvectMeasured computes the gain by advection and the sums of a step: one after the other, whose bits are those of one device, or in one pass where sums of rows are not told.
func (d *Device) AdvectMeasured(a kernels.AdvectMeasuredArgs) {
	if a.A == nil {
		d.fail("AdvectMeasured: the operator is missing")
		return
	}
	d.within("AdvectMeasured", func() { d.advectMeasured(a) })
}

func (d *Device) advectMeasured(a kernels.AdvectMeasuredArgs) {
	if d.queued && (a.Flow.A == nil || d.asked().ComputesFlow(a)) {
		d.advectOnSlabs(a)
		return
	}
	if a.Flow.A != nil {
		d.DarcyFlux(a.Flow)
		if a.Periodic != [3]bool{} {
			for _, q := range a.Q {
				if q != nil {
					d.Halo(kernels.HaloArgs{Box: a.Box, X: q, Periodic: a.Periodic, Width: 1})
				}
			}
		}
	}
	if a.Flow.A = nil; d.queued {
		d.advectOnSlabs(a)
		return
	}
	d.Advect(a.AdvectArgs)
	d.FlowStatistics(kernels.FlowStatisticsArgs{Box: a.Box, W: a.W, Q: a.Q, Periodic: a.Periodic, Slot: a.Slot})
	d.HeatFlux(kernels.HeatFluxArgs{A: a.A, Axis: a.Axis, Q: a.Q[a.Axis], T: a.T, Periodic: a.Periodic, Scheme: a.Scheme,
		Slot: a.Slot + kernels.MeasuredHeatFlux})
	if a.Enclosed {
		d.Dissipation(kernels.DissipationArgs{A: a.A, T: a.T, Periodic: a.Periodic, Slot: a.Slot + kernels.MeasuredDissipation})
	}
	content := kernels.ReduceArgs{Kind: kernels.VolumeSum, Box: a.Box, X: a.T, W: a.W, Slot: a.Slot + kernels.MeasuredContent}
	if a.A.Mass != nil {
		content.Kind, content.Y = kernels.Dot, a.A.Mass
	}
	d.Reduce(content)
	d.Reduce(kernels.ReduceArgs{Kind: kernels.Sum, Box: a.Box, X: a.Out, Slot: a.Slot + kernels.MeasuredGain})
}
