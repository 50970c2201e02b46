package physics

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// rich is a problem with every kind of source: through-flow, wall flux, heat source, variable heat-capacity ratio and diffusivity.
func rich(e stencil.Extent, scheme kernels.Scheme) Parameters {
	p := heated(e, 150)
	p.Transport = scheme
	p.Walls[kernels.Left] = Wall{Flow: FixedVelocity, FlowValue: Constant(2), Inflow: Constant(0.3)}
	p.Walls[kernels.Right] = Wall{Flow: Open, Inflow: Constant(0.5)}
	p.Walls[kernels.Bottom] = Wall{HeatValue: func(x, _, _, _ float64) float64 { return 1 + x }}
	p.HeatSource = func(x, _, z, _ float64) float64 { return math.Sin(3*x) * z }
	p.HeatCapacityRatio = isotropicCells(e, func(x [3]float64) float64 { return 0.2 + 0.1*x[2] })
	p.Diffusivity = isotropicCells(e, func(x [3]float64) float64 { return 1 + 0.5*x[0] })
	p.Initial = Initial{Temperature: func(x, _, z, _ float64) float64 { return 1 - z + 0.1*math.Cos(3*x) }}
	return p
}

// The heat that a step gains is what entered through walls and sources, to rounding, whatever the solver's tolerance.
func TestHeatClosesToRounding(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	closed, finer := heated(cube(10), 400), heated(cube(20), 400) // 27 points and central differences blow up on 10 cells, at any time step
	for _, p := range []*Parameters{&closed, &finer} {
		p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 1, 1}, 0.3
	}
	for name, p := range devicetest.Part(t, 3, map[string]Parameters{
		"closed cube": closed, "rich, central": rich(plane(20), kernels.Central), "rich, tvd": rich(plane(20), kernels.TVD),
		"rich, weno5":            rich(plane(20), kernels.WENO5),
		"rich cube":              rich(cube(8), kernels.TVD),
		"rich, graded":           rich(graded(plane(20)), kernels.WENO5),
		"rich cube, graded":      rich(graded(cube(8)), kernels.TVD),
		"27 points, closed cube": withPoints27(finer), "27 points, rich, graded": withPoints27(rich(graded(plane(20)), kernels.WENO5)),
		"27 points, rich cube":    withPoints27(rich(cube(8), kernels.TVD)),
		"dispersion, closed cube": dispersing(closed, 0.1, 0.01), "dispersion, rich, graded": dispersing(rich(graded(plane(20)), kernels.TVD), 0.1, 0.01),
		"dispersion, 27 points, rich cube": dispersing(withPoints27(rich(cube(8), kernels.Central)), 0.1, 0.01),
	}) {
		t.Run(name, func(t *testing.T) {
			p.Diffusion.Tolerance = 1e-3
			end := 0.05
			if testing.Short() {
				end = 0.015
			}
			s := simulate(t, dev, p, Controls{End: end, Courant: 0.4, Output: Schedule{Interval: 0.011}})
			content := s.model.temperature().capacityV
			worst := 0.0
			run(t, s, observe(func(s *Simulation, e Event) error {
				if v := s.Sample(); v.Step > 0 {
					// Rounding of the heat content, over Δt, is all that may differ.
					worst = max(worst, math.Abs(v.Heat().Gain-v.Heat().In)*v.Dt/content)
				}
				return nil
			}))
			if worst > 2e-14 {
				t.Errorf("heat is lost: %g of the content a step", worst)
			}
			if s.Step() < 10 {
				t.Errorf("only %d steps", s.Step())
			}
		})
	}
}

// The mass balance of every node closes to the residual that the solver reports; over a closed box the balances sum
// to zero to rounding.
func TestMassBalances(t *testing.T) {
	dev := openDevice(t, 0)
	closed := heated(cube(10), 400)
	closed.Initial.Mode, closed.Initial.Amplitude = [3]int{1, 1, 1}, 0.3
	closed.Permeability = isotropicCells(closed.Extent, func(x [3]float64) float64 { return math.Exp(2 * math.Sin(7*x[0]*x[2])) })
	for name, p := range map[string]Parameters{
		"closed": closed, "open": rich(plane(20), kernels.TVD), "open, graded": rich(graded(cube(8)), kernels.TVD),
		"27 points, closed": withPoints27(closed), "27 points, open": withPoints27(rich(graded(cube(8)), kernels.TVD)),
	} {
		t.Run(name, func(t *testing.T) {
			p.Pressure.Tolerance = 1e-6
			s := simulate(t, dev, p, Controls{End: 0.01, Courant: 0.4})
			if err := s.advance(); err != nil {
				t.Fatal(err)
			}
			m := s.model
			rhs := m.scratch.borrow("right side")
			m.flow.Source(rhs, m.temperature().now, p.Rayleigh)
			result, err := m.flow.solver.Solve(m.flow.pressure, rhs, 0)
			if err != nil {
				t.Fatal(err)
			}
			m.flow.Update(m.flow.pressure, m.temperature().now, p.Rayleigh)
			balance := imbalances(t, s)
			reported := result.Residuals[len(result.Residuals)-1]
			if got := norm(balance); math.Abs(got-reported) > 1e-6*reported+1e-13*result.Reference {
				t.Errorf("imbalances have norm %g, the solver reports %g", got, reported)
			}
			sum, size := 0.0, 0.0
			for _, b := range balance {
				sum += b
			}
			for d := range 3 {
				if m.grid.Cells[d] > 0 {
					size += norm(downloadFaces(t, s, d).values)
				}
			}
			if strings.HasSuffix(name, "closed") && math.Abs(sum) > 1e-14*size {
				t.Errorf("the box gains %g, flows are %g", sum, size)
			}
		})
	}
}

