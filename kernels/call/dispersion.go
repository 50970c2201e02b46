package call

import "convect/kernels"

// spreading checks a form of the fluxes by dispersion.
func (c *Call) spreading(s kernels.Spreading) int64 {
	if s > kernels.SpreadLimited {
		c.Fail("unknown form %d of the fluxes", s)
	}
	return int64(s)
}

// checkDisperse refuses an Out that is T or Held.
func (c *Call) checkDisperse(a *kernels.DisperseArgs, _ *Disperse) {
	c.differ(a.Out, a.T, "Out is T")
	c.differ(a.Held, a.Out, "Held is Out")
}
