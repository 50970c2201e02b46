package main

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/physics"
)

// wellSteps returns the step that the Courant number allows at each well of a case that is built, nondimensional, and its place.
func wellSteps(dev kernels.Device, c *casefile.Case) (steps []float64, places []physics.WellPlace, err error) {
	if len(c.Parameters.Wells) == 0 {
		return nil, nil, nil
	}
	places, err = physics.PlaceWells(dev, c.Parameters)
	for i, w := range c.Wells() {
		if err == nil {
			steps = append(steps, c.Controls.Courant*c.Parameters.HeatCapacityRatio.Min()/(w.Largest*places[i].Exchange))
		}
	}
	return steps, places, err
}

// printWells describes the wells of a case that is built.
func printWells(out io.Writer, dev kernels.Device, c *casefile.Case) error {
	steps, places, err := wellSteps(dev, c)
	if err != nil {
		return err
	}
	for i, w := range c.Wells() {
		nodes := "on one node"
		if n := places[i].Nodes; n > 1 {
			nodes = fmt.Sprintf("shared among %d nodes", n)
		}
		text := fmt.Sprintf("%s: %s; %s", w.Name, w.Text, nodes)
		if !math.IsInf(steps[i], 1) {
			text += fmt.Sprintf(", steps of at most %s there", c.Scales.TimeText(steps[i], 3))
		}
		fmt.Fprintf(out, "  %-12s %s\n", "well", text)
	}
	return nil
}

// wellEnds returns both ends of each well in a plane of two axes.
func wellEnds(c *casefile.Case, across, up int) (ends []plotter.XYs) {
	for _, w := range c.WellEnds() {
		ends = append(ends, plotter.XYs{{X: w[0][across], Y: w[0][up]}, {X: w[1][across], Y: w[1][up]}})
	}
	return ends
}

// wellMark draws a well: a circle at each end and a line between them.
type wellMark plotter.XYs

// Plot draws the mark.
func (w wellMark) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	ends := []vg.Point{{X: x(w[0].X), Y: y(w[0].Y)}, {X: x(w[1].X), Y: y(w[1].Y)}}
	for _, s := range []struct {
		colour color.Color
		width  vg.Length
	}{{color.Black, 1.4 * vg.Millimeter}, {color.White, 0.7 * vg.Millimeter}} {
		c.StrokeLines(draw.LineStyle{Color: s.colour, Width: s.width}, ends)
		for _, at := range ends {
			c.DrawGlyph(draw.GlyphStyle{Color: s.colour, Radius: s.width, Shape: draw.CircleGlyph{}}, at)
		}
	}
}

// wellMarks returns the marks of wells.
func wellMarks(wells []plotter.XYs) (marks []plot.Plotter) {
	for _, ends := range wells {
		marks = append(marks, wellMark(ends))
	}
	return marks
}
