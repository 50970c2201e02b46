package physics

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// tiles covers a side with patches that meet within cells and do nothing but that each takes the conditions of the wall under it.
func tiles(p *Parameters, s kernels.Side, cuts ...float64) {
	d := kernels.X
	if s.Axis() == kernels.X {
		d = kernels.Z
	}
	for n := range len(cuts) - 1 {
		patch := Patch{Side: s, Range: wholeWall(), Wall: p.Walls[s], Heat: true, Flow: true, Beside: make([]bool, len(p.Walls[s].Beside))}
		patch.Range[d] = [2]float64{cuts[n], cuts[n+1]}
		for k := range patch.Beside {
			patch.Beside[k] = true
		}
		p.Patches = append(p.Patches, patch)
	}
}

// dissolving adds a solute and a tracer whose walls differ from those of heat.
func dissolving(p Parameters) Parameters {
	p.Solutes = []Solute{
		{Rayleigh: -20, Porosity: Uniform(0.3), Diffusivity: Uniform(0.4), Decay: Term{Rate: Constant(2)}, Initial: Initial{Temperature: func(x, _, z, _ float64) float64 { return x * z }}},
		{Name: "dye", Porosity: Uniform(0.5), Diffusivity: Uniform(1), Source: Term{Gain: Constant(0.7)}, Initial: Initial{Temperature: Constant(0.1)}},
	}
	p.Walls[kernels.Top].Beside = []Condition{{Kind: FixedTemperature, Value: Constant(1)}, {Value: func(x, _, _, _ float64) float64 { return x }}}
	p.Walls[kernels.Bottom].Beside = []Condition{{Kind: HeatTransfer, Coefficient: Constant(4), Value: Constant(0.5)}, {Kind: FixedTemperature, Value: Constant(0)}}
	for s := range p.Walls {
		if p.Walls[s].Flow.Rule().Passes {
			*p.Walls[s].Of(0) = Condition{Kind: FixedTemperature, Value: Constant(0.2)}
			p.Walls[s].Of(1).Inflow = Constant(0.9)
		}
	}
	return p
}

// swinging makes walls, velocities and coefficients that vary in time, with patches of all kinds on them.
func swinging(p Parameters) Parameters {
	swing := func(f func(t float64) float64) Func { return func(_, _, _, t float64) float64 { return f(t) } }
	p.Walls[kernels.Left] = Wall{Flow: FixedVelocity, FlowValue: swing(func(t float64) float64 { return 3 * math.Sin(40*t) }), Inflow: swing(math.Cos), Varies: true}
	p.Walls[kernels.Right] = Wall{Flow: FixedPressure, Inflow: Constant(0.5), Heat: HeatTransfer, HeatValue: Constant(2), HeatCoefficient: swing(func(t float64) float64 { return 1 + math.Sin(30*t) }), Varies: true}
	p.Walls[kernels.Bottom] = Wall{Heat: FixedTemperature, HeatValue: swing(func(t float64) float64 { return 1 + math.Sin(25*t) }), Varies: true}
	between := func(a, b float64) [3][2]float64 {
		r := wholeWall()
		r[kernels.X] = [2]float64{a, b}
		return r
	}
	p.Patches = []Patch{
		{Side: kernels.Bottom, Range: between(0.21, 0.4), Heat: true, Wall: Wall{HeatValue: Constant(3)}},
		{Side: kernels.Top, Range: between(0.3, 0.77), Heat: true, Flow: true, Wall: Wall{Heat: HeatTransfer, HeatValue: Constant(1), HeatCoefficient: Constant(7), Flow: Open, Inflow: Constant(0.25)}},
		{Side: kernels.Top, Range: between(0.5, 0.9), Heat: true, Wall: Wall{HeatValue: swing(func(t float64) float64 { return t }), Varies: true}},
		{Side: kernels.Bottom, Range: between(0.6, 0.85), Flow: true, Wall: Wall{Flow: FixedVelocity, FlowValue: swing(func(t float64) float64 { return 2 * math.Cos(20*t) }), Varies: true}},
	}
	p.HeatLoss = Term{Rate: Constant(3), Toward: Constant(0.4)}
	return p
}

// withWells adds wells, one at the open wall.
func withWells(p Parameters) Parameters {
	p.Wells = []Well{point("in", 2, [3]float64{0.31, 0.4, 0.42}, 0.8, 0.3, 0.6), point("out", -1, [3]float64{0.7, 0.55, 0.5}), point("at the wall", -0.5, [3]float64{1, 0.5, 0.5}, 1)}
	return p
}

