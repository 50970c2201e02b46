package stencil

import (
	"fmt"

	"convect/kernels"
)

// Flow is the Darcy flow that belongs to a pressure operator (mobility K/μ per cell, no mass): its buoyancy source
// and the normal velocities on all dual faces, computed with the same conductances.
type Flow struct {
	Operator *Operator
	// Velocity holds the normal Darcy velocity on the dual face between nodes i and i+1 of each axis at node i;
	// wall faces lie at node -1 and N-1 (see package kernels). Velocity[1] is zero in 2-D. Update may put their computation off: Velocities
	// has it made.
	Velocity [3]*Field

	mean kernels.Buffer // horizontal mean of T, one element per z node
	// open: fluid may pass a wall.
	open bool
	// pending is what the velocities are still to be computed from; its A is nil where they are known.
	pending kernels.DarcyFluxArgs
	share   [6]kernels.Buffer // of pressure walls
	// centre of the domain: part of the way from a node to the next
	centre [3]int
	part   [3]float64
}

// NewFlow allocates the flow of an operator. The nodes that the operator's boundary fixes are the nodes of fixed
// pressure, through which fluid may pass.
func NewFlow(o *Operator) (*Flow, error) {
	f := &Flow{Operator: o, open: !o.Boundary.Singular()}
	for d := range 3 {
		f.centre[d], f.part[d] = o.Grid.centre(d)
	}
	if err := f.allocate(); err != nil {
		f.Free()
		return nil, err
	}
	return f, nil
}

