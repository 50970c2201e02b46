package ranks

import (
	"fmt"
	"slices"

	"convect/kernels"
)

// Buffer is an array of all ranks. What it is shows when it is first used: an array of nodes, of which each rank has what its layout says, or another, which every
// rank has whole.
type Buffer struct {
	device *Device
	number uint64 // by which ranks on a link name it
	elem   kernels.Elem
	n      int
	freed  bool
	local  []kernels.Buffer // by rank; nil until they are needed

	// Of nodes: their layout, and how many ghosts are right, of neighbours within the grid and of those beyond its periodic ends.
	layout     *layout
	seam, wrap int
	across     *columns // that hold its values; nil: they are in its rows
	walled     bool     // what faces conduct, with nothing conducted beyond the last row that a rank computes

	// Of nodes: the kernel that has written the array, how many ghosts could be right if all had been computed, the most that were read since, and what was read before.
	writer string
	could  int
	asked  int
	uses   map[string]*use

	// Of others, and of nodes before their layout is known: the values on the host, nil for zeros. stale: those on the ranks are newer.
	floats []float64
	ints   []int32
	stale  bool
	parts  []map[partKey]*part // by rank
	writes int                 // counts the changes of the values
}

// partKey names a part of an array that is not of nodes.
type partKey struct {
	kind  kind
	rows  rows
	shape [3]int // of the whole box
}

// part is a copy of a part on a rank, as of some number of writes.
type part struct {
	buffer kernels.Buffer
	writes int
}

// Elem returns the element type.
func (b *Buffer) Elem() kernels.Elem { return b.elem }

// Len returns the number of elements.
func (b *Buffer) Len() int { return b.n }

// Alloc returns n zeroed elements. What each rank needs of them is allocated when they are first used, or by AllocBox.
func (d *Device) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if err := d.Sync(); err != nil {
		return nil, err
	}
	fits := func() bool {
		free := d.Info().MemoryFree
		return int64(n) <= free/int64(e.Size()) || free <= 0
	}
	if n < 0 || !fits() && !(d.dropIdle() && fits()) {
		return nil, fmt.Errorf("ranks: Alloc: %d elements of %v do not fit", n, e)
	}
	return &Buffer{device: d, elem: e, n: n}, nil
}

// AllocBox returns a zeroed array of nodes.
func (d *Device) AllocBox(e kernels.Elem, box kernels.Box) (kernels.Buffer, error) {
	b, err := d.Alloc(e, box.Len)
	if err != nil {
		return nil, err
	}
	return b, b.(*Buffer).place(d.layoutOf(box))
}

// Free releases a buffer.
func (d *Device) Free(b kernels.Buffer) {
	own, ok := b.(*Buffer)
	if !ok || own == nil || own.device != d || own.freed {
		return
	}
	own.leave()
	own.release()
	own.freed = true
}

func (b *Buffer) release() {
	for _, r := range b.device.ranks {
		if b.local != nil && b.local[r.number] != nil {
			r.device.Free(b.local[r.number])
		}
		if b.parts == nil {
			continue
		}
		for _, p := range b.parts[r.number] {
			r.device.Free(p.buffer)
		}
	}
	b.local, b.parts = nil, nil
}

// place makes the array one of nodes, with the values that it has.
func (b *Buffer) place(l *layout) error {
	if b.layout == l {
		return nil
	}
	if b.layout != nil {
		return fmt.Errorf("an array of %v nodes is taken for one of %v", b.layout.box.N, l.box.N)
	}
	values := b.floats
	if b.stale {
		values = make([]float64, b.n)
		r := b.device.any()
		if err := r.device.Download(values, b.local[r.number]); err != nil {
			return err
		}
	}
	b.release()
	b.layout, b.local = l, make([]kernels.Buffer, b.device.size)
	for _, r := range b.device.ranks {
		n := max(l.slabs[r.number].box.Len, 1)
		local, err := r.device.Alloc(b.elem, n)
		if err != nil && b.device.dropIdle() {
			local, err = r.device.Alloc(b.elem, n)
		}
		if err != nil {
			return err
		}
		b.local[r.number] = local
	}
	// Zeros are right everywhere; of other values there may be halos that are not those of the other end.
	b.seam, b.wrap = b.device.options.Ghosts, b.device.options.Ghosts
	if values != nil {
		b.spread(values)
		b.wrap = 0
	}
	b.floats, b.stale = nil, false
	return nil
}

