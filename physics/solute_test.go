package physics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// salted adds a solute with the ratio N and a Lewis number to a layer, at the walls what the temperature is there, and at the start conduction too.
func salted(p Parameters, ratio, lewis float64) Parameters {
	p.Solutes = []Solute{{Rayleigh: ratio * p.Rayleigh, Porosity: Uniform(1), Diffusivity: Uniform(1 / lewis), Initial: Initial{Conduction: true}}}
	for s := range p.Walls {
		w := &p.Walls[s]
		*w.Of(0) = Condition{w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow}
	}
	return p
}

// With S = 1 at the left wall and none through the right one the decay Da without flow leaves S = cosh(√(Da Le)(1 - x))/cosh √(Da Le), at the start of a case in
// diffusion, and after steps from another start, second order in the width of cells.
func TestDecayOverDistance(t *testing.T) {
	dev := openDevice(t, 1)
	const decay, lewis = 10, 1
	root := math.Sqrt(decay * lewis)
	exact := func(x float64) float64 { return math.Cosh(root*(1-x)) / math.Cosh(root) }
	for x, want := range map[float64]float64{0.25: 0.456718, 0.5: 0.214066, 0.75: 0.112320, 1: 0.084507} {
		within(t, "the formula", exact(x), want, 1e-5)
	}
	for _, points := range bothStencils {
		for _, conduction := range []bool{true, false} {
			var off [2]float64
			for r, n := range []int{32, 64} {
				p := heated(stencil.Extent{Cells: [3]int{n, 0, 4}, Size: [3]float64{1, 0, 1}}, 0)
				p.Stencil, p.Walls = points, [6]Wall{}
				p.Initial = Initial{Temperature: Constant(0)}
				p.Solutes = []Solute{{Porosity: Uniform(0.3), Diffusivity: Uniform(1. / lewis), Decay: Term{Rate: Constant(decay)}, Initial: Initial{Conduction: conduction}}}
				*p.Walls[kernels.Left].Of(0) = Condition{Kind: FixedTemperature, Value: Constant(1)}
				s := simulate(t, dev, p, Controls{End: 2, Courant: 1, MaxStep: 0.02})
				if !conduction {
					run(t, s)
				}
				values := download(t, s, "concentration")
				for i, x := range s.Grid().Coordinates(kernels.X) {
					off[r] = math.Max(off[r], math.Abs(values[i]-exact(x)))
				}
			}
			if order := math.Log2(off[0] / off[1]); order < 1.9 || off[1] > 2e-4 {
				t.Errorf("%s, diffusion at the start %v: order %.2f, errors %v", stencilName(points), conduction, order, off)
			}
		}
	}
}

// In an insulated box S decays as exp(-Da t/ε), second order in time.
func TestDecayOverTime(t *testing.T) {
	const decay, porosity, end = 4, 0.25, 0.1
	var off [2]float64
	for r, step := range []float64{2e-3, 1e-3} {
		p := heated(plane(8), 0)
		p.Solutes = []Solute{{Porosity: Uniform(porosity), Diffusivity: Uniform(0.1), Decay: Term{Rate: Constant(decay)}, Initial: Initial{Temperature: Constant(2)}}}
		s := simulate(t, openDevice(t, 1), p, Controls{End: end, Courant: 1, MaxStep: step, FirstStep: 1e-6})
		run(t, s)
		off[r] = math.Abs(s.Sample().Scalars[1].Mean - 2*math.Exp(-decay*end/porosity))
	}
	if order := math.Log2(off[0] / off[1]); order < 1.8 || off[1] > 1e-4 {
		t.Errorf("order %.2f in time, errors %v", order, off)
	}
}

