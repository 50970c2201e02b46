package stencil

import (
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
)

// TestMemoryIsReturned builds grid, boundary, operator, coarse operator and flow with each allocation failing in
// turn: the error must come up and nothing must stay allocated.
func TestMemoryIsReturned(t *testing.T) {
	dev := &devicetest.Scarce{Device: device(t)}
	dev.EachFails(t, 20, func() error { return build(dev) })
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
	coarse, err := o.Coarsen([3]int{2, 2, 1}, o.Stencil())
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
