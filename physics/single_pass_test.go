package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/stencil"
)

// endings counts the steps that end in one pass on a GPU, of which each solve has one where its first cycles suffice, and those where they did not. A GPU that measures nothing has no Correct for any operator.
type endings struct {
	*cuda.Device
	measuresNothing bool
	made, refused   int
	last            bool // the last pass was one
}

func (d *endings) Corrects(a *kernels.Elliptic) bool {
	return !d.measuresNothing && d.Device.Corrects(a)
}

func (d *endings) ConserveMeasured(a kernels.ConserveMeasuredArgs) {
	d.made++
	d.last = true
	d.Device.ConserveMeasured(a)
}

// Conserve follows where what that left was too much: then it ended no step.
func (d *endings) Conserve(a kernels.ConserveArgs) {
	if d.last {
		d.made--
		d.refused++
	}
	d.last = false
	d.Device.Conserve(a)
}

// stepsEnded makes so many steps of heat and returns what ended them, and the temperature.
func stepsEnded(t *testing.T, p Parameters, nothing bool, steps int) (*endings, []float64) {
	t.Helper()
	gpu := emulatedGPU(t)
	dev := &endings{Device: gpu, measuresNothing: nothing}
	s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
	for range steps {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
	}
	return dev, download(t, s, "temperature")
}

// Steps end in one pass where the diffusion is solved directly, too: in 2-D, between periodic ends, with an odd number of cells, on graded ones; and they have the temperature of the processor.
func TestDirectStepsEndInOnePass(t *testing.T) {
	const steps = 6
	for name, e := range map[string]stencil.Extent{
		"2-D":      {Cells: [3]int{48, 0, 24}, Size: [3]float64{2, 0, 1}},
		"periodic": {Cells: [3]int{20, 20, 10}, Size: [3]float64{2, 2, 1}, Periodic: [3]bool{true, true, false}},
		"odd":      {Cells: [3]int{21, 19, 11}, Size: [3]float64{2, 2, 1}},
		"graded":   {Cells: [3]int{20, 18, 12}, Size: [3]float64{2, 2, 1}, Grading: [3]stencil.Grading{2: {Cluster: stencil.ClusterBoth, Ratio: 4}}},
	} {
		p := mixed(heated(e, 200))
		p.Initial.Mode, p.Initial.Amplitude = [3]int{2, 0, 1}, 0.3
		p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
		ended, got := stepsEnded(t, p, false, steps)
		if ended.made < steps-1 {
			t.Errorf("%s: %d of %d steps ended in one pass", name, ended.made, steps)
		}
		other := simulate(t, openDevice(t, 0), p, Controls{End: 1, Courant: 0.5})
		for range steps {
			if err := other.advance(); err != nil {
				t.Fatal(err)
			}
		}
		for n, v := range download(t, other, "temperature") {
			if !(math.Abs(got[n]-v) < 1e-6) {
				t.Errorf("%s: T of node %d is %g, on the processor %g", name, n, got[n], v)
				break
			}
		}
		p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 1e-12
		if ended, _ := stepsEnded(t, p, false, steps); ended.refused > 1 {
			t.Errorf("%s: %d passes of %d steps left too much, of which one had told so", name, ended.refused, steps)
		}
	}
}

// A step of heat with dispersion ends in one pass where the solve measures its right side on its way, and not where nobody makes that in single precision.
func TestStepsEndInOnePass(t *testing.T) {
	p := heated(stencil.Extent{Cells: [3]int{8, 6, 8}, Size: [3]float64{1, 0.75, 1}}, 200)
	p.Dispersion = Dispersion{Longitudinal: 0.05, Transverse: 0.005}
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.3
	p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
	for _, p := range []Parameters{mixed(p), withPoints27(mixed(p))} {
		for _, nothing := range []bool{false, true} {
			const steps = 6
			ended, _ := stepsEnded(t, p, nothing, steps)
			made := ended.made
			// With 7 points the prediction makes the right side itself.
			if ends := !nothing || p.Stencil == kernels.SevenPoint; ends && made < steps-1 || !ends && made > 0 {
				t.Errorf("%s, nothing measured %v: %d of %d steps ended in one pass", stencilName(p.Stencil), nothing, made, steps)
			}
		}
	}
}

// Steps in single precision, whose tolerance is so small that rounding may end their solves, end in one pass too, by cycles and by direct solves, and have the temperature of double precision as far as single precision goes.
func TestStepsInSinglePrecisionEndInOnePass(t *testing.T) {
	for name, e := range map[string]stencil.Extent{
		"cycles": {Cells: [3]int{32, 32, 32}, Size: [3]float64{1, 1, 1}},
		"odd":    {Cells: [3]int{21, 19, 11}, Size: [3]float64{2, 2, 1}},
		"2-D":    {Cells: [3]int{48, 0, 24}, Size: [3]float64{2, 0, 1}},
	} {
		const steps = 12
		p := heated(e, 200)
		p.Initial.Mode, p.Initial.Amplitude = [3]int{2, 0, 1}, 0.3
		p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
		exact := simulate(t, openDevice(t, 0), p, Controls{End: 1, Courant: 0.5})
		runTo(t, exact, steps)
		p.Precision = kernels.Float32
		ended, got := stepsEnded(t, p, false, steps)
		if ended.made < 3*steps/4 { // first ones, which grow, may ask for a cycle more than the one before
			t.Errorf("%s: %d of %d steps ended in one pass, %d left too much", name, ended.made, steps, ended.refused)
		}
		off := 0.0
		for n, v := range download(t, exact, "temperature") {
			off = math.Max(off, math.Abs(got[n]-v))
		}
		t.Logf("%s: %d of %d steps ended in one pass, T differs from that in double precision by %.2g", name, ended.made, steps, off)
		if !(off < 1e-5) {
			t.Errorf("%s: T differs from that in double precision by %.2g", name, off)
		}
	}
}
