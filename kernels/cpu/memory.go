package cpu

import (
	"unsafe"

	"convect/kernels"
)

// Upload copies host values into the first elements of a buffer.
func (d *Device) Upload(dst kernels.Buffer, src []float64) {
	c := d.begin("Upload", dst)
	if c.elements(dst, c.elem, len(src), "destination") == nil {
		return
	}
	put(dst.(*Buffer), 0, src)
}

// UploadInts copies host integers into the first elements of a buffer.
func (d *Device) UploadInts(dst kernels.Buffer, src []int32) {
	c := call{d: d, kernel: "UploadInts"}
	if p := c.elements(dst, kernels.Int32, len(src), "destination"); p != nil {
		copy(unsafe.Slice((*int32)(p), len(src)), src)
	}
}

// Download copies the first elements of a buffer to the host.
func (d *Device) Download(dst []float64, src kernels.Buffer) error {
	c := d.begin("Download", src)
	if c.elements(src, c.elem, len(dst), "source") == nil {
		return d.err
	}
	get(dst, src.(*Buffer), 0)
	return nil
}

// UploadBox copies [z][y][x] host values into the nodes of an array.
func (d *Device) UploadBox(dst kernels.Buffer, box kernels.Box, src []float64) {
	c := d.begin("UploadBox", dst)
	c.host(dst, box, len(src))
	for row := 0; c.ok() && row < c.rows(); row++ {
		put(dst.(*Buffer), c.rowStart(row), src[row*box.N[0]:][:box.N[0]])
	}
}

// DownloadBox copies the nodes of an array to the host as [z][y][x].
func (d *Device) DownloadBox(dst []float64, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox", src)
	c.host(src, box, len(dst))
	for row := 0; c.ok() && row < c.rows(); row++ {
		get(dst[row*box.N[0]:][:box.N[0]], src.(*Buffer), c.rowStart(row))
	}
	return d.err
}

// DownloadBox32 is DownloadBox with values rounded to float32.
func (d *Device) DownloadBox32(dst []float32, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox32", src)
	c.host(src, box, len(dst))
	for row := 0; c.ok() && row < c.rows(); row++ {
		get(dst[row*box.N[0]:][:box.N[0]], src.(*Buffer), c.rowStart(row))
	}
	return d.err
}

// host checks an array against its box and a host slice of n values.
func (c *call) host(b kernels.Buffer, box kernels.Box, n int) {
	c.setBox(box)
	c.nodes(b, "array")
	if n != box.Nodes() {
		c.fail("%d host values for %d nodes", n, box.Nodes())
	}
}

// rowStart returns the element of the first node of a row.
func (c *call) rowStart(row int) int { return c.box.Index(0, row%c.box.N[1], row/c.box.N[1]) }

// put copies host values into a buffer from an element on.
func put(dst *Buffer, first int, src []float64) {
	if dst.elem == kernels.Float64 {
		copy(values[float64](dst)[first:], src)
		return
	}
	out := values[float32](dst)[first:][:len(src)]
	for i, v := range src {
		out[i] = float32(v)
	}
}

// get copies elements of a buffer, from one on, to the host.
func get[T float32 | float64](dst []T, src *Buffer, first int) {
	if src.elem == kernels.Float64 {
		convert(dst, values[float64](src)[first:])
		return
	}
	convert(dst, values[float32](src)[first:])
}

// convert copies numbers of one type to another.
func convert[T, S float32 | float64](dst []T, src []S) {
	for i, v := range src[:len(dst)] {
		dst[i] = T(v)
	}
}
