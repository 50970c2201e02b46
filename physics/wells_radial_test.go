package physics

import (
	"math"
	"testing"

	"convect/kernels"
)

// radial is a quarter of a disc around a well in the corner, in a square whose far walls have the pressure of radial flow.
func radial(n int, rate float64) Parameters {
	p := idle(plane(n))
	outside := func(x, _, z, _ float64) float64 { return -rate / (2 * math.Pi) * math.Log(math.Hypot(x, z)) }
	p.Walls[kernels.Right] = Wall{Flow: FixedPressure, FlowValue: outside}
	p.Walls[kernels.Top] = Wall{Flow: FixedPressure, FlowValue: outside}
	p.Wells = []Well{point("injector", rate/4, [3]float64{}, 1)}
	p.Transport = kernels.TVD
	return p
}

// along returns the values at a distance from the corner, interpolated by a parabola: on both axes.
func along(t testing.TB, s *Simulation, r float64) (x, z float64) {
	t.Helper()
	g, v := s.Grid(), download(t, s, "temperature")
	c := g.Coordinates(0)
	i := 1
	for c[i+1] < r {
		i++
	}
	at := func(value func(i int) float64) float64 {
		sum := 0.0
		for a := i - 1; a <= i+1; a++ {
			weight := 1.0
			for b := i - 1; b <= i+1; b++ {
				if b != a {
					weight *= (r - c[b]) / (c[a] - c[b])
				}
			}
			sum += weight * value(a)
		}
		return sum
	}
	return at(func(i int) float64 { return v[i] }), at(func(k int) float64 { return v[k*g.Box.N[0]] })
}

// Radial injection with diffusion has the temperature Γ(ν, s)/Γ(ν), ν = q/4π = 10, s = r²/4t. Tolerances are half a per cent on 128² cells by the second order; the
// front, where half is injected fluid, lies within two cells of where all that was injected fills the disc.
func TestRadialInjection(t *testing.T) {
	const end = 0.005
	exact := map[float64]float64{0.3: 0.982907, 0.4: 0.716624, 0.5: 0.201431}
	for _, points := range bothStencils {
		t.Run(stencilName(points), func(t *testing.T) {
			t.Parallel()
			const n = 40
			p := radial(n, 40*math.Pi)
			p.Stencil = points
			s := simulate(t, openDevice(t, 1), p, Controls{End: end, Courant: 0.5})
			run(t, s)
			for r, want := range exact {
				x, z := along(t, s, r)
				within(t, "temperature along x", x, want, 0.005*math.Pow(128./n, 2))
				within(t, "temperature along z", z, want, 0.005*math.Pow(128./n, 2))
			}
			front := 0.0
			for x := 1.0; x >= 0.5; front += 0.001 {
				x, _ = along(t, s, front+0.05)
			}
			if want := math.Sqrt(40 * end); math.Abs(front+0.05-want) > 2./n {
				t.Errorf("the front is at %.3f, not %.3f", front+0.05, want)
			}
			if low, high := s.TemperatureRange(); low != 0 || high != 1 {
				t.Errorf("temperatures from %g to %g are permitted, want 0 to 1", low, high)
			}
		})
	}
}