// rates returns the two growth rates that a mode of the temperature has in a double-diffusive layer: of y, its amplitude at times that are a span apart, which is a sum of
// two exponentials, so that y(n+1) = a y(n) + b y(n-1). Of a pair the one with the positive frequency is first, else the larger one.
func rates(y []float64, span float64) (first, second complex128) {
	var xx, xz, zz, xy, zy float64
	for n := 1; n+1 < len(y); n++ {
		scale := 1 / math.Max(math.Abs(y[n+1]), math.Max(math.Abs(y[n]), math.Abs(y[n-1]))) // all times count alike
		x, z, to := y[n]*scale, y[n-1]*scale, y[n+1]*scale
		xx, xz, zz, xy, zy = xx+x*x, xz+x*z, zz+z*z, xy+x*to, zy+z*to
	}
	d := xx*zz - xz*xz
	a, b := (xy*zz-zy*xz)/d, (zy*xx-xy*xz)/d
	if root := a*a/4 + b; root < 0 {
		l := complex(math.Log(-b)/2/span, math.Atan2(math.Sqrt(-root), a/2)/span)
		return l, complex(real(l), -imag(l))
	} else {
		return complex(math.Log(math.Abs(a/2+math.Sqrt(root)))/span, 0), complex(math.Log(math.Abs(a/2-math.Sqrt(root)))/span, 0)
	}
}

// doubleRates measures the rates of the mode cos(ax) sin(πz) in a box half a wave wide.
func doubleRates(t *testing.T, p Parameters, end, step float64) (first, second complex128) {
	t.Helper()
	const samples = 20
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 1e-6
	s := simulate(t, openDevice(t, 0), p, Controls{End: end, Courant: 0.5, FirstStep: step, MaxStep: step, Output: Schedule{Interval: end / samples}})
	x, z := s.Grid().Coordinates(kernels.X), s.Grid().Coordinates(kernels.Z)
	var y []float64
	run(t, s, observe(func(s *Simulation, e Event) error {
		if !e.Output {
			return nil
		}
		sum, values := 0.0, download(t, s, "temperature")
		eachNode(s.Grid(), func(n int, ijk [3]int) {
			sum += nodeVolume(s.Grid(), ijk) * (values[n] - (1 - z[ijk[2]])) * math.Cos(math.Pi*x[ijk[0]]/s.Grid().Size[0]) * math.Sin(math.Pi*z[ijk[2]])
		})
		y = append(y, sum)
		return nil
	}))
	return rates(y[1:], end/samples)
}

// Heat and salt between plates: λ from σε λ² + [k²(ε + σ/Le) - (a²/k²) Ra (ε + σN)] λ + k⁴/Le - a² Ra (1/Le + N) = 0, k² = a² + π² (Nield 1968; Nield & Bejan, section 9.1).
func TestDoubleDiffusiveGrowth(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	for _, c := range []struct {
		name               string
		ra, n, lewis       float64
		porosity, capacity float64
		want               complex128
		end, step          float64
	}{
		{"both unstable", 30, 0.5, 2, 1, 1, 7.11816, 0.1, 5e-4},
		{"oscillating", 60, -0.2, 10, 1, 1, 1.14344 + 9.84245i, 0.2, 5e-4},
		{"fingers", -50, -2, 10, 1, 1, 31.66592, 0.04, 2e-4},
		{"porosity and capacity", 60, -0.2, 10, 0.4, 1.6, theoreticalRate(60, -0.2, 10, 0.4, 1.6, math.Pi), 0.2, 5e-4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if theory := theoreticalRate(c.ra, c.n, c.lewis, c.porosity, c.capacity, math.Pi); math.Abs(real(theory-c.want))+math.Abs(imag(theory-c.want)) > 1e-5 {
				t.Fatalf("the formula gives %v", theory)
			}
			for _, points := range bothStencils {
				p := heated(plane(64), c.ra)
				p.Stencil, p.HeatCapacityRatio = points, Uniform(c.capacity)
				p = salted(p, c.n, c.lewis)
				p.Solutes[0].Porosity = Uniform(c.porosity)
				got, _ := doubleRates(t, p, c.end, c.step)
				t.Logf("%s: %.5f, want %.5f", stencilName(points), got, c.want)
				size := math.Hypot(real(c.want), imag(c.want))
				if math.Abs(real(got-c.want)) > 0.005*size || math.Abs(imag(got-c.want)) > 0.005*size {
					t.Errorf("%s: rate %.5f, want %.5f within 0.5 %% of %.4g", stencilName(points), got, c.want, size)
				}
			}
		})
	}
}

