package call

import (
	"fmt"

	"convect/kernels"
)

// Buffer is what a call asks of a backend's buffer.
type Buffer interface {
	kernels.Buffer
	Address() uintptr // of the first element; 0 once it is freed
	Keeper() *Failure // of the device that made it; nil for a nil pointer
}

// Failure keeps the first failure of a device, by whose address its buffers know it.
type Failure struct {
	Backend string // begins the text of a failure: "cpu"
	Err     error
}

// Set keeps a failure unless there is one already.
func (f *Failure) Set(err error) {
	if f.Err == nil {
		f.Err = fmt.Errorf("%s: %w", f.Backend, err)
	}
}

// Call is one kernel on its way: it checks the buffers and knows what its kernel works on.
type Call struct {
	Kernel string // method of kernels.Device
	Elem   kernels.Elem
	Box    kernels.Box
	Arrays int // box arrays seen: what the kernel moves

	failure *Failure
}

// New starts a call of no element type yet.
func New(f *Failure, kernel string) Call { return Call{Kernel: kernel, failure: f} }

// Begin starts a call whose element type is that of a buffer.
func Begin(f *Failure, kernel string, first kernels.Buffer) Call {
	c := New(f, kernel)
	if b := c.Buffer(first, "first buffer"); b != nil {
		c.Elem = b.Elem()
		if c.Elem == kernels.Int32 {
			c.Fail("the buffer holds %v, not float32 or float64", c.Elem)
		}
	}
	return c
}

// Fail keeps a failure of the kernel.
func (c *Call) Fail(format string, args ...any) {
	if c.OK() {
		c.failure.Set(fmt.Errorf(c.Kernel+": "+format, args...))
	}
}

// OK tells whether no check has failed.
func (c *Call) OK() bool { return c.failure.Err == nil }

// Buffer returns a live buffer of the device, or nil after a failure.
func (c *Call) Buffer(b kernels.Buffer, name string) Buffer {
	if !c.OK() {
		return nil
	}
	own, ok := b.(Buffer)
	switch {
	case b == nil || ok && own.Keeper() == nil:
		c.Fail("%s is missing", name)
	case !ok || own.Keeper() != c.failure:
		c.Fail("%s belongs to another device", name)
	case own.Address() == 0:
		c.Fail("%s has been freed", name)
	default:
		return own
	}
	return nil
}

// Floats returns a live buffer of float32 or float64, or nil after a failure.
func (c *Call) Floats(b kernels.Buffer, name string) Buffer {
	own := c.Buffer(b, name)
	if own != nil && own.Elem() == kernels.Int32 {
		c.Fail("%s holds %v, not float32 or float64", name, own.Elem())
		return nil
	}
	return own
}

// Elements returns the address of a buffer of at least n elements of type e, or 0 after a failure.
func (c *Call) Elements(b kernels.Buffer, e kernels.Elem, n int, name string) uintptr {
	own := c.Buffer(b, name)
	switch {
	case own == nil:
	case own.Elem() != e:
		c.Fail("%s holds %v, not %v", name, own.Elem(), e)
	case own.Len() < n:
		c.Fail("%s has %d elements, not %d", name, own.Len(), n)
	default:
		return own.Address()
	}
	return 0
}

// at returns the address of an element of the call's type; 0 for 0.
func (c *Call) at(p uintptr, element int) uintptr {
	if p == 0 {
		return 0
	}
	return p + uintptr(element*c.Elem.Size())
}

// Nodes returns the address of node (0,0,0) of an array laid out by the call's box.
func (c *Call) Nodes(b kernels.Buffer, name string) uintptr { return c.nodesOf(b, c.Box, name) }

// nodesOf is Nodes for another box.
func (c *Call) nodesOf(b kernels.Buffer, box kernels.Box, name string) uintptr {
	c.Arrays++
	return c.at(c.Elements(b, c.Elem, box.Len, name), box.Origin)
}

// singleNodes is Nodes for an array of float32 in a call of float64.
func (c *Call) singleNodes(b kernels.Buffer, name string) uintptr {
	c.Arrays++
	p := c.Elements(b, kernels.Float32, c.Box.Len, name)
	if p == 0 {
		return 0
	}
	return p + uintptr(c.Box.Origin*kernels.Float32.Size())
}

// maybeNodes is Nodes for a buffer that may be nil.
func (c *Call) maybeNodes(b kernels.Buffer, name string) uintptr {
	if b == nil {
		return 0
	}
	return c.Nodes(b, name)
}

// axes returns the addresses of node 0 of three axis arrays.
func (c *Call) axes(b [3]kernels.Buffer, name string) (p [3]uintptr) {
	for d := range b {
		p[d] = c.axis(b[d], d, name)
	}
	return p
}

