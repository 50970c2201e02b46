package main

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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
	c.StrokeLines(draw.LineStyle{Color: rim, Width: 2.4 * style.Width}, line)
	c.StrokeLines(style, line)
}

// rim is the colour beside dark lines.
var rim = color.NRGBA{R: 255, G: 255, B: 255, A: 90}

// arrows draws vectors in a plane at the points of a lattice; the longest of them is as long as its strips are wide.
type arrows struct{ of [2]*slice }

// Plot draws the arrows.
func (a arrows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	all, _ := a.vectors()
	for _, v := range all {
		tail, tip := vg.Point{X: x(v.at.X - v.across/2), Y: y(v.at.Y - v.up/2)}, vg.Point{X: x(v.at.X + v.across/2), Y: y(v.at.Y + v.up/2)}
		drawArrow(c, tail, tip)
	}
}

// vector is an arrow around its middle.
type vector struct {
	at         plotter.XY
	across, up float64
}

// vectors returns the arrows, and the speed of the longest. What is fast between them alone, as in a corner with an outlet, does not make them short.
func (a arrows) vectors() (all []vector, fastest float64) {
	width, height := a.of[0].size()
	strip := math.Max(width, height) / strips
	across, up := a.of[0].across[0], a.of[0].up[0]
	nx, ny := max(int(width/strip), 1), max(int(height/strip), 1)
	for j := range ny {
		for i := range nx {
			at := plotter.XY{X: across + width*(float64(i)+0.5)/float64(nx), Y: up + height*(float64(j)+0.5)/float64(ny)}
			v := vector{at, a.of[0].at(at.X, at.Y), a.of[1].at(at.X, at.Y)}
			fastest = math.Max(fastest, math.Hypot(v.across, v.up))
			all = append(all, v)
		}
	}
	if fastest == 0 {
		return nil, 0
	}
	for i := range all {
		all[i].across *= strip / fastest
		all[i].up *= strip / fastest
	}
	return all, fastest
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

// drawHead draws the head of an arrow, with a light rim as its line has.
func drawHead(c draw.Canvas, tail, tip vg.Point, length vg.Length) {
	angle := math.Atan2(float64(tip.Y-tail.Y), float64(tip.X-tail.X))
	corner := func(turn float64) vg.Point {
		return vg.Point{X: tip.X - length*vg.Length(math.Cos(angle+turn)), Y: tip.Y - length*vg.Length(math.Sin(angle+turn))}
	}
	const opening = 0.4 // radians
	head := []vg.Point{tip, corner(opening), corner(-opening), tip}
	c.StrokeLines(draw.LineStyle{Color: rim, Width: 1.4 * lineWidth}, head)
	c.FillPolygon(color.NRGBA{A: 200}, head)
}