// theoreticalRate is the larger root of the dispersion relation for the wave number a, or of a pair that of positive frequency.
func theoreticalRate(ra, n, lewis, porosity, capacity, a float64) complex128 {
	k2 := a*a + math.Pi*math.Pi
	two := capacity * porosity
	one := k2*(porosity+capacity/lewis) - a*a/k2*ra*(porosity+capacity*n)
	zero := k2*k2/lewis - a*a*ra*(1/lewis+n)
	if root := one*one - 4*two*zero; root < 0 {
		return complex(-one, math.Sqrt(-root)) / complex(2*two, 0)
	} else {
		return complex((-one+math.Sqrt(root))/(2*two), 0)
	}
}

// Onsets from rest: a steady one at Ra (1 + N Le) = 4π², and one that swings at Ra (ε + σN) = 4π² (ε + σ/Le) with ω² = [4π⁴/Le - π² Ra (1/Le + N)]/(σε), for
// N = -0.1 and Le = 5 at Ra 52.6379 with ω = 5.09664. At 1 % less disturbances decay, at 1 % more they grow.
func TestDoubleDiffusiveOnset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name               string
		critical, n, lewis float64
		frequency, end     float64
	}{
		{"steady", 4 * math.Pi * math.Pi / (1 + 0.5*2), 0.5, 2, 0, 0.5},
		{"oscillatory", 52.6379, -0.1, 5, 5.09664, 1},
	} {
		for _, side := range []float64{-1, 1} {
			t.Run(fmt.Sprintf("%s, %+g %%", c.name, side), func(t *testing.T) {
				p := salted(heated(stencil.Extent{Cells: [3]int{32, 0, 48}, Size: [3]float64{1, 0, 1}}, c.critical*(1+0.01*side)), c.n, c.lewis)
				got, _ := doubleRates(t, p, c.end, 2e-3)
				t.Logf("%.5f", got)
				if !(real(got)*side > 0) {
					t.Errorf("at Ra = %g disturbances grow with %g", p.Rayleigh, real(got))
				}
				if c.frequency > 0 {
					want := imag(theoreticalRate(p.Rayleigh, c.n, c.lewis, 1, 1, math.Pi))
					within(t, "frequency", imag(got), want, 0.005)
					within(t, "frequency at onset", want, c.frequency, 0.1)
				}
			})
		}
	}
}

// The solute that a step gains is what entered through walls and sources less what decays, to rounding, with all kinds of walls and patches.
func TestSoluteClosesToRounding(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	for name, p := range devicetest.Part(t, 3, map[string]Parameters{
		"plane, tvd": briny(plane(20), kernels.TVD), "graded, weno5": briny(graded(plane(20)), kernels.WENO5),
		"27 points, cube, central": withPoints27(briny(graded(cube(8)), kernels.Central)),
	}) {
		t.Run(name, func(t *testing.T) {
			p.Diffusion.Tolerance = 1e-3
			s := simulate(t, dev, p, Controls{End: 0.02, Courant: 0.4, Output: Schedule{Interval: 0.006}})
			worst := [2]float64{}
			run(t, s, observe(func(s *Simulation, e Event) error {
				for n, v := range s.Sample().Scalars {
					if !e.Start {
						worst[n] = max(worst[n], math.Abs(v.Gain-v.In)*s.Sample().Dt/s.model.scalars[n].capacityV)
					}
				}
				return nil
			}))
			t.Logf("%d steps lose %.2g of the heat, %.2g of the solute", s.Step(), worst[0], worst[1])
			if worst[0] > 1e-13 || worst[1] > 1e-13 {
				t.Errorf("a step loses %g of the heat and %g of the solute", worst[0], worst[1])
			}
			if s.Step() < 10 {
				t.Errorf("only %d steps", s.Step())
			}
		})
	}
}

