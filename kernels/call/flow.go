package call

import "convect/kernels"

// Advect checks the fields.
func (c *Call) Advect(a kernels.AdvectArgs) Flow {
	s := Flow{Box: c.SetBox(a.Box), W: c.axes(a.W, "W"), Q: c.faces(a.Q), T: c.Nodes(a.T, "T"), Inflow: c.walls(a.Inflow, "Inflow"),
		Periodic: flags(a.Periodic), Scheme: c.scheme(a.Scheme), Out: c.Nodes(a.Out, "Out")}
	c.differ(a.Out, a.T, "Out is T")
	return s
}

// NodeVelocity checks the fields; only the axis's Q is set.
func (c *Call) NodeVelocity(a kernels.NodeVelocityArgs) Flow {
	s := Flow{Box: c.SetBox(a.Box), Axis: int64(a.Axis), Out: c.Nodes(a.Out, "Out")}
	c.isAxis(a.Axis)
	if c.OK() {
		s.Q[a.Axis], s.Periodic[a.Axis] = c.Nodes(a.Q, "Q"), flag(a.Periodic)
		c.differ(a.Out, a.Q, "Out is Q")
	}
	return s
}

// FlowStatistics checks the faces.
func (c *Call) FlowStatistics(a kernels.FlowStatisticsArgs) Flow {
	s := Flow{Box: c.SetBox(a.Box), W: c.axes(a.W, "W"), Q: c.faces(a.Q), Periodic: flags(a.Periodic)}
	c.slot(a.Slot, 6)
	return s
}

// Streamfunction checks the faces and the centre.
func (c *Call) Streamfunction(a kernels.StreamfunctionArgs) Flow {
	s := Flow{Box: c.SetBox(a.Box), W: c.axes(a.W, "W"), Q: c.faces(a.Q), Periodic: flags(a.Periodic), Out: c.Nodes(a.Out, "Out"),
		Centre: ints(a.Centre), Part: a.Part}
	if c.OK() && !a.Box.Flat() {
		c.Fail("the box is not flat")
	}
	for d, p := range a.Part {
		if n := a.Box.N[d]; a.Centre[d] < 0 || a.Centre[d] >= n || !(p >= 0 && p <= 1) || (p > 0 && a.Centre[d] == n-1) {
			c.Fail("the centre is not within the nodes along axis %d", d)
		}
	}
	c.slot(a.Slot, 2)
	return s
}
