package devicetest

import (
	"errors"
	"testing"

	"convect/kernels"
)

// Scarce is a device whose memory ends after Left more allocations, and that counts in Live what is allocated.
type Scarce struct {
	kernels.Device
	Left, Live int
}

var errScarce = errors.New("no memory left")

// Alloc fails where nothing is left.
func (d *Scarce) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if d.Left == 0 {
		return nil, errScarce
	}
	d.Left--
	d.Live++
	return d.Device.Alloc(e, n)
}

// Free counts.
func (d *Scarce) Free(b kernels.Buffer) {
	d.Live--
	d.Device.Free(b)
}

// EachFails makes each allocation of build fail in turn, until build succeeds with at least so many: the error must come
// up and, as build frees what it made, nothing may stay allocated.
func (d *Scarce) EachFails(t testing.TB, least int, build func() error) {
	t.Helper()
	before := d.Live
	for n := 0; ; n++ {
		d.Left = n
		err := build()
		if err != nil && !errors.Is(err, errScarce) {
			t.Fatalf("allocation %d: %v", n, err)
		}
		if d.Live != before {
			t.Fatalf("allocation %d: %d buffers stay", n, d.Live-before)
		}
		if err == nil {
			if n < least {
				t.Errorf("only %d allocations", n)
			}
			return
		}
	}
}
