package physics

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
)

// losing returns the parameters with a loss to surroundings.
func losing(p Parameters, rate, toward float64) Parameters {
	p.HeatLoss = Term{Rate: Constant(rate), Toward: Constant(toward)}
	return p
}

// A fin between 1 and 0 in surroundings at a: T - a = ((1 - a) sinh m(1-z) - a sinh mz)/sinh m with m² = B, at the start of a case in conduction and
// after steps, second order in the width of cells. More is lost than leaves through the cold end.
func TestFin(t *testing.T) {
	const rate, outside = 9, 0.2
	m := math.Sqrt(rate)
	exact := func(z float64) float64 {
		return outside + ((1-outside)*math.Sinh(m*(1-z))-outside*math.Sinh(m*z))/math.Sinh(m)
	}
	for _, points := range bothStencils {
		for name, e := range map[string]func(n int) Parameters{
			"plane":       func(n int) Parameters { return heated(plane(n), 0) },
			"graded cube": func(n int) Parameters { return heated(graded(cube(n/2)), 0) },
		} {
			t.Run(fmt.Sprintf("%s, %s", stencilName(points), name), func(t *testing.T) {
				var off [2]float64
				for r, n := range []int{16, 32} {
					p := losing(e(n), rate, outside)
					p.Stencil = points
					s := simulate(t, openDevice(t, 1), p, Controls{End: 0.05, Courant: 1, MaxStep: 0.01})
					z := s.Grid().Coordinates(kernels.Z)
					for range 2 {
						off[r] = 0
						values := download(t, s, "temperature")
						eachNode(s.Grid(), func(n int, ijk [3]int) { off[r] = max(off[r], math.Abs(values[n]-exact(z[ijk[2]]))) })
						run(t, s)
					}
					v := s.Sample().Heat()
					within(t, "flux into the hot end", v.Hot, m*((1-outside)*math.Cosh(m)+outside)/math.Sinh(m), 0.1/float64(r+1))
					if !(v.Hot > v.Cold) || math.Abs(v.In) > 1e-5 {
						t.Errorf("%g enters, %g leaves, and all in all %g comes in", v.Hot, v.Cold, v.In)
					}
				}
				if order := math.Log2(off[0] / off[1]); order < 1.9 {
					t.Errorf("order %.2f, errors %v", order, off)
				}
			})
		}
	}
}

// An insulated box at one temperature comes to that of its surroundings as exp(-Bt/σ), second order in time, whatever the rate is beside a step; and what it
// gains is what comes in to rounding, with fixed and tied walls and fluid that passes too.
func TestLossOverTime(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 2)
	const rate, capacity, outside, end = 30, 0.5, 2, 0.02
	var off [2]float64
	for r, step := range []float64{1e-3, 5e-4} {
		p := losing(heated(plane(8), 0), rate, outside)
		p.Walls, p.Initial, p.HeatCapacityRatio = [6]Wall{}, Initial{Temperature: Constant(1)}, Uniform(capacity)
		s := simulate(t, dev, p, Controls{End: end, Courant: 1, MaxStep: step, FirstStep: 1e-6})
		run(t, s)
		off[r] = math.Abs(s.Sample().Heat().Mean - (outside + (1-outside)*math.Exp(-rate*end/capacity)))
	}
	if order := math.Log2(off[0] / off[1]); order < 1.8 {
		t.Errorf("order %.2f in time, errors %v", order, off)
	}
	for name, p := range devicetest.Part(t, 2, map[string]Parameters{"2-D": rich(plane(16), kernels.TVD), "3-D, 27 points": withPoints27(rich(graded(cube(8)), kernels.Central))}) {
		p.Walls[kernels.Left].Heat, p.Walls[kernels.Left].HeatCoefficient, p.Walls[kernels.Left].HeatValue = HeatTransfer, Constant(3), Constant(0.3)
		p.HeatLoss = Term{Rate: func(x, _, z, t float64) float64 { return 5 * (1 + x*z) * (1 + math.Sin(50*t)) }, Toward: func(x, _, _, _ float64) float64 { return x }, Varies: true}
		end := 0.05
		if testing.Short() {
			end = 0.01
		}
		s := simulate(t, dev, p, Controls{End: end, Courant: 0.5})
		worst := 0.0
		run(t, s, observe(func(s *Simulation, e Event) error {
			if v := s.Sample().Heat(); !e.Start {
				worst = math.Max(worst, math.Abs(v.Gain-v.In)*s.Sample().Dt/s.model.temperature().capacityV)
			}
			return nil
		}))
		if s.Step() < 10 {
			t.Errorf("%s: only %d steps", name, s.Step())
		}
		if worst > 1e-13 {
			t.Errorf("%s: a step loses %g of the heat", name, worst)
		}
	}
}

// The surroundings belong to the range that the temperature may reach, and a case that loses heat has no outlook.
func TestRangeWithLoss(t *testing.T) {
	s := simulate(t, openDevice(t, 1), losing(heated(plane(8), 10), 1e12, -3), Controls{End: 1, Courant: 1, MaxStep: 0.1})
	if low, high := s.TemperatureRange(); low != -3 || high != 1 {
		t.Errorf("temperatures from %g to %g, want -3 to 1", low, high)
	}
	if o, err := s.Outlook(); err != nil || o.Rest {
		t.Errorf("outlook %+v, %v", o, err)
	}
	for range 3 {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
	}
	within(t, "temperature inside", download(t, s, "temperature")[4*9+4], -3, 1e-6)
}
