package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// growthRate returns the rate at which the departure of the temperature from its start without perturbation grows, over
// the second half of a run of the given length.
func growthRate(t *testing.T, dev kernels.Device, p Parameters, end, step float64) float64 {
	t.Helper()
	base := p
	base.Initial.Amplitude = 0
	rest := simulate(t, dev, base, Controls{End: end, Courant: 0.5})
	start := download(t, rest, "temperature")
	s := simulate(t, dev, p, Controls{End: end, Courant: 0.5, FirstStep: step, MaxStep: step, Output: Schedule{Times: []float64{end / 2}}})
	half := 0.0
	amplitude := func() float64 {
		now := download(t, s, "temperature")
		for n := range now {
			now[n] -= start[n]
		}
		return norm(now)
	}
	run(t, s, observe(func(s *Simulation, e Event) error {
		if s.Time() == end/2 {
			half = amplitude()
		}
		return nil
	}))
	return math.Log(amplitude()/half) / (end / 2)
}

// seeded adds an infinitesimal mode to a heated layer.
func seeded(e stencil.Extent, rayleigh float64, mode [3]int) Parameters {
	p := heated(e, rayleigh)
	p.Initial.Mode, p.Initial.Amplitude = mode, 1e-6
	return p
}

// TestGrowthRate compares with σ = Ra ξ a²/(ξ a² + n²π²) - (η a² + n²π²), exact for cos(ax) sin(nπz) on the conduction
// state, a² the sum over x and y, ξ and η the horizontal over the vertical permeability and diffusivity.
func TestGrowthRate(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	periodic := stencil.Extent{Cells: [3]int{96, 0, 64}, Size: [3]float64{2, 0, 1}, Periodic: [3]bool{true, false, false}}
	for _, c := range []struct {
		name     string
		extent   stencil.Extent
		mode     [3]int
		rayleigh float64
		a2       float64 // over π²
		xi, eta  float64
	}{
		{"Ra 30", plane(64), [3]int{1, 0, 1}, 30, 1, 1, 1},
		{"Ra 50", plane(64), [3]int{1, 0, 1}, 50, 1, 1, 1},
		{"Ra 100", plane(64), [3]int{1, 0, 1}, 100, 1, 1, 1},
		{"Ra 100, periodic", periodic, [3]int{1, 0, 1}, 100, 1, 1, 1},
		{"Ra 400, second mode", plane(112), [3]int{2, 0, 2}, 400, 4, 1, 1},
		{"anisotropic permeability", plane(64), [3]int{1, 0, 1}, 100, 1, 4, 1},
		{"anisotropic diffusivity", plane(64), [3]int{1, 0, 1}, 100, 1, 1, 0.25},
		{"cube", cube(40), [3]int{1, 1, 1}, 100, 2, 1, 1},
	} {
		if testing.Short() && c.extent.Cells[1] > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p := seeded(c.extent, c.rayleigh, c.mode)
			p.Permeability = Material{Constant: [3]float64{c.xi, c.xi, 1}}
			p.Diffusivity = Material{Constant: [3]float64{c.eta, c.eta, 1}}
			a2, b2 := c.a2*math.Pi*math.Pi, float64(c.mode[2]*c.mode[2])*math.Pi*math.Pi
			want := c.rayleigh*c.xi*a2/(c.xi*a2+b2) - (c.eta*a2 + b2)
			within(t, "growth rate", growthRate(t, dev, p, 0.02, 2e-4), want, 0.005)
			if c.extent.Cells[1] > 0 {
				p.Extent = cube(48) // trilinear elements with a lumped mass are less accurate in 3-D
			}
			within(t, "growth rate with 27 points", growthRate(t, dev, withPoints27(p), 0.02, 2e-4), want, 0.005)
		})
	}
}

// TestOnset brackets the critical Rayleigh numbers of an infinite layer (Nield 1968; Nield & Bejan) within 1 %: at 1 %
// less the critical mode decays, at 1 % more it grows. A wall of fixed flux carries the flux of the conduction state.
func TestOnset(t *testing.T) {
	t.Parallel()
	dev, drawn := openDevice(t, 0), devicetest.Draw(t, 2)
	flux := func(q float64) Wall { return Wall{HeatValue: Constant(q)} }
	for _, c := range []struct {
		name     string
		critical float64
		a        float64
		bottom   Wall
		top      Wall
		end      float64
	}{
		{"both impermeable and isothermal", 4 * math.Pi * math.Pi, math.Pi, fixedAt(1), fixedAt(0), 1},
		{"both impermeable, one isothermal, one of fixed flux", 27.097628, 2.3262, flux(1), fixedAt(0), 1},
		{"both isothermal, one impermeable, one open", 27.097628, 2.3262, fixedAt(1),
			Wall{Heat: FixedTemperature, HeatValue: Constant(0), Flow: Open}, 1},
		{"both impermeable and of fixed flux", 12, 0.2, flux(1), flux(-1), 4},
	} {
		if !drawn() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			for _, side := range []float64{-1, 1} {
				e := stencil.Extent{Cells: [3]int{16, 0, 48}, Size: [3]float64{math.Pi / c.a, 0, 1}}
				p := seeded(e, c.critical*(1+0.01*side), [3]int{1, 0, 0})
				p.Walls[kernels.Bottom], p.Walls[kernels.Top] = c.bottom, c.top
				if c.bottom.Heat == FixedTemperature && c.top.Heat == FixedTemperature {
					p.Initial.Mode[2] = 1
				}
				for _, p.Stencil = range bothStencils {
					if rate := growthRate(t, dev, p, c.end, 0.01); !(rate*side > 0) {
						t.Errorf("%s: Ra = %.4f grows with rate %g", stencilName(p.Stencil), p.Rayleigh, rate)
					}
				}
			}
		})
	}
}

// fixedAt is a closed wall of fixed temperature.
func fixedAt(temperature float64) Wall {
	return Wall{Heat: FixedTemperature, HeatValue: Constant(temperature)}
}