func (f *Flow) allocate() error {
	g, b := f.Operator.Grid, f.Operator.Boundary
	var err error
	for d := range 3 {
		if f.Velocity[d], err = g.NewField("velocity "+AxisName(d), nil); err != nil {
			return err
		}
	}
	if f.mean, err = g.Device.Alloc(g.Elem, g.Box.N[2]); err != nil {
		return fmt.Errorf("stencil: horizontal mean: %w", err)
	}
	for s := range f.share {
		if side := kernels.Side(s); b.Fixed(side) {
			if f.share[s], err = g.NewWall(b.Share(side)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Flow) buffers() [3]kernels.Buffer {
	return [3]kernels.Buffer{f.Velocity[0].Buffer, f.Velocity[1].Buffer, f.Velocity[2].Buffer}
}

// Average stores the horizontal mean of the temperature, about whose hydrostatic column the pressure is solved.
func (f *Flow) Average(temperature *Field) {
	g := f.Operator.Grid
	g.Device.HorizontalMean(kernels.HorizontalMeanArgs{Box: g.Box, X: temperature.Buffer, W: g.w, Out: f.mean})
}

// Mean returns the stored horizontal mean, one value per z node.
func (f *Flow) Mean() ([]float64, error) {
	v := make([]float64, f.Operator.Grid.Box.N[2])
	return v, f.Operator.Grid.Device.Download(v, f.mean)
}

// Source computes the right side of the pressure equation: minus the outflow that buoyancy and the prescribed wall
// velocities alone would make.
func (f *Flow) Source(source, temperature *Field, rayleigh float64) {
	o := f.Operator
	temperature.Exchange(1)
	a := kernels.BuoyancySourceArgs{A: &o.elliptic, T: temperature.Buffer, TMean: f.mean, Rayleigh: rayleigh, Periodic: o.Grid.Periodic,
		F: source.Buffer}
	if f.open {
		a.Q = f.buffers()
	}
	o.Grid.Device.BuoyancySource(a)
}

// Update tells the pressure and the temperature that the velocities on all dual faces belong to, those through pressure walls
// from the mass balance of their nodes. In 3-D, where no fluid passes a wall, they are computed when they are first asked for, by a
// AdvectMeasured on its way: until then neither field may change.
func (f *Flow) Update(pressure, temperature *Field, rayleigh float64) {
	o, g := f.Operator, f.Operator.Grid
	pressure.Exchange(1)
	temperature.Exchange(1)
	f.pending = kernels.DarcyFluxArgs{A: &o.elliptic, P: pressure.Buffer, T: temperature.Buffer, TMean: f.mean,
		Rayleigh: rayleigh, Q: f.buffers(), Periodic: g.Periodic}
	if f.open || g.Flat() {
		f.resolve()
	}
}

// Velocities returns the face velocities, which are computed if that was put off.
func (f *Flow) Velocities() [3]*Field {
	f.resolve()
	return f.Velocity
}

func (f *Flow) resolve() {
	o, g := f.Operator, f.Operator.Grid
	if f.pending.A == nil {
		return
	}
	g.Device.DarcyFlux(f.pending)
	f.pending.A = nil
	for _, v := range f.Velocity {
		v.Exchange(1)
	}
	if !o.Boundary.Singular() {
		g.Device.WallFlux(kernels.WallFluxArgs{Box: g.Box, W: g.w, Q: f.buffers(), Share: f.share})
		for _, v := range f.Velocity {
			v.Exchange(1)
		}
	}
}

// SetWallVelocity prescribes the normal velocity on a wall from a wall array of inward velocities; nodes of fixed
// pressure are overwritten by Update.
func (f *Flow) SetWallVelocity(s kernels.Side, inward []float64) error {
	g := f.Operator.Grid
	f.resolve()
	f.open = true
	d := s.Axis()
	values := make([]float64, len(inward))
	for n, v := range inward {
		values[n] = v
		if s.High() {
			values[n] = -v
		}
	}
	value, err := g.NewWall(values)
	if err != nil {
		return err
	}
	defer g.Device.Free(value)
	where, err := g.NewWall(ones(len(values)))
	if err != nil {
		return err
	}
	defer g.Device.Free(where)
	g.Device.SetWall(kernels.SetWallArgs{Box: g.Box, X: f.Velocity[d].Buffer, Side: s, Face: true, Where: where, Value: value})
	return g.Device.Sync()
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// NodeVelocity computes component d of the velocity on nodes: the mean of both faces, on a wall the wall face.
func (f *Flow) NodeVelocity(out *Field, d int) {
	g := f.Operator.Grid
	f.resolve()
	g.Device.NodeVelocity(kernels.NodeVelocityArgs{Box: g.Box, Q: f.Velocity[d].Buffer, Axis: d, Periodic: g.Periodic[d], Out: out.Buffer})
}

// Offsets from the slot given to Statistics.
const (
	SpeedSquared    = iota // Σ V |u|²
	SpeedMax               // max |u|
	CourantRate            // max Σ_d |u_d| / w_d, 1/time
	DivergenceMax          // max |∇·u|
	ImbalanceSum           // Σ of the integrated mass balances
	ImbalanceAbs           // Σ of their magnitudes
	StatisticsSlots        // number of slots
)

// Statistics queues the flow statistics into StatisticsSlots slots from slot on.
func (f *Flow) Statistics(slot int) {
	g := f.Operator.Grid
	f.resolve()
	g.Device.FlowStatistics(kernels.FlowStatisticsArgs{Box: g.Box, W: g.w, Q: f.buffers(), Periodic: g.Periodic, Slot: slot})
}

// Streamfunction computes, in 2-D, the nodal streamfunction into out, its largest magnitude into slot and its
// value at the domain's centre into slot+1. See kernels.StreamfunctionArgs.
func (f *Flow) Streamfunction(out *Field, slot int) {
	g := f.Operator.Grid
	f.resolve()
	a := kernels.StreamfunctionArgs{Box: g.Box, W: g.w, Q: f.buffers(), Out: out.Buffer, Slot: slot, Periodic: g.Periodic,
		Centre: f.centre, Part: f.part}
	g.Device.Streamfunction(a)
}

// Free releases the flow's memory.
func (f *Flow) Free() {
	dev := f.Operator.Grid.Device
	for _, v := range f.Velocity {
		v.Free()
	}
	if f.mean != nil {
		dev.Free(f.mean)
		f.mean = nil
	}
	for s, b := range f.share {
		if b != nil {
			dev.Free(b)
			f.share[s] = nil
		}
	}
}
