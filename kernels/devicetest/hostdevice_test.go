package devicetest

import (
	"errors"
	"fmt"

	"convect/kernels"
)

// hostBuffer is a buffer of hostDevice: float64 values rounded to the element type.
type hostBuffer struct {
	elem   kernels.Elem
	values []float64
}

func (b *hostBuffer) Elem() kernels.Elem { return b.elem }
func (b *hostBuffer) Len() int           { return len(b.values) }

func (b *hostBuffer) store(e int, v float64) { b.values[e] = round(b.elem, v) }

// hostDevice makes the reference a device, on which Run must find nothing.
type hostDevice struct {
	kernels.SlotBook
	err   error
	slots [kernels.Slots]float64
}

func (d *hostDevice) Info() kernels.Info  { return kernels.Info{Name: "host"} }
func (d *hostDevice) Free(kernels.Buffer) {}
func (d *hostDevice) Sync() error         { return d.err }
func (d *hostDevice) Close() error        { return nil }

func (d *hostDevice) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if n > 1<<30 {
		return nil, errors.New("host: out of memory")
	}
	return &hostBuffer{e, make([]float64, n)}, nil
}

// want is a buffer that a kernel needs: of floats or of an integer type, and of at least n elements.
type want struct {
	b    kernels.Buffer
	n    int
	ints bool
}

// run calls kernel if all buffers are as wanted and nothing has failed before.
func (d *hostDevice) run(name string, kernel func(), wants ...want) {
	if d.err != nil {
		return
	}
	for i, w := range wants {
		if w.b != nil && (w.b.Len() < w.n || (w.b.Elem() == kernels.Int32) != w.ints) {
			d.err = fmt.Errorf("host: %s: buffer %d has %d %v, want %d", name, i, w.b.Len(), w.b.Elem(), w.n)
			return
		}
	}
	kernel()
}

// sevenPoint refuses the other stencil.
func (d *hostDevice) sevenPoint(name string, a *kernels.Elliptic) {
	if d.err == nil && a.Stencil != kernels.SevenPoint {
		d.err = fmt.Errorf("host: %s: %d points", name, a.Stencil.Points())
	}
}

// reduceTo stores reduced values from a slot on.
func (d *hostDevice) reduceTo(name string, slot, count int, kernel func() []sum, wants ...want) {
	if d.err == nil && slot+count > kernels.Slots {
		d.err = fmt.Errorf("host: %s: no slot %d", name, slot+count-1)
	}
	d.run(name, func() {
		for i, s := range kernel() {
			d.slots[slot+i] = s.value
		}
	}, wants...)
}

// laidOut wants buffers laid out by a box.
func laidOut(box kernels.Box, buffers ...kernels.Buffer) (w []want) {
	for _, b := range buffers {
		w = append(w, want{b, box.Len, false})
	}
	return w
}

// axes wants axis arrays.
func axes(box kernels.Box, arrays ...[3]kernels.Buffer) (w []want) {
	for _, a := range arrays {
		for d, b := range a {
			w = append(w, want{b, box.N[d] + 2*kernels.HaloWidth, false})
		}
	}
	return w
}

// sides wants wall arrays.
func sides(box kernels.Box, arrays [6]kernels.Buffer) (w []want) {
	for s, b := range arrays {
		w = append(w, want{b, box.WallNodes(kernels.Side(s)), false})
	}
	return w
}

// rows wants the buffers of a mask.
func rows(box kernels.Box, m *kernels.RowMask) []want {
	if m == nil {
		return nil
	}
	return []want{{m.Index, box.N[1] * box.N[2], true}, {m.Table, m.Rows * m.Stride, false}}
}

// operands wants the buffers of an operator and those laid out by its box.
func operands(a *kernels.Elliptic, buffers ...kernels.Buffer) []want {
	w := append(axes(a.Box, a.H, a.RH, a.W), rows(a.Box, a.Mask)...)
	return append(append(w, laidOut(a.Box, a.Cells[:]...)...), laidOut(a.Box, append(buffers, a.Mass)...)...)
}

// fieldOf views a buffer as a field.
func fieldOf(box kernels.Box, b kernels.Buffer) Field {
	if b == nil {
		return Field{}
	}
	return Field{box, b.(*hostBuffer).values}
}

// flowOf views face velocities.
func flowOf(box kernels.Box, q [3]kernels.Buffer) (f flow) {
	for d := range q {
		f[d] = fieldOf(box, q[d])
	}
	return f
}

// wallsOf views wall arrays.
func wallsOf(b [6]kernels.Buffer) (w [6][]float64) {
	for s := range b {
		if b[s] != nil {
			w[s] = b[s].(*hostBuffer).values
		}
	}
	return w
}

// gridOf views axis arrays as a grid.
func gridOf(box kernels.Box, periodic [3]bool, w [3]kernels.Buffer) *Grid {
	g := &Grid{Box: box, Periodic: periodic}
	for d := range w {
		if w[d] != nil {
			g.W[d] = w[d].(*hostBuffer).values
		}
	}
	return g
}

// operatorOf views an operator.
func operatorOf(a *kernels.Elliptic, periodic [3]bool) *Operator {
	o := &Operator{Grid: gridOf(a.Box, periodic, a.W), Stencil: a.Stencil, K: a.K, MassScale: a.MassScale, Mask: maskOf(a.Box, a.Mask)}
	for d := range a.H {
		o.H[d], o.RH[d] = a.H[d].(*hostBuffer).values, a.RH[d].(*hostBuffer).values
		if a.Cells[d] != nil {
			f := fieldOf(a.Box, a.Cells[d])
			o.Cells[d] = &f
		}
	}
	if a.Mass != nil {
		m := fieldOf(a.Box, a.Mass)
		o.Mass = &m
	}
	return o
}

// maskOf reads a mask.
func maskOf(box kernels.Box, m *kernels.RowMask) *Mask {
	if m == nil {
		return nil
	}
	index, table := m.Index.(*hostBuffer).values, m.Table.(*hostBuffer).values
	return NewMask(box, func(n Node) bool {
		return table[int(index[n[1]+n[2]*box.N[1]])*m.Stride+n[0]] == 1
	})
}

// write stores a result in the nodes of a buffer.
func write(out kernels.Buffer, r result) {
	box := r.value.Box
	EachNode(box, func(n Node) { out.(*hostBuffer).store(box.Index(n[0], n[1], n[2]), r.value.At(n)) })
}
