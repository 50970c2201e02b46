package call

import "convect/kernels"

// HierarchicalCube checks the fields and the blocks.
func (c *Call) HierarchicalCube(a kernels.HierarchicalCubeArgs) Cube {
	s := Cube{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U"), F: c.Nodes(a.F, "F"), Overlap: int64(a.Overlap),
		Sweeps: int64(a.Sweeps)}
	c.differ(a.Out, a.U, "Out is U or F")
	c.differ(a.Out, a.F, "Out is U or F")
	n := a.Box.N
	switch {
	case a.Box.Flat():
		c.Fail("the box is flat")
	case min(n[0], n[1], n[2]) < 3:
		c.Fail("%d x %d x %d nodes hold no unknown", n[0], n[1], n[2])
	case min(a.Tile[0], a.Tile[1], a.Tile[2], a.Sweeps) < 1:
		c.Fail("%d sweeps on blocks of %d x %d x %d unknowns", a.Sweeps, a.Tile[0], a.Tile[1], a.Tile[2])
	case a.Overlap < 0 || a.Overlap%2 != 0 || a.Overlap >= min(a.Tile[0], a.Tile[1], a.Tile[2]):
		c.Fail("an overlap of %d unknowns of %d x %d x %d is not even and smaller", a.Overlap, a.Tile[0], a.Tile[1], a.Tile[2])
	}
	if !c.OK() {
		return s
	}
	for axis, blocks := range a.Blocks() {
		s.Tile[axis], s.Room[axis], s.Blocks[axis] = int64(a.Tile[axis]), int64(min(a.Tile[axis], n[axis]-2)), int64(blocks)
	}
	return s
}
