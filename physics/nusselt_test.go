package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
)

// Steady Nusselt number and largest streamfunction of one cell in the square at Ra 100 (Caltagirone 1975; validation
// table).
const (
	nusselt100        = 2.64592
	streamfunction100 = 5.36990
)

// steadyCell runs one cell in a square to its steady state.
func steadyCell(t *testing.T, dev kernels.Device, n int, rayleigh float64, scheme kernels.Scheme, points kernels.Stencil) *Simulation {
	t.Helper()
	p := heated(plane(n), rayleigh)
	p.Stencil = points
	p.Transport = scheme
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.2
	s := simulate(t, dev, p, Controls{End: 20, Courant: 0.5, Steady: 1e-7})
	if run(t, s) != Steady {
		t.Fatalf("no steady state at t = %g", s.Time())
	}
	return s
}

func TestSteadyCellConvergesToPublishedNusselt(t *testing.T) {
	t.Parallel()
	dev, drawn := openDevice(t, 0), devicetest.Draw(t, 3)
	for _, c := range []struct {
		scheme kernels.Scheme
		points kernels.Stencil
		within float64 // at 32 cells
	}{{kernels.Central, kernels.SevenPoint, 0.005}, {kernels.TVD, kernels.SevenPoint, 0.01},
		{kernels.Central, kernels.TwentySevenPoint, 0.005}, {kernels.TVD, kernels.TwentySevenPoint, 0.01}} {
		if !drawn() {
			continue
		}
		var nu, psi [2]float64
		for i, n := range []int{16, 32} {
			s := steadyCell(t, dev, n, 100, c.scheme, c.points)
			nu[i], psi[i] = s.Sample().Heat().Transfer()-nusselt100, s.Sample().Streamfunction-streamfunction100
		}
		t.Logf("%s, scheme %d: error of Nu %.4f %.4f, of ψ %.4f %.4f", stencilName(c.points), c.scheme, nu[0], nu[1], psi[0], psi[1])
		if math.Abs(nu[1]) > c.within*nusselt100 {
			t.Errorf("scheme %d: Nu is off by %.2g %% at 32 cells", c.scheme, 100*nu[1]/nusselt100)
		}
		if order := math.Log2(nu[0] / nu[1]); c.scheme == kernels.Central && !(order > 1.9) {
			t.Errorf("Nu converges with order %.2f", order)
		}
		if order := math.Log2(psi[0] / psi[1]); c.scheme == kernels.Central && !(order > 1.9) {
			t.Errorf("ψ converges with order %.2f", order)
		}
	}
}

// TestNusseltIdentities checks what holds exactly for the discrete steady state with central transport: the Nusselt
// numbers at the walls, by volume and by dissipation agree, and, with 7 points, whose energy is a sum over dual faces,
// <u·K⁻¹u> = Ra (Nu - 1).
func TestNusseltIdentities(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	agree := func(s *Simulation) {
		v := s.Sample()
		for name, nu := range map[string]float64{"cold wall": v.Heat().Cold, "volume": v.Heat().Volume, "dissipation": v.Heat().Dissipation} {
			within(t, name+" against hot wall", nu, v.Heat().Hot, 1e-5)
		}
	}
	agree(steadyCell(t, dev, 24, 150, kernels.Central, kernels.TwentySevenPoint))
	s := steadyCell(t, dev, 24, 150, kernels.Central, kernels.SevenPoint)
	agree(s)
	v, g := s.Sample(), s.Grid()
	power := 0.0
	for _, d := range []int{kernels.X, kernels.Z} {
		q := downloadFaces(t, s, d)
		eachNode(g, func(_ int, ijk [3]int) {
			if ijk[d] > 0 { // the face below the node, with the distance to the one below
				u := q.at(ijk[0], ijk[1], ijk[2])
				power += u * u * g.DualWidth(2-d, ijk[2-d]) * g.Widths[d][ijk[d]-1]
			}
		})
	}
	within(t, "<u·u>", power/g.Volume(), 150*(v.Heat().Volume-1), 1e-5)
}

// TestConductionHasNusseltOne covers the ways in which walls can carry the heat: along z and x, fixed and flux, hot on
// either side, in a stagnant medium.
func TestConductionHasNusseltOne(t *testing.T) {
	dev := openDevice(t, 0)
	flux := func(q float64) Wall { return Wall{HeatValue: Constant(q)} }
	for _, c := range []struct {
		name      string
		low, high kernels.Side
		walls     [2]Wall
	}{
		{"heated from below", kernels.Bottom, kernels.Top, [2]Wall{fixedAt(1), fixedAt(0)}},
		{"heated from above", kernels.Bottom, kernels.Top, [2]Wall{fixedAt(-0.5), fixedAt(0.5)}},
		{"heated from the right", kernels.Left, kernels.Right, [2]Wall{fixedAt(0), fixedAt(1)}},
		{"flux below", kernels.Bottom, kernels.Top, [2]Wall{flux(2), fixedAt(0)}},
		{"flux above", kernels.Bottom, kernels.Top, [2]Wall{fixedAt(0), flux(2)}},
	} {
		p := heated(plane(12), 0)
		p.Diffusivity = Uniform(2)
		p.Walls = [6]Wall{}
		p.Walls[c.low], p.Walls[c.high] = c.walls[0], c.walls[1]
		for _, p.Stencil = range bothStencils {
			s := simulate(t, dev, p, Controls{End: 0.1, Courant: 0.5, MaxStep: 0.01})
			run(t, s)
			v := s.Sample()
			for name, nu := range map[string]float64{"hot": v.Heat().Hot, "cold": v.Heat().Cold, "volume": v.Heat().Volume} {
				within(t, c.name+", "+name, nu, 1, 1e-7)
			}
			if c.walls[0].Heat == FixedTemperature && c.walls[1].Heat == FixedTemperature {
				within(t, c.name+", dissipation", v.Heat().Dissipation, 1, 1e-7)
			} else if !math.IsNaN(v.Heat().Dissipation) {
				t.Errorf("%s: Nusselt number %g by dissipation, which is not defined", c.name, v.Heat().Dissipation)
			}
		}
	}
}
