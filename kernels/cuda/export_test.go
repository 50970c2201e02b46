package cuda

// MixSizes makes a device take kernels of large grids on some small ones too, so that tests see both.
func (d *Device) MixSizes() { d.sizes = sizes{leastSmall: 2500, tinyFolded: 20} }
