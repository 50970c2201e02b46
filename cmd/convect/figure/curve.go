package figure

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is a line through points, with marks on them, or both. Points that are not finite leave a gap.
type Curve struct {
	Name      string // in the legend; may be empty
	X, Y      []float64
	Low, High []float64 // ends of the error bars; nil: none. An end that is not finite has no bar.
	Line      bool
	Marks     bool
	Band      bool // a band from Low to High in the place of error bars
	Colour    int  // of the palette
	Dash      int  // kind of line: 0 is solid
	Mark      int  // shape of the marks
}

// hues are the colours of curves, told apart with any colour vision (Okabe and Ito, Color Universal Design, 2008).
var hues = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {0, 0, 0, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}}

// Hue returns a colour of the palette of curves.
func Hue(n int) color.RGBA { return hues[n%len(hues)] }

// Hues is the number of colours after which they begin again.
func Hues() int { return len(hues) }

var dashes = [][]vg.Length{nil, {5, 2}, {1.5, 2}, {6, 2, 1.5, 2}}

var marks = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}}

// ends returns the heights that a point reaches.
func (c *Curve) ends(i int) []float64 {
	if c.Low == nil {
		return []float64{c.Y[i]}
	}
	return []float64{c.Y[i], c.Low[i], c.High[i]}
}

// curvePlot draws a curve into a plot.
type curvePlot struct {
	*Curve
	chart *Chart
}

// Plot draws bars, lines and marks, clipped to the panel.
func (c curvePlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	style := draw.LineStyle{Color: Hue(c.Colour), Width: lineWidth, Dashes: dashes[c.Dash%len(dashes)]}
	bar := draw.LineStyle{Color: Hue(c.Colour), Width: 0.8}
	if c.Band {
		c.band(canvas, x, y)
	}
	var run []vg.Point
	end := func() {
		if len(run) > 1 && c.Line {
			for _, part := range canvas.ClipLinesXY(run) {
				canvas.StrokeLines(style, part)
			}
		}
		run = nil
	}
	for i := range c.X {
		if !c.chart.shown(c.X[i], c.Y[i]) {
			end()
			continue
		}
		at := vg.Point{X: x(c.X[i]), Y: y(c.Y[i])}
		run = append(run, at)
		if !c.Band && c.Low != nil && c.chart.shown(c.X[i], c.Low[i]) && c.chart.shown(c.X[i], c.High[i]) && canvas.ContainsX(at.X) && c.High[i] > c.Low[i] {
			low, high := max(y(c.Low[i]), canvas.Min.Y), min(y(c.High[i]), canvas.Max.Y)
			canvas.StrokeLine2(bar, at.X, low, at.X, high)
			for _, h := range []vg.Length{low, high} {
				canvas.StrokeLine2(bar, at.X-capWidth/2, h, at.X+capWidth/2, h)
			}
		}
	}
	end()
	if !c.Marks {
		return
	}
	for i := range c.X {
		if at := (vg.Point{}); c.chart.shown(c.X[i], c.Y[i]) {
			at.X, at.Y = x(c.X[i]), y(c.Y[i])
			if canvas.Contains(at) {
				canvas.DrawGlyph(draw.GlyphStyle{Color: Hue(c.Colour), Radius: markRadius, Shape: marks[c.Mark%len(marks)]}, at)
			}
		}
	}
}

// band fills what lies between Low and High, without what is beyond the panel.
func (c curvePlot) band(canvas draw.Canvas, x, y func(float64) vg.Length) {
	var up, down []vg.Point
	end := func() {
		if len(up) > 1 {
			slices.Reverse(down)
			ink := Hue(c.Colour)
			canvas.FillPolygon(color.NRGBA{R: ink.R, G: ink.G, B: ink.B, A: 60}, canvas.ClipPolygonXY(append(up, down...)))
		}
		up, down = nil, nil
	}
	for i := range c.X {
		if !c.chart.shown(c.X[i], c.Low[i]) || !c.chart.shown(c.X[i], c.High[i]) {
			end()
			continue
		}
		up, down = append(up, vg.Point{X: x(c.X[i]), Y: y(c.High[i])}), append(down, vg.Point{X: x(c.X[i]), Y: y(c.Low[i])})
	}
	end()
}
