package cuda

import (
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

// copyBlock queues the copy of n elements; whole rows are taken together.
func (d *Device) copyBlock(c *call.Call, s *call.Block) {
	if s.N[0] == s.ToSy && s.N[0] == s.FromSy {
		s.N[0], s.N[1] = s.N[0]*s.N[1], 1
	}
	n := [3]int{int(s.N[0]), int(s.N[1]), int(s.N[2])}
	if n[0] > 0 && n[1] > 0 && n[2] > 0 {
		d.launch(c, copyKernel, overPoints(n), unsafe.Pointer(s), unsafe.Sizeof(*s))
	}
}

// blockOf returns a block from an address on, with the strides of its box, as what is read and what is written.
func blockOf(at uintptr, b *kernels.Block) call.Block {
	s := call.Block{To: at, From: at, N: [3]int64{int64(b.N[0]), int64(b.N[1]), int64(b.N[2])}}
	s.ToSy, s.ToSz = int64(b.Box.Stride[kernels.Y]), int64(b.Box.Stride[kernels.Z])
	s.FromSy, s.FromSz = s.ToSy, s.ToSz
	return s
}

// CopyBlock implements [kernels.BlockMover]: a kernel of this device reads the memory of the block, its own or that of a GPU that it reaches.
func (d *Device) CopyBlock(dst kernels.Buffer, dstBox kernels.Box, to [3]int, src kernels.Block) {
	c := call.New(&d.failure, "CopyBlock")
	if dst != nil {
		c.Elem = moved(dst.Elem())
	}
	into := kernels.Block{Array: dst, Box: dstBox, First: to, N: src.N}
	from, at := place(&c, &src), place(&c, &into)
	if !c.OK() {
		return
	}
	s := blockOf(at, &into)
	s.From, s.FromSy, s.FromSz = from, int64(src.Box.Stride[kernels.Y]), int64(src.Box.Stride[kernels.Z])
	d.copyBlock(&c, &s)
}

// PackBlocks implements [kernels.BlockMover].
func (d *Device) PackBlocks(dst []byte, src []kernels.Block) {
	d.blocks("PackBlocks", src, len(dst), func(c *call.Call, s *call.Block, packed uintptr) {
		s.To, s.ToSy, s.ToSz = packed, s.N[0], s.N[0]*s.N[1]
		d.copyBlock(c, s)
	}, func(c *call.Call, packed uintptr) {}, func(c *call.Call, packed uintptr) {
		d.keep(c.Kernel, d.gpu.Download(unsafe.Pointer(&dst[0]), packed, len(dst)))
	})
}

// UnpackBlocks implements [kernels.BlockMover].
func (d *Device) UnpackBlocks(dst []kernels.Block, src []byte) {
	d.blocks("UnpackBlocks", dst, len(src), func(c *call.Call, s *call.Block, packed uintptr) {
		s.From, s.FromSy, s.FromSz = packed, s.N[0], s.N[0]*s.N[1]
		d.copyBlock(c, s)
	}, func(c *call.Call, packed uintptr) {
		d.keep(c.Kernel, d.gpu.Upload(packed, unsafe.Pointer(&src[0]), len(src)))
	}, func(c *call.Call, packed uintptr) {})
}

// blocks visits blocks with the place of each among all, packed one after the other in so many bytes on the GPU; before and after does something with them all.
func (d *Device) blocks(kernel string, all []kernels.Block, bytes int, visit func(c *call.Call, s *call.Block, packed uintptr), before, after func(c *call.Call, packed uintptr)) {
	if len(all) == 0 || bytes == 0 {
		return
	}
	c := call.New(&d.failure, kernel)
	packed := d.reserve(&c, &d.packed, bytes)
	if c.OK() {
		before(&c, packed)
	}
	at := 0
	for n := range all {
		c.Elem = moved(all[n].Array.Elem())
		p := place(&c, &all[n])
		if at += all[n].Bytes(); at > bytes {
			c.Fail("the blocks take more than %d bytes", bytes)
		}
		if !c.OK() {
			return
		}
		s := blockOf(p, &all[n])
		visit(&c, &s, packed+uintptr(at-all[n].Bytes()))
	}
	after(&c, packed)
}