// surfaceCases are walls of all kinds.
func surfaceCases() map[string]Parameters {
	held := heated(plane(12), 80)
	held.Initial.Mode, held.Initial.Amplitude = [3]int{1, 0, 1}, 0.4
	tiles(&held, kernels.Bottom, 0, 0.13, 0.5, 0.77, 1)
	ring := heated(cube(6), 150)
	ring.Extent.Periodic[0] = true
	ring.Initial.Mode, ring.Initial.Amplitude = [3]int{1, 1, 1}, 0.4
	ring.Walls[kernels.Front] = Wall{Flow: Open, Inflow: Constant(0.3)}
	ring.Walls[kernels.Back] = tiedTo(3, 0.7)
	tiles(&ring, kernels.Front, 0, 0.44, 1)
	through := rich(plane(12), kernels.Central)
	tiles(&through, kernels.Left, 0, 0.31, 1)
	tiles(&through, kernels.Right, 0, 0.5, 0.52, 1)
	cell := swinging(heated(graded(cube(6)), 60))
	salt := dissolving(rich(plane(10), kernels.TVD))
	tiles(&salt, kernels.Top, 0, 0.35, 1)
	single := rich(plane(8), kernels.TVD)
	single.Precision, single.Pressure.Tolerance, single.Diffusion.Tolerance = kernels.Float32, 1e-5, 1e-5
	isothermal := dissolving(rich(plane(8), kernels.Central))
	isothermal.Isothermal = true
	wells := withWells(dissolving(rich(plane(11), kernels.Central)))
	return map[string]Parameters{
		"held, tiled": held, "ring": ring, "27 points, ring": withPoints27(ring), "through, tiled": through, "through, 27 points": withPoints27(through),
		"rich cube, graded, weno5": rich(graded(cube(7)), kernels.WENO5), "swinging": swinging(heated(plane(11), 100)), "swinging, graded cube": cell,
		"swinging, graded cube, 27 points": withPoints27(cell), "salt": salt, "salt, dispersion": dispersing(salt, 0.1, 0.02), "wells": wells,
		"wells, swinging": withWells(dissolving(swinging(heated(graded(plane(10)), 30)))), "mixed": mixed(through), "float32": single, "isothermal": isothermal,
	}
}

// must ends a test that meets an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tiledBy lists the patches that cover a side without a gap, none where patches do something else.
func tiledBy(p *Parameters, s kernels.Side) (all []int) {
	end := 0.0
	for n, of := range p.Surfaces() {
		if of.Patch < 0 || of.Side != s {
			continue
		}
		d := kernels.X
		if s.Axis() == kernels.X {
			d = kernels.Z
		}
		r := p.Patches[of.Patch].Range[d]
		if r[0] != end {
			return nil
		}
		end = r[1]
		all = append(all, n)
	}
	if end != 1 {
		return nil
	}
	return all
}

// What crosses all walls, with sources, losses and wells, is what the balance has and the content gains, to rounding, at every step; what crosses patches that cover
// a wall is what crosses it; and as much fluid enters as leaves.
func TestSurfacesCloseTheBalance(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	for name, p := range devicetest.Part(t, 6, surfaceCases()) {
		t.Run(name, func(t *testing.T) {
			steps := 25
			if testing.Short() {
				steps = 8
			}
			closesBalance(t, simulate(t, dev, p, Controls{End: 1, Courant: 0.4}), steps)
		})
	}
}

