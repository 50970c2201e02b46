package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// uneven are media whose greatest permeability is of few cells.
func uneven(t *testing.T, e stencil.Extent) map[string]Material {
	t.Helper()
	drawn, err := LogNormal{Variance: 4, Correlation: [3]float64{0.15, 0.15, 0.15}, Seed: 5}.Generate(e)
	if err != nil {
		t.Fatal(err)
	}
	lens := func(x [3]float64) float64 {
		if math.Abs(x[0]-0.5)+math.Abs(x[2]-0.4) < 0.2 {
			return 50
		}
		return 1
	}
	tenth := func(x [3]float64) float64 { return lens(x) / 10 }
	return map[string]Material{"log-normal": drawn, "lens": isotropicCells(e, lens), "lens, K along z a tenth": cells(e, [3]func(x [3]float64) float64{lens, lens, tenth})}
}

// The rise is the norm of P, here of the whole matrix: column by column from exact solves, which on equal cells also show it to be symmetric over volumes.
func TestRiseIsTheNormOfP(t *testing.T) {
	dev := openDevice(t, 1)
	for _, points := range bothStencils {
		for name, e := range map[string]stencil.Extent{"section": plane(8), "graded": graded(stencil.Extent{Cells: [3]int{4, 3, 6}, Size: [3]float64{1, 1, 1}})} {
			for medium, k := range uneven(t, e) {
				p := heated(e, 100)
				p.Stencil, p.Permeability = points, k
				m, err := newModel(dev, p, false)
				if err != nil {
					t.Fatal(err)
				}
				norm := normOfP(t, m, name != "graded") // where the mean of both faces of a node is not that over its volume
				if rise := m.flow.rise; rise < 0.98*norm || rise > 1.14*norm {
					t.Errorf("%s, %s, %s: rise %g, the norm of P is %g, the greatest permeability %g", stencilName(points), name, medium, rise, norm, k.Max())
				}
				m.free()
			}
		}
	}
}

// normOfP returns the greatest eigenvalue of P from its columns.
func normOfP(t *testing.T, m *model, symmetric bool) float64 {
	t.Helper()
	f, g := m.flow, m.grid
	nodes := g.Nodes()
	r := riser{flow: f, now: f.pressurePrev, next: m.scratch.borrow("column"), rhs: m.scratch.borrow("right side"), room: m.scratch.borrow("room")}
	f.solver.SetScratch(r.room)
	volumes, matrix := make([]float64, nodes), make([][]float64, nodes)
	n := g.Box.N
	for c := range nodes {
		volumes[c] = g.DualWidth(0, c%n[0]) * g.DualWidth(1, c/n[0]%n[1]) * g.DualWidth(2, c/(n[0]*n[1]))
		unit := make([]float64, nodes)
		if k := c / (n[0] * n[1]); k > 0 && k < n[2]-1 {
			unit[c] = 1
		}
		r.now.Upload(unit)
		if err := r.apply(); err != nil {
			t.Fatal(err)
		}
		var err error
		if matrix[c], err = r.next.Download(); err != nil {
			t.Fatal(err)
		}
	}
	f.solver.SetScratch(nil)
	for _, field := range []*stencil.Field{r.next, r.rhs, r.room} {
		m.scratch.giveBack(field)
	}
	largest := 0.0
	for _, column := range matrix {
		for _, v := range column {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	for a := range nodes {
		for b := range a {
			if ab, ba := matrix[a][b]*volumes[b], matrix[b][a]*volumes[a]; symmetric && math.Abs(ab-ba) > 1e-7*largest*math.Max(volumes[a], volumes[b]) {
				t.Fatalf("P is not symmetric: %g and %g", ab, ba)
			}
		}
	}
	// power iteration on the matrix
	v := make([]float64, nodes)
	for c := range v {
		v[c] = math.Sin(float64(1 + c*c))
	}
	value := 0.0
	for range 1000 {
		w := make([]float64, nodes)
		for c, column := range matrix {
			for b, x := range column {
				w[b] += v[c] * x
			}
		}
		norm := 0.0
		for c := range w {
			norm += volumes[c] * w[c] * w[c]
		}
		value = math.Sqrt(norm)
		for c := range w {
			v[c] = w[c] / value
		}
	}
	return value
}

// Nothing is left of what the search does: a second one, where walls let fluid in and out, wells bring and take it and the viscosity varies, finds the same number.
func TestRiseLeavesTheModel(t *testing.T) {
	dev := openDevice(t, 2)
	e := cube(10)
	p := heated(e, 100)
	p.Permeability = uneven(t, e)["lens"]
	p.Viscosity = ByTemperature(func(v float64) float64 { return math.Exp(-v) })
	p.Walls[kernels.Left] = Wall{Flow: FixedVelocity, FlowValue: Constant(2), Inflow: Constant(0)}
	p.Walls[kernels.Right] = Wall{Flow: FixedPressure, Inflow: Constant(0)}
	m, err := newModel(dev, p, false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.free()
	first := m.flow.rise
	learned := m.flow.solver.Learned
	if err := m.flow.findRise(); err != nil {
		t.Fatal(err)
	}
	if m.flow.rise != first || m.flow.solver.Learned != learned {
		t.Errorf("rise %v after %v, learned %+v after %+v", m.flow.rise, first, m.flow.solver.Learned, learned)
	}
	p.Walls[kernels.Left] = Wall{}
	p.Viscosity = nil
	quiet, err := newModel(dev, p, false)
	if err != nil {
		t.Fatal(err)
	}
	defer quiet.free()
	within(t, "rise without inflow and viscosity", quiet.flow.rise, first, 1e-9)
}

// In a stable layer of an uneven medium disturbances decay with the largest step that is chosen, and grow with one four times as large: SBDF2 extrapolates what decays at the rate λ
// up to Δt = 4/(3 λ), and the step is 0.5/λ less the margin.
func TestStableLayersWithTheChosenStep(t *testing.T) {
	dev := openDevice(t, 2)
	for name, e := range map[string]stencil.Extent{"section": plane(24), "cube": cube(12)} {
		for medium, k := range uneven(t, e) {
			p := heated(e, 1e5)
			p.Permeability = k
			p.Walls[kernels.Bottom].HeatValue, p.Walls[kernels.Top].HeatValue = Constant(0), Constant(1)
			p.Initial = Initial{Conduction: true, Noise: 1e-4, Seed: 2}
			chosen := simulate(t, dev, p, Controls{End: 1, Courant: 1e9}).Controls()
			speed := func(factor float64) float64 {
				c := Controls{Courant: 1e9, FirstStep: factor * chosen.MaxStep, MaxStep: factor * chosen.MaxStep}
				c.End = 60 * c.MaxStep
				s := simulate(t, dev, p, c)
				before := s.Sample().SpeedMax
				if outcome, err := s.Run(t.Context()); err != nil || outcome != Finished {
					return math.Inf(1) // it left the range that it began with
				}
				return s.Sample().SpeedMax / before
			}
			if grown := speed(1); !(grown < 0.1) {
				t.Errorf("%s, %s: speeds are %g times what they were after 60 steps of %g", name, medium, grown, chosen.MaxStep)
			}
			if grown := speed(4); !(grown > 10) {
				t.Errorf("%s, %s: speeds are %g times what they were after 60 steps of four times %g", name, medium, grown, chosen.MaxStep)
			}
		}
	}
}
