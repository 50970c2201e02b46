package main

import (
	"fmt"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/stencil"
)

// maxStepWarnings warns of a time.max_step beyond the time scale on which buoyancy acts, in units of the case's own time, where
// rounding feeds disturbances that then grow: with 27 points and on graded cells.
func maxStepWarnings(c *casefile.Case, buoyant float64) []string {
	if c.Controls.MaxStep <= buoyant || !roundingMoves(c) {
		return nil
	}
	step, bound := c.Scales.TimeText(c.Controls.MaxStep, 3), c.Scales.TimeText(buoyant, 3)
	return []string{fmt.Sprintf("time.max_step is %s, beyond the %s on which buoyancy acts: with 27 points or graded cells rounding may grow in stable layers; "+
		"leave it out, or set it to %s at most", step, bound, bound)}
}

// roundingMoves tells whether a fluid that should rest is moved by rounding: with 7 points on equal cells it is not.
func roundingMoves(c *casefile.Case) bool {
	return c.Parameters.Stencil == kernels.TwentySevenPoint || c.Extent().Grading != [3]stencil.Grading{}
}
