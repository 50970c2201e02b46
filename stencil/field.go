package stencil

import (
	"fmt"

	"convect/kernels"
)

// Field is a scalar on the nodes of a grid: grid + boundary + device buffer.
type Field struct {
	Name     string
	Grid     *Grid
	Boundary *Boundary // which nodes are fixed, and to what; nil: none
	Buffer   kernels.Buffer
}

// NewField allocates a zero field. boundary may be nil.
func (g *Grid) NewField(name string, boundary *Boundary) (*Field, error) {
	b, err := kernels.AllocBox(g.Device, g.Elem, g.Box)
	if err != nil {
		return nil, fmt.Errorf("stencil: field %s: %w", name, err)
	}
	return &Field{Name: name, Grid: g, Boundary: boundary, Buffer: b}, nil
}

// Free releases the field's memory.
func (f *Field) Free() {
	if f != nil && f.Buffer != nil {
		f.Grid.Device.Free(f.Buffer)
		f.Buffer = nil
	}
}

// Swap exchanges the values of two fields of one grid without copying.
func (f *Field) Swap(o *Field) { f.Buffer, o.Buffer = o.Buffer, f.Buffer }

// Fill sets every node to v.
func (f *Field) Fill(v float64) { f.Grid.Device.Fill(kernels.FillArgs{X: f.Buffer, Value: v}) }

// Copy sets f to the values of o (same grid layout; the element type may differ).
func (f *Field) Copy(o *Field) { f.Grid.Device.Copy(kernels.CopyArgs{Dst: f.Buffer, Src: o.Buffer}) }

// Upload sets the nodes from host values [z][y][x].
func (f *Field) Upload(v []float64) { f.Grid.Device.UploadBox(f.Buffer, f.Grid.Box, v) }

// Download returns the nodes as host values [z][y][x].
func (f *Field) Download() ([]float64, error) {
	v := make([]float64, f.Grid.Nodes())
	if err := f.DownloadTo(v); err != nil {
		return nil, err
	}
	return v, nil
}

// DownloadTo is Download into values of the caller, one a node.
func (f *Field) DownloadTo(v []float64) error {
	if err := f.Grid.Device.DownloadBox(v, f.Buffer, f.Grid.Box); err != nil {
		return fmt.Errorf("stencil: download %s: %w", f.Name, err)
	}
	return nil
}

// Exchange fills width halo layers at the seams (periodic ends).
func (f *Field) Exchange(width int) {
	g := f.Grid
	if g.Periodic == [3]bool{} {
		return
	}
	g.Device.Halo(kernels.HaloArgs{Box: g.Box, X: f.Buffer, Periodic: g.Periodic, Width: width})
}

// Reduce queues a reduction of f (and o, for those that need two) into a slot.
func (f *Field) Reduce(kind kernels.Reduction, o *Field, slot int) {
	a := kernels.ReduceArgs{Kind: kind, Box: f.Grid.Box, X: f.Buffer, W: f.Grid.w, Slot: slot}
	if o != nil {
		a.Y = o.Buffer
	}
	f.Grid.Device.Reduce(a)
}

// Excursion queues max |f - value| into a slot; the value is rounded to the field's type.
func (f *Field) Excursion(value float64, slot int) {
	f.Grid.Device.Reduce(kernels.ReduceArgs{Kind: kernels.MaxAbs, Box: f.Grid.Box, X: f.Buffer, Value: value, Slot: slot})
}

// RemoveMean removes the null space of an all-Neumann problem: the volume-weighted mean of a solution, or, of
// integrated residuals, each node's part by volume of their sum.
func (f *Field) RemoveMean(integrated bool) {
	f.Grid.Device.RemoveMean(kernels.RemoveMeanArgs{Box: f.Grid.Box, X: f.Buffer, W: f.Grid.w, Integrated: integrated})
}

// Sum is a term C * By * X of Combine.
type Sum struct {
	C  float64
	X  *Field
	By kernels.Ratio
}

// Combine sets f to a sum of at most four terms; f may be one of them.
func (f *Field) Combine(terms ...Sum) {
	a := kernels.CombineArgs{Out: f.Buffer}
	for i, t := range terms {
		by, factor := kernels.Optional{Device: f.Grid.Device}.Quotient(t.By)
		a.C[i], a.X[i], a.By[i] = t.C*factor, t.X.Buffer, by
	}
	f.Grid.Device.Combine(a)
}
