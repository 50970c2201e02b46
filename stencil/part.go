package stencil

import (
	"fmt"

	"convect/kernels"
)

// Part is a block of nodes of a grid whose values move to and from the host on their own, as those around a well do.
type Part struct {
	Low, N [3]int // the first node and the number of nodes along x, y, z
	grid   *Grid
	box    kernels.Box
}

// Part returns the block of n nodes along each axis from a first one on; n is 1 along an absent axis. It fails where the block does not lie in the grid.
func (g *Grid) Part(low, n [3]int) (Part, error) {
	for d := range 3 {
		if low[d] < 0 || n[d] < 1 || low[d]+n[d] > g.Box.N[d] {
			return Part{}, fmt.Errorf("stencil: the part from node %d to %d along %s is not within the %d nodes of the grid", low[d], low[d]+n[d]-1, AxisName(d), g.Box.N[d])
		}
	}
	box := g.Box
	box.N, box.Origin = n, g.Box.Index(low[0], low[1], low[2])
	return Part{Low: low, N: n, grid: g, box: box}, nil
}

// Nodes returns the number of nodes.
func (p *Part) Nodes() int { return p.box.Nodes() }

// Node returns the indices of the n-th node of the part, counted as its values are.
func (p *Part) Node(n int) (i, j, k int) {
	return p.Low[0] + n%p.N[0], p.Low[1] + n/p.N[0]%p.N[1], p.Low[2] + n/(p.N[0]*p.N[1])
}

// Download waits for the device and returns the values of a field, [z][y][x] of the part, into v. It fails as the device does.
func (p *Part) Download(v []float64, f *Field) error {
	if err := p.grid.Device.DownloadBox(v, f.Buffer, p.box); err != nil {
		return fmt.Errorf("stencil: download a part of %s: %w", f.Name, err)
	}
	return nil
}

// Upload sets the values of a field, [z][y][x] of the part.
func (p *Part) Upload(f *Field, v []float64) { p.grid.Device.UploadBox(f.Buffer, p.box, v) }

// AddThrough adds an inward velocity to that through the dual face of element n of a side. Update puts the face of a node of fixed pressure in order
// without what a well brings to that node: it is added after it. It fails as the device does.
func (f *Flow) AddThrough(s kernels.Side, n int, inward float64) error {
	g, d := f.Operator.Grid, s.Axis()
	var at [3]int
	at[0], at[1], at[2] = g.WallIndex(s, n)
	if at[d]--; s.High() {
		at[d] = g.Box.N[d] - 1
		inward = -inward
	}
	face := kernels.Box{N: [3]int{1, 1, 1}, Stride: [3]int{1, 0, 1}, Origin: g.Box.Index(at[0], at[1], at[2]), Len: g.Box.Len}
	v := make([]float64, 1)
	if err := g.Device.DownloadBox(v, f.Velocities()[d].Buffer, face); err != nil {
		return fmt.Errorf("stencil: velocity through the %s: %w", s, err)
	}
	v[0] += inward
	g.Device.UploadBox(f.Velocity[d].Buffer, face, v)
	return nil
}

// ExchangeVelocities fills the halo of the velocities again, after AddThrough.
func (f *Flow) ExchangeVelocities() {
	for _, v := range f.Velocity {
		v.Exchange(1)
	}
}
