package main

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// contourLines draws the lines of a level, dashed where it is below zero.
type contourLines contour

// Plot draws the lines.
func (l contourLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: color.NRGBA{A: 190}, Width: lineWidth}
	if l.level < 0 {
		style.Dashes = []vg.Length{4, 2}
	}
	for _, line := range l.lines {
		points := make([]vg.Point, len(line))
		for i, q := range line {
			points[i] = vg.Point{X: x(q.X), Y: y(q.Y)}
		}
		strokeInk(c, style, points)
	}
}

// strokeInk draws a dark line with a light rim, which is seen on dark colours too.
func strokeInk(c draw.Canvas, style draw.LineStyle, line []vg.Point) {
	rim := style
	rim.Color, rim.Width, rim.Dashes = color.NRGBA{R: 255, G: 255, B: 255, A: 90}, 2.4*style.Width, nil
	c.StrokeLines(rim, line)
	c.StrokeLines(style, line)
}

// arrows draws vectors in a plane at the points of a lattice; the longest is as long as its strips are wide.
type arrows struct{ of [2]*slice }

// Plot draws the arrows.
func (a arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	width, height := a.of[0].size()
	strip := math.Max(width, height) / strips
	most := 0.0
	for i, u := range a.of[0].values {
		most = math.Max(most, math.Hypot(u, a.of[1].values[i]))
	}
	if most == 0 {
		return
	}
	across, up := a.of[0].across[0], a.of[0].up[0]
	nx, ny := max(int(width/strip), 1), max(int(height/strip), 1)
	for j := range ny {
		for i := range nx {
			px, py := across+width*(float64(i)+0.5)/float64(nx), up+height*(float64(j)+0.5)/float64(ny)
			u, w := a.of[0].at(px, py)/most*strip, a.of[1].at(px, py)/most*strip
			tail, tip := vg.Point{X: x(px - u/2), Y: y(py - w/2)}, vg.Point{X: x(px + u/2), Y: y(py + w/2)}
			drawArrow(c, tail, tip)
		}
	}
}

// drawArrow draws an arrow with a head in proportion to its length; one that is no longer than a dot is a dot.
func drawArrow(c draw.Canvas, tail, tip vg.Point) {
	length := math.Hypot(float64(tip.X-tail.X), float64(tip.Y-tail.Y))
	ink := color.NRGBA{A: 200}
	if length < 1 {
		c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: 0.4, Shape: draw.CircleGlyph{}}, tail)
		return
	}
	strokeInk(c, draw.LineStyle{Color: ink, Width: lineWidth}, []vg.Point{tail, tip})
	drawHead(c, tail, tip, min(arrowLength, vg.Length(0.45*length)))
}

// drawHead draws the head of an arrow.
func drawHead(c draw.Canvas, tail, tip vg.Point, length vg.Length) {
	angle := math.Atan2(float64(tip.Y-tail.Y), float64(tip.X-tail.X))
	corner := func(turn float64) vg.Point {
		return vg.Point{X: tip.X - length*vg.Length(math.Cos(angle+turn)), Y: tip.Y - length*vg.Length(math.Sin(angle+turn))}
	}
	const opening = 0.4 // radians
	c.FillPolygon(color.NRGBA{A: 200}, []vg.Point{tip, corner(opening), corner(-opening)})
}
