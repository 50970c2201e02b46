package physics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// undisturbed is a layer heated from below with noise of an amplitude, in a precision: what a case file gives by default.
func undisturbed(e stencil.Extent, rayleigh, noise float64, precision string) Parameters {
	p := heated(e, rayleigh)
	p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
	p.Initial.Noise, p.Initial.Seed = noise, 1
	p.Mixed = precision == "mixed"
	if precision == "float32" {
		p.Precision = kernels.Float32
	}
	return p
}

// growthOf runs a simulation until it says that a disturbance grows, or to its end.
func growthOf(t *testing.T, s *Simulation) (rate float64, outcome Outcome) {
	t.Helper()
	outcome, err := s.Run(context.Background(), observe(func(_ *Simulation, e Event) error {
		if rate = e.Growth; rate > 0 {
			return errStop
		}
		return nil
	}))
	if err != nil && !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	return rate, outcome
}

// modeRate is the largest growth rate of a layer of unit height between isothermal closed walls, Ra a²/(a²+π²) - (a²+π²) with the wave numbers
// a that a box has along its two axes (Horton & Rogers 1945; Beck 1972).
func modeRate(rayleigh float64, e stencil.Extent) float64 {
	most, modes := math.Inf(-1), 16
	for n := range modes * modes {
		a2 := 0.0
		for d, m := range [2]int{n % modes, n / modes} {
			if e.Cells[d] > 0 {
				a := float64(m) * math.Pi / e.Size[d]
				if e.Periodic[d] {
					a *= 2
				}
				a2 += a * a
			}
		}
		if a2 > 0 {
			b := a2 + math.Pi*math.Pi
			most = math.Max(most, rayleigh*a2/b-b)
		}
	}
	return most
}

// The state of conduction does not change, or by less and less while noise decays, though it may be unstable: it is steady where the linear theory has
// all modes decay, and nowhere else, however small the noise. Cells of a sixteenth of the height slow a mode of wave number π by some per cent of Ra.
func TestSteadyOnlyWhereDisturbancesDecay(t *testing.T) {
	t.Parallel()
	wide := stencil.Extent{Cells: [3]int{64, 0, 16}, Size: [3]float64{4, 0, 1}}
	ring := wide
	ring.Periodic[kernels.X] = true
	slab := stencil.Extent{Cells: [3]int{32, 32, 12}, Size: [3]float64{3, 3, 1}, Periodic: [3]bool{true, true, false}}
	for _, c := range []struct {
		e         stencil.Extent
		rayleigh  float64
		noise     float64
		precision string
		stencil   kernels.Stencil
	}{
		{plane(16), 30, 1e-3, "mixed", kernels.SevenPoint}, {plane(16), 30, 1e-9, "float32", kernels.SevenPoint}, {plane(16), 30, 0, "float64", kernels.SevenPoint},
		{plane(16), 30, 1e-6, "mixed", kernels.TwentySevenPoint}, {graded(plane(16)), 30, 1e-6, "mixed", kernels.SevenPoint}, {wide, 36, 1e-6, "mixed", kernels.SevenPoint},
		{ring, 36, 0, "mixed", kernels.SevenPoint}, {cube(12), 36, 1e-6, "mixed", kernels.SevenPoint}, {plane(16), -300, 1e-6, "mixed", kernels.SevenPoint},
		{plane(16), 45, 1e-6, "mixed", kernels.SevenPoint}, {plane(16), 45, 1e-9, "float32", kernels.SevenPoint}, {plane(16), 45, 0, "float64", kernels.SevenPoint},
		{plane(16), 45, 1e-9, "mixed", kernels.TwentySevenPoint}, {graded(plane(16)), 45, 1e-6, "mixed", kernels.SevenPoint}, {wide, 43, 1e-9, "mixed", kernels.SevenPoint},
		{ring, 43, 1e-6, "mixed", kernels.SevenPoint}, {slab, 45, 1e-9, "mixed", kernels.SevenPoint}, {cube(12), 45, 1e-9, "float32", kernels.SevenPoint},
		{plane(16), 100, 1e-9, "mixed", kernels.SevenPoint}, {plane(16), 300, 0, "float32", kernels.SevenPoint},
	} {
		t.Run(fmt.Sprintf("Ra %g, noise %g, %s, %v cells, %d points", c.rayleigh, c.noise, c.precision, c.e.Cells, c.stencil.Points()), func(t *testing.T) {
			p := undisturbed(c.e, c.rayleigh, c.noise, c.precision)
			p.Stencil = c.stencil
			s := simulate(t, openDevice(t, 0), p, Controls{End: 10, Courant: 0.5, Steady: 1e-5})
			rate, outcome := growthOf(t, s)
			switch want := modeRate(c.rayleigh, c.e); {
			case want < 0 && (outcome != Steady || s.Time() > 2):
				t.Errorf("outcome %d at t = %g, growth %g: not steady, but all modes decay at %g", outcome, s.Time(), rate, want)
			case want > 0 && math.Abs(rate-want) > 0.25*want+0.05*c.rayleigh:
				t.Errorf("a disturbance grows at %g, want %g; steady: %v at t = %g", rate, want, outcome == Steady, s.Time())
			}
		})
	}
}

