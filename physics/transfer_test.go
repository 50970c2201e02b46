package physics

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// tiedTo is a wall that exchanges heat with what is outside.
func tiedTo(coefficient, ambient float64) Wall {
	return Wall{Heat: HeatTransfer, HeatCoefficient: Constant(coefficient), HeatValue: Constant(ambient)}
}

// held is a wall of one temperature.
func held(temperature float64) Wall {
	return Wall{Heat: FixedTemperature, HeatValue: Constant(temperature)}
}

// films returns what crosses a layer of thickness 1 and diffusivity k between temperatures behind films, and the temperatures of its ends.
func films(low, high, hLow, hHigh, k float64) (flux, from, to float64) {
	flux = (low - high) / (1/hLow + 1/k + 1/hHigh)
	return flux, low - flux/hLow, high + flux/hHigh
}

// TestConductionThroughHeatTransfer checks the linear profile behind one or two films along each axis, at the start and after steps, which
// hold it, with what crosses: exact in the space of both stencils.
func TestConductionThroughHeatTransfer(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	for _, h := range []float64{1e-8, 0.3, 1, 40, 1e4, 1e8} {
		for _, axis := range []int{kernels.X, kernels.Y, kernels.Z} {
			for _, points := range bothStencils {
				for name, other := range map[string]Wall{"held": held(3), "tied": tiedTo(2, 3)} {
					t.Run(fmt.Sprintf("h=%g/%s/%d/%s", h, stencil.AxisName(axis), points.Points(), name), func(t *testing.T) {
						p := heated(graded(cube(6)), 0)
						p.Stencil, p.Diffusivity = points, Material{Constant: [3]float64{2, 3, 0.7}}
						p.Walls = [6]Wall{}
						p.Walls[2*axis], p.Walls[2*axis+1] = tiedTo(h, -1), other
						checkFilms(t, dev, p, axis, h, other)
					})
				}
			}
		}
	}
}

// checkFilms compares a run with conduction between -1 and 3.
func checkFilms(t *testing.T, dev kernels.Device, p Parameters, axis int, h float64, other Wall) {
	t.Helper()
	k, hOther := p.Diffusivity.Constant[axis], math.Inf(1)
	if other.Heat == HeatTransfer {
		hOther = 2
	}
	flux, from, to := films(-1, 3, h, hOther, k)
	s := simulate(t, dev, p, Controls{End: 0.1, Courant: 1, MaxStep: 0.02})
	check := func() {
		x := s.Grid().Coordinates(axis)
		values := download(t, s, "temperature")
		eachNode(s.Grid(), func(n int, ijk [3]int) {
			if want := from + (to-from)*x[ijk[axis]]; math.Abs(values[n]-want) > 1e-12 {
				t.Fatalf("t = %g, %s = %g: %.15g, not %.15g", s.Time(), stencil.AxisName(axis), x[ijk[axis]], values[n], want)
			}
		})
		// Rounding of the temperature makes h times as much in what flows in, and rounding of a difference of temperatures in its Nusselt number.
		slack := 1e-12 + 2e-15*h/math.Abs(flux)
		if difference := math.Abs(from - to); difference > 0.1 {
			within(t, "Nusselt number of the cold wall", s.Sample().Heat().Cold, math.Abs(flux)/(k*difference), slack)
			within(t, "Nusselt number of the hot wall", s.Sample().Heat().Hot, math.Abs(flux)/(k*difference), slack)
		}
	}
	check()
	run(t, s)
	check()
}

