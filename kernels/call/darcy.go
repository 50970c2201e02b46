package call

import "convect/kernels"

// mean returns the address of a value for every height.
func (c *Call) mean(b kernels.Buffer) uintptr { return c.Elements(b, c.Elem, c.Box.N[2], "TMean") }

// BuoyancySource checks the fields; Q may be nil.
func (c *Call) BuoyancySource(a kernels.BuoyancySourceArgs) Darcy {
	s := Darcy{A: c.elliptic(a.A), T: c.Nodes(a.T, "T"), F: c.Nodes(a.F, "F"), Mean: c.mean(a.TMean), Rayleigh: a.Rayleigh,
		Periodic: flags(a.Periodic)}
	arrays := c.Arrays
	for axis, q := range a.Q {
		s.Q[axis] = c.maybeNodes(q, "Q")
	}
	c.Arrays = arrays // only the wall faces of Q are read
	return s
}

// DarcyFlux checks the fields.
func (c *Call) DarcyFlux(a kernels.DarcyFluxArgs) Darcy {
	return Darcy{A: c.elliptic(a.A), P: c.Nodes(a.P, "P"), T: c.Nodes(a.T, "T"), Mean: c.mean(a.TMean), Rayleigh: a.Rayleigh,
		Q: c.faces(a.Q), Periodic: flags(a.Periodic)}
}

// HeatFlux checks the fields; only the axis's Q is set.
func (c *Call) HeatFlux(a kernels.HeatFluxArgs) Darcy {
	s := Darcy{A: c.elliptic(a.A), T: c.Nodes(a.T, "T"), Axis: int64(a.Axis), Scheme: c.scheme(a.Scheme), Periodic: flags(a.Periodic)}
	c.isAxis(a.Axis)
	c.slot(a.Slot, 1)
	if c.OK() {
		s.Q[a.Axis] = c.Nodes(a.Q, "Q")
	}
	return s
}

// Dissipation checks the temperature.
func (c *Call) Dissipation(a kernels.DissipationArgs) Darcy {
	s := Darcy{A: c.elliptic(a.A), T: c.Nodes(a.T, "T"), Periodic: flags(a.Periodic)}
	c.slot(a.Slot, 1)
	return s
}

// checkWallFlux refuses walls in y of a flat box.
func (c *Call) checkWallFlux(a *kernels.WallFluxArgs, _ *WallFlux) {
	if a.Box.Flat() && (a.Share[kernels.Front] != nil || a.Share[kernels.Back] != nil) {
		c.Fail("a flat box has no walls in y")
	}
}