// briny is the rich problem with a heavy solute: held, tied and fed by walls, brought by inflow, with a source that varies in time, decay, and a patch.
func briny(e stencil.Extent, scheme kernels.Scheme) Parameters {
	p := rich(e, scheme)
	p.Solutes = []Solute{{Rayleigh: -0.4 * p.Rayleigh, Diffusivity: Uniform(0.2),
		Porosity: isotropicCells(e, func(x [3]float64) float64 { return 0.2 + 0.2*x[0] }),
		Source:   Term{Gain: func(x, _, z, t float64) float64 { return x * z * math.Sin(90*t) }, Varies: true, Course: Course{}},
		Decay:    Term{Rate: func(x, _, _, _ float64) float64 { return 1 + x }},
		Initial:  Initial{Temperature: func(x, _, z, _ float64) float64 { return x * (1 - z) }, Noise: 0.01, Seed: 1}}}
	*p.Walls[kernels.Left].Of(0) = Condition{Kind: FixedTemperature, Value: Constant(0.5)}
	*p.Walls[kernels.Right].Of(0) = Condition{Inflow: Constant(0.2)}
	*p.Walls[kernels.Bottom].Of(0) = Condition{Value: func(x, _, _, _ float64) float64 { return x - 0.3 }}
	*p.Walls[kernels.Top].Of(0) = Condition{Kind: HeatTransfer, Value: Constant(0.1), Coefficient: Constant(2)}
	patch := Patch{Side: kernels.Bottom, Range: [3][2]float64{{0.3, 0.7}, {math.Inf(-1), math.Inf(1)}, {}}, Beside: []bool{true}}
	*patch.Wall.Of(0) = Condition{Kind: FixedTemperature, Value: Constant(1)}
	p.Patches = []Patch{patch}
	return p
}

// A concentration that is the same everywhere, in what enters too, stays so to the tolerance of the pressure, in any flow and porosity.
func TestConstantConcentrationStays(t *testing.T) {
	t.Parallel()
	drawn := devicetest.Draw(t, 3)
	for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD, kernels.WENO5} {
		if !drawn() {
			continue
		}
		p := rich(plane(20), scheme)
		p.Solutes = []Solute{{Rayleigh: -60, Porosity: isotropicCells(p.Extent, func(x [3]float64) float64 { return 0.2 + 0.2*x[0] }), Diffusivity: Uniform(0.1),
			Initial: Initial{Temperature: Constant(0.7)}}}
		for s := range p.Walls {
			*p.Walls[s].Of(0) = Condition{Inflow: Constant(0.7)}
		}
		s := simulate(t, openDevice(t, 0), p, Controls{End: 0.02, Courant: 0.4})
		run(t, s)
		off := 0.0
		for _, v := range download(t, s, "concentration") {
			off = math.Max(off, math.Abs(v-0.7))
		}
		t.Logf("%d steps, off by %.2g", s.Step(), off)
		if off > 1e-8 || s.Step() < 10 || s.Sample().SpeedMax < 1 {
			t.Errorf("after %d steps at a speed of %g it is off by %g", s.Step(), s.Sample().SpeedMax, off)
		}
	}
}