// TestHeatTransferIsReached starts far from the profile and from what is outside; a strong film must not need small steps.
func TestHeatTransferIsReached(t *testing.T) {
	dev := openDevice(t, 0)
	for _, precision := range []struct {
		elem      kernels.Elem
		mixed     bool
		tolerance float64
	}{{kernels.Float64, false, 1e-7}, {kernels.Float64, true, 1e-7}, {kernels.Float32, false, 2e-4}} {
		for _, h := range []float64{0.5, 100, 1e8, 1e300} {
			t.Run(fmt.Sprintf("%s/h=%g", PrecisionName(precision.elem, precision.mixed), h), func(t *testing.T) {
				p := heated(graded(plane(24)), 0)
				p.Walls[kernels.Bottom], p.Walls[kernels.Top] = tiedTo(h, 2), held(0)
				p.Initial = Initial{Temperature: Constant(-5)}
				p.Precision, p.Mixed = precision.elem, precision.mixed
				p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
				s := simulate(t, dev, p, Controls{End: 20, Courant: 1, MaxStep: 0.5})
				run(t, s)
				flux, from, _ := films(2, 0, h, math.Inf(1), 1)
				z, values := s.Grid().Coordinates(kernels.Z), download(t, s, "temperature")
				eachNode(s.Grid(), func(n int, ijk [3]int) {
					if want := from * (1 - z[ijk[2]]); math.Abs(values[n]-want) > precision.tolerance {
						t.Fatalf("z = %g: %.15g, not %.15g", z[ijk[2]], values[n], want)
					}
				})
				within(t, "Nusselt number of the cold wall", s.Sample().Heat().Cold, flux/from, 10*precision.tolerance)
			})
		}
	}
}

// TestHeatTransferMeetsItsNeighbours compares the limits of the coefficient with the conditions that they are, while fluid moves.
func TestHeatTransferMeetsItsNeighbours(t *testing.T) {
	dev := openDevice(t, 0)
	temperature := func(bottom Wall) ([]float64, *Sample) {
		p := heated(graded(plane(16)), 200)
		p.Transport = kernels.TVD
		p.Initial = Initial{Temperature: func(x, _, z, _ float64) float64 { return 1 - z + 0.2*math.Cos(3*x)*math.Sin(math.Pi*z) }}
		p.Walls[kernels.Bottom] = bottom
		s := simulate(t, dev, p, Controls{End: 0.1, Courant: 0.4, MaxStep: 2e-3})
		run(t, s)
		return download(t, s, "temperature"), s.Sample()
	}
	for _, c := range []struct {
		tied, same Wall
		slack      float64
	}{{tiedTo(1e7, 1), held(1), 1e-5}, {tiedTo(0, 1), Wall{}, 1e-9}, {tiedTo(1e-7, 1e7), Wall{HeatValue: Constant(1)}, 1e-5}} {
		got, g := temperature(c.tied)
		want, w := temperature(c.same)
		for n := range got {
			if math.Abs(got[n]-want[n]) > c.slack {
				t.Fatalf("node %d: %g, not %g", n, got[n], want[n])
			}
		}
		for what, n := range map[string][2]float64{"cold wall": {g.Heat().Cold, w.Heat().Cold}, "hot wall": {g.Heat().Hot, w.Heat().Hot}} {
			if !math.IsNaN(n[0]) || !math.IsNaN(n[1]) {
				within(t, what, n[0], n[1], 1e-4)
			}
		}
	}
}

// biotOnset is the Rayleigh number of the onset in a layer between an isothermal wall and one that is tied with h to what is outside, both closed, over the
// difference of temperature between the walls. (D² - a²)² θ = a² Ra θ with θ = θ” = 0 at one wall, θ” = a² θ (no flow) and θ' + h θ = 0 at the other
// has θ = sin pz / sin p + sinh qz / sinh q, p² = a √Ra - a², q² = a √Ra + a², so that p cot p + q coth q + 2h = 0. The least Ra over a.
func biotOnset(h float64) float64 {
	least := math.Inf(1)
	for a := 1.8; a < 3.6; a += 0.002 {
		// p from π/2 (h = 0 without the second term) to π (h = ∞); the left side falls there from above to -∞.
		low, high := math.Pi/2, math.Pi*(1-1e-15)
		for range 100 {
			p := (low + high) / 2
			q := math.Sqrt(p*p + 2*a*a)
			if p/math.Tan(p)+q/math.Tanh(q)+2*h > 0 {
				low = p
			} else {
				high = p
			}
		}
		least = math.Min(least, math.Pow((low*low+a*a)/a, 2))
	}
	return least
}