func closesBalance(t *testing.T, s *Simulation, steps int) {
	t.Helper()
	m, p := s.model, s.Parameters()
	eps := m.grid.Elem.Epsilon()
	surfaces, before, older := p.Surfaces(), make([]float64, len(m.scalars)), make([]float64, len(m.scalars))
	crossed := false
	for range steps {
		for n, u := range m.scalars {
			older[n], before[n] = before[n], u.wellsIn
		}
		last := s.dt
		must(t, s.advance())
		v := s.Sample()
		c := coefficients(s.dt, last, 0)
		fluid, flows := 0.0, 0.0
		for n, of := range surfaces {
			if of.Patch < 0 {
				fluid, flows = fluid+v.Surfaces[n].Fluid, flows+math.Abs(v.Surfaces[n].Fluid)
			}
		}
		for _, w := range v.Wells {
			fluid, flows = fluid+w.Rate, flows+math.Abs(w.Rate)
		}
		if math.Abs(fluid) > (1e3*eps+100*p.Pressure.Tolerance)*(flows+1) {
			t.Fatalf("step %d: %g of fluid stays, %g flows", v.Step, fluid, flows)
		}
		for place, u := range m.scalars {
			sum, size := -u.ties.taken, math.Abs(u.ties.taken)
			volume := u.sourceSum
			for _, q := range u.prescribed {
				volume -= q
			}
			wells := c.e1 * before[place]
			if c.e2 != 0 {
				wells += c.e2 * older[place]
			}
			sum, size = sum+volume+wells, size+math.Abs(volume)+math.Abs(wells)
			for n, of := range surfaces {
				if q := v.Surfaces[n].Scalars[place]; of.Patch < 0 {
					sum, size = sum+q, size+math.Abs(q)
					crossed = crossed || q != 0
				}
			}
			// Sums over nodes of what faces carry cancel but for rounding, of the content over Δt in what fixed nodes lack.
			slack := 30 * eps * (size + (v.Scalars[place].Mean+1)*u.capacityV/v.Dt*float64(m.grid.Box.N[0]))
			if in := v.Scalars[place].In; !(math.Abs(sum-in) <= slack) {
				t.Fatalf("step %d, %s: %.17g crosses and comes from within, the balance has %.17g: more than %g apart", v.Step, u.of.Name, sum, in, slack)
			}
			if gain := v.Scalars[place].Gain; eps < 1e-10 && !(math.Abs(sum-gain) <= slack) {
				t.Fatalf("step %d, %s: %.17g crosses and comes from within, the content gains %.17g: more than %g apart", v.Step, u.of.Name, sum, gain, slack)
			}
			for n, of := range surfaces {
				if of.Patch >= 0 {
					continue
				}
				tiled, all := 0.0, tiledBy(&p, of.Side)
				for _, k := range all {
					tiled += v.Surfaces[k].Scalars[place]
				}
				if q := v.Surfaces[n].Scalars[place]; len(all) > 0 && !(math.Abs(q-tiled) <= slack) {
					t.Fatalf("step %d, %s: %.17g crosses the %s, %.17g its patches", v.Step, u.of.Name, q, of.Side, tiled)
				}
			}
		}
	}
	if !crossed {
		t.Error("nothing crosses")
	}
}

// The part of each surface is exact where theory says it: conduction, fluxes, velocities and ties that end within cells, and the ends of held patches.
func TestSurfacesAreExact(t *testing.T) {
	dev := openDevice(t, 0)
	patch := func(s kernels.Side, low, high float64, w Wall, heat, flow bool) Patch {
		r := wholeWall()
		r[kernels.X] = [2]float64{low, high}
		return Patch{Side: s, Range: r, Wall: w, Heat: heat, Flow: flow}
	}
	for _, points := range bothStencils {
		for _, e := range []stencil.Extent{plane(9), graded(plane(9)), cube(5), graded(cube(5))} {
			p := heated(e, 0)
			p.Stencil = points
			p.Initial = Initial{Temperature: func(_, _, z, _ float64) float64 { return 1 - z }}
			p.Patches = []Patch{patch(kernels.Bottom, 0.2, 0.47, Wall{Heat: FixedTemperature, HeatValue: Constant(1)}, true, false)}
			s := simulate(t, dev, p, Controls{End: 1, Courant: 1, MaxStep: 0.01})
			for range 3 {
				check := func(n int, want float64) {
					if got := s.Sample().Surfaces[n].Scalars[0]; math.Abs(got-want) > 1e-12 {
						t.Errorf("%s, %v: %g crosses surface %d, not %g", stencilName(points), e, got, n, want)
					}
				}
				walls := len(p.Surfaces()) - 1
				check(walls-2, 1)
				check(walls-1, -1)
				check(walls, 0.27)
				check(0, 0)
				must(t, s.advance())
			}
			p.Walls[kernels.Bottom], p.Walls[kernels.Top] = Wall{Flow: FixedVelocity, FlowValue: Constant(2), Inflow: Constant(3)}, tiedTo(5, 2)
			p.Walls[kernels.Right] = Wall{Flow: Open}
			p.Patches = []Patch{patch(kernels.Bottom, 0.31, 0.72, Wall{Flow: FixedVelocity, FlowValue: Constant(7), HeatValue: Constant(-4)}, true, true),
				patch(kernels.Top, 0.15, 0.33, tiedTo(11, 2), true, false)}
			p.Initial = Initial{Temperature: Constant(0.5)}
			s = simulate(t, dev, p, Controls{End: 1, Courant: 1})
			at, v := len(p.Surfaces())-2, s.Sample()
			for what, pair := range map[string][2]float64{
				"fluid of the bottom":    {v.Surfaces[at-2].Fluid, 2*0.59 + 7*0.41},
				"fluid of the patch":     {v.Surfaces[at].Fluid, 7 * 0.41},
				"heat of the bottom":     {v.Surfaces[at-2].Scalars[0], 3*(2*0.59+7*0.41) - 4*0.41},
				"heat of the patch":      {v.Surfaces[at].Scalars[0], 3*7*0.41 - 4*0.41},
				"heat of the tied patch": {v.Surfaces[at+1].Scalars[0], 11 * 1.5 * 0.18},
				"heat of the tied top":   {v.Surfaces[at-1].Scalars[0], 11*1.5*0.18 + 5*1.5*0.82},
				"fluid of the right":     {v.Surfaces[1].Fluid, -(2*0.59 + 7*0.41)},
				"heat of the right":      {v.Surfaces[1].Scalars[0], -0.5 * (2*0.59 + 7*0.41)},
				"fluid of the tied top":  {v.Surfaces[at-1].Fluid, 0},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-8 {
					t.Errorf("%s, %v: %s is %.12g, not %.12g", stencilName(points), e, what, pair[0], pair[1])
				}
			}
		}
	}
}

