package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
	"convect/kernels/parallel"
)

// stagingBytes is the size of the pieces in which boxes travel between host and device.
const stagingBytes = 16 << 20

// Upload copies host values into the first elements of a buffer.
func (d *Device) Upload(dst kernels.Buffer, src []float64) {
	c := d.begin("Upload", dst)
	p := c.Elements(dst, c.Elem, len(src), "destination")
	if p == 0 || len(src) == 0 {
		return
	}
	if c.Elem == kernels.Float64 {
		d.keep(c.Kernel, d.gpu.Upload(p, unsafe.Pointer(&src[0]), 8*len(src)))
		return
	}
	single := make([]float32, len(src))
	parallel.Ranges(len(src), func(first, last int) {
		for i, v := range src[first:last] {
			single[first+i] = float32(v)
		}
	})
	d.keep(c.Kernel, d.gpu.Upload(p, unsafe.Pointer(&single[0]), 4*len(src)))
}

// UploadInts copies host integers into the first elements of a buffer.
func (d *Device) UploadInts(dst kernels.Buffer, src []int32) {
	c := call.New(&d.failure, "UploadInts")
	if p := c.Elements(dst, kernels.Int32, len(src), "destination"); p != 0 && len(src) > 0 {
		d.keep(c.Kernel, d.gpu.Upload(p, unsafe.Pointer(&src[0]), 4*len(src)))
	}
}

// Download waits for queued work and copies the first elements of a buffer to the host.
func (d *Device) Download(dst []float64, src kernels.Buffer) error {
	c := d.begin("Download", src)
	p := c.Elements(src, c.Elem, len(dst), "source")
	if p == 0 || len(dst) == 0 {
		return d.Sync()
	}
	if c.Elem == kernels.Float64 {
		d.keep(c.Kernel, d.gpu.Download(unsafe.Pointer(&dst[0]), p, 8*len(dst)))
		return d.failure.Err
	}
	single := make([]float32, len(dst))
	d.keep(c.Kernel, d.gpu.Download(unsafe.Pointer(&single[0]), p, 4*len(dst)))
	parallel.Ranges(len(dst), func(first, last int) {
		for i, v := range single[first:last] {
			dst[first+i] = float64(v)
		}
	})
	return d.failure.Err
}

// UploadBox copies [z][y][x] host values into the nodes of an array.
func (d *Device) UploadBox(dst kernels.Buffer, box kernels.Box, src []float64) {
	c := d.begin("UploadBox", dst)
	d.slabs(&c, dst, box, len(src), 8, func(s *call.Pack, first, n int) {
		d.keep(c.Kernel, d.gpu.Upload(s.Packed, unsafe.Pointer(&src[first]), 8*n))
		s.Unpack = 1
		d.pack(&c, s)
	})
}

// DownloadBox waits for queued work and copies the nodes of an array to the host as [z][y][x].
func (d *Device) DownloadBox(dst []float64, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox", src)
	downloadSlabs(d, &c, dst, src, box, 0)
	return d.failure.Err
}

// DownloadBox32 is DownloadBox with values rounded to float32, on the device.
func (d *Device) DownloadBox32(dst []float32, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox32", src)
	downloadSlabs(d, &c, dst, src, box, 1)
	return d.failure.Err
}

// downloadSlabs downloads slab after slab: through pinned memory, if the GPU can, while the next slab is packed and the one before
// moves on to dst.
func downloadSlabs[T float32 | float64](d *Device, c *call.Call, dst []T, src kernels.Buffer, box kernels.Box, single int64) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	var streamer driver.Streamer
	var underWay [2]struct {
		pending driver.Pending
		values  []T
	}
	land := func(half int) {
		w := &underWay[half]
		if w.pending == nil {
			return
		}
		d.keep(c.Kernel, w.pending.Wait())
		parallel.Copy(w.values, unsafe.Slice((*T)(d.pinned[half]), len(w.values)))
		w.pending = nil
	}
	half := 0
	d.slabs(c, src, box, len(dst), size, func(s *call.Pack, first, n int) {
		s.Single = single
		if first == 0 {
			streamer = d.pin(size * n)
		}
		if streamer == nil {
			d.pack(c, s)
			d.keep(c.Kernel, d.gpu.Download(unsafe.Pointer(&dst[first]), s.Packed, size*n))
			return
		}
		land(half)
		d.pack(c, s)
		if c.OK() {
			p, err := streamer.DownloadAsync(d.pinned[half], s.Packed, size*n)
			d.keep(c.Kernel, err)
			if err == nil {
				underWay[half].pending, underWay[half].values = p, dst[first:first+n]
			}
		}
		half = 1 - half
	})
	land(half)
	land(1 - half)
}

// pin returns the GPU if it can download while kernels run, with two pieces of pinned memory of so many bytes or more; nil if not.
func (d *Device) pin(bytes int) driver.Streamer {
	s, ok := d.gpu.(driver.Streamer)
	if !ok || d.failure.Err != nil || bytes > d.pinnedBytes && !d.pinAnew(s, bytes) {
		return nil
	}
	return s
}

// pinAnew replaces the pinned memory.
func (d *Device) pinAnew(s driver.Streamer, bytes int) bool {
	d.unpin()
	for n := range d.pinned {
		p, err := s.AllocHost(bytes)
		if err != nil {
			d.unpin()
			return false
		}
		d.pinned[n] = p
	}
	d.pinnedBytes = bytes
	return true
}

// unpin frees the pinned memory.
func (d *Device) unpin() {
	for n, p := range d.pinned {
		if p != nil {
			d.gpu.(driver.Streamer).FreeHost(p)
			d.pinned[n] = nil
		}
	}
	d.pinnedBytes = 0
}

// slabs checks an array against its box and the number of host values, and visits it in slabs of planes that fit into the staging
// room, with the first node's number and the number of nodes of each. Two slabs in turn have a place of their own there.
func (d *Device) slabs(c *call.Call, b kernels.Buffer, box kernels.Box, values, size int, visit func(s *call.Pack, first, n int)) {
	s := call.Pack{Box: c.SetBox(box), Field: c.Nodes(b, "array")}
	if values != box.Nodes() {
		c.Fail("%d host values for %d nodes", values, box.Nodes())
	}
	plane := box.N[0] * box.N[1]
	most := max(stagingBytes/(size*max(plane, 1)), 1)
	slab := size * plane * min(most, max(box.N[2], 1))
	packed, field := d.reserve(c, &d.staging, 2*slab), s.Field
	for k := 0; c.OK() && k < box.N[2]; k += most {
		planes := min(most, box.N[2]-k)
		s.Box.N[2] = int64(planes)
		s.Field = field + uintptr(k*box.Stride[2]*c.Elem.Size())
		s.Packed = packed + uintptr(k/most%2*slab)
		visit(&s, k*plane, planes*plane)
	}
}

// pack packs or unpacks.
func (d *Device) pack(c *call.Call, s *call.Pack) {
	n := [3]int{int(s.Box.N[0]), int(s.Box.N[1]), int(s.Box.N[2])}
	d.launch(c, "pack_box", overPoints(n), unsafe.Pointer(s), unsafe.Sizeof(*s))
}