// spread gives every rank its part of an array of nodes with halos and padding, or of the beginning of one.
func (b *Buffer) spread(values []float64) {
	l := b.layout
	b.walled = false
	b.device.each(func(r *rank) {
		s := l.slabs[r.number]
		if l.box.Flat() {
			r.device.Upload(b.local[r.number], values)
			return
		}
		local := make([]float64, s.box.Len)
		before, after := padding(s.box)
		copy(local[:before], values)
		l.eachRow(s, func(_, at, whole, n int) {
			if whole < len(values) {
				copy(local[at:at+n], values[whole:])
			}
		})
		if _, end := padding(l.box); end < len(values) {
			copy(local[after:], values[end:])
		}
		r.device.Upload(b.local[r.number], local)
	})
}

// eachRow visits the rows of all layers that a slab has, halos among them: the row of the whole, where it begins in the slab's array and in the whole one, and how
// many elements it has.
func (l *layout) eachRow(s slab, f func(row, at, whole, n int)) {
	const w = kernels.HaloWidth
	pitch, rows := l.box.Stride[kernels.Y], l.box.N[kernels.Y]
	for k := -w; k < l.box.N[kernels.Z]+w; k++ {
		for row := s.held[0]; row < s.held[1]; row++ {
			of := row
			if row < -w || row >= rows+w {
				of = modulo(row, rows)
			}
			f(row, s.box.Index(-w, row-s.held[0], k), l.box.Index(-w, of, k), pitch)
		}
	}
}

// padding returns the elements before the first row of an array and those from the end of the last one on.
func padding(b kernels.Box) (before, after int) {
	const w = kernels.HaloWidth
	return b.Index(-w, -w, -w), b.Index(-w, b.N[kernels.Y]+w, b.N[kernels.Z]+w-1)
}

// gathered returns the values of an array of nodes with halos and padding, on a link to rank 0.
func (b *Buffer) gathered() ([]float64, error) {
	d, l := b.device, b.layout
	var whole []float64
	for number := range d.size {
		if !l.split && number > 0 {
			break
		}
		s, mine := l.slabs[number], l.withHalos(number)
		var local []float64 // the slab's array
		if r := d.here(number); r != nil {
			local = make([]float64, b.local[number].Len())
			if err := r.device.Download(local, b.local[number]); err != nil {
				return nil, err
			}
		}
		if l.box.Flat() {
			return local, nil
		}
		if number == 0 && local != nil { // any rank has the same padding
			before, after := padding(s.box)
			_, end := padding(l.box)
			whole = make([]float64, b.n)
			copy(whole, local[:before])
			copy(whole[end:], local[after:])
		}
		layers := l.box.N[kernels.Z] + 2*kernels.HaloWidth
		rows := collect(d, number, mine.count()*layers*l.box.Stride[kernels.Y], func() (all []float64) {
			l.eachRow(s, func(row, at, _, n int) {
				if row >= mine[0] && row < mine[1] {
					all = append(all, local[at:at+n]...)
				}
			})
			return all
		})
		if rows == nil {
			continue
		}
		l.eachRow(s, func(row, _, to, n int) {
			if row >= mine[0] && row < mine[1] {
				copy(whole[to:], rows[:n])
				rows = rows[n:]
			}
		})
	}
	return whole, d.why()
}

// find returns a live buffer of the device, or nil after a failure.
func (d *Device) find(b kernels.Buffer, name string) *Buffer {
	own, ok := b.(*Buffer)
	switch {
	case b == nil || ok && own == nil:
		d.fail("%s is missing", name)
	case !ok || own.device != d:
		d.fail("%s belongs to another device", name)
	case own.freed:
		d.fail("%s has been freed", name)
	case d.ok():
		if d.recording != nil {
			d.recording.touch(own)
		}
		own.inRows()
		return own
	}
	return nil
}

// plain returns a buffer that is no array of nodes.
func (d *Device) plain(b kernels.Buffer) *Buffer {
	own := d.find(b, "an array")
	if own == nil {
		return nil
	}
	if own.layout != nil {
		d.fail("an array of %v nodes is taken for another", own.layout.box.N)
		return nil
	}
	return own
}