// Noise that decays before the flow begins hides that it begins: the cell at Ra 100 carries 2.644 times the heat of conduction (Nu of
// the roll of wave number π: de la Torre Juárez & Busse 1995 and others), found as well by runs/square.
func TestSteadyWaitsForConvection(t *testing.T) {
	s := simulate(t, openDevice(t, 0), undisturbed(plane(64), 100, 1e-6, "mixed"), Controls{End: 20, Courant: 1, Steady: 1e-5})
	if outcome := run(t, s); outcome != Steady {
		t.Errorf("outcome %d, want a steady state", outcome)
	}
	within(t, "Nusselt number", s.Sample().Heat().Transfer(), 2.644, 5e-3)
}

// A probe of a state leaves no trace: a run that is not asked when it is steady has the same bits, and so has one that goes on from a checkpoint between two probes.
func TestProbeKeepsTheBits(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *Parameters){
		"mixed": func(p *Parameters) { p.Mixed = true }, "float32": func(p *Parameters) { p.Precision = kernels.Float32 }, "27 points": func(p *Parameters) { p.Stencil = kernels.TwentySevenPoint },
		"viscosity":         func(p *Parameters) { p.Viscosity = exponential(1) },
		"viscosity of both": func(p *Parameters) { *p = withBoth(salted(*p, 0.1, 2)) },
		"open top":          func(p *Parameters) { p.Walls[kernels.Top].Flow, p.Walls[kernels.Top].Varies = Open, true },
	} {
		t.Run(name, func(t *testing.T) {
			p := undisturbed(plane(12), 48, 1e-7, "float64")
			change(&p)
			dev, c := openDevice(t, 0), Controls{End: 20, Courant: 0.5}
			plain := simulate(t, dev, p, c)
			runTo(t, plain, 330)
			c.Steady = 1e-3
			probed := simulate(t, dev, p, c)
			rate := 0.0
			_, err := probed.Run(context.Background(), observe(func(s *Simulation, e Event) error {
				if rate = math.Max(rate, e.Growth); s.Step() == 210 {
					return errStop
				}
				return nil
			}))
			if !errors.Is(err, errStop) || rate == 0 {
				t.Fatalf("%v; growth %g: no probe was made", err, rate)
			}
			state, err := probed.State()
			if err != nil {
				t.Fatal(err)
			}
			resumed, err := Resume(dev, p, c, state)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(resumed.Free)
			runTo(t, probed, 330)
			runTo(t, resumed, 330)
			sameState(t, resumed, probed)
			if !sameBits(download(t, probed, "temperature"), download(t, plain, "temperature")) || !sameBits(download(t, probed, "pressure"), download(t, plain, "pressure")) {
				t.Error("the run that was probed has other bits")
			}
		})
	}
}

func sameBits(a, b []float64) bool {
	for n := range a {
		if math.Float64bits(a[n]) != math.Float64bits(b[n]) {
			return false
		}
	}
	return len(a) == len(b)
}

// An earlier version's state lacks what steers the probes: a run goes on from it.
func TestStateWithoutProbes(t *testing.T) {
	dev, p, c := openDevice(t, 0), undisturbed(plane(8), 45, 1e-6, "float64"), Controls{End: 1, Courant: 0.5, Steady: 1e-5}
	s := simulate(t, dev, p, c)
	runTo(t, s, 20)
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range added {
		delete(state.Scalars, name)
	}
	resumed, err := Resume(dev, p, c, state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(resumed.Free)
	run(t, resumed)
}
