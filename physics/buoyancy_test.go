package physics

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"convect/kernels"
)

// besides describes a scalar under the conditions of the temperature, with a factor of buoyancy and a diffusivity of its own.
func besides(p *Parameters, buoyancy, diffusivity float64) substance {
	of := p.heat()
	of.Name, of.Content, of.prefix, of.residual = "concentration", "solute", "concentration_", "solute residual"
	of.Number, of.Ends, of.Cycles = "sherwood", [2]string{"high", "low"}, "solute"
	of.buoyancy, of.viscosity = buoyancy, nil
	if diffusivity > 0 {
		of.diffusivity = Uniform(diffusivity)
	}
	return of
}

// Buoyancy that two scalars alike share is that of one with the sum of their factors, through open walls too; and that of opposite ones is none.
func TestBuoyancyIsASum(t *testing.T) {
	dev := openDevice(t, 2)
	for name, p := range map[string]Parameters{"2-D": rich(plane(16), kernels.TVD), "3-D, 27 points": withPoints27(rich(graded(cube(8)), kernels.Central))} {
		t.Run(name, func(t *testing.T) {
			c := Controls{End: 1, Courant: 0.4}
			alone := simulate(t, dev, p, c)
			shared := p
			shared.Rayleigh = 0.6 * p.Rayleigh
			shared.beside = []substance{besides(&p, 0.4*p.Rayleigh, 0)}
			s := simulate(t, dev, shared, c)
			within(t, "buoyant step", s.BuoyantStep(), alone.BuoyantStep(), 1e-12)
			for range 5 {
				for _, s := range []*Simulation{alone, s} {
					if err := s.advance(); err != nil {
						t.Fatal(err)
					}
				}
			}
			got, want := download(t, s, "temperature"), download(t, alone, "temperature")
			for n := range want {
				if math.Abs(got[n]-want[n]) > 1e-9 {
					t.Fatalf("node %d: %g, with one scalar %g", n, got[n], want[n])
				}
			}
		})
	}
	p := heated(plane(16), 150)
	p.Initial.Noise = 0.1
	p.beside = []substance{besides(&p, -150, 0)}
	s := simulate(t, dev, p, Controls{End: 1, Courant: 0.4, MaxStep: 1e-3})
	for range 5 {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
	}
	if v := s.Sample().SpeedMax; v != 0 {
		t.Errorf("heat and its opposite move the fluid at %g", v)
	}
}

// Conduction of heat and of a solute that lightens as heat does is stable where Ra (1 + N Le) < 4π² (Nield 1968), and a run is steady there alone.
func TestSteadyWithTwoScalars(t *testing.T) {
	const lewis, ratio = 10, 0.2
	critical := 4 * math.Pi * math.Pi / (1 + ratio*lewis)
	for _, part := range []float64{0.8, 1.3} {
		t.Run(fmt.Sprintf("%g of the critical number", part), func(t *testing.T) {
			p := undisturbed(plane(16), part*critical, 1e-6, "mixed")
			p.beside = []substance{besides(&p, ratio*p.Rayleigh, 1./lewis)}
			s := simulate(t, openDevice(t, 0), p, Controls{End: 10, Courant: 0.5, Steady: 1e-5})
			if o, err := s.Outlook(); err != nil || o.Rest {
				t.Errorf("two scalars move the fluid, and the outlook of one is %+v, %v", o, err)
			}
			rate, outcome := growthOf(t, s)
			switch {
			case part < 1 && (outcome != Steady || rate > 0):
				t.Errorf("outcome %d at t = %g, growth %g: not steady", outcome, s.Time(), rate)
			case part > 1 && !(rate > 0):
				t.Errorf("a disturbance grows at %g; steady: %v at t = %g", rate, outcome == Steady, s.Time())
			}
		})
	}
}

// A scalar that leaves its range stops the run by its own name, whatever the temperature does.
func TestBlowUpOfASecondScalar(t *testing.T) {
	p := heated(plane(16), 0)
	p.beside = []substance{besides(&p, 0, 0)}
	s := simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.4, MaxStep: 1e-3})
	values := make([]float64, s.Grid().Nodes())
	for n := range values {
		values[n] = 100
	}
	s.model.scalars[1].now.Upload(values)
	var far *RangeError
	if err := s.checkRange(); !errors.As(err, &far) || far.Name != "concentration" {
		t.Errorf("error %v, want one of the range of the concentration", err)
	}
}
