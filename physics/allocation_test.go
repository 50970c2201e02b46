package physics

import (
	"testing"

	"convect/kernels"
)

// A step of a closed box allocates nothing, with constant and with variable permeability and viscosity.
func TestStepAllocatesNothing(t *testing.T) {
	dev := openDevice(t, 0)
	constant := heated(cube(24), 200)
	constant.Initial.Mode, constant.Initial.Amplitude = [3]int{1, 1, 1}, 0.1
	variable := constant
	variable.Permeability = isotropicCells(variable.Extent, func(x [3]float64) float64 { return 1 + x[0]*x[2] })
	mixed := constant
	mixed.Mixed = true
	flat := constant
	flat.Extent, flat.Transport, flat.Precision = plane(32), kernels.TVD, kernels.Float32
	flat.Initial.Mode = [3]int{1, 0, 1}
	viscous := variable
	viscous.Viscosity = exponential(2)
	for name, p := range map[string]Parameters{"constant": constant, "variable": variable, "viscous": viscous, "flat": flat, "mixed precision": mixed,
		"27 points": withPoints27(mixed), "27 points, viscous": withPoints27(viscous)} {
		s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
		for range 3 {
			if err := s.advance(); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(5, func() {
			if err := s.advance(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: a step allocates %g times", name, n)
		}
	}
}
