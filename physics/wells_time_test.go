package physics

import (
	"math"
	"testing"

	"convect/kernels"
)

// Rates and temperatures that vary are followed with second order in time.
func TestWellsInTime(t *testing.T) {
	dev := openDevice(t, 1)
	var at [3][]float64
	for r, step := range []float64{5e-5, 2.5e-5, 1.25e-5} {
		p := idle(plane(8))
		p.Rayleigh, p.Transport = 30, kernels.Central
		p.Wells = []Well{point("in", 0, [3]float64{0.3, 0, 0.4}, 0), point("out", 0, [3]float64{0.7, 0, 0.6})}
		p.Wells[0].Rate = func(_, _, _, t float64) float64 { return 3 + 2*math.Sin(300*t) }
		*p.Wells[0].Bring(0) = func(_, _, _, t float64) float64 { return math.Cos(200 * t) }
		p.Wells[1].Rate = func(x, y, z, t float64) float64 { return -p.Wells[0].Rate(x, y, z, t) }
		p.Wells[0].Varies, p.Wells[1].Varies = true, true
		s := simulate(t, dev, p, Controls{End: 0.02, Courant: 1, MaxStep: step, FirstStep: step, WallTolerance: 1})
		run(t, s)
		if want := int64(math.Round(0.02 / step)); s.Step() != want {
			t.Fatalf("%d steps, want %d", s.Step(), want)
		}
		at[r] = download(t, s, "temperature")
	}
	var off [2]float64
	for n := range at[0] {
		off[0], off[1] = max(off[0], math.Abs(at[0][n]-at[1][n])), max(off[1], math.Abs(at[1][n]-at[2][n]))
	}
	if order := math.Log2(off[0] / off[1]); order < 1.9 {
		t.Errorf("order %.2f, differences %v", order, off)
	}
}

// A step ends where a rate jumps, and the flow is that of the new rate after it.
func TestJumpOfARate(t *testing.T) {
	p := drilled(rich(plane(8), kernels.TVD))
	s := simulate(t, openDevice(t, 1), p, Controls{End: 0.008, Courant: 0.5})
	met, before := false, 0.0
	run(t, s, observe(func(s *Simulation, e Event) error {
		now := s.Sample()
		if math.Abs(now.Time-0.0061) < 1e-9 {
			met, before = true, now.Wells[0].Rate
		}
		if met && before == 3 && now.Time > 0.0061+1e-9 {
			before = now.Wells[0].Rate
			if want := 9 + 4*math.Sin(300*now.Time); before != want {
				t.Errorf("after the jump the rate is %g, want %g", before, want)
			}
			if now.Dt > 1e-4 {
				t.Errorf("the step after the jump is %g long", now.Dt)
			}
		}
		return nil
	}))
	if !met || before == 3 {
		t.Errorf("no step ends at the jump, or none follows; the rate is %g", before)
	}
}

// A box that wells flush comes to their temperature, and is found steady there; while a rate is still to change it is not.
func TestFlushedBoxIsSteady(t *testing.T) {
	p := doublet(8)
	p.Wells[0].Rate, p.Wells[1].Rate = Constant(10), Constant(-10)
	c := Controls{End: 5, Courant: 0.5, Steady: 1e-5}
	s := simulate(t, openDevice(t, 1), p, c)
	if outcome := run(t, s); outcome != Steady || s.Time() > 3 {
		t.Fatalf("outcome %d at t = %g", outcome, s.Time())
	}
	for n, v := range download(t, s, "temperature") {
		if math.Abs(v-1) > 1e-3 {
			t.Fatalf("T = %g at node %d", v, n)
		}
	}
	if w := s.Sample().Wells[1]; math.Abs(w.Scalars[0]-1) > 1e-3 || w.Rate != -10 {
		t.Errorf("the producer %+v", w)
	}
	late := func(sign float64) Func {
		return func(_, _, _, t float64) float64 {
			if t < 4 {
				return 10 * sign
			}
			return 12 * sign
		}
	}
	for i, sign := range []float64{1, -1} {
		p.Wells[i].Rate, p.Wells[i].Varies = late(sign), true
		p.Wells[i].Course = Course{Uniform: true, Turns: []Func{func(_, _, _, t float64) float64 { return t - 4 }}}
	}
	s = simulate(t, openDevice(t, 1), p, c)
	if run(t, s); s.Time() < 4 {
		t.Errorf("found steady at t = %g, before the rate changes", s.Time())
	}
}
