package physics

import (
	"context"
	"testing"
)

// A state knows whether a run has anything left to do after it; other parameters make a steady state unsteady.
func TestOver(t *testing.T) {
	p := heated(plane(8), 20)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.1
	c := Controls{End: 5, Courant: 0.5, Steady: 1e-2}
	s := simulate(t, openDevice(t, 1), p, c)
	before, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	if outcome, over := before.Over(c); over || outcome != Interrupted {
		t.Errorf("at the start: %v, over %v", outcome, over)
	}
	if outcome, err := s.Run(context.Background()); err != nil || outcome != Steady {
		t.Fatalf("outcome %v: %v", outcome, err)
	}
	st, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		end, steady float64
		want        Outcome
	}{
		{5, 1e-2, Steady}, {9, 1e-2, Steady}, {5, 2e-2, Steady}, {5, 1e-3, Interrupted}, {5, 0, Interrupted},
		{s.Time(), 0, Finished}, {s.Time() * (1 + 1e-9), 0, Finished}, {s.Time() * (1 + 1e-8), 0, Interrupted},
	} {
		c := c
		c.End, c.Steady = x.end, x.steady
		if outcome, over := st.Over(c); outcome != x.want || over != (x.want != Interrupted) {
			t.Errorf("end %g, steady %g: %v, over %v", x.end, x.steady, outcome, over)
		}
	}
	c.End, c.Steady = s.Time()*(1+1e-9), 0
	again, err := Resume(s.model.dev, p, c, st)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Free()
	if outcome, err := again.Run(context.Background()); err != nil || outcome != Finished || again.Step() != s.Step() {
		t.Errorf("a step of a rounding error: %v, step %d after %d: %v", outcome, again.Step(), s.Step(), err)
	}
	st.ForgetSteady()
	p.Rayleigh, c.End, c.Steady = 100, s.Time()+0.02, 1e-2
	other, err := Resume(s.model.dev, p, c, st)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Free()
	if _, err := other.Run(context.Background()); err != nil || other.Step() == s.Step() {
		t.Errorf("under another Rayleigh number no step is made: %v", err)
	}
}
