package stencil

import (
	"errors"
	"testing"

	"convect/kernels"
)

// scarce is a device whose memory ends after a number of allocations, and that counts what is allocated.
type scarce struct {
	kernels.Device
	left, live int
}

var errScarce = errors.New("no memory left")

func (d *scarce) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if d.left == 0 {
		return nil, errScarce
	}
	d.left--
	d.live++
	return d.Device.Alloc(e, n)
}

func (d *scarce) Free(b kernels.Buffer) {
	d.live--
	d.Device.Free(b)
}

// TestMemoryIsReturned builds grid, boundary, operator, coarse operator and flow with each allocation failing in
// turn: the error must come up and nothing must stay allocated.
func TestMemoryIsReturned(t *testing.T) {
	dev := &scarce{Device: device(t)}
	for n := 0; ; n++ {
		dev.left = n
		err := build(dev)
		if err != nil && !errors.Is(err, errScarce) {
			t.Fatalf("allocation %d: %v", n, err)
		}
		if dev.live != 0 {
			t.Fatalf("allocation %d: %d buffers stay", n, dev.live)
		}
		if err == nil {
			if n < 20 {
				t.Errorf("only %d allocations", n)
			}
			return
		}
	}
}

// build makes one of each and frees what it could make.
func build(dev kernels.Device) error {
	g, err := NewGrid(dev, kernels.Float64, Extent{Cells: [3]int{4, 4, 4}, Size: [3]float64{1, 1, 1}})
	if err != nil {
		return err
	}
	defer g.Free()
	fixed := walls(g, kernels.Top, kernels.Left)
	fixed[kernels.Top][7] = false
	b, err := NewBoundary(g, fixed)
	if err != nil {
		return err
	}
	defer b.Free()
	if err = b.SetValues(kernels.Top, make([]float64, 25)); err != nil {
		return err
	}
	k := lognormal(cellCount(g), 1, 1)
	o, err := NewOperator(b, Coefficients{Cells: [3][]float64{k, k, append([]float64(nil), k...)}, Mass: volume(g)})
	if err != nil {
		return err
	}
	defer o.Free()
	if _, err = NewMobility(o, 2); err != nil {
		return err
	}
	single, err := o.InType(kernels.Float32)
	if err != nil {
		return err
	}
	defer single.FreeAll()
	coarse, err := o.Coarsen([3]int{2, 2, 1})
	if err != nil {
		return err
	}
	defer coarse.FreeAll()
	if err = coarse.PrepareCoarse(); err != nil {
		return err
	}
	f, err := NewFlow(o)
	if err != nil {
		return err
	}
	defer f.Free()
	return f.SetWallVelocity(kernels.Front, make([]float64, 25))
}
