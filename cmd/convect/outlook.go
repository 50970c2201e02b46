package main

import (
	"fmt"
	"math"

	"convect/cmd/convect/casefile"
	"convect/physics"
)

// nearCritical is how near to the critical Rayleigh number nothing is foreseen.
const nearCritical = 0.05

// outlookText says in one sentence where nothing will happen, and whether that is likely not wanted; "" where there is nothing to say.
func outlookText(c *casefile.Case, o physics.Outlook) (text string, unwanted bool) {
	ra := c.Parameters.Rayleigh
	size := math.Abs(ra)
	switch {
	case !o.Rest:
	case o.Uniform:
		return "the " + scalarNames(c)[0] + " is the same everywhere and no wall or source changes it: nothing will move", true
	case math.IsInf(o.Critical, 1) && !math.IsInf(o.Opposite, 1):
		return stableText(c, ra), true
	case math.IsInf(o.Critical, 1):
	case size > o.Critical*(1+nearCritical) && !o.Disturbed:
		key, p := "initial.perturbation", c.Parameters.Initial
		if c.Parameters.Isothermal {
			key, p = "initial.concentration_perturbation", c.Parameters.Solutes[0].Initial
		}
		do := "give it a mode or noise with " + key
		if p.Noise != 0 || p.Amplitude != 0 {
			do = key + " is too small for solver.precision"
		}
		return fmt.Sprintf("nothing disturbs the initial state, so that no convection starts, though it is unstable at the Rayleigh number %.4g (from about %.3g on); %s",
			ra, math.Copysign(o.Critical, ra), do), true
	case size < o.Critical*(1-nearCritical) && !o.Patchy && !o.Passing:
		return fmt.Sprintf("the Rayleigh number %.4g is below the critical one of this box, about %.3g: disturbances decay and %s alone", ra, math.Copysign(o.Critical, ra), conducted(c)), false
	}
	return "", false
}

// conducted says what goes on without a flow.
func conducted(c *casefile.Case) string {
	if c.Parameters.Isothermal {
		return "the solute diffuses"
	}
	return "heat is conducted"
}

// stableText says that what is light lies above.
func stableText(c *casefile.Case, ra float64) string {
	key, sign, dense, below := "physics.rayleigh", "above", "light", "above"
	if c.Dimensional != nil {
		key = "physics.dimensional.expansivity"
	}
	if ra < 0 {
		sign, dense, below = "below", "dense", "below"
	}
	if c.Parameters.Isothermal {
		return fmt.Sprintf("the stratification is stable and nothing will convect: with physics.solute.rayleigh %s 0 fluid of the concentration 1 is %s, and it lies %s; "+
			"if convection is wanted, turn the sign of physics.solute.rayleigh", sign, dense, below)
	}
	return fmt.Sprintf("the stratification is stable and nothing will convect: with %s %s 0 what is warm (or T = 1) is %s, and it lies %s; "+
		"if convection is wanted, turn the sign of %s", key, sign, dense, below, key)
}

// sayOutlook logs where nothing will happen, before the first step.
func (s *session) sayOutlook() {
	o, err := s.simulation.Outlook()
	if err != nil {
		return // a failure of the device, which its next work meets
	}
	switch text, unwanted := outlookText(s.c, o); {
	case unwanted:
		s.log.Warn().Msg(text)
	case text != "":
		s.log.Info().Msg(text)
	}
}
