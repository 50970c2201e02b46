package multigrid

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// products counts what conjugate gradients ask of a device: directions with their energy in one pass, cycles that measure, and products of two fields in a pass of
// their own. A plain one has neither of the first.
type products struct {
	*cuda.Device
	plain                  bool
	directions, ups, alone int
}

func (d *products) Conjugates(a *kernels.Elliptic) bool { return !d.plain && d.Device.Conjugates(a) }
func (d *products) MeasuresCycles() bool                { return !d.plain }

func (d *products) Conjugate(a kernels.ConjugateArgs) {
	d.directions++
	d.Device.Conjugate(a)
}

func (d *products) Ascend(a kernels.CycleArgs) {
	if a.Measures {
		d.ups++
	}
	d.Device.Ascend(a)
}

func (d *products) Reduce(a kernels.ReduceArgs) {
	if a.Kind == kernels.Dot && a.X != a.Y {
		d.alone++
	}
	d.Device.Reduce(a)
}

// speckled varies by cell.
func speckled(cells [3]int) []float64 {
	k := make([]float64, cells[0]*cells[1]*cells[2])
	for n := range k {
		k[n] = math.Exp(math.Sin(float64(3 * n * n % 101)))
	}
	return k
}

// Where the device has them, directions are made with their energy, and products on the way of cycles; solves take as many steps as without, also when their cycles are replayed.
func TestProductsOnTheWay(t *testing.T) {
	gpu := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { gpu.Close() })
	for _, p := range []problem{
		{cells: cube(16), fixed: mixed, layout: speckled},
		{cells: [3]int{16, 8, 24}, layout: speckled},
		{cells: [3]int{12, 9, 10}, fixed: dirichlet, layout: speckled},
		{cells: [3]int{16, 16, 8}, periodic: [3]bool{true, false, false}, layout: speckled},
		{cells: cube(8), fixed: mixed, layout: speckled, stencil: kernels.TwentySevenPoint},
	} {
		var steps [2]int
		for n, plain := range []bool{true, false} {
			dev := &products{Device: gpu, plain: plain}
			s, u, f := p.solver(t, dev, Options{Mixed: true, Method: ConjugateGradients})
			s.SetScratch(newField(t, s.op))
			smoothRightSide(f)
			for range 4 { // the third is replayed
				u.Fill(0)
				r := must[Result](t)(s.Solve(u, f, 0))
				residual := newField(t, s.op)
				s.op.Residual(residual, f, u)
				if got := norm2(t, residual); got > s.options.Tolerance*r.Reference*(1+1e-6) {
					t.Errorf("%+v, plain %v: residual %g of %g", p, plain, got, r.Reference)
				}
				steps[n] += r.Iterations
			}
			if fused := dev.directions > 0 && dev.ups > 0 && dev.alone == 0; fused == plain {
				t.Errorf("%+v, plain %v: %d directions and %d products on the way, %d in passes of their own", p, plain, dev.directions, dev.ups, dev.alone)
			}
		}
		if steps[0] != steps[1] {
			t.Errorf("%+v: %d steps, and %d with products on the way", p, steps[0], steps[1])
		}
	}
}

// A solver that measures its right side on its way takes the norm for its reference from there; conjugate gradients attempt cycles alone once those gain two
// digits each.
func TestSolveFromZeroNotMeasured(t *testing.T) {
	gpu := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { gpu.Close() })
	for _, c := range []struct {
		problem
		method Method
		factor float64
		asks   int
	}{
		{problem{cells: cube(16), fixed: mixed, mass: 5e3}, Multigrid, usualFactor, 1},
		{problem{cells: cube(16), fixed: mixed, mass: 5e3, layout: speckled}, ConjugateGradients, usualFactor, 0},
		{problem{cells: cube(16), fixed: mixed, mass: 5e3, layout: speckled}, ConjugateGradients, twoDigits / 2, 1},
	} {
		s, u, f := c.solver(t, gpu, Options{Mixed: true, Tolerance: 1e-3, Method: c.method})
		s.ConvergenceFactor = c.factor
		smoothRightSide(f)
		norm, left, asked := must[float64](t)(freeNorm(f, s.op.Boundary.Mask)), newField(t, s.op), 0
		if !s.MeasuresFirst() {
			t.Fatalf("%+v: it does not measure its right side", c)
		}
		complete := func(e *stencil.Field, scale float64) (float64, error) {
			asked++
			u.Combine(stencil.Sum{C: scale, X: e})
			s.op.Residual(left, f, u)
			return norm2(t, left), nil
		}
		s.AddRightSide(0.5)
		r, completed, err := s.SolveFromZero(u, f, norm, NotMeasured, complete)
		if err != nil || completed != (c.asks == 1) || asked != c.asks || math.Abs(r.Reference-1.5*norm) > 1e-9*norm {
			t.Fatalf("%+v: completed %v after %d calls, %+v of %g, %v", c, completed, asked, r, norm, err)
		}
		s.op.Residual(left, f, u)
		if got := norm2(t, left); !(got <= 1.5e-3*norm) {
			t.Errorf("%+v: residual %g of %g", c, got, norm)
		}
		if r = must[Result](t)(s.Solve(u, f, norm)); r.Reference != norm {
			t.Errorf("%+v: the next solve is measured by %g, not by %g", c, r.Reference, norm)
		}
	}
}
