package physics

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// holding returns a well that holds a pressure and brings a temperature.
func holding(w Well, pressure, radius, temperature float64) Well {
	w.Rate, w.Pressure, w.Radius = nil, Constant(pressure), radius
	*w.Bring(0) = Constant(temperature)
	return w
}

// drop is the difference of pressure between the walls of both wells of the doublet in a closed box at a rate of 1, from the speed between them.
func drop(radius float64) float64 {
	const parts = 4000
	sum, length := 0.0, math.Log(0.5/radius)
	for i := range parts { // r = radius e^s up to half way; the other half is alike
		r := radius * math.Exp(length*(float64(i)+0.5)/parts)
		u, _ := images(0.5+r, 0.5)
		sum += u * r * length / parts
	}
	return 2 * sum
}

// Wells that hold pressures in a closed box have the rates of potential theory for their radius, on nodes and between them, with both stencils; on coarse cells too.
func TestHeldPressures(t *testing.T) {
	t.Parallel()
	const radius = 1e-3
	dev := openDevice(t, 0)
	for _, points := range bothStencils {
		for name, n := range map[string]int{"on nodes": 32, "between nodes": 33, "coarse": 16} {
			t.Run(fmt.Sprintf("%s, %s", name, stencilName(points)), func(t *testing.T) {
				p := doublet(n)
				p.Stencil = points
				p.Wells[0] = holding(p.Wells[0], 5, radius, 1)
				p.Wells[1] = holding(p.Wells[1], 2, radius, 1)
				s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
				w := s.Sample().Wells
				within(t, "rate", w[0].Rate, 3/drop(radius), 3e-3)
				if math.Abs(w[0].Rate+w[1].Rate) > 1e-9 || w[0].Pressure != 5 || w[1].Pressure != 2 {
					t.Errorf("wells %+v", w)
				}
				pressure := download(t, s, "pressure")
				middle := pressure[nodeAt(t, s.Grid(), [3]float64{1, 0, 0})]
				if math.Abs(middle-3.5) > 1e-6 {
					t.Errorf("half way the pressure is %g, want 3.5", middle)
				}
			})
		}
	}
}

// A line in 3-D over the whole height has the rate of the plane for each unit of its height, in an anisotropic medium on graded cells.
func TestHeldLine(t *testing.T) {
	t.Parallel()
	const radius = 1e-3
	e := stencil.Extent{Cells: [3]int{48, 24, 4}, Size: [3]float64{2, 1, 0.5}}
	e.Grading[2] = stencil.Grading{Cluster: stencil.ClusterLow, Ratio: 3}
	for _, points := range bothStencils {
		p := idle(e)
		p.Stencil, p.Permeability = points, Material{Constant: [3]float64{2, 2, 0.1}}
		p.Wells = []Well{holding(lineWell("in", 0, [3]float64{0.5, 0.5}, 0, 0.5), 5, radius, 1), holding(lineWell("out", 0, [3]float64{1.5, 0.5}, 0, 0.5), 2, radius, 1)}
		s := simulate(t, openDevice(t, 0), p, Controls{End: 1, Courant: 0.5})
		within(t, stencilName(points)+": rate", s.Sample().Wells[0].Rate, 3*2*0.5/drop(radius), 3e-3)
	}
}

// A rate of a well that holds a pressure follows it as it varies, is kept within its limits, closes water and heat, and a restart has the same bits.
func TestHeldInTime(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 2)
	p := rich(plane(12), kernels.TVD)
	p.Wells = []Well{holding(point("in", 0, [3]float64{0.31, 0, 0.4}), 30, 1e-2, 2), holding(point("out", 0, [3]float64{0.71, 0, 0.33}), -40, 1e-2, 1)}
	p.Wells[0].Pressure, p.Wells[0].Varies = func(_, _, _, t float64) float64 { return 30 + 20*math.Sin(1000*t) }, true
	p.Wells[1].Least, p.Wells[1].Most = -6, 0
	c := Controls{End: 0.004, Courant: 0.5, Output: Schedule{Interval: 0.0015}}
	whole := simulate(t, dev, p, c)
	worst, least, most, above := 0.0, 0.0, math.Inf(-1), false
	run(t, whole, observe(func(s *Simulation, e Event) error {
		v := s.Sample()
		if v.Step > 0 {
			worst = max(worst, math.Abs(v.Heat().Gain-v.Heat().In)*v.Dt/s.model.temperature().capacityV)
		}
		above = above || v.Wells[1].Rate == -6 && v.Wells[1].Pressure > -40 // it would take more at -40
		least, most = min(least, v.Wells[1].Rate), max(most, v.Wells[0].Rate)
		if v.Divergence > 1e-4 {
			t.Errorf("step %d: divergence %g", v.Step, v.Divergence)
		}
		return nil
	}))
	if worst > 4e-14 {
		t.Errorf("a step loses %g of the heat", worst)
	}
	w := whole.Sample().Wells
	if math.Abs(least+6) > 1e-9 || !above || !(most > 1) || w[0].Pressure != 30+20*math.Sin(4) {
		t.Errorf("the producer has at most %g, the injector %g; at the end %+v", least, most, w)
	}
	for part := range 3 {
		sameFrom(t, dev, p, c, 1+int64(part)*whole.Step()/3, whole)
	}
}

// In a buoyant layer at rest a well that holds the pressure of the layer where it is does nothing: the column of the well is that of what it brings.
func TestHeldWellAtRest(t *testing.T) {
	p := heated(graded(cube(8)), 100)
	p.Walls, p.Initial = [6]Wall{}, Initial{Temperature: Constant(0.7)}
	p.Walls[kernels.Top] = Wall{Flow: Open, Inflow: Constant(0.7)}
	p.Wells = []Well{holding(lineWell("well", 0, [3]float64{0.4, 0.6}, 0.2, 0.8), -0.7*100*0.2, 1e-3, 0.7)}
	s := simulate(t, openDevice(t, 1), p, Controls{End: 0.01, Courant: 0.5})
	run(t, s)
	if w := s.Sample().Wells[0]; math.Abs(w.Rate) > 1e-6 {
		t.Errorf("the well has a rate of %g", w.Rate)
	}
}