// A solute that does not move the fluid leaves the temperature and the flow the bits that they have without it, at equal steps.
func TestPassiveSoluteLeavesTheBitsOfHeat(t *testing.T) {
	dev := openDevice(t, 2)
	for name, p := range map[string]Parameters{"2-D": rich(plane(16), kernels.TVD), "27 points, mixed": withPoints27(mixed(rich(graded(cube(8)), kernels.Central)))} {
		c := Controls{End: 0.01, Courant: 1, FirstStep: 1e-5, MaxStep: 1e-5}
		alone := simulate(t, dev, p, c)
		p.Solutes = briny(p.Extent, p.Transport).Solutes
		p.Solutes[0].Rayleigh = 0
		*p.Walls[kernels.Left].Of(0) = Condition{Kind: FixedTemperature, Value: Constant(1)}
		beside := simulate(t, dev, p, c)
		for range 8 {
			for _, s := range []*Simulation{alone, beside} {
				if err := s.advance(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if a, b := alone.Sample().Dt, beside.Sample().Dt; a != b {
			t.Fatalf("steps of %g and %g", a, b)
		}
		for _, field := range []string{"temperature", "pressure", "velocity"} {
			if !slices.Equal(download(t, alone, field), download(t, beside, field)) {
				t.Errorf("%s: the %s differs from that of heat alone", name, field)
			}
		}
	}
}

// A solute alone has the bits of heat alone with the same numbers, its steps, its pressure, and its state after a restart.
func TestSoluteAloneHasTheBitsOfHeat(t *testing.T) {
	dev := openDevice(t, 2)
	for name, p := range map[string]Parameters{"2-D": rich(plane(16), kernels.TVD), "27 points, mixed": withPoints27(mixed(rich(graded(cube(8)), kernels.Central)))} {
		p.HeatLoss = Term{Rate: Constant(2)}
		p.Initial.Noise, p.Initial.Seed = 0.01, 1
		c := Controls{End: 0.02, Courant: 0.5, Steady: 1e-5}
		heat := simulate(t, dev, p, c)
		alone := Parameters{Isothermal: true, Extent: p.Extent, Rayleigh: p.Rayleigh, Permeability: p.Permeability, Walls: p.Walls, Stencil: p.Stencil, Transport: p.Transport,
			Precision: p.Precision, Mixed: p.Mixed, Pressure: p.Pressure, Diffusion: p.Diffusion}
		alone.Solutes = []Solute{{Rayleigh: p.Rayleigh, Porosity: p.HeatCapacityRatio, Diffusivity: p.Diffusivity, Source: Term{Gain: p.HeatSource}, Decay: p.HeatLoss, Initial: p.Initial}}
		for s := range alone.Walls {
			w := &alone.Walls[s]
			w.Beside = []Condition{{w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow}}
			w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow = HeatFlux, nil, nil, nil
		}
		solute := simulate(t, dev, alone, c)
		for range 12 {
			for _, s := range []*Simulation{heat, solute} {
				if err := s.advance(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if heat.Time() != solute.Time() || len(solute.model.scalars) != 1 {
			t.Errorf("%s: t = %g, with heat %g", name, solute.Time(), heat.Time())
		}
		for field, other := range map[string]string{"concentration": "temperature", "pressure": "pressure", "velocity": "velocity"} {
			if !slices.Equal(download(t, solute, field), download(t, heat, other)) {
				t.Errorf("%s: the %s differs from the %s of heat", name, field, other)
			}
		}
		if a, b := fmt.Sprintf("%+v", *solute.Sample()), fmt.Sprintf("%+v", *heat.Sample()); a != b {
			t.Errorf("%s: sample\n%s, of heat\n%s", name, a, b)
		}
		state, err := solute.State()
		if err != nil {
			t.Fatal(err)
		}
		resumed, err := Resume(dev, alone, c, state)
		if err != nil {
			t.Fatal(err)
		}
		defer resumed.Free()
		runTo(t, resumed, solute.Step()+3)
		runTo(t, solute, resumed.Step())
		sameState(t, resumed, solute)
	}
	if _, err := New(dev, Parameters{Isothermal: true, Extent: plane(8), Permeability: Uniform(1)}, Controls{End: 1}); err == nil {
		t.Error("a model of nothing")
	}
}

// Sixteen scalars fit beside each other: fifteen tracers under the conditions of the temperature have its bits, whatever their place.
func TestSixteenScalars(t *testing.T) {
	dev := openDevice(t, 2)
	p := rich(plane(8), kernels.TVD)
	for s := range p.Walls {
		w := &p.Walls[s]
		for n := range 15 {
			*w.Of(n) = Condition{w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow}
		}
	}
	for n := range 15 {
		p.Solutes = append(p.Solutes, Solute{Name: fmt.Sprintf("tracer%d", n), Porosity: p.HeatCapacityRatio, Diffusivity: p.Diffusivity, Source: Term{Gain: p.HeatSource}, Initial: p.Initial})
	}
	s := simulate(t, dev, p, Controls{End: 1, Courant: 0.4})
	for range 3 {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
	}
	want := download(t, s, "temperature")
	for n := range 15 {
		if name := fmt.Sprintf("tracer%d", n); !slices.Equal(download(t, s, name), want) || s.Sample().Scalars[n+1].Mean != s.Sample().Heat().Mean {
			t.Errorf("%s differs from the temperature", name)
		}
	}
}
