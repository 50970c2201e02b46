package ranks

import (
	"errors"
	"slices"

	"convect/kernels"
)

// nodesOf returns a buffer as one of nodes laid out by a box, or nil after a failure.
func (d *Device) nodesOf(b kernels.Buffer, l *layout, name string) *Buffer {
	own := d.find(b, name)
	if own == nil {
		return nil
	}
	if own.layout == nil && own.n < l.box.Len {
		d.fail("%s has %d elements, not %d", name, own.n, l.box.Len)
		return nil
	}
	if err := own.place(l); err != nil {
		d.fail("%s: %w", name, err)
		return nil
	}
	return own
}

// UploadBox copies [z][y][x] values of the nodes into an array, or into a part of one: of each rank its rows and the ghosts.
func (d *Device) UploadBox(dst kernels.Buffer, box kernels.Box, src []float64) {
	l, first := d.partOf(dst, box)
	b := d.nodesOf(dst, l, "UploadBox: the array")
	if b == nil {
		return
	}
	if len(src) != box.Nodes() && d.hasHost() {
		d.fail("UploadBox: %d values for %d nodes", len(src), box.Nodes())
		return
	}
	nx, ny, nz := box.N[0], box.N[1], box.N[2]
	to := func(rank int) rows {
		view := l.view(rank, false)
		return rows{max(view[0], first[1]), min(view[1], first[1]+ny)}
	}
	d.deal(func(rank int) int { return max(to(rank).count(), 0) * nx * nz }, func(rank int) []float64 {
		of := to(rank)
		local := make([]float64, 0, nx*of.count()*nz)
		for k := range nz {
			at := nx * (of[0] - first[1] + ny*k)
			local = append(local, src[at:at+nx*of.count()]...)
		}
		return local
	}, func(r *rank, local []float64) {
		r.device.UploadBox(b.local[r.number], l.partBox(r.number, to(r.number), first, box.N), local)
	})
	b.walled = false
	// Halos along x and z are old at ghosts too: Halo fills them.
	if box.N == l.box.N {
		b.seam = d.options.Ghosts
		b.written("", b.seam)
	}
	b.wrap = 0
}

// partBox returns the box of some rows of a rank's arrays, of so many nodes along x and z from a first one on.
func (l *layout) partBox(rank int, of rows, first, n [3]int) kernels.Box {
	b := l.boxOf(rank, of)
	b.N[kernels.X], b.N[kernels.Z] = n[0], n[2]
	b.Origin = b.Index(first[0], 0, first[2])
	return b
}

// DownloadBox copies the nodes to the host as [z][y][x].
func (d *Device) DownloadBox(dst []float64, src kernels.Buffer, box kernels.Box) error {
	return download(d, dst, src, box, kernels.Device.DownloadBox)
}

// DownloadBox32 is DownloadBox with values rounded to float32.
func (d *Device) DownloadBox32(dst []float32, src kernels.Buffer, box kernels.Box) error {
	return download(d, dst, src, box, kernels.Device.DownloadBox32)
}

func download[T float32 | float64](d *Device, dst []T, src kernels.Buffer, box kernels.Box, of func(kernels.Device, []T, kernels.Buffer, kernels.Box) error) error {
	if err := d.Sync(); err != nil {
		return err
	}
	l, first := d.partOf(src, box)
	b := d.nodesOf(src, l, "DownloadBox: the array")
	if b == nil || len(dst) != box.Nodes() && d.hasHost() {
		d.fail("DownloadBox: %d values for %d nodes", len(dst), box.Nodes())
		return d.why()
	}
	nx, ny, nz := box.N[0], box.N[1], box.N[2]
	errs := make([]error, d.size)
	one := func(number int) {
		from := rows{max(l.slabs[number].own[0], first[1]), min(l.slabs[number].own[1], first[1]+ny)}
		if from.count() <= 0 || !l.split && number > 0 {
			return
		}
		local := collect(d, number, nx*from.count()*nz, func() []T {
			r, local := d.here(number), make([]T, nx*from.count()*nz)
			errs[number] = of(r.device, local, b.local[number], l.partBox(number, from, first, box.N))
			return local
		})
		for k := range nz {
			if local != nil {
				copy(dst[nx*(from[0]-first[1]+ny*k):], local[nx*from.count()*k:][:nx*from.count()])
			}
		}
	}
	if d.link == nil {
		d.each(func(r *rank) { one(r.number) })
		return errors.Join(errs...)
	}
	for number := range d.size {
		one(number)
	}
	return errors.Join(append(errs, d.why())...)
}

