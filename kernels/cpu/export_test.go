package cpu

// SetCaches makes a device cut the levels of cycles as if the caches had so many bytes.
func (d *Device) SetCaches(l2, llc int) { d.l2, d.llc = l2, llc }
