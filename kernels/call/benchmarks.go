package call

import "convect/kernels"

// LaplaceJacobi checks the fields and cuts tiles to the box.
func (c *Call) LaplaceJacobi(a kernels.LaplaceJacobiArgs) Laplace {
	s := Laplace{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U")}
	c.differ(a.Out, a.U, "Out is U")
	switch {
	case a.Sweeps < 0:
		c.Fail("%d sweeps", a.Sweeps)
	case a.Form > kernels.NodesInRegisters:
		c.Fail("unknown form %d", a.Form)
	case a.Sweeps > 1:
		s.Work = c.Nodes(a.Work, "Work")
		c.differ(a.Work, a.U, "Work is U or Out")
		c.differ(a.Work, a.Out, "Work is U or Out")
	}
	if a.Box.Flat() {
		c.Fail("the box is flat")
	}
	for axis, n := range a.Tile {
		if n < 0 {
			c.Fail("a tile of %d nodes", n)
		}
		if n == 0 || n > a.Box.N[axis] {
			n = a.Box.N[axis]
		}
		s.Tile[axis] = int64(n)
	}
	return s
}

// Pass returns what pass n of several reads and writes: they go from Out to Work and back, so that the last writes to Out.
func (s Laplace) Pass(n, passes int) Laplace {
	between := [2]uintptr{s.Out, s.Work}
	if n > 0 {
		s.U = between[(passes-n)%2]
	}
	s.Out = between[(passes-n-1)%2]
	return s
}

// Poisson2D checks the fields and how the work is cut.
func (c *Call) Poisson2D(a kernels.Poisson2DArgs) Poisson {
	s := Poisson{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U"), F: c.Nodes(a.F, "F"),
		Layout: int64(a.Layout), Tile: int64(a.Tile)}
	c.differ(a.Out, a.U, "Out is U or F")
	c.differ(a.Out, a.F, "Out is U or F")
	switch {
	case !a.Box.Flat():
		c.Fail("the box is not flat")
	case a.Tile < 1:
		c.Fail("a tile of %d nodes", a.Tile)
	case a.Layout > kernels.StagedTiles:
		c.Fail("unknown layout %d", a.Layout)
	}
	if c.OK() {
		s.Blocks = int64(a.Blocks(a.Box.N[kernels.X]))
	}
	return s
}

// HierarchicalJacobi checks the fields and the blocks.
func (c *Call) HierarchicalJacobi(a kernels.HierarchicalJacobiArgs) Hierarchical {
	s := Hierarchical{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U"), F: c.Nodes(a.F, "F"),
		Lines: flag(a.Lines), Overlap: int64(a.Overlap), Sweeps: int64(a.Sweeps)}
	c.differ(a.Out, a.U, "Out is U or F")
	c.differ(a.Out, a.F, "Out is U or F")
	n := a.Box.N
	switch {
	case !a.Box.Flat():
		c.Fail("the box is not flat")
	case n[0] < 3 || n[2] < 3 && !a.Lines:
		c.Fail("%d x %d nodes hold no unknown", n[0], n[2])
	case a.Tile[0] < 1 || a.Tile[1] < 1 || a.Sweeps < 1:
		c.Fail("%d sweeps on blocks of %d x %d unknowns", a.Sweeps, a.Tile[0], a.Tile[1])
	case a.Overlap < 0 || a.Overlap%2 != 0 || a.Overlap >= a.Tile[0] || a.Overlap >= a.Tile[1] && !a.Lines:
		c.Fail("an overlap of %d unknowns of %d x %d is not even and smaller", a.Overlap, a.Tile[0], a.Tile[1])
	}
	if !c.OK() {
		return s
	}
	blocks := a.Blocks()
	s.Tile = [2]int64{int64(a.Tile[0]), int64(a.Tile[1])}
	s.Room = [2]int64{int64(min(a.Tile[0], n[0]-2)), int64(min(a.Tile[1], n[2]))}
	s.Blocks = [2]int64{int64(blocks[0]), int64(blocks[1])}
	return s
}
