package call_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/call"
)

// buffer is memory that nobody reads.
type buffer struct {
	keeper  *call.Failure
	address uintptr
	elem    kernels.Elem
	len     int
}

func (b *buffer) Elem() kernels.Elem { return b.elem }
func (b *buffer) Len() int           { return b.len }
func (b *buffer) Address() uintptr   { return b.address }
func (b *buffer) Keeper() *call.Failure {
	if b == nil {
		return nil
	}
	return b.keeper
}

// foreign is the buffer of a backend that does not use this package.
type foreign struct{}

func (foreign) Elem() kernels.Elem { return kernels.Float64 }
func (foreign) Len() int           { return 10 }

// devices returns the failures of a device that is asked by its buffers' methods, and of one that finds buffers itself.
func devices() map[string]*call.Failure {
	quick := &call.Failure{Backend: "test"}
	quick.Find = func(b kernels.Buffer) (uintptr, kernels.Elem, int) {
		if own, ok := b.(*buffer); ok && own != nil && own.keeper == quick {
			return own.address, own.elem, own.len
		}
		return 0, 0, 0
	}
	return map[string]*call.Failure{"methods": {Backend: "test"}, "find": quick}
}

// check compares a failure with its text, "" for none, and the address of a buffer, 0 after a failure.
func check(t *testing.T, way string, f *call.Failure, p uintptr, want string) {
	t.Helper()
	got := ""
	if f.Err != nil {
		got = f.Err.Error()
	}
	if got != want || (p != 0) != (want == "") {
		t.Errorf("%s: %q and address %d, want %q", way, got, p, want)
	}
}

// A buffer that cannot be used is refused with the reason, by whichever way the device finds its buffers.
func TestBuffersAreRefused(t *testing.T) {
	for way, f := range devices() {
		for _, c := range []struct {
			buffer kernels.Buffer
			want   string
		}{
			{&buffer{f, 64, kernels.Float64, 10}, ""},
			{nil, "test: K: X is missing"},
			{(*buffer)(nil), "test: K: X is missing"},
			{foreign{}, "test: K: X belongs to another device"},
			{&buffer{&call.Failure{}, 64, kernels.Float64, 10}, "test: K: X belongs to another device"},
			{&buffer{f, 0, kernels.Float64, 10}, "test: K: X has been freed"},
			{&buffer{f, 64, kernels.Int32, 10}, "test: K: X holds int32, not float64"},
			{&buffer{f, 64, kernels.Float64, 9}, "test: K: X has 9 elements, not 10"},
		} {
			f.Err = nil
			k := call.New(f, "K")
			check(t, way, f, k.Elements(c.buffer, kernels.Float64, 10, "X"), c.want)
		}
	}
}

// The first failure stays, and live buffers have no address after it.
func TestFirstFailureStays(t *testing.T) {
	for way, f := range devices() {
		c := call.Begin(f, "K", nil)
		c.Fail("later")
		p := c.Elements(&buffer{f, 64, kernels.Float64, 10}, kernels.Float64, 10, "X")
		check(t, way, f, p, "test: K: first buffer is missing")
	}
}

// Arguments that contradict each other are refused, not followed.
func TestArgumentsAreRefused(t *testing.T) {
	f := &call.Failure{Backend: "test"}
	x, y := &buffer{f, 64, kernels.Float64, 5000}, &buffer{f, 128, kernels.Float64, 5001}
	for _, r := range []struct {
		want string
		run  func(c *call.Call)
	}{
		{"the operator is missing", func(c *call.Call) { c.Apply(kernels.ApplyArgs{Y: x, X: y}) }},
		{"unknown stencil 9", func(c *call.Call) { c.Apply(kernels.ApplyArgs{A: &kernels.Elliptic{Stencil: 9}, Y: x, X: y}) }},
		{"the box of 0 x 0 x 0 nodes is not laid out by NewBox", func(c *call.Call) { c.Halo(kernels.HaloArgs{X: x}) }},
	} {
		f.Err = nil
		c := call.Begin(f, "K", x)
		r.run(&c)
		if f.Err == nil || f.Err.Error() != "test: K: "+r.want {
			t.Errorf("failure %v, want %q", f.Err, r.want)
		}
	}
}
