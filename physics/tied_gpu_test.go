package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// Walls of heat transfer give on a GPU what they give on a processor, with both stencils and in mixed precision.
func TestTiesOnAGPU(t *testing.T) {
	p := heated(stencil.Extent{Cells: [3]int{6, 5, 4}, Size: [3]float64{1.5, 1.2, 1}}, 200)
	p.Walls[kernels.Top] = Wall{Heat: HeatTransfer, HeatValue: func(_, _, _, t float64) float64 { return math.Sin(50 * t) }, HeatCoefficient: Constant(5), Varies: true}
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.3
	p.Pressure.Tolerance, p.Diffusion.Tolerance = 1e-11, 1e-11
	for _, p := range []Parameters{p, withPoints27(p), mixed(p)} {
		cpu, _ := sameOnAGPU(t, p, 8)
		a := download(t, cpu, "temperature")
		if top := a[len(a)-1]; top == 0 || top == a[0] {
			t.Errorf("T = %v at the top: nothing is exchanged", top)
		}
	}
}

// sameOnAGPU makes steps on a processor and on an emulated GPU and checks that their temperatures agree within 1e-9. It returns both simulations.
func sameOnAGPU(t *testing.T, p Parameters, steps int) (cpu, gpu *Simulation) {
	t.Helper()
	dev := emulatedGPU(t)
	cpu, gpu = simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.5}), simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
	for range steps {
		for _, s := range []*Simulation{cpu, gpu} {
			if err := s.advance(); err != nil {
				t.Fatal(err)
			}
		}
	}
	a, b := download(t, cpu, "temperature"), download(t, gpu, "temperature")
	for n := range a {
		if math.Abs(a[n]-b[n]) > 1e-9 {
			t.Fatalf("%s: T = %v on a processor, %v on a GPU at node %d", stencilName(p.Stencil), a[n], b[n], n)
		}
	}
	return cpu, gpu
}
