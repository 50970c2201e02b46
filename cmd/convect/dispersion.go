package main

import (
	"fmt"
	"io"
	"math"

	"convect/cmd/convect/casefile"
	"convect/physics"
)

// spread tells what dispersion is beside diffusion at a velocity, nondimensional: D + α |u| over D along the flow and across it.
func spread(c *casefile.Case, speed float64) (along, across float64) {
	l, d := c.Parameters.Dispersion, typical(c.Parameters.Diffusivity)
	return 1 + l.Longitudinal*speed/d, 1 + l.Transverse*speed/d
}

// printDispersion prints the ratio of dispersion to diffusion at a typical velocity.
func printDispersion(w io.Writer, c *casefile.Case, speed float64) {
	if c.Parameters.Dispersion == (physics.Dispersion{}) {
		return
	}
	along, across := spread(c, speed)
	fmt.Fprintf(w, "  %-12s at the typical velocity %.3g times the diffusion along the flow, %.3g times across it\n", "dispersion", along-1, across-1)
}

// misleadingPeclet is the Péclet number of cells across the flow from which on what the scheme spreads is likely to be more than the transverse length does.
const misleadingPeclet = 10

// dispersionWarnings warns where the number of cells in the longitudinal length says less than it seems to.
func dispersionWarnings(c *casefile.Case, speed float64) []string {
	l := c.Parameters.Dispersion
	if l == (physics.Dispersion{}) || speed == 0 {
		return nil
	}
	h := 0.0
	for d := range 3 {
		for _, width := range c.Extent().Widths(d) {
			h = math.Max(h, width)
		}
	}
	along, across := spread(c, speed)
	peclet := speed * h / typical(c.Parameters.Diffusivity)
	if peclet/across <= misleadingPeclet {
		return nil
	}
	return []string{fmt.Sprintf("at the typical velocity the widest cells have a Péclet number of %.3g along the flow, which the longitudinal length of dispersion makes, but of %.3g across it: "+
		"what the transport scheme spreads there is likely to be more than what physics.dispersion.transverse does, from about %d on; take more cells, or graded ones (grid.grading)",
		peclet/along, peclet/across, misleadingPeclet)}
}
