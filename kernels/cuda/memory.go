package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// stagingBytes is the size of the pieces in which boxes travel between host and device.
const stagingBytes = 32 << 20

// Upload copies host values into the first elements of a buffer.
func (d *Device) Upload(dst kernels.Buffer, src []float64) {
	c := d.begin("Upload", dst)
	p := c.Elements(dst, c.Elem, len(src), "destination")
	if p == 0 || len(src) == 0 {
		return
	}
	dst.(*Buffer).facts = facts{}
	if c.Elem == kernels.Float64 {
		d.keep(c.Kernel, d.driver.Upload(p, unsafe.Pointer(&src[0]), 8*len(src)))
		return
	}
	single := make([]float32, len(src))
	for i, v := range src {
		single[i] = float32(v)
	}
	d.keep(c.Kernel, d.driver.Upload(p, unsafe.Pointer(&single[0]), 4*len(src)))
}

// UploadInts copies host integers into the first elements of a buffer.
func (d *Device) UploadInts(dst kernels.Buffer, src []int32) {
	c := call.New(&d.failure, "UploadInts")
	if p := c.Elements(dst, kernels.Int32, len(src), "destination"); p != 0 && len(src) > 0 {
		dst.(*Buffer).facts = facts{}
		d.keep(c.Kernel, d.driver.Upload(p, unsafe.Pointer(&src[0]), 4*len(src)))
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
		d.keep(c.Kernel, d.driver.Download(unsafe.Pointer(&dst[0]), p, 8*len(dst)))
		return d.failure.Err
	}
	single := make([]float32, len(dst))
	d.keep(c.Kernel, d.driver.Download(unsafe.Pointer(&single[0]), p, 4*len(dst)))
	for i, v := range single {
		dst[i] = float64(v)
	}
	return d.failure.Err
}

// UploadBox copies [z][y][x] host values into the nodes of an array.
func (d *Device) UploadBox(dst kernels.Buffer, box kernels.Box, src []float64) {
	c := d.begin("UploadBox", dst)
	d.slabs(&c, dst, box, len(src), 8, func(s *call.Pack, first, n int) {
		d.keep(c.Kernel, d.driver.Upload(s.Packed, unsafe.Pointer(&src[first]), 8*n))
		d.pack(&c, "unpack_box", s)
	})
}

// DownloadBox waits for queued work and copies the nodes of an array to the host as [z][y][x].
func (d *Device) DownloadBox(dst []float64, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox", src)
	d.slabs(&c, src, box, len(dst), 8, func(s *call.Pack, first, n int) {
		d.pack(&c, "pack_box", s)
		d.keep(c.Kernel, d.driver.Download(unsafe.Pointer(&dst[first]), s.Packed, 8*n))
	})
	return d.failure.Err
}

// DownloadBox32 is DownloadBox with values rounded to float32, on the device.
func (d *Device) DownloadBox32(dst []float32, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox32", src)
	d.slabs(&c, src, box, len(dst), 4, func(s *call.Pack, first, n int) {
		s.Single = 1
		d.pack(&c, "pack_box", s)
		d.keep(c.Kernel, d.driver.Download(unsafe.Pointer(&dst[first]), s.Packed, 4*n))
	})
	return d.failure.Err
}

// slabs checks an array against its box and the number of host values, and visits it in slabs of planes that fit into the staging
// room, with the first node's number and the number of nodes of each.
func (d *Device) slabs(c *call.Call, b kernels.Buffer, box kernels.Box, values, size int, visit func(s *call.Pack, first, n int)) {
	s := call.Pack{Box: c.SetBox(box), Field: c.Nodes(b, "array")}
	if values != box.Nodes() {
		c.Fail("%d host values for %d nodes", values, box.Nodes())
	}
	plane := box.N[0] * box.N[1]
	most := max(stagingBytes/(size*max(plane, 1)), 1)
	s.Packed = d.reserve(c, &d.staging, size*plane*min(most, max(box.N[2], 1)))
	field := s.Field
	for k := 0; c.OK() && k < box.N[2]; k += most {
		planes := min(most, box.N[2]-k)
		s.Box.N[2] = int64(planes)
		s.Field = field + uintptr(k*box.Stride[2]*c.Elem.Size())
		visit(&s, k*plane, planes*plane)
	}
}

// pack runs one of the two packing kernels.
func (d *Device) pack(c *call.Call, kernel string, s *call.Pack) {
	n := [3]int{int(s.Box.N[0]), int(s.Box.N[1]), int(s.Box.N[2])}
	d.launch(c, kernel, overPoints(n), unsafe.Pointer(s), unsafe.Sizeof(*s))
}
