package stencil

import (
	"fmt"

	"convect/kernels"
)

// Boundary tells which wall nodes of a grid are fixed (Dirichlet) and to what values; all other wall nodes carry
// the natural condition of the operator. Where the values of two walls disagree on a shared edge, bottom and
// top win over the sides, and x over y.
type Boundary struct {
	Grid *Grid
	// Mask is nil where no node is fixed.
	Mask *kernels.RowMask

	fixed  [6][]bool // wall arrays, nil: natural
	where  [6]kernels.Buffer
	values [6]kernels.Buffer
}

// wallOrder is the order in which fixed values are set: later ones win.
var wallOrder = [6]kernels.Side{kernels.Front, kernels.Back, kernels.Left, kernels.Right, kernels.Bottom, kernels.Top}

// NewBoundary makes a boundary whose fixed nodes are given by wall arrays (see kernels.Box.WallShape; nil: the
// whole wall is natural). Values start at zero.
func NewBoundary(g *Grid, fixed [6][]bool) (*Boundary, error) {
	b := &Boundary{Grid: g, fixed: fixed}
	nodes := make([]bool, g.Nodes())
	any := false
	for s, f := range fixed {
		side := kernels.Side(s)
		if f == nil {
			continue
		}
		if !g.Wall(side) {
			return nil, fmt.Errorf("stencil: %s is not a wall", side)
		}
		if len(f) != g.Box.WallNodes(side) {
			return nil, fmt.Errorf("stencil: %s has %d nodes, not %d", side, g.Box.WallNodes(side), len(f))
		}
		for n, v := range f {
			if v {
				nodes[g.wallNode(side, n)] = true
				any = true
			}
		}
	}
	if !any {
		return b, nil
	}
	var err error
	if b.Mask, err = g.rowMask(nodes); err != nil {
		return b, err
	}
	b.Mask.Fixed, b.Mask.Whole = g.fixedSides(nodes)
	return b, nil
}

// fixedSides returns the sides all of whose nodes are fixed, and whether no other node is, from the fixed nodes, which lie on walls.
func (g *Grid) fixedSides(nodes []bool) (fixed [6]bool, whole bool) {
	for s := range fixed {
		side := kernels.Side(s)
		fixed[s] = g.Wall(side) && g.allOnWall(side, func(n int) bool { return nodes[g.wallNode(side, n)] })
	}
	for s := range fixed {
		side := kernels.Side(s)
		if !fixed[s] && g.Wall(side) && !g.allOnWall(side, func(n int) bool { return !nodes[g.wallNode(side, n)] || g.onSides(fixed, side, n) }) {
			return fixed, false
		}
	}
	return fixed, true
}

// allOnWall tells whether something is true of all nodes of a wall.
func (g *Grid) allOnWall(s kernels.Side, holds func(n int) bool) bool {
	for n := range g.Box.WallNodes(s) {
		if !holds(n) {
			return false
		}
	}
	return true
}

// onSides tells whether node n of a wall lies on one of the sides that are set.
func (g *Grid) onSides(sides [6]bool, s kernels.Side, n int) bool {
	i, j, k := g.WallIndex(s, n)
	for o, set := range sides {
		if _, on := g.onWall(kernels.Side(o), i, j, k); set && on {
			return true
		}
	}
	return false
}

// WallNode returns the position in a host array [z][y][x] of element n of a wall array.
func (g *Grid) wallNode(s kernels.Side, n int) int {
	i, j, k := g.WallIndex(s, n)
	return i + g.Box.N[0]*(j+g.Box.N[1]*k)
}

// WallIndex returns the node (i,j,k) of element n of a wall array.
func (g *Grid) WallIndex(s kernels.Side, n int) (i, j, k int) {
	fast, _ := g.Box.WallShape(s)
	a, b := n%fast, n/fast
	end := 0
	if s.High() {
		end = g.Box.N[s.Axis()] - 1
	}
	switch s.Axis() {
	case kernels.X:
		return end, a, b
	case kernels.Y:
		return a, end, b
	}
	return a, b, end
}

// WallArea returns the part of the side that belongs to node n of its wall array: its dual face.
func (g *Grid) WallArea(s kernels.Side, n int) float64 {
	ijk := [3]int{}
	ijk[0], ijk[1], ijk[2] = g.WallIndex(s, n)
	area := 1.0
	for d, i := range ijk {
		if d != s.Axis() {
			area *= g.DualWidth(d, i)
		}
	}
	return area
}

// rowMask stores the distinct rows of a node mask once.
func (g *Grid) rowMask(fixed []bool) (*kernels.RowMask, error) {
	nx, rows := g.Box.N[0], g.Box.N[1]*g.Box.N[2]
	stride := (nx + 15) / 16 * 16
	table := make([]float64, 2*stride)
	seen := map[string]int32{}
	key := make([]byte, nx)
	for v := range 2 {
		for i := range key {
			key[i] = byte(1 - v)
			table[v*stride+i] = float64(1 - v)
		}
		seen[string(key)] = int32(v)
	}
	index := make([]int32, rows)
	for r := range index {
		for i := range key {
			key[i] = 1
			if fixed[r*nx+i] {
				key[i] = 0
			}
		}
		n, ok := seen[string(key)]
		if !ok {
			n = int32(len(seen))
			seen[string(key)] = n
			row := make([]float64, stride)
			for i, v := range key {
				row[i] = float64(v)
			}
			table = append(table, row...)
		}
		index[r] = n
	}
	m := &kernels.RowMask{Rows: len(seen), Stride: stride}
	var err error
	if m.Index, err = g.Device.Alloc(kernels.Int32, rows); err != nil {
		return nil, fmt.Errorf("stencil: mask: %w", err)
	}
	if m.Table, err = g.Device.Alloc(g.Elem, len(table)); err != nil {
		g.Device.Free(m.Index)
		return nil, fmt.Errorf("stencil: mask: %w", err)
	}
	g.Device.UploadInts(m.Index, index)
	g.Device.Upload(m.Table, table)
	return m, nil
}

