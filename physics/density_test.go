package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// parabola is b = (T - γ)², as of water near the temperature of its greatest density.
func parabola(gamma float64) *Law {
	return &Law{Of: func(t, _ float64) float64 { return (t - gamma) * (t - gamma) }, OfTemperature: true}
}

// A law that is linear in T and S is the sum with the same factors but for rounding of its table, with open walls and walls that vary in time, and a run
// that is resumed has its bits.
func TestLinearLaw(t *testing.T) {
	dev := openDevice(t, 2)
	for name, p := range map[string]Parameters{"2-D": briny(plane(16), kernels.TVD), "3-D, 27 points": withPoints27(briny(graded(cube(8)), kernels.Central))} {
		p.Walls[kernels.Right].Inflow = Constant(0.5)
		c := Controls{End: 1, Courant: 0.4, MaxStep: 1e-4}
		sum := simulate(t, dev, p, c)
		law := p
		law.Buoyancy = &Law{Of: func(t, s float64) float64 { return t - 0.4*s }, OfTemperature: true, OfConcentration: true}
		law.Solutes = []Solute{p.Solutes[0]}
		law.Solutes[0].Rayleigh = 0
		s := simulate(t, dev, law, c)
		for range 6 {
			for _, s := range []*Simulation{sum, s} {
				if err := s.advance(); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, field := range []string{"temperature", "concentration", "velocity"} {
			got, want := download(t, s, field), download(t, sum, field)
			for n := range want {
				if math.Abs(got[n]-want[n]) > 1e-7*math.Max(1, norm(want)) {
					t.Fatalf("%s: %s at node %d: %g, as a sum %g", name, field, n, got[n], want[n])
				}
			}
		}
		state, err := s.State()
		if err != nil {
			t.Fatal(err)
		}
		resumed, err := Resume(dev, law, c, state)
		if err != nil {
			t.Fatal(err)
		}
		defer resumed.Free()
		runTo(t, resumed, s.Step()+5)
		runTo(t, s, resumed.Step())
		sameState(t, resumed, s)
	}
}

// Cavities heated from the side with b = (T - γ)²: heat flows of a spectral solution, 5.70724 at Ra 500 with γ = 1/4, and 3.3472 at Ra 1000 with γ = 1/2.
func TestInversionFromTheSide(t *testing.T) {
	t.Parallel()
	drawn := devicetest.Draw(t, 2)
	for _, c := range []struct{ ra, gamma, want float64 }{{500, 0.25, 5.70724}, {1000, 0.5, 3.3472}} {
		if !drawn() {
			continue
		}
		n := 48
		if testing.Short() {
			n = 36
		}
		p := heated(stencil.Extent{Cells: [3]int{n, 0, n}, Size: [3]float64{1, 0, 1}, Grading: [3]stencil.Grading{{Cluster: stencil.ClusterBoth, Ratio: 3}, {}, {}}}, c.ra)
		p.Walls = [6]Wall{kernels.Left: held(1), kernels.Right: held(0)}
		p.Buoyancy = parabola(c.gamma)
		p.Pressure.Tolerance, p.Diffusion.Tolerance = 1e-8, 1e-8
		s := simulate(t, openDevice(t, 0), p, Controls{End: 0.5, Courant: 1})
		run(t, s)
		t.Logf("Ra %g, γ %g: %.5f, %.5f at t = %g", c.ra, c.gamma, s.Sample().Heat().Hot, s.Sample().Heat().Cold, s.Time())
		within(t, "heat flow", s.Sample().Heat().Transfer(), c.want, 0.005)
		within(t, "heat that leaves", s.Sample().Heat().Cold, s.Sample().Heat().Hot, 0.001) // it has settled
	}
}

// Layers heated from below with b = (T - γ)² begin to convect at Ra 38.5398 with a = 3.1952 for γ = 0, and at 72.2258 with a = 3.3343 for γ = 1/4: at 1 % less
// disturbances decay, at 1 % more they grow.
func TestInversionFromBelow(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	for _, c := range []struct{ gamma, critical, a float64 }{{0, 38.5398, 3.1952}, {0.25, 72.2258, 3.3343}} {
		for _, side := range []float64{-1, 1} {
			p := seeded(stencil.Extent{Cells: [3]int{16, 0, 64}, Size: [3]float64{math.Pi / c.a, 0, 1}}, c.critical*(1+0.01*side), [3]int{1, 0, 1})
			p.Buoyancy = parabola(c.gamma)
			if rate := growthRate(t, dev, p, 1, 0.005); !(rate*side > 0) {
				t.Errorf("γ %g, Ra %.4f grows with rate %g", c.gamma, p.Rayleigh, rate)
			}
		}
	}
}

// A stable state of any law stays at rest to rounding: the column of the mean b carries it.
func TestLawAtRest(t *testing.T) {
	for name, p := range map[string]Parameters{"7 points": heated(graded(plane(16)), -1000), "27 points, mixed": withPoints27(mixed(heated(plane(16), -1000)))} {
		p.Buoyancy = &Law{Of: func(t, s float64) float64 { return t + 0.3*t*t + math.Exp(-s)*t }, OfTemperature: true, OfConcentration: true}
		p = salted(p, 0, 5)
		p.Walls[kernels.Top].Flow = Open
		s := simulate(t, openDevice(t, 1), p, Controls{End: 0.05, Courant: 0.5})
		run(t, s)
		if v := s.Sample().SpeedMax; v > 1e-8 {
			t.Errorf("%s: it moves at %g", name, v)
		}
	}
}
