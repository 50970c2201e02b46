package call

import (
	"fmt"

	"convect/kernels"
)

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
	c.SetElem(first)
	return c
}

// SetElem makes the element type of a buffer the call's.
func (c *Call) SetElem(first kernels.Buffer) {
	p, e, _ := c.live(first, "first buffer")
	if p == 0 {
		return
	}
	c.Elem = e
	if e == kernels.Int32 {
		c.Fail("the buffer holds %v, not float32 or float64", e)
	}
}

// Fail keeps a failure of the kernel.
func (c *Call) Fail(format string, args ...any) {
	if c.OK() {
		c.failure.Set(fmt.Errorf(c.Kernel+": "+format, args...))
	}
}

// OK tells whether no check has failed.
func (c *Call) OK() bool { return c.failure.Err == nil }

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

// atLeast checks a number.
func (c *Call) atLeast(n, least int, name string) {
	if n < least {
		c.Fail("%s is %d, less than %d", name, n, least)
	}
}

// side checks and converts a side.
func (c *Call) side(s kernels.Side) int64 {
	if s > kernels.Top {
		c.Fail("there is no side %d", s)
	}
	return int64(s)
}

// isFlat checks that the call's box is flat.
func (c *Call) isFlat() {
	if c.OK() && !c.Box.Flat() {
		c.Fail("the box is not flat")
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
	if c.OK() && out != nil && out == in {
		c.Fail("%s", names)
	}
}
