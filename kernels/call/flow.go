package call

import "convect/kernels"

// AdvectMeasured checks the fields, the diffusivity and the flow.
func (c *Call) AdvectMeasured(a kernels.AdvectMeasuredArgs) AdvectMeasured {
	s := AdvectMeasured{Flow: c.Advect(a.AdvectArgs), Axis: int64(a.Axis)}
	c.isAxis(a.Axis)
	c.slot(a.Slot, kernels.MeasuredSlots)
	arrays := c.Arrays
	e := c.Elliptic(a.A)
	s.H, s.RH, s.K = e.H, e.RH, e.K
	if c.OK() && a.A.Box != a.Box {
		c.Fail("the diffusivity has another box")
	}
	if f := &a.Flow; f.A != nil {
		c.DarcyFlux(*f)
		c.differ(a.Out, f.P, "Out is P")
		c.differ(a.Out, f.T, "Out is T of the flow")
		if c.OK() && (f.A.Box != a.Box || f.Q != a.Q || f.Periodic != a.Periodic) {
			c.Fail("the flow has another box, Q or other periodic axes")
		}
		c.SetBox(a.Box)
	}
	c.Arrays = arrays
	return s
}

// Closed gives the arguments of AdvectMeasured where the flow has a constant conductivity and is computed on the way; s holds the others.
func (c *Call) Closed(a kernels.AdvectMeasuredArgs, s AdvectMeasured) Closed {
	f := c.DarcyFlux(a.Flow)
	return Closed{AdvectMeasured: s, P: f.P, Driver: f.T, Mean: f.Mean, Rayleigh: f.Rayleigh, Conductivity: f.A.K}
}

// checkPredict takes the right side in single precision and looks at the walls.
func (c *Call) checkPredict(a *kernels.PredictArgs, s *Step) {
	if s.TOlder != 0 {
		s.Bend = a.Bend
	}
	if a.Single != nil {
		s.Single, s.Scale = c.singleNodes(a.Single, "Single"), a.Inverse
		if c.OK() && c.Elem != kernels.Float64 {
			c.Fail("Single is for float64 only")
		}
	}
	for _, w := range a.Walls {
		if w.Where != nil && c.OK() && (w.X != a.G || w.Box != a.A.Box || w.Face) {
			c.Fail("a wall is not one of G")
		}
	}
	c.differ(a.F, a.G, "F is G")
}

// checkConserve refuses an X that is another field.
func (c *Call) checkConserve(a *kernels.ConserveArgs, _ *Step) {
	c.differ(a.X, a.U, "X is U")
	c.differ(a.R, a.X, "R is X")
}

// ConserveMeasured checks the fields.
func (c *Call) ConserveMeasured(a kernels.ConserveMeasuredArgs) Step {
	s := Step{A: c.Elliptic(a.A), G: c.Nodes(a.Out, "Out"), T: c.Nodes(a.X, "X"), E: c.singleNodes(a.E, "E"), F: c.Nodes(a.F, "F"),
		R: c.Nodes(a.R, "R"), Scale: a.Scale}
	for _, other := range [...]kernels.Buffer{a.E, a.F, a.R} {
		c.differ(a.Out, other, "Out is E, F or R")
	}
	for _, other := range [...]kernels.Buffer{a.E, a.F, a.X} {
		c.differ(a.R, other, "R is E, F or X")
	}
	c.slot(a.Slot, 1)
	return s
}

// checkStreamfunction checks the centre.
func (c *Call) checkStreamfunction(a *kernels.StreamfunctionArgs, _ *Streamfunction) {
	for d, p := range a.Part {
		if n := a.Box.N[d]; a.Centre[d] < 0 || a.Centre[d] >= n || !(p >= 0 && p <= 1) || (p > 0 && a.Centre[d] == n-1) {
			c.Fail("the centre is not within the nodes along axis %d", d)
		}
	}
}
