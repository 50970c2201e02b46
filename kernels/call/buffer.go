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
	// Find, if not nil, is a quicker way to a live buffer of the device than the methods of Buffer: it returns its address, type and
	// length, or 0 for any other.
	Find func(kernels.Buffer) (address uintptr, e kernels.Elem, n int)
}

// Set keeps a failure unless there is one already.
func (f *Failure) Set(err error) {
	if f.Err == nil {
		f.Err = fmt.Errorf("%s: %w", f.Backend, err)
	}
}

// find returns the address of a live buffer of the device, its type and length; 0 for any other.
func (c *Call) find(b kernels.Buffer) (p uintptr, e kernels.Elem, n int) {
	if c.failure.Find != nil {
		return c.failure.Find(b)
	}
	if own, ok := b.(Buffer); ok && own.Keeper() == c.failure {
		return own.Address(), own.Elem(), own.Len()
	}
	return 0, 0, 0
}

// refuse tells why a buffer is not one that find finds.
func (c *Call) refuse(b kernels.Buffer, name string) {
	own, ok := b.(Buffer)
	switch {
	case b == nil || ok && own.Keeper() == nil:
		c.Fail("%s is missing", name)
	case ok && own.Keeper() == c.failure && own.Address() == 0:
		c.Fail("%s has been freed", name)
	default:
		c.Fail("%s belongs to another device", name)
	}
}

// live is find, but 0 after a failure.
func (c *Call) live(b kernels.Buffer, name string) (p uintptr, e kernels.Elem, n int) {
	p, e, n = c.find(b)
	if p == 0 {
		c.refuse(b, name)
	}
	if !c.OK() {
		return 0, 0, 0
	}
	return p, e, n
}

// Elements returns the address of a buffer of at least n elements of type e, or 0 after a failure.
func (c *Call) Elements(b kernels.Buffer, e kernels.Elem, n int, name string) uintptr {
	p, elem, length := c.find(b)
	switch {
	case p == 0:
		c.refuse(b, name)
	case elem != e:
		c.Fail("%s holds %v, not %v", name, elem, e)
	case length < n:
		c.Fail("%s has %d elements, not %d", name, length, n)
	case c.OK():
		return p
	}
	return 0
}
