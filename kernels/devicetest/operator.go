package devicetest

import "convect/kernels"

// Operator is an elliptic operator on the host; see [kernels.Elliptic].
type Operator struct {
	*Grid
	Stencil   kernels.Stencil
	K         [3]float64 // conductivities where Cells[0] is nil
	Cells     [3]*Field  // per-cell conductivities; may be one field three times
	MassScale float64
	Mass      *Field // nil: the dual volume
	Mask      *Mask  // nil: all nodes are free

	table *coefficients // once they were asked for
}

// Mask tells free nodes from fixed ones on the host.
type Mask struct {
	N    [3]int
	Free []bool // x fastest
}

// NewMask makes the mask of the nodes where free returns true.
func NewMask(box kernels.Box, free func(n Node) bool) *Mask {
	m := &Mask{N: box.N}
	EachNode(box, func(n Node) { m.Free = append(m.Free, free(n)) })
	return m
}

// At returns 1 at a free node and 0 at a fixed one; nil means that all are free.
func (m *Mask) At(n Node) float64 {
	if m == nil || m.Free[n[0]+m.N[0]*(n[1]+m.N[1]*n[2])] {
		return 1
	}
	return 0
}

// Rows returns the distinct rows as kernels.RowMask stores them: the entry of each row (j,k), and the entries one
// after the other, N[0] values at a multiple of stride, the first all ones and the second all zeros.
func (m *Mask) Rows(stride int) (index []int32, table []float64) {
	entries := map[string]int32{}
	entry := func(row []float64) int32 {
		key := string(bytesOf(row))
		if _, seen := entries[key]; !seen {
			entries[key] = int32(len(entries))
			table = append(table, append(row, make([]float64, stride-len(row))...)...)
		}
		return entries[key]
	}
	entry(Uniform(m.N[0], 1))
	entry(Uniform(m.N[0], 0))
	for k := range m.N[2] {
		for j := range m.N[1] {
			row := make([]float64, m.N[0])
			for i := range row {
				row[i] = m.At(Node{i, j, k})
			}
			index = append(index, entry(row))
		}
	}
	return index, table
}

// Sides returns the sides all of whose nodes are fixed, and whether no other node is.
func (m *Mask) Sides() (fixed [6]bool, whole bool) {
	on := func(s kernels.Side, n Node) bool { return onSide(kernels.Box{N: m.N}, s, n) }
	for s := range fixed {
		fixed[s] = m.all(func(n Node) bool { return !on(kernels.Side(s), n) || m.At(n) == 0 })
	}
	return fixed, m.all(func(n Node) bool {
		for s, f := range fixed {
			if f && on(kernels.Side(s), n) {
				return true
			}
		}
		return m.At(n) == 1
	})
}

// all tells whether something is true of all nodes.
func (m *Mask) all(holds func(n Node) bool) bool {
	for f := range m.Free {
		if !holds(Node{f % m.N[0], f / m.N[0] % m.N[1], f / (m.N[0] * m.N[1])}) {
			return false
		}
	}
	return true
}

// bytesOf returns a row of zeros and ones as bytes.
func bytesOf(row []float64) []byte {
	b := make([]byte, len(row))
	for i, v := range row {
		b[i] = byte(v)
	}
	return b
}

// Upload copies the operator to a device, in its grid's element type.
func (o *Operator) Upload(m *Memory) *kernels.Elliptic {
	a := &kernels.Elliptic{Box: o.Box, Stencil: o.Stencil, K: o.K, MassScale: o.MassScale, Mask: o.Mask.Upload(m)}
	a.Shape = o.Shape()
	a.H, a.RH, a.W = m.Axes(o.H), m.Axes(o.RH), m.Axes(o.W)
	copies := map[*Field]kernels.Buffer{}
	for d, c := range o.Cells {
		if c == nil {
			continue
		}
		if copies[c] == nil {
			copies[c] = m.Floats(c.V)
		}
		a.Cells[d] = copies[c]
	}
	if o.Mass != nil {
		a.Mass = m.Floats(o.Mass.V)
	}
	return a
}

// Upload copies the mask to a device; a nil mask stays nil.
func (m *Mask) Upload(to *Memory) *kernels.RowMask {
	if m == nil {
		return nil
	}
	stride := (m.N[0] + 15) / 16 * 16
	index, table := m.Rows(stride)
	mask := &kernels.RowMask{
		Index: to.Ints(index), Table: to.Floats(table), Rows: len(table) / stride, Stride: stride,
	}
	mask.Fixed, mask.Whole = m.Sides()
	return mask
}