// TestOnsetUnderHeatTransfer compares the outlook with the linear theory above, and runs just below and above.
func TestOnsetUnderHeatTransfer(t *testing.T) {
	within(t, "theory without transfer", biotOnset(0), 27.097628, 1e-6)
	within(t, "theory of an isothermal wall", biotOnset(1e9), 4*math.Pi*math.Pi, 1e-6)
	before := 27.09
	for _, h := range []float64{1e-6, 0.1, 1, 10, 100, 1e6} {
		want := biotOnset(h)
		if !(want > before && want < 39.479) {
			t.Errorf("h = %g: %g", h, want)
		}
		before = want
		p := heated(wide(20, true), 10)
		// The walls differ by 1 where what is outside does by 1 + 1/h.
		p.Walls[kernels.Top] = tiedTo(h, -1/h)
		o := outlookOf(t, p, 1)
		if !o.Rest {
			t.Errorf("h = %g: %+v", h, o)
		}
		within(t, fmt.Sprintf("critical Rayleigh number, h = %g", h), o.Critical, want, 1e-2)
	}
	dev := openDevice(t, 0)
	critical, length := biotOnset(1), math.Pi/2.67 // about half a wave
	for _, c := range []struct{ part, sign float64 }{{0.95, -1}, {1.05, 1}} {
		p := seeded(stencil.Extent{Cells: [3]int{40, 0, 32}, Size: [3]float64{length, 0, 1}}, c.part*critical, [3]int{1, 0, 1})
		p.Walls[kernels.Top] = tiedTo(1, -1)
		if rate := growthRate(t, dev, p, 0.5, 0.005); rate*c.sign <= 0 {
			t.Errorf("%g of the critical Rayleigh number: a disturbance grows at the rate %g", c.part, rate)
		}
	}
}

// tiedRich is the rich problem with transfer at walls that fluid passes too, on patches, and at edges that they share with a held wall; all of it varies.
func tiedRich(e stencil.Extent) Parameters {
	p := rich(e, kernels.TVD)
	wave := func(mean float64) Func {
		return func(x, y, z, t float64) float64 { return mean * (1 + 0.5*math.Sin(3*x+2*y+z+40*t)) }
	}
	through := p.Walls[kernels.Left]
	through.Heat, through.HeatCoefficient, through.HeatValue, through.Inflow, through.Varies = HeatTransfer, wave(7), wave(0.4), nil, true
	through.Course.Uniform = true // one point is watched: the steps matter little here
	p.Walls[kernels.Left] = through
	p.Walls[kernels.Right].Heat, p.Walls[kernels.Right].HeatCoefficient, p.Walls[kernels.Right].HeatValue = HeatTransfer, Constant(2), Constant(-0.3)
	p.Patches = []Patch{
		{Side: kernels.Bottom, Range: [3][2]float64{{0.13, 0.61}, {0, 0.55}, {}}, Heat: true,
			Wall: Wall{Heat: HeatTransfer, HeatCoefficient: wave(20), HeatValue: Constant(1.2), Varies: true, Course: through.Course}},
		{Side: kernels.Top, Range: [3][2]float64{{0.5, 1}, {0.2, 1}, {}}, Heat: true, Wall: tiedTo(300, 0.1)},
	}
	return p
}

