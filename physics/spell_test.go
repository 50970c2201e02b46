package physics

import (
	"math"
	"testing"
)

// What is left of a disturbance of two modes, which begin as one and the negative of the other, and of what dies at once: whether it grows in the end is
// told from what it does before.
func TestSpellTellsGrowthFromWhatPasses(t *testing.T) {
	const least, steps, end, first = 0.05, 1312, 1.0, 1e-3
	for name, c := range map[string]struct {
		size, slow, fast float64 // of both modes, and their rates
		grows            bool
	}{
		"decays":                          {0, 0, 0, false},
		"decays slowly":                   {first, -1, -30, false},
		"grows":                           {first / 4, 6, -20, true},
		"goes to another state and stays": {30 * first, 0, -4, true},
		"is amplified, then decays":       {6.6 * first, -0.4, -5, false},
		"goes far and comes back in part": {120 * first, -0.4, -4, true},
	} {
		w := newSpell(end/steps, least, steps)
		for !w.over {
			if !w.due() {
				continue
			}
			time := float64(w.step) * w.dt
			slow, fast, gone := c.size*math.Exp(c.slow*time), c.size*math.Exp(c.fast*time), first*math.Exp(-40*time)
			w.look(math.Abs(slow-fast)+gone, 2*w.dt*(math.Abs(c.slow)*slow+math.Abs(c.fast)*fast+40*gone))
		}
		if w.rate > 0 != c.grows {
			t.Errorf("%s: found to grow at the rate %.3g after %d steps", name, w.rate, w.step)
		}
		if name == "grows" && math.Abs(w.rate-c.slow) > 0.2*c.slow {
			t.Errorf("%s at %.3g: found %.3g", name, c.slow, w.rate)
		}
	}
}
