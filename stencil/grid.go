package stencil

import (
	"fmt"
	"math"

	"convect/kernels"
)

// Extent describes a tensor-product grid before it is placed on a device.
type Extent struct {
	Cells    [3]int     // cells along x, y, z; Cells[1] = 0: y is absent (2-D, x–z)
	Size     [3]float64 // lengths; Size[1] is ignored where y is absent
	Periodic [3]bool
	Grading  [3]Grading // of the widths of cells along x, y, z; the zero value: all alike
}

// Grid is a tensor-product grid of nodes on a device: coordinates, dual widths and memory layout.
type Grid struct {
	Device   kernels.Device
	Elem     kernels.Elem // element type of its fields
	Box      kernels.Box
	Cells    [3]int // as in Extent
	Size     [3]float64
	Periodic [3]bool
	Offset   [3]int // of node (0,0,0) in the global grid
	Global   [3]int // nodes of the global grid

	// Widths[d][i] is the width of cell i, between nodes i and i+1, 0 <= i < Cells[d].
	Widths [3][]float64

	h, rh, w [3]kernels.Buffer // axis arrays
	shape    kernels.Shape     // what they hold
}

// NewGrid places a grid on a device. Along a periodic axis there are as many nodes as cells, else one more. An axis needs
// at least 1 cell, a periodic one at least 2 (its two neighbours must differ), a graded one those of Cluster.LeastCells. A
// periodic axis is graded with ClusterBoth or not at all: its widths must not jump where the ends meet.
func NewGrid(dev kernels.Device, elem kernels.Elem, e Extent) (*Grid, error) {
	var widths [3][]float64
	for d, n := range e.Cells {
		if d == kernels.Y && n == 0 {
			continue
		}
		if n < 1 || (e.Periodic[d] && n < 2) {
			return nil, fmt.Errorf("stencil: %d cells along %s are too few", n, AxisName(d))
		}
		if !(e.Size[d] > 0) || math.IsInf(e.Size[d], 0) {
			return nil, fmt.Errorf("stencil: size %g along %s is not positive", e.Size[d], AxisName(d))
		}
		if err := e.Grading[d].check(n, e.Periodic[d], AxisName(d)); err != nil {
			return nil, err
		}
		widths[d] = e.Widths(d)
	}
	return newGrid(dev, elem, widths, e.Periodic)
}

// AxisName returns "x", "y" or "z".
func AxisName(d int) string { return [...]string{"x", "y", "z"}[d] }

func newGrid(dev kernels.Device, elem kernels.Elem, widths [3][]float64, periodic [3]bool) (*Grid, error) {
	g := &Grid{Device: dev, Elem: elem, Widths: widths, Periodic: periodic}
	nodes := [3]int{1, 1, 1}
	for d, w := range widths {
		g.Cells[d] = len(w)
		for _, h := range w {
			g.Size[d] += h
		}
		if len(w) == 0 {
			continue
		}
		nodes[d] = len(w)
		if !periodic[d] {
			nodes[d]++
		}
	}
	g.Box = kernels.NewBox(nodes, g.Flat())
	g.Global = nodes
	g.shape.Periodic = periodic
	for d := range 3 {
		g.shape.Width[d] = kernels.EvenWidth(elem, widths[d])
		h := g.axisValues(d, g.cellWidth)
		rh := make([]float64, len(h))
		for i, v := range h {
			if v > 0 && g.Cells[d] > 0 {
				rh[i] = 1 / v
			}
		}
		var err error
		for _, a := range []struct {
			dst    *kernels.Buffer
			values []float64
		}{{&g.h[d], h}, {&g.rh[d], rh}, {&g.w[d], g.axisValues(d, g.DualWidth)}} {
			if *a.dst, err = dev.Alloc(elem, len(a.values)); err != nil {
				g.Free()
				return nil, fmt.Errorf("stencil: axis arrays: %w", err)
			}
			dev.Upload(*a.dst, a.values)
		}
	}
	return g, nil
}

// Free releases the grid's own device memory (not that of its fields).
func (g *Grid) Free() {
	for d := range 3 {
		for _, b := range []*kernels.Buffer{&g.h[d], &g.rh[d], &g.w[d]} {
			if *b != nil {
				g.Device.Free(*b)
				*b = nil
			}
		}
	}
}

// Flat tells whether the y axis is absent.
func (g *Grid) Flat() bool { return len(g.Widths[kernels.Y]) == 0 }

// Dimensions returns 2 or 3.
func (g *Grid) Dimensions() int {
	if g.Flat() {
		return 2
	}
	return 3
}

// Nodes returns the number of nodes.
func (g *Grid) Nodes() int { return g.Box.Nodes() }

// CellShape returns the extents of a host array of cells, [z][y][x] with x fastest: 1 along an absent axis.
func (g *Grid) CellShape() [3]int {
	n := g.Cells
	n[kernels.Y] = max(n[kernels.Y], 1)
	return n
}