// partOf returns the layout of an array and the first node of a box that is a part of it, or the whole.
func (d *Device) partOf(b kernels.Buffer, box kernels.Box) (l *layout, first [3]int) {
	own, ok := b.(*Buffer)
	if !ok || own == nil || own.layout == nil || own.layout.box.Stride != box.Stride || own.layout.box.Len != box.Len || box.Origin < own.layout.box.Origin {
		return d.layoutOf(box), first
	}
	at := box.Origin - own.layout.box.Origin
	first[2], at = at/box.Stride[2], at%box.Stride[2]
	if first[0] = at; box.Stride[1] > 0 {
		first[1], first[0] = at/box.Stride[1], at%box.Stride[1]
	}
	return own.layout, first
}

// move is some rows that a rank gets from another, or itself, which has them in its array.
type move struct {
	owner    int
	from, to int // rows of the whole
	count    int
}

// add adds a row to moves: to the last one if it follows.
func add(all []move, owner, from, to int) []move {
	if n := len(all) - 1; n >= 0 {
		if m := &all[n]; m.owner == owner && m.from+m.count == from && m.to+m.count == to {
			m.count++
			return all
		}
	}
	return append(all, move{owner, from, to, 1})
}

// carry moves rows of arrays into others, with their halos along x and z, of each rank those that it is to get. No rank may get rows that another takes from it.
func (d *Device) carry(dst, src *Buffer, of func(rank int) []move) {
	d.copyBlocks(func(rank int) []block { return carried(nil, dst, src, rank, of(rank)) }, nil)
}

// carryNodes is carry without halos.
func (d *Device) carryNodes(dst, src *Buffer, of func(rank int) []move) {
	d.copyBlocks(func(rank int) []block { return rowBlocks(nil, dst, src, rank, of(rank), 0) }, nil)
}

// carried appends the blocks of moves to those that a rank gets, halos among them.
func carried(all []block, dst, src *Buffer, rank int, moves []move) []block {
	return rowBlocks(all, dst, src, rank, moves, kernels.HaloWidth)
}

// rowBlocks appends the blocks of moves, with so many layers of halo along x and z.
func rowBlocks(all []block, dst, src *Buffer, rank int, moves []move, halo int) []block {
	to := dst.layout.slabs[rank]
	nx := to.box.N[kernels.X]
	if halo > 0 {
		nx = to.box.Stride[kernels.Y]
	}
	for _, m := range moves {
		from := src.layout.slabs[m.owner]
		all = append(all, block{m.owner, dst.local[rank], src.local[m.owner], to.box, from.box, [3]int{-halo, m.to - to.held[0], -halo}, [3]int{-halo, m.from - from.held[0], -halo},
			[3]int{nx, m.count, to.box.N[kernels.Z] + 2*halo}})
	}
	return all
}

// fetch is an array of nodes whose ghosts are to be fetched: those of neighbours, and with periodic ends those of the other end. Without, the halos at the ends of the
// whole come along. In an array that every rank has whole the rows beyond periodic ends are filled.
type fetch struct {
	b        *Buffer
	periodic bool
	rows     int // that are wanted
	width    int // rows that are fetched
}

// want notes that more ghosts are wanted, if fewer than so many are right; exchange fetches them, and as many more as would be of use.
func (b *Buffer) want(reach, more int, periodic bool) {
	b.ask(reach, more)
	if b.seam >= reach && !(periodic && b.wrap < reach) || b.layout.box.Flat() {
		return
	}
	d := b.device
	for n := range d.wanted {
		if w := &d.wanted[n]; w.b == b {
			w.periodic, w.rows = w.periodic || periodic, max(w.rows, reach+more)
			return
		}
	}
	d.wanted = append(d.wanted, fetch{b: b, periodic: periodic, rows: reach + more})
}

