package ranks

import "convect/kernels"

// between is a transfer where rows of the coarse grid lie between those of the fine one, so that slabs of the one do not begin where those of the other do. A rank makes the
// coarse rows at its own fine ones in an array of the whole coarse grid, from which each gets what it holds, and on the way up gets what it needs in such an array.
type between struct {
	fine, coarse *call
	x, c         *Buffer // of the fine and of the coarse grid
	whole        *Buffer // c where every rank has it whole, else what stands for it
	cells        [2]int  // of y, fine and coarse
}

// betweenReach is how many fine rows beyond its own those are that the coarse rows at them take.
const betweenReach = 2

// goesBetween tells whether a transfer is one of these: not Inject, whose rows lie beyond periodic ends.
func (d *Device) goesBetween(a *kernels.TransferArgs) bool {
	return a.Factor[kernels.Y] == kernels.Between && d.layoutOf(a.Fine).split
}

// transferBetween is transfer for those. above is how many coarse rows around the two beside it a fine row takes.
func (d *Device) transferBetween(kernel string, a kernels.TransferArgs, down bool, above int, f func(kernels.Device, kernels.TransferArgs)) {
	periodic := a.Periodic[kernels.Y]
	t := &between{fine: d.begin(kernel, a.Fine, periodic), coarse: d.begin(kernel, a.Coarse, periodic)}
	t.x, t.c = t.fine.nodesOf(a.FineX, t.fine.shared, "FineX"), t.coarse.nodesOf(a.CoarseX, t.coarse.shared, "CoarseX")
	t.fine.copyMask(a.Mask)
	t.cells = [2]int{cellsOf(a.Fine, periodic), cellsOf(a.Coarse, periodic)}
	if !d.ok() || !t.stand() {
		return
	}
	defer t.end()
	target := t.x.layout // of the array that is written, and of the mask
	if down {
		target = t.whole.layout
	}
	run := func(of func(rank int) rows) {
		t.fine.queue(func(r *rank) {
			l := a
			l.Fine, l.Coarse, l.Rows = t.x.layout.wholeBox(r.number), t.whole.layout.wholeBox(r.number), of(r.number)
			l.FineX, l.CoarseX, l.Mask = t.x.local[r.number], t.whole.local[r.number], d.mask(r, target, rows{0, target.box.N[kernels.Y]}, a.Mask)
			if rows(l.Rows).count() > 0 {
				f(r.device, l)
			}
		})
	}
	if down {
		t.x.need(betweenReach, periodic)
		run(t.share)
		t.deliver()
		return
	}
	if t.whole != t.c {
		d.carryNodes(t.whole, t.c, func(rank int) []move { return t.taken(rank, above) })
	}
	seam := t.x.seam
	if a.Replaces {
		seam = d.options.Ghosts
	}
	run(t.target)
	t.x.known(min(seam, d.options.Ghosts), 0, periodic)
}

// cellsOf returns the cells of y.
func cellsOf(b kernels.Box, periodic bool) int {
	if periodic {
		return b.N[kernels.Y]
	}
	return b.N[kernels.Y] - 1
}

// stand sees to an array of the whole coarse grid, and tells whether there is one.
func (t *between) stand() bool {
	if t.whole = t.c; t.c.layout.split {
		t.whole = t.coarse.standing(t.coarse.wholeOf(t.c.layout.box), t.c)
	}
	return t.whole != nil
}

// end gives it back.
func (t *between) end() {
	if t.whole != t.c {
		t.coarse.giveBack(t.whole)
	}
}

// share returns the coarse rows at those that a rank owns of the fine grid.
func (t *between) share(rank int) rows {
	own := t.x.layout.slabs[rank].own
	at := func(row int) int { return (row*t.cells[1] + t.cells[0] - 1) / t.cells[0] }
	if own[1] == t.x.layout.box.N[kernels.Y] {
		return rows{at(own[0]), t.c.layout.box.N[kernels.Y]}
	}
	return rows{at(own[0]), at(own[1])}
}

// target returns the fine rows that a rank computes: all it holds, but those beyond the ends.
func (t *between) target(rank int) rows { return t.x.layout.view(rank, false) }

// deliver gives each rank the coarse rows that others have computed.
func (t *between) deliver() {
	d := t.fine.Device
	shares := make([]rows, d.size)
	for r := range shares {
		shares[r] = t.share(r)
	}
	if t.whole == t.c {
		t.c.deliver(shares)
		return
	}
	d.carryNodes(t.c, t.whole, func(rank int) (all []move) {
		held := t.c.layout.slabs[rank].held
		for row := held[0]; row < held[1]; row++ {
			from := row
			if t.coarse.periodic {
				from = modulo(row, t.cells[1])
			}
			for owner, s := range shares {
				if from >= s[0] && from < s[1] {
					all = add(all, owner, from, row)
				}
			}
		}
		return all
	})
	t.c.known(d.options.Ghosts, d.options.Ghosts, t.coarse.periodic)
}

// taken returns the coarse rows that the fine ones take which a rank computes.
func (t *between) taken(rank, above int) (all []move) {
	to, n := t.target(rank), t.c.layout.box.N[kernels.Y]
	low, high := to[0]*t.cells[1]/t.cells[0]-above, (to[1]-1)*t.cells[1]/t.cells[0]+2+above
	if above > 0 && !t.coarse.periodic { // next to walls cubic polynomials go through as many
		low, high = min(low, n-2-2*above), max(high, 2+2*above)
	}
	for row := low; row < high; row++ {
		at := row
		if t.coarse.periodic {
			at = modulo(row, n)
		}
		if at >= 0 && at < n && !has(all, at) {
			all = add(all, t.c.layout.owner(at), at, at)
		}
	}
	return all
}

// has tells whether a row is among moves.
func has(all []move, row int) bool {
	for _, m := range all {
		if row >= m.to && row < m.to+m.count {
			return true
		}
	}
	return false
}

// wholeBox returns the box of the whole grid in which a rank's array has the rows that it holds.
func (l *layout) wholeBox(rank int) kernels.Box {
	s := l.slabs[rank]
	b := s.box
	b.Origin = b.Index(0, -s.held[0], 0)
	b.N[kernels.Y] = l.box.N[kernels.Y]
	return b
}
