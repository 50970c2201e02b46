package physics

import (
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
)

// Controls that change between two steps give the steps of a run that is resumed there under the new ones.
func TestSetControlsHasTheBitsOfAResumedRun(t *testing.T) {
	devicetest.Long(t)
	t.Parallel()
	for name, make := range restartCases() {
		for _, change := range []func(c *Controls){
			func(c *Controls) { c.End *= 1.3 },
			func(c *Controls) { c.Output = Schedule{Interval: 0.0017} },
			func(c *Controls) { c.End, c.Output = c.End*0.9, Schedule{Steps: 7} },
		} {
			dev := openDevice(t, 0)
			p, c := make(kernels.Float64)
			changed := c
			change(&changed)
			steered := simulate(t, dev, p, c)
			runTo(t, steered, 33)
			state, err := steered.State()
			if err != nil {
				t.Fatal(err)
			}
			if err := steered.SetControls(changed); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			resumed, err := Resume(dev, p, changed, state)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(resumed.Free)
			runTo(t, steered, 60)
			runTo(t, resumed, 60)
			sameState(t, steered, resumed)
		}
	}
}

func TestSetControlsRefuses(t *testing.T) {
	p, c := restartCases()["plane"](kernels.Float64)
	s := simulate(t, openDevice(t, 0), p, c)
	runTo(t, s, 10)
	before := s.Controls()
	for text, change := range map[string]func(c *Controls){
		"not after the present time": func(c *Controls) { c.End = s.Time() },
		"time.steady":                func(c *Controls) { c.Steady = 1e-3 },
	} {
		wrong := c
		change(&wrong)
		if err := s.SetControls(wrong); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
		if after := s.Controls(); after.End != before.End || after.MaxStep != before.MaxStep {
			t.Errorf("%q: the controls have changed all the same", text)
		}
	}
}
