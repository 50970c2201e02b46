package ranks

import (
	"slices"
	"unsafe"

	"convect/kernels"
	"convect/kernels/link"
)

// block is a block of nodes, halos among them, that a rank gets from one that has it.
type block struct {
	owner          int
	dst, src       kernels.Buffer // nil of ranks that are not here
	dstBox, srcBox kernels.Box
	to, from, n    [3]int // nodes
}

// fromBlock returns where a block comes from, and toBlock where it goes.
func (b *block) fromBlock() kernels.Block {
	return kernels.Block{Array: b.src, Box: b.srcBox, First: b.from, N: b.n}
}
func (b *block) toBlock() kernels.Block {
	return kernels.Block{Array: b.dst, Box: b.dstBox, First: b.to, N: b.n}
}

// ends returns one end of the blocks that come from a rank, and their bytes.
func ends(owner int, blocks []block, end func(*block) kernels.Block) (all []kernels.Block, bytes int) {
	for n := range blocks {
		if b := &blocks[n]; b.owner == owner {
			all = append(all, end(b))
			bytes += all[len(all)-1].Bytes()
		}
	}
	return all, bytes
}

// gives returns what a rank has of blocks that another gets, and gets where blocks go that a rank gets from another; with their bytes.
func gives(owner int, blocks []block) ([]kernels.Block, int) {
	return ends(owner, blocks, (*block).fromBlock)
}
func gets(owner int, blocks []block) ([]kernels.Block, int) {
	return ends(owner, blocks, (*block).toBlock)
}

// copies returns the copies of blocks from some owners.
func copies(blocks []block, from func(owner int) bool) (all []kernels.Copy) {
	for n := range blocks {
		if b := &blocks[n]; from(b.owner) {
			all = append(all, kernels.Copy{To: b.toBlock(), From: b.fromBlock()})
		}
	}
	return all
}

// anyone is every owner.
func anyone(int) bool { return true }

// copyBlocks copies blocks, of each rank those that it is to get: between devices that reach each other, through the host, or over the link. takers are the ranks that
// get something from this one on a link; nil: any may.
func (d *Device) copyBlocks(of func(rank int) []block, takers []int) {
	switch {
	case d.link != nil:
		d.sendBlocks(of, takers)
	case d.apart:
		d.stageBlocks(of)
	case !d.queued:
		d.each(func(r *rank) { r.device.CopyBlocks(copies(of(r.number), anyone)) })
	default:
		all := make([][]block, d.size)
		for r := range all {
			all[r] = of(r)
		}
		d.passBlocks(all)
	}
}

// passBlocks copies blocks from GPU to GPU. What owners have queued comes first, and what they will queue after the copies.
func (d *Device) passBlocks(all [][]block) {
	if d.meeting != nil {
		of := func(taker, owner int) []kernels.Copy {
			return copies(all[taker], func(o int) bool { return o == owner })
		}
		d.queue(func(r *rank) { d.meeting.CopyBlocks(r.number, of) })
		return
	}
	owners := func(taker int) func(int) bool { return func(owner int) bool { return from(owner, all[taker]) } }
	takers := func(owner int) func(int) bool { return func(taker int) bool { return from(owner, all[taker]) } }
	d.queue(give)
	d.queue(func(r *rank) {
		d.take(r, owners(r.number))
		r.device.CopyBlocks(copies(all[r.number], anyone))
	})
	d.queue(give)
	d.queue(func(r *rank) { d.take(r, takers(r.number)) })
}

// others returns the numbers of the ranks beside one of which something is true.
func (d *Device) others(r *rank, of func(rank int) bool) (all []int) {
	for _, o := range d.ranks {
		if o != r && of(o.number) {
			all = append(all, o.number)
		}
	}
	return all
}

// give notes what a rank has queued, and take lets a rank wait for what some others have given.
func give(r *rank) { r.device.(kernels.Queuer).Give() }
func (d *Device) take(r *rank, of func(rank int) bool) {
	for _, o := range d.others(r, of) {
		r.device.(kernels.Queuer).Take(d.ranks[o].device)
	}
}

// from tells whether some blocks come from a rank.
func from(owner int, blocks []block) bool {
	return slices.ContainsFunc(blocks, func(b block) bool { return b.owner == owner })
}

// stageBlocks copies blocks through the host, where devices do not reach each other.
func (d *Device) stageBlocks(of func(rank int) []block) {
	all := make([][]block, d.size)
	for r := range all {
		all[r] = of(r)
	}
	if d.staged == nil {
		d.staged = make([][][]byte, d.size)
	}
	d.each(func(r *rank) {
		for taker := range d.size {
			if blocks, bytes := gives(r.number, all[taker]); taker != r.number && bytes > 0 {
				r.device.PackBlocks(d.room(&d.staged[r.number], taker, bytes), blocks)
			}
		}
	})
	d.each(func(r *rank) {
		r.device.CopyBlocks(copies(all[r.number], func(owner int) bool { return owner == r.number }))
		for owner := range d.size {
			if blocks, bytes := gets(owner, all[r.number]); owner != r.number && bytes > 0 {
				r.device.UnpackBlocks(blocks, d.staged[owner][r.number][:bytes])
			}
		}
	})
}

