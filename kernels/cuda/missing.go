package cuda

import "convect/kernels"

// Fill is not written yet.
func (d *Device) Fill(a kernels.FillArgs) { c := d.begin("Fill", nil); c.Fail("not written yet") }

// Copy is not written yet.
func (d *Device) Copy(a kernels.CopyArgs) { c := d.begin("Copy", nil); c.Fail("not written yet") }

// Combine is not written yet.
func (d *Device) Combine(a kernels.CombineArgs) {
	c := d.begin("Combine", nil)
	c.Fail("not written yet")
}

// Halo is not written yet.
func (d *Device) Halo(a kernels.HaloArgs) { c := d.begin("Halo", nil); c.Fail("not written yet") }

// SetWall is not written yet.
func (d *Device) SetWall(a kernels.SetWallArgs) {
	c := d.begin("SetWall", nil)
	c.Fail("not written yet")
}

// Reduce is not written yet.
func (d *Device) Reduce(a kernels.ReduceArgs) { c := d.begin("Reduce", nil); c.Fail("not written yet") }

// RemoveMean is not written yet.
func (d *Device) RemoveMean(a kernels.RemoveMeanArgs) {
	c := d.begin("RemoveMean", nil)
	c.Fail("not written yet")
}

// HorizontalMean is not written yet.
func (d *Device) HorizontalMean(a kernels.HorizontalMeanArgs) {
	c := d.begin("HorizontalMean", nil)
	c.Fail("not written yet")
}

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

// Restrict is not written yet.
func (d *Device) Restrict(a kernels.TransferArgs) {
	c := d.begin("Restrict", nil)
	c.Fail("not written yet")
}

// Prolong is not written yet.
func (d *Device) Prolong(a kernels.TransferArgs) {
	c := d.begin("Prolong", nil)
	c.Fail("not written yet")
}

// ProlongCubic is not written yet.
func (d *Device) ProlongCubic(a kernels.TransferArgs) {
	c := d.begin("ProlongCubic", nil)
	c.Fail("not written yet")
}

// Inject is not written yet.
func (d *Device) Inject(a kernels.TransferArgs) {
	c := d.begin("Inject", nil)
	c.Fail("not written yet")
}

// Descend is not written yet.
func (d *Device) Descend(a kernels.CycleArgs) {
	c := d.begin("Descend", nil)
	c.Fail("not written yet")
}

// Ascend is not written yet.
func (d *Device) Ascend(a kernels.CycleArgs) { c := d.begin("Ascend", nil); c.Fail("not written yet") }

// Mobility is not written yet.
func (d *Device) Mobility(a kernels.MobilityArgs) {
	c := d.begin("Mobility", nil)
	c.Fail("not written yet")
}

// CoarsenCells is not written yet.
func (d *Device) CoarsenCells(a kernels.CoarsenCellsArgs) {
	c := d.begin("CoarsenCells", nil)
	c.Fail("not written yet")
}

// Coupling is not written yet.
func (d *Device) Coupling(a kernels.CouplingArgs) {
	c := d.begin("Coupling", nil)
	c.Fail("not written yet")
}

// BuoyancySource is not written yet.
func (d *Device) BuoyancySource(a kernels.BuoyancySourceArgs) {
	c := d.begin("BuoyancySource", nil)
	c.Fail("not written yet")
}

// DarcyFlux is not written yet.
func (d *Device) DarcyFlux(a kernels.DarcyFluxArgs) {
	c := d.begin("DarcyFlux", nil)
	c.Fail("not written yet")
}

// WallFlux is not written yet.
func (d *Device) WallFlux(a kernels.WallFluxArgs) {
	c := d.begin("WallFlux", nil)
	c.Fail("not written yet")
}

// Advect is not written yet.
func (d *Device) Advect(a kernels.AdvectArgs) { c := d.begin("Advect", nil); c.Fail("not written yet") }

// NodeVelocity is not written yet.
func (d *Device) NodeVelocity(a kernels.NodeVelocityArgs) {
	c := d.begin("NodeVelocity", nil)
	c.Fail("not written yet")
}

// FlowStatistics is not written yet.
func (d *Device) FlowStatistics(a kernels.FlowStatisticsArgs) {
	c := d.begin("FlowStatistics", nil)
	c.Fail("not written yet")
}

// HeatFlux is not written yet.
func (d *Device) HeatFlux(a kernels.HeatFluxArgs) {
	c := d.begin("HeatFlux", nil)
	c.Fail("not written yet")
}

// Dissipation is not written yet.
func (d *Device) Dissipation(a kernels.DissipationArgs) {
	c := d.begin("Dissipation", nil)
	c.Fail("not written yet")
}

// WallSum is not written yet.
func (d *Device) WallSum(a kernels.WallSumArgs) {
	c := d.begin("WallSum", nil)
	c.Fail("not written yet")
}

// Streamfunction is not written yet.
func (d *Device) Streamfunction(a kernels.StreamfunctionArgs) {
	c := d.begin("Streamfunction", nil)
	c.Fail("not written yet")
}
