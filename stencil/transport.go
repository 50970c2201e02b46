package stencil

import "convect/kernels"

// Transport carries a scalar with the face velocities of a flow, conservatively on the dual volumes.
type Transport struct {
	Flow   *Flow
	Scheme kernels.Scheme
	// Inflow holds, per side, the value that enters with the fluid (wall arrays); nil: that of the wall node.
	Inflow [6]kernels.Buffer
}

// Advect computes the integrated gain of every node, out = -Σ_faces A q T_f.
func (t *Transport) Advect(out, scalar *Field) {
	g := scalar.Grid
	t.Flow.resolve()
	scalar.Exchange(t.Scheme.Halo())
	g.Device.Advect(kernels.AdvectArgs{Box: g.Box, W: g.w, Q: t.Flow.buffers(), T: scalar.Buffer, Inflow: t.Inflow,
		Periodic: g.Periodic, Scheme: t.Scheme, Out: out.Buffer})
}

// AdvectMeasured is Advect, and queues into kernels.MeasuredSlots slots from slot on the sums of a step (see kernels.AdvectMeasuredArgs): those of
// Flow.Statistics, of out and of the scalar, its flux along axis d and, where `enclosed`, its dissipation, with the diffusivity
// operator a.
func (t *Transport) AdvectMeasured(a *Operator, out, scalar *Field, d int, enclosed bool, slot int) {
	g := scalar.Grid
	scalar.Exchange(t.Scheme.Halo())
	args := kernels.AdvectMeasuredArgs{
		AdvectArgs: kernels.AdvectArgs{Box: g.Box, W: g.w, Q: t.Flow.buffers(), T: scalar.Buffer, Inflow: t.Inflow, Periodic: g.Periodic,
			Scheme: t.Scheme, Out: out.Buffer},
		A: &a.elliptic, Axis: d, Enclosed: enclosed, Slot: slot, Flow: t.Flow.pending}
	if args.Flow.A != nil && !(kernels.Optional{Device: g.Device}).ComputesFlow(args) {
		t.Flow.resolve()
		args.Flow = kernels.DarcyFluxArgs{}
	}
	g.Device.AdvectMeasured(args)
}

// HeatFlux queues into slot the sum over inner faces of axis d of A h (q T_f - k_f ∂T/∂x_d), with the
// diffusivity operator a: divided by the volume, the mean heat flux along d.
func (t *Transport) HeatFlux(a *Operator, scalar *Field, d, slot int) {
	g := scalar.Grid
	t.Flow.resolve()
	scalar.Exchange(t.Scheme.Halo())
	g.Device.HeatFlux(kernels.HeatFluxArgs{A: &a.elliptic, Axis: d, Q: t.Flow.Velocity[d].Buffer, T: scalar.Buffer,
		Periodic: g.Periodic, Scheme: t.Scheme, Slot: slot})
}

// Dissipation queues into slot Σ_faces g_f (Δu)², the discrete ∫ k |∇u|².
func (o *Operator) Dissipation(u *Field, slot int) {
	u.Exchange(1)
	o.Grid.Device.Dissipation(kernels.DissipationArgs{A: &o.elliptic, T: u.Buffer, Periodic: o.Grid.Periodic, Slot: slot})
}

// NodeFlux computes component d of the flux of a scalar on nodes, with the diffusivity of a and dispersion of the given lengths: see kernels.NodeFluxArgs.
func (t *Transport) NodeFlux(a *Operator, out, scalar *Field, longitudinal, transverse float64, d int) {
	g := scalar.Grid
	t.Flow.resolve()
	scalar.Exchange(1)
	g.Device.NodeFlux(kernels.NodeFluxArgs{A: &a.elliptic, Axis: d, Q: t.Flow.buffers(), T: scalar.Buffer, Longitudinal: longitudinal, Transverse: transverse,
		Periodic: g.Periodic, Out: out.Buffer})
}

// WallThrough queues into slot and slot+1 the sums over the nodes of a side of weight times what flows in through it and times what the flow carries in,
// as Advect has it; weight is a wall array. The velocities are known.
func (t *Transport) WallThrough(scalar *Field, s kernels.Side, weight kernels.Buffer, slot int) {
	g := scalar.Grid
	g.Device.WallThrough(kernels.WallThroughArgs{Box: g.Box, Q: t.Flow.Velocities()[s.Axis()].Buffer, T: scalar.Buffer, Side: s, Inflow: t.Inflow[s],
		Weight: weight, Slot: slot})
}

// WallSum queues into slot the sum over the nodes of a side of weight times x; weight is a wall array.
func (f *Field) WallSum(s kernels.Side, weight kernels.Buffer, slot int) {
	f.Grid.Device.WallSum(kernels.WallSumArgs{Box: f.Grid.Box, X: f.Buffer, Side: s, Weight: weight, Slot: slot})
}