// Wall tells whether a side is a wall: not periodic, not the missing ends of an absent axis.
func (g *Grid) Wall(s kernels.Side) bool {
	d := s.Axis()
	return !g.Periodic[d] && g.Cells[d] > 0
}

// cellWidth returns h of cell i, -HaloWidth <= i < N+HaloWidth: zero beyond walls, wrapped where periodic, and 1
// around the only node of an absent axis.
func (g *Grid) cellWidth(d, i int) float64 {
	n := g.Cells[d]
	switch {
	case n == 0:
		if i == 0 || i == -1 {
			return 1
		}
		return 0
	case g.Periodic[d]:
		return g.Widths[d][((i%n)+n)%n]
	case i < 0 || i >= n:
		return 0
	}
	return g.Widths[d][i]
}

// DualWidth returns the width of the dual volume of node i along axis d: half of both adjacent cells.
func (g *Grid) DualWidth(d, i int) float64 { return (g.cellWidth(d, i-1) + g.cellWidth(d, i)) / 2 }

func (g *Grid) axisValues(d int, f func(d, i int) float64) []float64 {
	v := make([]float64, g.Box.N[d]+2*kernels.HaloWidth)
	for i := range v {
		v[i] = f(d, i-kernels.HaloWidth)
	}
	return v
}

// Coordinates returns the node coordinates along an axis, starting at 0.
func (g *Grid) Coordinates(d int) []float64 {
	return coordinates(g.Widths[d], g.Size[d])[:g.Box.N[d]]
}

// centre returns the node at or below the middle of an axis, and how far the middle lies on the way to the next.
func (g *Grid) centre(d int) (node int, part float64) {
	n, x := g.Cells[d], g.Coordinates(d)
	if even(g.Widths[d]) {
		return n / 2, float64(n%2) / 2
	}
	middle := g.Size[d] / 2
	for node+2 < len(x) && x[node+1] <= middle {
		node++
	}
	return node, min(max((middle-x[node])/g.cellWidth(d, node), 0), 1)
}

// Volume returns the volume of the domain (the area where y is absent).
func (g *Grid) Volume() float64 {
	v := 1.0
	for d, n := range g.Cells {
		if n > 0 {
			v *= g.Size[d]
		}
	}
	return v
}

// LargestVolume returns the largest dual volume of a node (the area where y is absent).
func (g *Grid) LargestVolume() float64 {
	v := 1.0
	for d, n := range g.Cells {
		if n == 0 {
			continue
		}
		most := 0.0
		for i := range g.Box.N[d] {
			most = math.Max(most, g.DualWidth(d, i))
		}
		v *= most
	}
	return v
}

// CellVolume returns the volume of cell (i,j,k), its area where y is absent.
func (g *Grid) CellVolume(i, j, k int) float64 {
	v := 1.0
	for d, c := range [3]int{i, j, k} {
		if g.Cells[d] > 0 {
			v *= g.Widths[d][c]
		}
	}
	return v
}

// MinWidth returns the smallest cell width.
func (g *Grid) MinWidth() float64 {
	least := math.Inf(1)
	for _, w := range g.Widths {
		for _, h := range w {
			least = math.Min(least, h)
		}
	}
	return least
}

// W returns the axis arrays of dual widths, for kernels.
func (g *Grid) W() [3]kernels.Buffer { return g.w }

// Coarsen returns the grid with every factor[d]-th node kept (factor 1 or 2; an even number of cells where 2), or with nodes between those of the fine one:
// kernels.Between, of betweenCells cells, alike in the index.
func (g *Grid) Coarsen(factor [3]int) (*Grid, error) {
	var widths [3][]float64
	for d, w := range g.Widths {
		if factor[d] == 1 {
			widths[d] = w
			continue
		}
		if factor[d] == kernels.Between {
			widths[d] = g.widthsBetween(d, betweenCells(len(w)))
			continue
		}
		if len(w)%2 != 0 {
			return nil, fmt.Errorf("stencil: %d cells along %s cannot be halved", len(w), AxisName(d))
		}
		widths[d] = make([]float64, len(w)/2)
		for i := range widths[d] {
			widths[d][i] = w[2*i] + w[2*i+1]
		}
	}
	c, err := newGrid(g.Device, g.Elem, widths, g.Periodic)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// widthsBetween returns the widths of n coarse cells along an axis that are alike in the index: all alike where the fine ones are.
func (g *Grid) widthsBetween(d, n int) []float64 {
	fine := g.Widths[d]
	widths := make([]float64, n)
	for J := range widths {
		if g.shape.Width[d] != 0 {
			widths[J] = g.Size[d] / float64(n)
			continue
		}
		low, high := J*len(fine), (J+1)*len(fine) // in parts of a fine cell, of which it has n
		for i := low / n; i*n < high; i++ {
			widths[J] += fine[i] * float64(min((i+1)*n, high)-max(i*n, low)) / float64(n)
		}
	}
	return widths
}
