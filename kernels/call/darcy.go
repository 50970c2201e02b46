package call

import "convect/kernels"

// checkBuoyancySource takes Q, which may be nil.
func (c *Call) checkBuoyancySource(a *kernels.BuoyancySourceArgs, s *Darcy) {
	arrays := c.Arrays
	for axis, q := range a.Q {
		s.Q[axis] = c.maybeNodes(q, "Q")
	}
	c.Arrays = arrays // only the wall faces of Q are read
}

// checkHeatFlux takes the velocity along the axis.
func (c *Call) checkHeatFlux(a *kernels.HeatFluxArgs, s *Darcy) { s.Q[a.Axis] = c.Nodes(a.Q, "Q") }

// checkWallFlux refuses walls in y of a flat box.
func (c *Call) checkWallFlux(a *kernels.WallFluxArgs, _ *WallFlux) {
	if a.Box.Flat() && (a.Share[kernels.Front] != nil || a.Share[kernels.Back] != nil) {
		c.Fail("a flat box has no walls in y")
	}
}