// axis is axes for one.
func (c *Call) axis(b kernels.Buffer, d int, name string) uintptr {
	return c.at(c.Elements(b, c.Elem, c.Box.N[d]+2*kernels.HaloWidth, name), kernels.HaloWidth)
}

// wall returns the address of a wall array.
func (c *Call) wall(b kernels.Buffer, side kernels.Side, name string) uintptr {
	return c.Elements(b, c.Elem, c.Box.WallNodes(side), name)
}

// walls returns the addresses of wall arrays that may be nil.
func (c *Call) walls(b [6]kernels.Buffer, name string) (p [6]uintptr) {
	for s := range b {
		if b[s] != nil {
			p[s] = c.wall(b[s], kernels.Side(s), name)
		}
	}
	return p
}

// faces returns the arrays of face velocities; along an absent y axis there is none.
func (c *Call) faces(q [3]kernels.Buffer) (p [3]uintptr) {
	for d := range q {
		if d != kernels.Y || !c.Box.Flat() {
			p[d] = c.Nodes(q[d], "Q")
		}
	}
	return p
}

// SetBox checks a box and makes it the call's.
func (c *Call) SetBox(box kernels.Box) Box {
	c.Box = box
	return c.box(box)
}

// box checks a box and converts it.
func (c *Call) box(box kernels.Box) Box {
	n, s := box.N, box.Stride
	const w = kernels.HaloWidth
	low := box.Origin - w*(1+s[1]+s[2])
	high := box.Index(n[0]-1+w, n[1]-1+w, n[2]-1+w)
	if n[0] < 1 || n[1] < 1 || n[2] < 1 || s[1] < 0 || s[2] < n[0] || low < 0 || high >= box.Len {
		c.Fail("the box of %d x %d x %d nodes is not laid out by NewBox", n[0], n[1], n[2])
	}
	return Box{N: ints(n), Sy: int64(s[1]), Sz: int64(s[2])}
}

// Rows returns the number of rows of the call's box.
func (c *Call) Rows() int { return c.Box.N[1] * c.Box.N[2] }

// ints converts three numbers.
func ints(v [3]int) [3]int64 { return [3]int64{int64(v[0]), int64(v[1]), int64(v[2])} }

// flag converts a truth value.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// flags converts three truth values.
func flags(b [3]bool) [3]int64 { return [3]int64{flag(b[0]), flag(b[1]), flag(b[2])} }

// mask checks a mask of the call's box and converts it.
func (c *Call) mask(m *kernels.RowMask) Mask {
	if m == nil || !c.OK() {
		return Mask{}
	}
	if m.Rows < 2 || m.Stride < c.Box.N[0] {
		c.Fail("the mask has %d rows at a stride of %d", m.Rows, m.Stride)
	}
	return Mask{
		Index:  c.Elements(m.Index, kernels.Int32, c.Box.N[1]*c.Box.N[2], "Mask.Index"),
		Table:  c.Elements(m.Table, c.Elem, m.Rows*m.Stride, "Mask.Table"),
		Stride: int64(m.Stride),
	}
}

// elliptic checks an operator, makes its box the call's, and converts it.
func (c *Call) elliptic(a *kernels.Elliptic) Elliptic {
	if a == nil {
		c.Fail("the operator is missing")
	}
	if !c.OK() {
		return Elliptic{}
	}
	if a.Stencil != kernels.SevenPoint && a.Stencil != kernels.TwentySevenPoint {
		c.Fail("unknown stencil %d", a.Stencil)
		return Elliptic{}
	}
	e := Elliptic{Box: c.SetBox(a.Box), Points: int64(a.Stencil.Points()), K: a.K, MassScale: a.MassScale}
	e.H, e.RH, e.W = c.axes(a.H, "H"), c.axes(a.RH, "RH"), c.axes(a.W, "W")
	for d := range a.K {
		if a.Cells[0] != nil {
			e.Cells[d] = c.Nodes(a.Cells[d], "Cells")
		}
	}
	e.Mass = c.maybeNodes(a.Mass, "Mass")
	e.Mask = c.mask(a.Mask)
	return e
}

// slot checks that n slots from slot on exist.
func (c *Call) slot(slot, n int) {
	if slot < 0 || slot+n > kernels.Slots {
		c.Fail("slots %d to %d do not exist", slot, slot+n-1)
	}
}

// isAxis checks an axis.
func (c *Call) isAxis(axis int) {
	if axis < 0 || axis > 2 {
		c.Fail("there is no axis %d", axis)
	}
}

// scheme checks a transport scheme.
func (c *Call) scheme(s kernels.Scheme) int64 {
	if s > kernels.WENO5 {
		c.Fail("unknown transport scheme %d", s)
	}
	return int64(s)
}

// differ checks that an output is not one of the inputs of a kernel that does not work in place.
func (c *Call) differ(out, in kernels.Buffer, names string) {
	if c.OK() && out == in {
		c.Fail("%s", names)
	}
}