// parcels returns the blocks that this rank sends to others, and those that it gets from them; takers as for copyBlocks.
func (d *Device) parcels(of func(rank int) []block, takers []int) (send, receive []kernels.Parcel, mine []block) {
	own := d.any().number
	if takers == nil {
		takers = d.joined.all
	}
	for _, r := range takers {
		if r == own {
			continue
		}
		if blocks, bytes := gives(own, of(r)); bytes > 0 {
			send = append(send, kernels.Parcel{Rank: r, Blocks: blocks})
		}
	}
	mine = of(own)
	for owner := range d.size {
		if blocks, bytes := gets(owner, mine); owner != own && bytes > 0 {
			receive = append(receive, kernels.Parcel{Rank: owner, Blocks: blocks})
		}
	}
	return send, receive, mine
}

// sendBlocks sends blocks to other processes: from device to device, or over the link.
func (d *Device) sendBlocks(of func(rank int) []block, takers []int) {
	own := d.any()
	if !d.ok() {
		return
	}
	send, receive, mine := d.parcels(of, takers)
	within := copies(mine, func(owner int) bool { return owner == own.number })
	if d.joined.way != nil {
		if d.known = false; d.recording != nil && d.recording.spoiled {
			return
		}
		d.joined.way.Exchange(within, send, receive)
		return
	}
	var out, in []link.Block
	for n := range send {
		p := &send[n]
		out = append(out, link.Block{Rank: p.Rank, Bytes: d.room(&d.joined.out, p.Rank, p.Bytes())})
		own.device.PackBlocks(out[n].Bytes, p.Blocks)
	}
	own.device.CopyBlocks(within)
	for n := range receive {
		p := &receive[n]
		in = append(in, link.Block{Rank: p.Rank, Bytes: d.room(&d.joined.in, p.Rank, p.Bytes())})
	}
	if err := d.link.Exchange(out, in); err != nil {
		d.fail("%w", err)
		return
	}
	for n := range receive {
		own.device.UnpackBlocks(receive[n].Blocks, in[n].Bytes)
	}
}

// room returns room for so many bytes to or from a rank, which is used again.
func (d *Device) room(of *[][]byte, rank, bytes int) []byte {
	if *of == nil {
		*of = make([][]byte, d.size)
	}
	if len((*of)[rank]) < bytes {
		(*of)[rank] = make([]byte, bytes)
	}
	return (*of)[rank][:bytes]
}

// bytesOf returns the memory of numbers.
func bytesOf[T float32 | float64 | int32](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}

// collect returns n numbers of a rank: where it is here those that of returns, else what comes over the link. On a link only rank 0 gets some.
func collect[T float32 | float64](d *Device, number, n int, of func() []T) []T {
	here := d.here(number)
	switch {
	case here != nil && (d.link == nil || number == 0):
		return of()
	case here != nil:
		d.pass([]link.Block{{Rank: 0, Bytes: bytesOf(of())}}, nil)
	case d.link.Rank() == 0:
		v := make([]T, n)
		d.pass(nil, []link.Block{{Rank: number, Bytes: bytesOf(v)}})
		return v
	}
	return nil
}

// pass exchanges blocks, and keeps a failure.
func (d *Device) pass(send, receive []link.Block) {
	if err := d.link.Exchange(send, receive); err != nil {
		d.fail("%w", err)
	}
}

// deal gives each rank as many numbers as count says: those that part returns, on a link at rank 0.
func (d *Device) deal(count func(rank int) int, part func(rank int) []float64, take func(r *rank, part []float64)) {
	if d.link == nil {
		d.each(func(r *rank) {
			if count(r.number) > 0 {
				take(r, part(r.number))
			}
		})
		return
	}
	own := d.any()
	if own.number > 0 {
		if n := count(own.number); n > 0 {
			v := make([]float64, n)
			d.pass(nil, []link.Block{{Rank: 0, Bytes: bytesOf(v)}})
			take(own, v)
		}
		return
	}
	for r := d.size - 1; r >= 0; r-- {
		switch {
		case count(r) == 0:
		case r == 0:
			take(own, part(r))
		default:
			d.pass([]link.Block{{Rank: r, Bytes: bytesOf(part(r))}}, nil)
		}
	}
}

// hasHost tells whether what goes to the host or comes from it is here: on a link rank 0 has it.
func (d *Device) hasHost() bool { return d.link == nil || d.link.Rank() == 0 }

// tell gives all ranks the numbers of rank 0.
func (d *Device) tell(v []float64) {
	if d.link == nil {
		return
	}
	if err := link.Spread(d.link, bytesOf(v)); err != nil {
		d.fail("%w", err)
	}
}

// sumsOfAll returns the sums that each rank has of the rows that it owns, so many of each row, or of all.
func (d *Device) sumsOfAll(l *layout, each int, of func(r *rank) []float64) [][]float64 {
	parts := make([][]float64, d.size)
	d.each(func(r *rank) { parts[r.number] = of(r) })
	if d.link == nil || !d.ok() {
		return parts
	}
	var sizes []int
	for _, s := range l.slabs {
		n := 1
		if d.any().device.SumsRows() { // so do the others
			n = rows(s.own).count()
		}
		sizes = append(sizes, 8*each*n)
	}
	own := parts[d.any().number]
	if 8*len(own) != sizes[d.any().number] {
		d.fail("%d sums for %d rows", len(own), rows(l.slabs[d.any().number].own).count())
		own = make([]float64, sizes[d.any().number]/8)
	}
	all, err := link.GatherAll(d.link, bytesOf(own), sizes)
	if err != nil {
		d.fail("%w", err)
		return parts
	}
	for r, bytes := range sizes {
		parts[r] = make([]float64, bytes/8)
		copy(bytesOf(parts[r]), all[:bytes])
		all = all[bytes:]
	}
	return parts
}
