package cuda

import "convect/kernels"

// Apply is not written yet.
func (d *Device) Apply(a kernels.ApplyArgs) { c := d.begin("Apply", nil); c.Fail("not written yet") }

// Residual is not written yet.
func (d *Device) Residual(a kernels.ResidualArgs) {
	c := d.begin("Residual", nil)
	c.Fail("not written yet")
}

// Smooth is not written yet.
func (d *Device) Smooth(a kernels.SmoothArgs) { c := d.begin("Smooth", nil); c.Fail("not written yet") }

// RedBlack is not written yet.
func (d *Device) RedBlack(a kernels.RedBlackArgs) {
	c := d.begin("RedBlack", nil)
	c.Fail("not written yet")
}

// LineSmooth is not written yet.
func (d *Device) LineSmooth(a kernels.LineSmoothArgs) {
	c := d.begin("LineSmooth", nil)
	c.Fail("not written yet")
}

// HierarchicalSmooth is not written yet.
func (d *Device) HierarchicalSmooth(a kernels.HierarchicalSmoothArgs) {
	c := d.begin("HierarchicalSmooth", nil)
	c.Fail("not written yet")
}

// MassUpdate is not written yet.
func (d *Device) MassUpdate(a kernels.MassUpdateArgs) {
	c := d.begin("MassUpdate", nil)
	c.Fail("not written yet")
}

// SolveCoarse is not written yet.
func (d *Device) SolveCoarse(a kernels.SolveCoarseArgs) {
	c := d.begin("SolveCoarse", nil)
	c.Fail("not written yet")
}

// Descend is not written yet.
func (d *Device) Descend(a kernels.CycleArgs) {
	c := d.begin("Descend", nil)
	c.Fail("not written yet")
}

// Ascend is not written yet.
func (d *Device) Ascend(a kernels.CycleArgs) { c := d.begin("Ascend", nil); c.Fail("not written yet") }
