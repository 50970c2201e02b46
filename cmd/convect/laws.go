package main

import (
	"math"

	"convect/cmd/convect/casefile"
	"convect/physics"
)

// lawWarnings warns of properties of the fluid that are none at values which walls, entering fluid or the start bring, if not all of them at once.
func lawWarnings(c *casefile.Case, v physics.Values) (out []string) {
	const stays = " at some of the temperatures and concentrations between the least and the greatest that the start, walls and entering fluid bring: where they are met it stays what it is at the last value where it is one"
	if mu := c.Parameters.Viscosity; mu != nil {
		if least, most := mu.Range(v); !(least > 0) || math.IsInf(most, 0) {
			out = append(out, "physics.viscosity is not a positive number"+stays)
		}
	}
	if b := c.Parameters.Buoyancy; b != nil {
		if least, most := b.Range(v); math.IsNaN(least) || math.IsInf(least, 0) || math.IsInf(most, 0) {
			out = append(out, "the expression of the buoyancy or the density is no number"+stays)
		}
	}
	return out
}
