package physics

import (
	"math"
	"testing"
)

// A closed insulated box without buoyancy has no Nusselt number: its temperature alone tells when it is steady. cos(πx) decays as
// exp(-π² t), so within a window from t to t + w the wall changes by exp(-π² t) (1 - exp(-π² w)), against a first difference of 2.
func TestSteadyFollowsTheTemperature(t *testing.T) {
	const accepted = 1e-3
	for _, c := range []struct{ step, window float64 }{{2.5e-4, 50 * 2.5e-4}, {5e-5, 0.01}} { // the longer of 50 steps and 0.01
		p := heated(plane(8), 0)
		p.Walls = [6]Wall{}
		p.Initial = Initial{Temperature: func(x, _, _, _ float64) float64 { return math.Cos(math.Pi * x) }}
		s := simulate(t, openDevice(t, 1), p, Controls{End: 2, Courant: 0.5, FirstStep: c.step, MaxStep: c.step, Steady: accepted})
		if run(t, s) != Steady {
			t.Fatalf("no steady state at t = %g", s.Time())
		}
		within := math.Log((1-math.Exp(-math.Pi*math.Pi*c.window))/(2*accepted)) / (math.Pi * math.Pi)
		// The window that begins at that time or after is the last; 8 cells decay 1.3 % slower than the formula.
		if from := s.Time() - c.window; from < within || from > within*1.02+c.window {
			t.Errorf("steady at t = %g, want within a window of %g after %g", s.Time(), c.window, within+c.window)
		}
		// Rounding may make a window of time a step longer.
		if rest := math.Remainder(s.Time(), c.window); math.Abs(rest) > s.Time()/c.window*c.step+1e-9 {
			t.Errorf("steady at t = %g, want whole windows of %g", s.Time(), c.window)
		}
	}
}

// Where the temperature changes by little, the Nusselt number decides. a sin(2πz) decays as exp(-4π² t), so that in the first window no
// temperature changes by 0.4 a or more, but both walls' Nusselt numbers, 1 - 2π a at first, do by 2.4 a.
func TestSteadyFollowsTheNusseltNumber(t *testing.T) {
	const accepted, step = 1e-2, 2.5e-4
	p := heated(plane(8), 0)
	p.Initial = Initial{Conduction: true, Mode: [3]int{0, 0, 2}, Amplitude: 0.01}
	s := simulate(t, openDevice(t, 1), p, Controls{End: 2, Courant: 0.5, FirstStep: step, MaxStep: step, Steady: accepted})
	if run(t, s) != Steady {
		t.Fatalf("no steady state at t = %g", s.Time())
	}
	if s.Step() <= steadySteps {
		t.Errorf("steady after %d steps, while the Nusselt number still changed", s.Step())
	}
}