// Singular tells whether no node is fixed, so that constants are in the null space of a pure Laplacian.
func (b *Boundary) Singular() bool { return b.Mask == nil }

// Fixed tells whether any node of a side is fixed.
func (b *Boundary) Fixed(s kernels.Side) bool {
	for _, v := range b.fixed[s] {
		if v {
			return true
		}
	}
	return false
}

// SetValues sets the fixed values of a side from a wall array; entries at natural nodes are ignored.
func (b *Boundary) SetValues(s kernels.Side, values []float64) error {
	if !b.Fixed(s) {
		return nil
	}
	if b.values[s] == nil {
		where := make([]float64, len(b.fixed[s]))
		for n, v := range b.fixed[s] {
			if v {
				where[n] = 1
			}
		}
		var err error
		if b.where[s], err = b.Grid.NewWall(where); err != nil {
			return err
		}
		if b.values[s], err = b.Grid.NewWall(values); err != nil {
			return err
		}
	}
	b.Grid.Device.Upload(b.values[s], values)
	return nil
}

// NewWall allocates a wall array with the given values.
func (g *Grid) NewWall(values []float64) (kernels.Buffer, error) {
	b, err := g.Device.Alloc(g.Elem, len(values))
	if err != nil {
		return nil, fmt.Errorf("stencil: wall array: %w", err)
	}
	g.Device.Upload(b, values)
	return b, nil
}

// Impose sets the fixed nodes of a field to their values.
func (b *Boundary) Impose(f *Field) {
	for _, w := range b.Walls(f) {
		if w.Where != nil {
			b.Grid.Device.SetWall(w)
		}
	}
}

// Walls returns what Impose does to a field, in order; the last are none where fewer sides are fixed.
func (b *Boundary) Walls(f *Field) (walls [6]kernels.SetWallArgs) {
	n := 0
	for _, s := range wallOrder {
		if b.values[s] != nil {
			walls[n] = kernels.SetWallArgs{Box: b.Grid.Box, X: f.Buffer, Side: s, Where: b.where[s], Value: b.values[s]}
			n++
		}
	}
	return walls
}

// Share returns, for a side, the part of each node's balance that belongs to it: 1 at fixed nodes, on an edge or
// corner shared by several fixed walls in proportion to their dual faces, 0 at natural nodes.
func (b *Boundary) Share(s kernels.Side) []float64 {
	g := b.Grid
	share := make([]float64, g.Box.WallNodes(s))
	for n := range share {
		if b.fixed[s] == nil || !b.fixed[s][n] {
			continue
		}
		total := 0.0
		i, j, k := g.WallIndex(s, n)
		for o := range b.fixed {
			side := kernels.Side(o)
			if m, on := g.onWall(side, i, j, k); on && b.fixed[o] != nil && b.fixed[o][m] {
				total += g.WallArea(side, m)
			}
		}
		share[n] = g.WallArea(s, n) / total
	}
	return share
}

// onWall returns the element of node (i,j,k) in the wall array of a side, if it lies on it.
func (g *Grid) onWall(s kernels.Side, i, j, k int) (n int, on bool) {
	ijk := [3]int{i, j, k}
	end := 0
	if s.High() {
		end = g.Box.N[s.Axis()] - 1
	}
	if ijk[s.Axis()] != end || !g.Wall(s) {
		return 0, false
	}
	fast, _ := g.Box.WallShape(s)
	switch s.Axis() {
	case kernels.X:
		return j + fast*k, true
	case kernels.Y:
		return i + fast*k, true
	}
	return i + fast*j, true
}

// Coarsen returns the boundary of corrections on a coarser grid: a coarse node is fixed where the fine node that
// it coincides with is, or the nearest in the index.
func (b *Boundary) Coarsen(coarse *Grid) (*Boundary, error) {
	nearest := func(d, J int) int {
		from, to := max(b.Grid.Cells[d], 1), max(coarse.Cells[d], 1)
		return (2*J*from + to) / (2 * to) % b.Grid.Box.N[d]
	}
	var fixed [6][]bool
	for o, f := range b.fixed {
		if f == nil {
			continue
		}
		s := kernels.Side(o)
		fixed[o] = make([]bool, coarse.Box.WallNodes(s))
		for n := range fixed[o] {
			i, j, k := coarse.WallIndex(s, n)
			m, _ := b.Grid.onWall(s, nearest(0, i), nearest(1, j), nearest(2, k))
			fixed[o][n] = f[m]
		}
	}
	return NewBoundary(coarse, fixed)
}

// Free releases the boundary's device memory.
func (b *Boundary) Free() {
	dev := b.Grid.Device
	if b.Mask != nil {
		dev.Free(b.Mask.Index)
		dev.Free(b.Mask.Table)
		b.Mask = nil
	}
	for s := range b.where {
		for _, w := range []*kernels.Buffer{&b.where[s], &b.values[s]} {
			if *w != nil {
				dev.Free(*w)
				*w = nil
			}
		}
	}
}
