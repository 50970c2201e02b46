package cuda

import (
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// SumsRows implements [kernels.RowReducer]: there is one sum of all rows that count.
func (d *Device) SumsRows() bool { return false }

// RowSums implements [kernels.RowReducer].
func (d *Device) RowSums(slot int) []float64 {
	v := make([]float64, 1)
	if d.failure.Err == nil {
		d.keep("RowSums", d.gpu.Download(unsafe.Pointer(&v[0]), d.slot(slot, 1), 8))
	}
	return v
}

// SumHeights implements [kernels.Queuer].
func (d *Device) SumHeights(a kernels.HorizontalMeanArgs, sums kernels.Buffer) {
	c := d.begin("HorizontalMean", a.X)
	m := d.areaSums(&c, a, true)
	nz := a.Box.N[kernels.Z]
	m.Mean, m.Out, m.Sums = c.Elements(sums, kernels.Float64, nz, "Sums"), 0, 1
	d.launch(&c, "mean", overSum(int(m.Parts), nz), unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// MeanHeights implements [kernels.Queuer].
func (d *Device) MeanHeights(a kernels.HorizontalMeanArgs, s kernels.Shares) {
	c := d.begin("HorizontalMean", a.X)
	nz := a.Box.N[kernels.Z]
	m := c.Mean(s, nz)
	_, m.Out = c.HorizontalMean(a)
	m.Base = m.Out
	d.launch(&c, "mean", overSum(s.N, nz), unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// SumVolume implements [kernels.Queuer].
func (d *Device) SumVolume(a kernels.RemoveMeanArgs, sums kernels.Buffer) {
	c := d.begin("RemoveMean", a.X)
	r, _ := c.RemoveMean(a)
	r.Slot, r.Counter = c.Elements(sums, kernels.Float64, 1, "Sums"), d.slot(counterSlot, 1)
	d.reduceSlabs(&c, &r)
}

// RemoveShares implements [kernels.Queuer].
func (d *Device) RemoveShares(a kernels.RemoveMeanArgs, s kernels.Shares) {
	c := d.begin("RemoveMean", a.X)
	m := c.Mean(s, 1)
	m.Mean = d.slot(meanSlot, 1)
	d.launch(&c, "mean", overSum(s.N, 1), unsafe.Pointer(&m), unsafe.Sizeof(m))
	r, _ := c.RemoveMean(a)
	m.Box, m.X, m.W = r.Box, r.X, r.W
	if a.Integrated {
		m.Integrated = 1
	}
	d.launch(&c, "shift", overVectors(&c, lightSlabs), unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// Reaches implements [kernels.Queuer]: kernels may read the memory of the other device's GPU.
func (d *Device) Reaches(other kernels.Device) bool {
	o, ok := other.(*Device)
	if !ok || o == d {
		return ok
	}
	p, ok := d.gpu.(driver.Peer)
	return ok && p.Reaches(o.gpu)
}

// Give implements [kernels.Queuer].
func (d *Device) Give() {
	if d.leading.open() {
		d.leading.steps = append(d.leading.steps, led{device: d, gives: true})
		return
	}
	d.leading.close()
	if p, isPeer := d.gpu.(driver.Peer); isPeer && d.failure.Err == nil {
		d.keep("Give", p.Give())
	}
}

// Take implements [kernels.Queuer].
func (d *Device) Take(other kernels.Device) {
	o, ok := other.(*Device)
	if ok && d.leading.open() {
		d.leading.steps = append(d.leading.steps, led{device: d, of: o})
		return
	}
	d.leading.close()
	if p, isPeer := d.gpu.(driver.Peer); ok && o != d && isPeer && d.failure.Err == nil {
		d.keep("Take", p.Take(o.gpu))
	}
}

// moved is the type as which elements are moved, which may be integers.
func moved(e kernels.Elem) kernels.Elem {
	if e == kernels.Float64 {
		return kernels.Float64
	}
	return kernels.Float32
}

// place returns the address of the first element of a block, which must lie in its array; 0 after a failure.
func place(c *call.Call, b *kernels.Block) uintptr {
	own, ok := b.Array.(*Buffer)
	last := b.Box.Index(b.First[0]+b.N[0]-1, b.First[1]+b.N[1]-1, b.First[2]+b.N[2]-1)
	first := b.Box.Index(b.First[0], b.First[1], b.First[2])
	switch {
	case !ok || own == nil || own.address == 0 || moved(own.elem) != c.Elem:
		c.Fail("the array of a block is none of the device, or of another type")
	case first < 0 || last >= own.len || b.N[0] < 0 || b.N[1] < 0 || b.N[2] < 0:
		c.Fail("a block of %v nodes from node %v on is not in its array", b.N, b.First)
	case c.OK():
		return own.address + uintptr(first*own.elem.Size())
	}
	return 0
}

// words turns a block of elements of so many bytes into one of words of 4 bytes; whole rows, and whole planes, are taken together.
func words(b call.Block, bytes int) call.Block {
	m := int64(bytes / wordBytes)
	b.N[0] *= m
	b.ToSy, b.ToSz, b.FromSy, b.FromSz = m*b.ToSy, m*b.ToSz, m*b.FromSy, m*b.FromSz
	if b.N[0] == b.ToSy && b.N[0] == b.FromSy {
		b.N[0], b.N[1], b.ToSy, b.FromSy = b.N[0]*b.N[1], 1, 0, 0
	}
	if b.N[1] == 1 && b.N[0] == b.ToSz && b.N[0] == b.FromSz {
		b.N[0], b.N[2], b.ToSz, b.FromSz = b.N[0]*b.N[2], 1, 0, 0
	}
	return b
}

// Bytes of what copy_blocks takes at a time.
const (
	wordBytes = 4
	wideBytes = 16
	wideWords = wideBytes / wordBytes
)

// wide tells whether rows of a block may be taken four words at a time.
func wide(b *call.Block) bool {
	return (uintptr(b.To)|uintptr(b.From))%wideBytes == 0 && (b.ToSy|b.ToSz|b.FromSy|b.FromSz|b.N[0])%wideWords == 0
}

// aligned cuts off what lies at both ends of rows before the first multiple of four words, and after the last, where rows of both arrays have theirs at the same nodes:
// the rest is wide.
func aligned(blocks []call.Block) (all []call.Block) {
	for _, b := range blocks {
		before := int64(-uintptr(b.To)%wideBytes) / wordBytes
		if uint64(b.To)%wideBytes != uint64(b.From)%wideBytes || (b.ToSy|b.ToSz|b.FromSy|b.FromSz)%wideWords != 0 || b.N[0] < before+wideWords {
			all = append(all, b)
			continue
		}
		after := (b.N[0] - before) % wideWords
		for _, part := range [][2]int64{{before, b.N[0] - after}, {0, before}, {b.N[0] - after, b.N[0]}} {
			if part[0] < part[1] {
				all = append(all, piece(b, part[0], part[1]))
			}
		}
	}
	return all
}

// piece returns the words of the rows of a block from one on before another.
func piece(b call.Block, first, end int64) call.Block {
	b.N[0] = end - first
	b.To += call.Out(wordBytes * first)
	b.From += call.In(wordBytes * first)
	return b
}

// batch is what copy_blocks does at a time.
type batch struct {
	call.Copies
	messages int // so many have been added, where devices meet
}

// put adds a block, of which the kernel takes four words at a time where it is wide, and returns its elements.
func (k *batch) put(b call.Block, wide bool) int64 {
	n := k.Count
	if wide {
		b.N[0] /= wideWords
		k.Wide |= 1 << n
	}
	elements := b.N[0] * b.N[1] * b.N[2]
	k.Blocks[n], k.Ends[n] = b, elements
	if n > 0 {
		k.Ends[n] += k.Ends[n-1]
	}
	k.Count++
	return elements
}

// copyBlocks queues the copies of blocks of words.
func (d *Device) copyBlocks(c *call.Call, blocks []call.Block) {
	for blocks = aligned(blocks); len(blocks) > 0; {
		var k batch
		n, elements := min(len(blocks), len(k.Blocks)), int64(0)
		for _, b := range blocks[:n] {
			elements += k.put(b, wide(&b))
		}
		blocks = blocks[n:]
		c.Elem = kernels.Float32
		d.launch(c, copyKernel, d.overParts(over(int(elements), blocksThreads*blocksAhead)), unsafe.Pointer(&k.Copies), unsafe.Sizeof(k.Copies))
	}
}

// overParts gives each part a block of threads, as long as all run at a time.
func (d *Device) overParts(parts int) geometry {
	return geometry{grid: [3]int{max(1, min(parts, blocksEach*d.info.Multiprocessors)), 1, 1}, block: [3]int{blocksThreads, 1, 1}}
}

// blocksEach is how many blocks of threads copy on each multiprocessor.
const blocksEach = 4

// blockOf returns a block from an address on, with the strides of its box, as what is read and what is written.
func blockOf(at uintptr, b *kernels.Block) call.Block {
	s := call.Block{To: at, From: at, N: [3]int64{int64(b.N[0]), int64(b.N[1]), int64(b.N[2])}}
	s.ToSy, s.ToSz = int64(b.Box.Stride[kernels.Y]), int64(b.Box.Stride[kernels.Z])
	s.FromSy, s.FromSz = s.ToSy, s.ToSz
	return s
}

// CopyBlocks implements [kernels.BlockMover]: a kernel of this device reads the memory of the blocks, its own or that of a GPU that it reaches.
func (d *Device) CopyBlocks(all []kernels.Copy) {
	c := call.New(&d.failure, "CopyBlocks")
	d.copyBlocks(&c, d.copies(&c, all))
}

// copies returns what is copied as blocks of words.
func (d *Device) copies(c *call.Call, all []kernels.Copy) (blocks []call.Block) {
	for n := range all {
		to, from := &all[n].To, &all[n].From
		if to.Array != nil {
			c.Elem = moved(to.Array.Elem())
		}
		source, at := place(c, from), place(c, to)
		if !c.OK() {
			return nil
		}
		s := blockOf(at, to)
		s.N = [3]int64{int64(from.N[0]), int64(from.N[1]), int64(from.N[2])}
		s.From, s.FromSy, s.FromSz = source, int64(from.Box.Stride[kernels.Y]), int64(from.Box.Stride[kernels.Z])
		if s.N[0] > 0 && s.N[1] > 0 && s.N[2] > 0 {
			b := words(s, c.Elem.Size())
			if n := b.N[0] * b.N[1] * b.N[2]; n > math.MaxUint32 {
				c.Fail("a block of %d words", n)
			}
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// packedEnd makes one end of a block of words a packed one, at an address.
type packedEnd func(s *call.Block, packed uintptr)

func packTo(s *call.Block, packed uintptr) { s.To, s.ToSy, s.ToSz = packed, s.N[0], s.N[0]*s.N[1] }

func packFrom(s *call.Block, packed uintptr) {
	s.From, s.FromSy, s.FromSz = packed, s.N[0], s.N[0]*s.N[1]
}

// PackBlocks implements [kernels.BlockMover].
func (d *Device) PackBlocks(dst []byte, src []kernels.Block) {
	c := call.New(&d.failure, "PackBlocks")
	if len(src) == 0 || len(dst) == 0 {
		return
	}
	packed := d.reserve(&c, &d.packed, len(dst))
	blocks := d.packing(&c, src, packed, len(dst), packTo)
	if len(blocks) > 0 && c.OK() {
		d.copyBlocks(&c, blocks)
		d.keep(c.Kernel, d.gpu.Download(unsafe.Pointer(&dst[0]), packed, len(dst)))
	}
}

// UnpackBlocks implements [kernels.BlockMover].
func (d *Device) UnpackBlocks(dst []kernels.Block, src []byte) {
	c := call.New(&d.failure, "UnpackBlocks")
	if len(dst) == 0 || len(src) == 0 {
		return
	}
	packed := d.reserve(&c, &d.packed, len(src))
	blocks := d.packing(&c, dst, packed, len(src), packFrom)
	if len(blocks) > 0 && c.OK() {
		d.keep(c.Kernel, d.gpu.Upload(packed, unsafe.Pointer(&src[0]), len(src)))
		d.copyBlocks(&c, blocks)
	}
}

// packing returns blocks of words of which one end, that `end` sets, is packed: one after the other in so many bytes from an address on.
func (d *Device) packing(c *call.Call, all []kernels.Block, packed uintptr, bytes int, end packedEnd) (blocks []call.Block) {
	at := 0
	for n := range all {
		c.Elem = moved(all[n].Array.Elem())
		p := place(c, &all[n])
		if at += all[n].Bytes(); at > bytes {
			c.Fail("the blocks take more than %d bytes", bytes)
		}
		if !c.OK() {
			return nil
		}
		s := blockOf(p, &all[n])
		end(&s, packed+uintptr(at-all[n].Bytes()))
		if s.N[0] > 0 && s.N[1] > 0 && s.N[2] > 0 {
			blocks = append(blocks, words(s, c.Elem.Size()))
		}
	}
	return blocks
}
