package main

import (
	"fmt"
	"io"
	"math"

	"convect/cmd/convect/casefile"
	"convect/physics"
)

// spread tells what dispersion is beside the diffusion of a scalar at a velocity, nondimensional: D + α |u| over D along the flow and across it.
func spread(of *physics.Carried, speed float64) (along, across float64) {
	l := of.Dispersion
	d := typical(of.Diffusivity)
	return 1 + l.Longitudinal*speed/d, 1 + l.Transverse*speed/d
}

// printDispersion prints the ratio of dispersion to diffusion at a typical velocity, of each scalar where there are several.
func printDispersion(w io.Writer, c *casefile.Case, speed float64) {
	label, all := "dispersion", c.Parameters.Carried()
	for _, of := range all {
		name := ""
		if of.Dispersion == (physics.Dispersion{}) {
			continue
		}
		if len(all) > 1 {
			name = " of the " + of.Name
		}
		along, across := spread(&of, speed)
		fmt.Fprintf(w, "  %-12s at the typical velocity %.3g times the diffusion%s along the flow, %.3g times across it\n", label, along-1, name, across-1)
		label = ""
	}
}

// misleadingPeclet is the Péclet number of cells across the flow from which on what the scheme spreads is likely to be more than the transverse length does.
const misleadingPeclet = 10

// dispersionWarnings warns where the number of cells in the longitudinal length says less than it seems to.
func dispersionWarnings(c *casefile.Case, speed float64) (out []string) {
	if speed == 0 {
		return nil
	}
	h := 0.0
	for d := range 3 {
		for _, width := range c.Extent().Widths(d) {
			h = math.Max(h, width)
		}
	}
	for _, of := range c.Parameters.Carried() {
		if of.Dispersion == (physics.Dispersion{}) {
			continue
		}
		along, across := spread(&of, speed)
		if peclet := speed * h / typical(of.Diffusivity); peclet/across > misleadingPeclet {
			out = append(out, fmt.Sprintf("at the typical velocity the widest cells have a Péclet number of the %s of %.3g along the flow, which the longitudinal length of dispersion makes, but of %.3g across it: "+
				"what the transport scheme spreads there is likely to be more than what physics.dispersion.transverse does, from about %d on; take more cells, or graded ones (grid.grading)",
				of.Name, peclet/along, peclet/across, misleadingPeclet))
		}
	}
	return out
}
