package cpu

import "convect/kernels"

// Upload copies host values into the first elements of a buffer.
func (d *Device) Upload(dst kernels.Buffer, src []float64) {
	c := d.begin("Upload", dst)
	if c.Elements(dst, c.Elem, len(src), "destination") == 0 || !c.acts() {
		return
	}
	put(dst.(*Buffer), 0, src)
}

// UploadInts copies host integers into the first elements of a buffer.
func (d *Device) UploadInts(dst kernels.Buffer, src []int32) {
	c := d.beginAny("UploadInts")
	if c.Elements(dst, kernels.Int32, len(src), "destination") != 0 && c.acts() {
		copy(values[int32](dst.(*Buffer)), src)
	}
}

// Download copies the first elements of a buffer to the host.
func (d *Device) Download(dst []float64, src kernels.Buffer) error {
	c := d.begin("Download", src)
	if c.Elements(src, c.Elem, len(dst), "source") == 0 || !c.acts() {
		return d.failure.Err
	}
	get(dst, src.(*Buffer), 0)
	return nil
}

// UploadBox copies [z][y][x] host values into the nodes of an array.
func (d *Device) UploadBox(dst kernels.Buffer, box kernels.Box, src []float64) {
	c := d.begin("UploadBox", dst)
	c.host(dst, box, len(src))
	for row := 0; c.acts() && row < c.Rows(); row++ {
		put(dst.(*Buffer), c.rowStart(row), src[row*box.N[0]:][:box.N[0]])
	}
}

// DownloadBox copies the nodes of an array to the host as [z][y][x].
func (d *Device) DownloadBox(dst []float64, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox", src)
	c.host(src, box, len(dst))
	for row := 0; c.acts() && row < c.Rows(); row++ {
		get(dst[row*box.N[0]:][:box.N[0]], src.(*Buffer), c.rowStart(row))
	}
	return d.failure.Err
}

// DownloadBox32 is DownloadBox with values rounded to float32.
func (d *Device) DownloadBox32(dst []float32, src kernels.Buffer, box kernels.Box) error {
	c := d.begin("DownloadBox32", src)
	c.host(src, box, len(dst))
	for row := 0; c.acts() && row < c.Rows(); row++ {
		get(dst[row*box.N[0]:][:box.N[0]], src.(*Buffer), c.rowStart(row))
	}
	return d.failure.Err
}

// host checks an array against its box and a host slice of n values.
func (c *job) host(b kernels.Buffer, box kernels.Box, n int) {
	c.SetBox(box)
	c.Nodes(b, "array")
	if n != box.Nodes() {
		c.Fail("%d host values for %d nodes", n, box.Nodes())
	}
}

// rowStart returns the element of the first node of a row.
func (c *job) rowStart(row int) int { return c.Box.Index(0, row%c.Box.N[1], row/c.Box.N[1]) }

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