// exchange fetches all ghosts that are wanted, so that ranks wait for each other once. Arrays of float64 come first: the blocks of all lie one after the other where they
// pass through the host.
func (d *Device) exchange() {
	all := d.wanted
	if len(all) == 0 {
		return
	}
	d.wanted = d.wanted[:0]
	writer := d.kernel + "ghosts"
	for n := range all {
		all[n].width = all[n].b.width(writer, all[n].rows)
	}
	slices.SortStableFunc(all, func(a, b fetch) int { return b.b.elem.Size() - a.b.elem.Size() })
	var takers []int
	if d.link != nil {
		for _, f := range all {
			takers = append(takers, f.b.layout.takers(d.link.Rank(), ghostsOf{f.periodic, f.width})...)
		}
		slices.Sort(takers)
		if takers = slices.Compact(takers); takers == nil {
			takers = []int{} // nobody; nil would be all
		}
	}
	if !d.ok() { // an array may have been freed
		return
	}
	d.copyBlocks(func(rank int) (blocks []block) {
		for _, f := range all {
			blocks = carried(blocks, f.b, f.b, rank, f.b.layout.ghosts(rank, ghostsOf{f.periodic, f.width}))
		}
		return blocks
	}, takers)
	for _, f := range all {
		if f.b.seam, f.b.walled = max(f.b.seam, f.width), false; f.periodic {
			f.b.wrap = max(f.b.wrap, f.width)
		}
		f.b.written(writer, d.options.Ghosts)
		f.b.ask(0, f.rows)
	}
}

// ghostsOf says which ghosts: so many of each neighbour, and with periodic ends those of the other end.
type ghostsOf struct {
	periodic bool
	width    int
}

// ghosts returns the moves that fetch the ghosts of a rank.
func (l *layout) ghosts(rank int, of ghostsOf) (all []move) {
	l.guard.Lock()
	defer l.guard.Unlock()
	key := ghostsKey{rank, of}
	if known, ok := l.fetched[key]; ok {
		return known
	}
	s := l.slabs[rank]
	held := s.held
	if l.split && of.width < s.own[0]-s.held[0] {
		held = [2]int{s.own[0] - of.width, s.own[1] + of.width}
	}
	for row := held[0]; row < held[1]; row++ {
		from, exists := l.source(row, of.periodic)
		owner := rank
		if l.split {
			owner = l.owner(from)
		}
		own := row >= s.own[0] && row < s.own[1]
		if exists && !own && !(owner == rank && from == row) {
			all = add(all, owner, from, row)
		}
	}
	l.fetched[key] = all
	return all
}

// takers returns the ranks that get ghosts from one.
func (l *layout) takers(owner int, of ghostsOf) []int {
	key := ghostsKey{owner, of}
	if known, ok := l.taken[key]; ok {
		return known
	}
	all := []int{}
	for r := range l.slabs {
		if slices.ContainsFunc(l.ghosts(r, of), func(m move) bool { return m.owner == owner }) {
			all = append(all, r)
		}
	}
	l.taken[key] = all
	return all
}

// source returns the row that a row beyond the ends repeats, or is; false where it lies beyond the halo of a wall.
func (l *layout) source(row int, periodic bool) (from int, exists bool) {
	n := l.box.N[kernels.Y]
	if periodic {
		return modulo(row, n), true
	}
	return row, row >= -kernels.HaloWidth && row < n+kernels.HaloWidth
}

// deliver gives every rank the rows that the others have computed of an array that all have whole.
func (b *Buffer) deliver(shares []rows) {
	b.device.carry(b, b, func(rank int) (all []move) {
		for owner, share := range shares {
			if owner != rank && share.count() > 0 {
				all = append(all, move{owner, share[0], share[0], share.count()})
			}
		}
		return all
	})
	b.seam, b.wrap = b.device.options.Ghosts, 0
	b.written("", b.seam)
}

// withHalos returns the rows that a rank owns, and the halos at the ends of the whole with them.
func (l *layout) withHalos(rank int) rows {
	own := rows(l.slabs[rank].own)
	if own[0] == 0 {
		own[0] = -kernels.HaloWidth
	}
	if own[1] == l.box.N[kernels.Y] {
		own[1] += kernels.HaloWidth
	}
	return own
}

// gather fills a whole array on every rank with the rows that all own.
func (b *Buffer) gather(whole *Buffer) {
	b.device.carry(whole, b, func(int) (all []move) {
		for owner := range b.layout.slabs {
			own := b.layout.withHalos(owner)
			all = append(all, move{owner, own[0], own[0], own.count()})
		}
		return all
	})
}

// scatter takes the rows that ranks hold from a whole array on every rank.
func (b *Buffer) scatter(whole *Buffer) {
	l, n := b.layout, b.layout.box.N[kernels.Y]
	b.device.carry(b, whole, func(rank int) []move {
		held := l.slabs[rank].held
		first, last := max(held[0], -kernels.HaloWidth), min(held[1], n+kernels.HaloWidth)
		return []move{{rank, first, first, last - first}}
	})
	b.seam, b.wrap = b.device.options.Ghosts, 0
	b.written("", b.seam)
}