// values returns the values of an array that is not of nodes, as its type has them.
func (d *Device) values(b kernels.Buffer) []float64 {
	own := d.plain(b)
	if own == nil {
		return nil
	}
	d.valuing.Lock()
	defer d.valuing.Unlock()
	if own.stale && !d.throughHost() {
		own.floats, own.stale = make([]float64, own.n), false
		r := d.any()
		if err := r.device.Download(own.floats, own.local[r.number]); err != nil {
			d.fail("%w", err)
		}
	}
	if own.floats == nil {
		own.floats = make([]float64, own.n)
	}
	return own.floats
}

// whole returns a rank's copy of an array that is not of nodes, nil where there is none.
func (b *Buffer) whole(r *rank) kernels.Buffer {
	if b.local == nil {
		return nil
	}
	return b.local[r.number]
}

// copies gives every rank a whole copy of an array that is not of nodes.
func (b *Buffer) copies() {
	if b.local != nil || b.layout != nil || b.device.throughHost() {
		return
	}
	b.local, b.parts = make([]kernels.Buffer, b.device.size), make([]map[partKey]*part, b.device.size)
	for _, r := range b.device.ranks {
		b.parts[r.number] = map[partKey]*part{}
		l, err := r.device.Alloc(b.elem, b.n)
		if err != nil {
			b.device.fail("%w", err)
			return
		}
		b.local[r.number] = l
		switch {
		case b.elem == kernels.Int32 && b.ints != nil:
			r.device.UploadInts(l, b.ints)
		case b.floats != nil:
			r.device.Upload(l, b.floats)
		}
	}
}

// partOf returns a rank's copy of a part of an array, cut out of its values when they have changed.
func (b *Buffer) partOf(r *rank, key partKey, cut func() ([]float64, []int32)) kernels.Buffer {
	p := b.parts[r.number][key]
	if p != nil && p.writes == b.writes {
		return p.buffer
	}
	if b.device.throughHost() {
		return b.local[r.number]
	}
	floats, ints := cut()
	if (b.elem == kernels.Int32) != (ints != nil) {
		b.device.fail("an array has elements of %v", b.elem)
		return nil
	}
	if p == nil {
		l, err := r.device.Alloc(b.elem, len(floats)+len(ints))
		if err != nil {
			b.device.fail("%w", err)
			return nil
		}
		p = &part{buffer: l}
		b.parts[r.number][key] = p
	}
	if p.writes = b.writes; ints != nil {
		r.device.UploadInts(p.buffer, ints)
	} else {
		r.device.Upload(p.buffer, floats)
	}
	return p.buffer
}

// Upload copies host values into the first elements.
func (d *Device) Upload(dst kernels.Buffer, src []float64) {
	b := d.find(dst, "Upload: the array")
	switch {
	case b == nil:
	case b.elem == kernels.Int32 || len(src) > b.n:
		d.fail("Upload: %d values to %d elements of %v", len(src), b.n, b.elem)
	case b.layout != nil:
		b.spread(src)
		b.seam, b.wrap = d.options.Ghosts, 0
		b.written("", b.seam)
	default:
		v := d.values(dst)
		copy(v, src)
		if b.elem == kernels.Float32 {
			for i := range src {
				v[i] = b.elem.Round(v[i])
			}
		}
		b.writes++
		for _, r := range d.ranks {
			if b.local != nil {
				r.device.Upload(b.local[r.number], src)
			}
		}
	}
}

// UploadInts copies host values into the first elements.
func (d *Device) UploadInts(dst kernels.Buffer, src []int32) {
	b := d.find(dst, "UploadInts: the array")
	switch {
	case b == nil:
	case b.elem != kernels.Int32 || len(src) > b.n:
		d.fail("UploadInts: %d values to %d elements of %v", len(src), b.n, b.elem)
	default:
		b.ints = append(slices.Clone(src), make([]int32, b.n-len(src))...)
		b.writes++
		for _, r := range d.ranks {
			if b.local != nil {
				r.device.UploadInts(b.local[r.number], src)
			}
		}
	}
}

// Download copies the first elements to the host.
func (d *Device) Download(dst []float64, src kernels.Buffer) error {
	if err := d.Sync(); err != nil {
		return err
	}
	b := d.find(src, "Download: the array")
	if b == nil || len(dst) > b.n || b.elem == kernels.Int32 {
		d.fail("Download: %d values of %v", len(dst), src)
		return d.why()
	}
	if b.layout == nil {
		copy(dst, d.values(src))
		return d.why()
	}
	v, err := b.gathered()
	copy(dst, v)
	return err
}
