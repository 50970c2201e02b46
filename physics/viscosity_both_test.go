package physics

import (
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// ofSalt is μ = exp(c S).
func ofSalt(c float64) *Law {
	return &Law{Of: func(_, s float64) float64 { return math.Exp(c * s) }, OfConcentration: true}
}

// alike makes a law of one scalar one of both, so that it goes through the tables of both.
func alike(l *Law) *Law { return &Law{Of: l.Of, OfTemperature: true, OfConcentration: true} }

// A viscosity whose logarithm is linear in T and S is that of the mean values of a cell, whichever tables serve it: written as one of both, exp(-cT) and exp(cS) give the same run but for the rounding
// of tables, 1e-6 at most. The velocity says so: it is the mobility's.
func TestViscosityOfBothIsThatOfOne(t *testing.T) {
	dev := openDevice(t, 2)
	for name, p := range map[string]Parameters{"2-D": briny(plane(16), kernels.TVD), "3-D, graded, 27 points": withPoints27(briny(graded(cube(8)), kernels.Central)), "mixed": mixed(briny(plane(15), kernels.TVD))} {
		for of, law := range map[string]*Law{"T": exponential(2), "S": ofSalt(2)} {
			var runs [2]*Simulation
			for n, law := range []*Law{law, alike(law)} {
				p.Viscosity = law
				runs[n] = simulate(t, dev, p, Controls{End: 1, Courant: 0.4, MaxStep: 1e-4})
				runTo(t, runs[n], 8)
			}
			for _, field := range []string{"temperature", "concentration", "velocity"} {
				got, want := download(t, runs[1], field), download(t, runs[0], field)
				for n := range want {
					if math.Abs(got[n]-want[n]) > 2e-6*norm(want) {
						t.Fatalf("%s, μ(%s): %s at node %d: %g, by the table of one scalar %g", name, of, field, n, got[n], want[n])
					}
				}
			}
		}
	}
}

// Without a temperature the viscosity is that of the concentration, and the results those of heat with the same numbers, to the bit.
func TestViscosityOfAConcentrationAlone(t *testing.T) {
	dev := openDevice(t, 2)
	heat := seeded(plane(16), 200, [3]int{1, 0, 1})
	heat.Viscosity = exponential(1.5)
	salt := heat
	salt.Isothermal, salt.Viscosity = true, ofSalt(-1.5)
	salt.Solutes = []Solute{{Rayleigh: heat.Rayleigh, Porosity: heat.HeatCapacityRatio, Diffusivity: heat.Diffusivity, Initial: heat.Initial}}
	for s := range salt.Walls {
		w := &salt.Walls[s]
		*w.Of(0) = Condition{w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow}
	}
	a, b := simulate(t, dev, heat, Controls{End: 1, Courant: 0.5}), simulate(t, dev, salt, Controls{End: 1, Courant: 0.5})
	runTo(t, a, 20)
	runTo(t, b, 20)
	got, want := download(t, b, "concentration"), download(t, a, "temperature")
	for n := range want {
		if got[n] != want[n] {
			t.Fatalf("S = %v at node %d, T = %v", got[n], n, want[n])
		}
	}
}

// A stable layer stays at rest to rounding whatever its viscosity of both, and the step is bounded by the least viscosity of all values.
func TestViscosityOfBothAtRest(t *testing.T) {
	for _, e := range []kernels.Elem{kernels.Float64, kernels.Float32} {
		p := salted(heated(cube(8), -500), 0.5, 2)
		p.Viscosity, p.Precision, p.Pressure.Tolerance = ofBoth(), e, 0
		s := simulate(t, openDevice(t, 0), p, Controls{End: 0.01, Courant: 0.5})
		run(t, s)
		if v := s.sample.SpeedMax; v > 750*e.Epsilon()*8 {
			t.Errorf("%v: speed %g", e, v)
		}
		within(t, "step by buoyancy", s.BuoyantStep(), 0.5/750*math.Exp(-1.5), 1e-9) // μ is least at T = 1, S = 0
	}
}

// The tables grow with either scalar, keep the last value where μ is none, and refuse one that is none at the start.
func TestTablesOfBoth(t *testing.T) {
	p := salted(heated(plane(8), 10), -0.5, 2)
	p.Viscosity = &Law{Of: func(t, s float64) float64 { return 3.5 - t - s }, OfTemperature: true, OfConcentration: true}
	*p.Walls[kernels.Bottom].Of(0) = Condition{Kind: FixedTemperature, Value: func(_, _, _, t float64) float64 { return 0.5 + 10*t }}
	p.Walls[kernels.Bottom].Varies = true
	s := simulate(t, openDevice(t, 0), p, Controls{End: 0.1, Courant: 0.5, MaxStep: 0.005})
	l := s.model.flow.viscosity.both.logarithm
	if l.reach != [2]float64{1, 1} {
		t.Errorf("at the start the table reaches %g", l.reach)
	}
	run(t, s)
	last := lawEntries*lawEntries - 1
	if l.reach[0] != 1 || !(l.reach[1] > 1.5) || math.Abs(l.excursion[1]-1.25) > 1e-12 || l.values[last] != l.values[last-1] {
		t.Errorf("reach %g at S = 1.5, which is %g from the centre; the table ends with %g after %g", l.reach, l.excursion[1], l.values[last], l.values[last-1])
	}
	for _, v := range l.values {
		if v-v != 0 {
			t.Fatalf("the table has %g", v)
		}
	}
	p.Viscosity = &Law{Of: func(t, s float64) float64 { return 0.9 - t*s }, OfTemperature: true, OfConcentration: true}
	p.Walls[kernels.Bottom].Beside[0].Value = Constant(1)
	if _, err := New(openDevice(t, 0), p, Controls{End: 1, Courant: 0.5}); err == nil || !strings.Contains(err.Error(), "viscosity: it is not a positive number") {
		t.Errorf("error %v", err)
	}
}

// A GPU gives what a processor gives.
func TestViscosityOfBothOnAGPU(t *testing.T) {
	devicetest.Long(t)
	p := salted(heated(stencil.Extent{Cells: [3]int{6, 5, 4}, Size: [3]float64{1.5, 1.2, 1}}, 200), -0.5, 3)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.3
	p.Pressure.Tolerance, p.Diffusion.Tolerance, p.Viscosity = 1e-11, 1e-11, ofBoth()
	for _, p := range []Parameters{p, withPoints27(p), mixed(p)} {
		sameOnAGPU(t, p, 5)
	}
}

// withBoth gives a case a viscosity of both.
func withBoth(p Parameters) Parameters {
	p.Viscosity = ofBoth()
	return p
}
