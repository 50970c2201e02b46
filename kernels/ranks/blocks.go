package ranks

import (
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

// copyBlocks copies blocks, of each rank those that it is to get: between devices, or over the link. takers are the ranks that get something from this one on a link;
// nil: any may.
func (d *Device) copyBlocks(of func(rank int) []block, takers []int) {
	if d.link == nil {
		d.each(func(r *rank) {
			for _, b := range of(r.number) {
				r.device.CopyBlock(b.dst, b.dstBox, b.to, b.src, b.srcBox, b.from, b.n)
			}
		})
		return
	}
	own := d.any()
	if !d.ok() {
		return
	}
	var send, receive []link.Block // one for each other rank
	if takers == nil {
		takers = d.joined.all
	}
	for _, r := range takers {
		if r == own.number {
			continue
		}
		blocks, bytes := of(r), 0
		for _, b := range blocks {
			if b.owner == own.number {
				bytes += b.bytes(b.src)
			}
		}
		if bytes == 0 {
			continue
		}
		out := d.room(&d.joined.out, r, bytes)
		send = append(send, link.Block{Rank: r, Bytes: out})
		for _, b := range blocks {
			if b.owner == own.number {
				out = b.pack(out, d.joined.device.Bytes(b.src), b.srcBox, b.from, b.src.Elem().Size(), true)
			}
		}
	}
	mine := of(own.number)
	for owner := range d.size {
		bytes := 0
		for _, b := range mine {
			switch {
			case b.owner != owner:
			case owner == own.number:
				own.device.CopyBlock(b.dst, b.dstBox, b.to, b.src, b.srcBox, b.from, b.n)
			default:
				bytes += b.bytes(b.dst)
			}
		}
		if bytes > 0 {
			receive = append(receive, link.Block{Rank: owner, Bytes: d.room(&d.joined.in, owner, bytes)})
		}
	}
	if err := d.link.Exchange(send, receive); err != nil {
		d.fail("%w", err)
		return
	}
	for _, in := range receive {
		rest := in.Bytes
		for _, b := range mine {
			if b.owner == in.Rank {
				rest = b.pack(rest, d.joined.device.Bytes(b.dst), b.dstBox, b.to, b.dst.Elem().Size(), false)
			}
		}
	}
}

// bytes returns the bytes of a block of an array.
func (b *block) bytes(of kernels.Buffer) int { return b.n[0] * b.n[1] * b.n[2] * of.Elem().Size() }

// pack copies the block between an array and bytes one after the other, and returns those behind: out of the array, or into it.
func (b *block) pack(bytes, array []byte, box kernels.Box, first [3]int, size int, out bool) (rest []byte) {
	n := b.n
	if n[0] == box.Stride[kernels.Y] { // whole rows
		n[0], n[1] = n[0]*n[1], 1
	}
	for k := range n[2] {
		for j := range n[1] {
			line := array[box.Index(first[0], first[1]+j, first[2]+k)*size:][:n[0]*size]
			if out {
				copy(bytes, line)
			} else {
				copy(line, bytes)
			}
			bytes = bytes[len(line):]
		}
	}
	return bytes
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

// sumsOfAll returns the sums that each rank has of the rows that it owns, so many a row.
func (d *Device) sumsOfAll(l *layout, each int, of func(r *rank) []float64) [][]float64 {
	parts := make([][]float64, d.size)
	d.each(func(r *rank) { parts[r.number] = of(r) })
	if d.link == nil || !d.ok() {
		return parts
	}
	var sizes []int
	for _, s := range l.slabs {
		sizes = append(sizes, 8*each*rows(s.own).count())
	}
	own := parts[d.any().number]
	if 8*len(own) != sizes[d.any().number] {
		d.fail("%d sums of %d rows", len(own), rows(l.slabs[d.any().number].own).count())
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