// TestHeatOfTiedWallsClosesToRounding is TestHeatClosesToRounding with heat transfer.
func TestHeatOfTiedWallsClosesToRounding(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	dev := openDevice(t, 0)
	for name, p := range devicetest.Part(t, 3, map[string]Parameters{
		"plane": tiedRich(plane(20)), "graded cube": tiedRich(graded(cube(8))), "27 points": withPoints27(tiedRich(graded(plane(20)))),
	}) {
		t.Run(name, func(t *testing.T) {
			p.Diffusion.Tolerance = 1e-3
			s := simulate(t, dev, p, Controls{End: 0.02, Courant: 0.4, MaxStep: 2e-3, Output: Schedule{Interval: 0.011}})
			worst := 0.0
			run(t, s, observe(func(s *Simulation, _ Event) error {
				if v := s.Sample(); v.Step > 0 {
					worst = max(worst, math.Abs(v.Heat().Gain-v.Heat().In)*v.Dt/s.model.temperature().capacityV)
				}
				return nil
			}))
			if worst > 2e-14 || s.Step() < 10 {
				t.Errorf("heat is lost: %g of the content a step, in %d steps", worst, s.Step())
			}
		})
	}
}

// TestTiedWallsRestartWithTheSameBits stops and resumes a run whose coefficients vary in time.
func TestTiedWallsRestartWithTheSameBits(t *testing.T) {
	t.Parallel()
	for name, change := range devicetest.Part(t, 3, map[string]func(p *Parameters){
		"float64": func(*Parameters) {}, "float32": func(p *Parameters) { p.Precision = kernels.Float32 }, "mixed": func(p *Parameters) { p.Mixed = true },
	}) {
		t.Run(name, func(t *testing.T) {
			p, c := tiedRich(graded(cube(8))), Controls{End: 0.01, Courant: 0.4, MaxStep: 2e-3}
			p.Pressure.Tolerance, p.Diffusion.Tolerance = 0, 0
			change(&p)
			dev := openDevice(t, 0)
			whole := simulate(t, dev, p, c)
			var state *State
			run(t, whole, observe(func(s *Simulation, _ Event) (err error) {
				if s.Step() == 12 {
					state, err = s.State()
				}
				return err
			}))
			resumed, err := Resume(dev, p, c, state)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(resumed.Free)
			run(t, resumed)
			sameState(t, resumed, whole)
		})
	}
}

// TestEnteringFluidOfTiedWalls: fluid that enters through a tied wall brings what is outside, unless it is told what it brings.
func TestEnteringFluidOfTiedWalls(t *testing.T) {
	dev := openDevice(t, 0)
	for _, c := range []struct {
		inflow Func
		want   float64
	}{{nil, 3}, {Constant(-2), -2}} {
		p := heated(stencil.Extent{Cells: [3]int{32, 0, 4}, Size: [3]float64{1, 0, 0.1}}, 0)
		p.Walls = [6]Wall{}
		left := tiedTo(1e-9, 3)
		left.Flow, left.FlowValue, left.Inflow = FixedVelocity, Constant(50), c.inflow
		p.Walls[kernels.Left], p.Walls[kernels.Right] = left, Wall{Flow: Open}
		p.Initial = Initial{Temperature: Constant(0)}
		s := simulate(t, dev, p, Controls{End: 0.5, Courant: 1, MaxStep: 0.01})
		run(t, s)
		within(t, "mean temperature", s.Sample().Heat().Mean, c.want, 1e-6)
	}
}

// TestTemperatureOutsideCounts: what is outside belongs to the range that a run may reach, and drives a fluid that begins without any difference.
func TestTemperatureOutsideCounts(t *testing.T) {
	p := heated(plane(8), 100)
	p.Walls[kernels.Bottom], p.Walls[kernels.Top] = tiedTo(5, 4), tiedTo(1, -2)
	p.Initial = Initial{Temperature: Constant(1)}
	s := simulate(t, openDevice(t, 0), p, Controls{End: 0.1, Courant: 0.5})
	if low, high := s.TemperatureRange(); low != -2 || high != 4 {
		t.Errorf("from %g to %g", low, high)
	}
	if got := s.difference(s.model.temperature()); got != 6 {
		t.Errorf("a difference of %g", got)
	}
	within(t, "largest step", s.Controls().MaxStep, 1./(2*100*6), 1e-12)
	run(t, s)
}