// What crosses surfaces after a restart has the bits of a run without one, on a processor and on an emulated GPU, in two of whose runs nothing else may differ.
func TestSurfacesAfterRestart(t *testing.T) {
	gpu := emulatedGPU(t)
	cases := surfaceCases()
	small := withWells(dissolving(swinging(heated(plane(6), 30))))
	for name, of := range map[string]struct {
		dev kernels.Device
		p   Parameters
	}{"processor, swinging": {openDevice(t, 1), cases["swinging, graded cube"]}, "processor, wells": {openDevice(t, 2), cases["wells, swinging"]},
		"processor, dispersion": {openDevice(t, 1), cases["salt, dispersion"]}, "GPU": {gpu, small}, "GPU, 27 points": {gpu, withPoints27(small)}} {
		t.Run(name, func(t *testing.T) {
			c := Controls{End: 1, Courant: 0.4}
			s := simulate(t, of.dev, of.p, c)
			for range 4 {
				must(t, s.advance())
			}
			state, err := s.State()
			must(t, err)
			again, err := Resume(of.dev, of.p, c, state)
			must(t, err)
			t.Cleanup(again.Free)
			for range 3 {
				must(t, s.advance())
				must(t, again.advance())
				if a, b := fmt.Sprint(s.Sample().Surfaces), fmt.Sprint(again.Sample().Surfaces); a != b {
					t.Fatalf("step %d: %s after a restart, %s without", s.Step(), b, a)
				}
			}
			// A state of before, without what the flow carried: undefined at open walls for a step, and right from then on.
			for name := range again.model.scalars[0].crossingNumbers() {
				delete(state.Scalars, name)
			}
			earlier, err := Resume(of.dev, of.p, c, state)
			must(t, err)
			t.Cleanup(earlier.Free)
			must(t, earlier.advance())
			if !math.IsNaN(earlier.Sample().Surfaces[0].Scalars[0]) {
				t.Errorf("%g crosses the left wall, of which the state does not tell enough", earlier.Sample().Surfaces[0].Scalars[0])
			}
			must(t, earlier.advance())
			must(t, earlier.advance())
			if a, b := fmt.Sprint(s.Sample().Surfaces), fmt.Sprint(earlier.Sample().Surfaces); a != b {
				t.Errorf("%s after a restart from a state of before, %s without", b, a)
			}
		})
	}
}

// The balance closes on an emulated GPU too.
func TestSurfacesOnAGPU(t *testing.T) {
	devicetest.Long(t)
	dev := emulatedGPU(t)
	p := withWells(dissolving(swinging(heated(graded(cube(4)), 30))))
	for _, p := range []Parameters{p, withPoints27(p), mixed(p)} {
		closesBalance(t, simulate(t, dev, p, Controls{End: 1, Courant: 0.4}), 3)
	}
}

// More sums than there are slots are read in turns, with the same results.
func TestSurfacesInTurns(t *testing.T) {
	p := swinging(heated(plane(8), 30))
	s, few := simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.4}), simulate(t, openDevice(t, 1), p, Controls{End: 1, Courant: 0.4})
	few.model.tally.most = 3
	for range 3 {
		must(t, s.advance())
		must(t, few.advance())
		if a, b := fmt.Sprint(s.Sample().Surfaces), fmt.Sprint(few.Sample().Surfaces); a != b {
			t.Fatalf("step %d: %s in turns, %s at once", s.Step(), b, a)
		}
	}
}