// A constant temperature stays so, to the tolerance of the pressure, in whatever flow.
func TestConstantTemperatureStays(t *testing.T) {
	t.Parallel()
	dev, drawn := openDevice(t, 0), devicetest.Draw(t, 3)
	for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD} {
		p := heated(plane(16), 100)
		p.Transport = scheme
		p.Walls = [6]Wall{}
		p.Walls[kernels.Left] = Wall{Flow: FixedVelocity, Inflow: Constant(0.7),
			FlowValue: func(_, _, z, _ float64) float64 { return 5 * math.Sin(math.Pi*z) }}
		p.Walls[kernels.Right] = Wall{Flow: FixedPressure, FlowValue: Constant(1), Inflow: Constant(0.7)}
		p.Permeability = isotropicCells(p.Extent, func(x [3]float64) float64 { return math.Exp(math.Sin(9 * x[0] * x[2])) })
		p.Initial = Initial{Temperature: Constant(0.7)}
		for _, p.Stencil = range bothStencils {
			if !drawn() {
				continue
			}
			s := simulate(t, dev, p, Controls{End: 0.2, Courant: 0.5, MaxStep: 0.01})
			run(t, s)
			for n, v := range download(t, s, "temperature") {
				if math.Abs(v-0.7) > 1e-8 {
					t.Fatalf("%s, scheme %d: T = %v at node %d", stencilName(p.Stencil), scheme, v, n)
				}
			}
			if s.Sample().SpeedMax < 1 {
				t.Error("nothing flows")
			}
		}
	}
}

// A stable stratification stays at rest to rounding: cold below, hot above, in layers of different conductivity and in
// variable permeability, closed and open, in both precisions.
func TestStableStratificationRests(t *testing.T) {
	t.Parallel()
	dev, drawn := openDevice(t, 0), devicetest.Draw(t, 5)
	extents := map[string]stencil.Extent{"plane": plane(16), "cube": cube(8), "graded plane": graded(plane(16))}
	for _, e := range []kernels.Elem{kernels.Float64, kernels.Float32} {
		for _, name := range slices.Sorted(maps.Keys(extents)) {
			for _, open := range []bool{false, true} {
				p := stratified(t, extents[name], open)
				p.Precision = e
				for _, p.Stencil = range bothStencils {
					if !drawn() {
						continue
					}
					c := Controls{End: 0.5, Courant: 0.5, MaxStep: 1e-3}
					if p.Stencil == kernels.TwentySevenPoint || p.Extent.Grading != [3]stencil.Grading{} {
						// Their rounding is not zero to the bit, and grows in steps beyond the time scale of buoyancy.
						c = Controls{End: 0.1, Courant: 0.5}
					}
					s := simulate(t, dev, p, c)
					run(t, s)
					if limit := 30 * 1000 * e.Epsilon(); s.Sample().SpeedMax > limit {
						t.Errorf("%s, %s, %s, open %v: max |u| = %g, above rounding (%g)", stencilName(p.Stencil), name, e, open, s.Sample().SpeedMax, limit)
					}
				}
			}
		}
	}
}

// stratified is fluid that is cold below and hot above, in layers of different conductivity and in variable permeability.
func stratified(t *testing.T, extent stencil.Extent, open bool) Parameters {
	t.Helper()
	p := heated(extent, 1000)
	p.Transport, p.Pressure.Tolerance, p.Diffusion.Tolerance = kernels.TVD, 0, 0
	p.Walls[kernels.Bottom].HeatValue, p.Walls[kernels.Top].HeatValue = Constant(0), Constant(1)
	if open {
		p.Walls[kernels.Top].Flow = Open
	}
	p.Permeability = isotropicCells(extent, func(x [3]float64) float64 { return math.Exp(math.Sin(9 * x[0] * x[2])) })
	layers, err := Layered(extent, []Layer{{Top: 0.5, Value: [3]float64{1, 1, 1}}, {Top: 1, Value: [3]float64{4, 4, 4}}})
	if err != nil {
		t.Fatal(err)
	}
	p.Diffusivity = layers
	return p
}
