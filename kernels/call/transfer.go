package call

import "convect/kernels"

// factors checks that the coarse box follows from the fine one.
func (c *Call) factors(factor [3]int, fine, coarse kernels.Box, periodic [3]bool) {
	from, to := cellsOf(fine, periodic), cellsOf(coarse, periodic)
	for d, f := range factor {
		if !follows(f, from[d], to[d]) {
			c.Fail("factor %d along axis %d does not lead from %d to %d cells", f, d, from[d], to[d])
		}
	}
}

// follows tells whether an axis of so many cells is coarsened to so many by a factor.
func follows(factor, from, to int) bool {
	switch factor {
	case 1, 2:
		return from == factor*to
	case kernels.Between:
		return to > 0 && to <= from && from <= 2*to
	}
	return false
}

// transfer checks a transfer; the target's box, with its mask, is the call's, of the rows that are computed.
func (c *Call) transfer(a kernels.TransferArgs, target kernels.Box) Transfer {
	box, rows := c.box, a.Rows
	if rows != [2]int{} {
		box = boxOf // of which an array has a part
	} else {
		rows[1] = target.N[kernels.Y]
	}
	t := Transfer{Fine: box(a.Fine), Coarse: box(a.Coarse), Factor: ints(a.Factor), Periodic: flags(a.Periodic)}
	t.FineX, t.CoarseX = c.nodesOf(a.FineX, a.Fine, "FineX"), c.nodesOf(a.CoarseX, a.Coarse, "CoarseX")
	c.factors(a.Factor, a.Fine, a.Coarse, a.Periodic)
	if a.Rows != [2]int{} && !kernels.AnyBetween(a.Factor) || rows[0] < 0 || rows[1] > target.N[kernels.Y] || rows[0] >= rows[1] {
		c.Fail("rows %d to %d of a grid of %d rows, factors %v", rows[0], rows[1], target.N[kernels.Y], a.Factor)
	}
	if a.Replaces {
		c.Fail("it adds, or has nothing to replace")
	}
	c.Box = target
	t.Mask = c.mask(a.Mask)
	t.First, t.Count = int64(rows[0]), int64(rows[1]-rows[0])
	c.Box.N[kernels.Y] = rows[1] - rows[0]
	return t
}

// Restrict checks a transfer to the coarse box.
func (c *Call) Restrict(a kernels.TransferArgs) Transfer { return c.transfer(a, a.Coarse) }

// Prolong checks a transfer to the fine box.
func (c *Call) Prolong(a kernels.TransferArgs) Transfer { return c.transfer(a, a.Fine) }

// ProlongCubic checks a transfer to the fine box, which it may replace.
func (c *Call) ProlongCubic(a kernels.TransferArgs) Transfer {
	replaces := flag(a.Replaces)
	a.Replaces = false
	t := c.transfer(a, a.Fine)
	t.Replaces = replaces
	return t
}

// Inject checks a transfer to the coarse box, without mask.
func (c *Call) Inject(a kernels.TransferArgs) Transfer {
	if a.Mask = nil; a.Rows != [2]int{} {
		c.Fail("it has no rows")
	}
	return c.transfer(a, a.Coarse)
}

// Descend checks the way down of a cycle on one level.
func (c *Call) Descend(a kernels.CycleArgs) Cycle {
	s := c.cycle(a)
	s.U = c.maybeNodes(a.U, "U")
	c.coarse(a, &s)
	if a.Sweeps < 1 {
		c.Fail("%d sweeps on the way down", a.Sweeps)
	}
	return s
}

// Ascend checks the way up.
func (c *Call) Ascend(a kernels.CycleArgs) Cycle {
	s := c.cycle(a)
	s.U = c.Nodes(a.U, "U")
	a.CoarseMask = nil
	c.coarse(a, &s)
	if a.Measures {
		c.slot(a.Slot, 1)
	}
	return s
}

// cycle converts what both ways share.
func (c *Call) cycle(a kernels.CycleArgs) Cycle {
	s := Cycle{A: c.Elliptic(a.A), Sweeps: int64(a.Sweeps), Periodic: flags(a.Periodic), Factor: ints(a.Factor), Omega: a.Omega}
	s.Out, s.F = c.Nodes(a.Out, "Out"), c.Nodes(a.F, "F")
	c.differ(a.Out, a.U, "Out is U")
	if a.Sweeps < 0 || a.Sweeps > kernels.MaxSweeps {
		c.Fail("%d sweeps: at most %d", a.Sweeps, kernels.MaxSweeps)
	}
	return s
}

// coarse adds the coarse grid.
func (c *Call) coarse(a kernels.CycleArgs, s *Cycle) {
	fine := c.Box
	c.factors(a.Factor, fine, a.Coarse, a.Periodic)
	if kernels.AnyBetween(a.Factor) {
		c.Fail("coarse nodes between fine ones")
	}
	s.Coarse = c.SetBox(a.Coarse)
	s.CoarseX = c.Nodes(a.CoarseX, "CoarseX")
	s.CoarseMask = c.mask(a.CoarseMask)
	c.Box = fine
}
