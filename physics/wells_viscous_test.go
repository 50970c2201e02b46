package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// wellCases are wells that hold pressures in closed and open boxes, between nodes and on them.
func wellCases() map[string]Parameters {
	line := idle(stencil.Extent{Cells: [3]int{12, 9, 5}, Size: [3]float64{2, 1, 0.5}})
	line.Extent.Grading[2] = stencil.Grading{Cluster: stencil.ClusterLow, Ratio: 3}
	line.Permeability = Material{Constant: [3]float64{2, 2, 0.1}}
	line.Wells = []Well{holding(lineWell("in", 0, [3]float64{0.5, 0.5}, 0.06, 0.5), 5, 1e-3, 1), holding(lineWell("out", 0, [3]float64{1.5, 0.43}, 0, 0.5), 2, 1e-3, 1)}
	flat := doublet(16)
	flat.Wells[0], flat.Wells[1] = holding(flat.Wells[0], 5, 1e-3, 1), holding(flat.Wells[1], 2, 1e-3, 1)
	flat.Wells[1].Least, flat.Wells[1].Most = -0.2, 0
	open := heated(plane(13), 50)
	open.Walls[kernels.Top].Flow = Open
	open.Wells = []Well{holding(point("in", 0, [3]float64{0.31, 0, 0.4}), 30, 1e-2, 2)}
	return map[string]Parameters{"lines": line, "27 points": withPoints27(line), "in 2-D, at a limit": flat, "open": open, "mixed": mixed(line), "float32": single(flat)}
}

// sameWells compares the rates and pressures of the wells of two runs at their start, and the rate at each height.
func sameWells(t *testing.T, name string, got, want *Simulation, tolerance float64) {
	t.Helper()
	size := 0.0
	for _, c := range want.model.wells.held.all {
		size = math.Max(size, math.Abs(c.rate))
	}
	if size == 0 {
		t.Fatalf("%s: nothing flows", name)
	}
	for n, c := range want.model.wells.held.all {
		if of := got.model.wells.held.all[n]; math.Abs(of.rate-c.rate) > tolerance*size {
			t.Errorf("%s: %s has %g, want %g", name, c.name, of.rate, c.rate)
		}
	}
	for n, w := range want.Sample().Wells {
		if of := got.Sample().Wells[n]; math.Abs(of.Pressure-w.Pressure) > tolerance*(1+math.Abs(w.Pressure)) {
			t.Errorf("%s: %s has the pressure %g, want %g", name, string(rune('A'+n)), of.Pressure, w.Pressure)
		}
	}
}

// A viscosity that is a constant in disguise, whichever tables serve it, is a permeability over it.
func TestHeldWellsOfConstantViscosity(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 1)
	for name, p := range wellCases() {
		want := p
		for d := range 3 {
			want.Permeability.Constant[d] /= 4
		}
		p.Viscosity = ByTemperature(func(float64) float64 { return 4 })
		tolerance := 2e-6
		if p.Precision == kernels.Float32 {
			tolerance = 2e-4
		}
		sameWells(t, name, simulate(t, dev, p, Controls{End: 1, Courant: 0.5}), simulate(t, dev, want, Controls{End: 1, Courant: 0.5}), tolerance)
	}
}

// tensorOfCells gives the cells of a section permeabilities whose ratio differs from one to the next, with wells between nodes and on them.
func tensorOfCells(p Parameters) Parameters {
	n := p.Extent.Cells[0] * p.Extent.Cells[2]
	var cells [3][]float64
	for d := range cells {
		cells[d] = make([]float64, n)
		for c := range cells[d] {
			cells[d][c] = math.Exp(math.Sin(float64((3+d)*c)) / 2)
		}
	}
	p.Permeability = Material{Cells: cells}
	return p
}

