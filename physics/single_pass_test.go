package physics

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// endings counts the steps that end in one pass on a GPU, of which each solve has one where its first cycles suffice. A GPU that measures nothing has no Correct for any operator.
type endings struct {
	*cuda.Device
	measuresNothing bool
	made            int
}

func (d *endings) Corrects(a *kernels.Elliptic) bool {
	return !d.measuresNothing && d.Device.Corrects(a)
}

func (d *endings) ConserveMeasured(a kernels.ConserveMeasuredArgs) {
	d.made++
	d.Device.ConserveMeasured(a)
}

// A step of heat with dispersion ends in one pass where the solve measures its right side on its way, and not where nobody makes that in single precision.
func TestStepsEndInOnePass(t *testing.T) {
	p := heated(stencil.Extent{Cells: [3]int{8, 6, 8}, Size: [3]float64{1, 0.75, 1}}, 200)
	p.Dispersion = Dispersion{Longitudinal: 0.05, Transverse: 0.005}
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.3
	for _, p := range []Parameters{mixed(p), withPoints27(mixed(p))} {
		for _, nothing := range []bool{false, true} {
			gpu, err := cuda.New(emulation.New(emulation.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { gpu.Close() })
			dev := &endings{Device: gpu, measuresNothing: nothing}
			s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
			const steps = 6
			for range steps {
				if err := s.advance(); err != nil {
					t.Fatal(err)
				}
			}
			// With 7 points the prediction makes the right side itself.
			if ends := !nothing || p.Stencil == kernels.SevenPoint; ends && dev.made < steps-1 || !ends && dev.made > 0 {
				t.Errorf("%s, nothing measured %v: %d of %d steps ended in one pass", stencilName(p.Stencil), nothing, dev.made, steps)
			}
		}
	}
}