// Where T varies from cell to cell, over layers too, the wells have the rates that they have in a medium whose permeability is K over μ of each cell.
func TestHeldWellsInViscousLayers(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 1)
	cases := wellCases()
	cases["tensor of each cell"] = tensorOfCells(cases["in 2-D, at a limit"])
	for name, p := range cases {
		if p.Precision == kernels.Float32 {
			continue
		}
		p.Initial = Initial{Temperature: func(x, y, z, _ float64) float64 { return math.Floor(7*z) / 4 * (1 + math.Sin(9*x+5*y)) }}
		p.Viscosity = exponential(3)
		got := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
		g, temperature, want := got.Grid(), download(t, got, "temperature"), p
		n, nodes := g.CellShape(), g.Box.N
		var cells [3][]float64
		for d := range cells {
			cells[d] = make([]float64, n[0]*n[1]*n[2])
			for c := range cells[d] {
				i, j, k, sum, corners := c%n[0], c/n[0]%n[1], c/(n[0]*n[1]), 0.0, 0.0
				for corner := range 8 {
					if y := j + corner>>1&1; y < nodes[1] {
						sum += temperature[i+corner&1+nodes[0]*(y+nodes[1]*(k+corner>>2))]
						corners++
					}
				}
				permeability := p.Permeability.Constant[d]
				if p.Permeability.Varies() {
					permeability = p.Permeability.Cells[d][c]
				}
				cells[d][c] = permeability / p.Viscosity.Of(sum/corners, 0)
			}
		}
		want.Viscosity, want.Permeability = nil, Material{Cells: cells}
		reference := simulate(t, dev, want, Controls{End: 1, Courant: 0.5})
		for n, c := range reference.model.wells.held.all {
			within(t, name+": index", got.model.wells.held.all[n].index, c.index, 1e-5)
		}
		sameWells(t, name, got, reference, 1e-5)
	}
}

// With a viscosity that follows the flow, of T or of T and S, each step closes water and heat, the wells keep their limits, and a restart has the same bits.
func TestHeldInTimeWithViscosity(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	dev := openDevice(t, 1)
	both := briny(plane(12), kernels.TVD)
	both.Viscosity = ofBoth()
	one := rich(plane(12), kernels.TVD)
	one.Viscosity = exponential(1.5)
	for name, p := range map[string]Parameters{"of T": one, "of both": both} {
		p.Wells = []Well{holding(point("in", 0, [3]float64{0.31, 0, 0.4}), 30, 1e-2, 2), holding(point("out", 0, [3]float64{0.71, 0, 0.33}), -40, 1e-2, 1)}
		for n := range p.Wells {
			*p.Wells[n].Bring(1) = Constant(0.3)
		}
		p.Wells[0].Pressure, p.Wells[0].Varies = func(_, _, _, t float64) float64 { return 30 + 20*math.Sin(1000*t) }, true
		p.Wells[1].Least, p.Wells[1].Most = -6, 0
		c := Controls{End: 0.003, Courant: 0.5, Output: Schedule{Interval: 0.0015}}
		whole := simulate(t, dev, p, c)
		worst, most, fewest := 0.0, 0.0, 0
		run(t, whole, observe(func(s *Simulation, e Event) error {
			v := s.Sample()
			if v.Step > 0 {
				worst = max(worst, math.Abs(v.Heat().Gain-v.Heat().In)*v.Dt/s.model.temperature().capacityV)
			}
			most, fewest = max(most, math.Abs(v.Wells[1].Rate)), max(fewest, v.PressureCycles)
			if v.Divergence > 1e-4 {
				t.Errorf("%s: step %d: divergence %g", name, v.Step, v.Divergence)
			}
			return nil
		}))
		t.Logf("%s: a step loses %g of the heat; at most %d cycles", name, worst, fewest)
		if worst > 4e-14 || most > 6*(1+1e-12) || !(most > 1) {
			t.Errorf("%s: a step loses %g of the heat, the producer has at most %g", name, worst, most)
		}
		sameFrom(t, dev, p, c, whole.Step()/2, whole)
	}
}
