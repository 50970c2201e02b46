package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
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

// Chart is one panel of curves.
type Chart struct {
	Title  string
	X, Y   Axis
	Curves []Curve
	Levels []Level // horizontal lines with names, as published values
}

// Level is a horizontal line.
type Level struct {
	Y    float64
	Name string
}

// hues are the colours of curves, told apart with any colour vision (Okabe and Ito, Color Universal Design, 2008).
var hues = []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {0, 0, 0, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}}

// Hue returns a colour of the palette of curves.
func Hue(n int) color.RGBA { return hues[n%len(hues)] }

// Hues is the number of colours after which they begin again.
func Hues() int { return len(hues) }

var dashes = [][]vg.Length{nil, {5, 2}, {1.5, 2}, {6, 2, 1.5, 2}}

var marks = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}}

// Sizes of charts.
const (
	chartWidth  = 15 * vg.Centimeter
	chartHeight = 8.5 * vg.Centimeter
	sheetMargin = 4 * vg.Millimeter
	textSize    = vg.Length(10)
	smallText   = vg.Length(9)
	lineWidth   = vg.Length(1.2)
	markRadius  = vg.Length(2.4)
	capWidth    = vg.Length(5)
)

// Dropped counts the points that the chart leaves out because their axis is logarithmic and they are not above 0.
func (c *Chart) Dropped() int {
	n := 0
	for _, curve := range c.Curves {
		for i, x := range curve.X {
			if c.X.Log && x <= 0 || c.Y.Log && curve.Y[i] <= 0 {
				n++
			}
		}
	}
	return n
}

// shown tells whether a point can be drawn.
func (c *Chart) shown(x, y float64) bool {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	return finite(x) && finite(y) && !(c.X.Log && x <= 0) && !(c.Y.Log && y <= 0)
}

// Draw returns the file of one or more charts, one below the other, under a title.
func Draw(format string, dots int, title string, charts []Chart) ([]byte, error) {
	heading := Style(textSize * 1.15)
	heading.XAlign, heading.YAlign = draw.XCenter, draw.YTop
	height := vg.Length(len(charts))*chartHeight + 2*sheetMargin
	head := vg.Length(0)
	if title != "" {
		head = heading.Height(title) + 2*vg.Millimeter
	}
	legend := newLegend(charts)
	wide := chartWidth + 2*sheetMargin + legend.width()
	height = max(height+head, head+2*sheetMargin+legend.height())
	canvas, err := New(format, wide, height, dots)
	if err != nil {
		return nil, err
	}
	all := draw.New(canvas)
	if title != "" {
		title = Shortened(title, func(line string) bool { return heading.Width(line) <= wide-2*sheetMargin })
		all.FillText(heading, vg.Point{X: wide / 2, Y: height - sheetMargin}, title)
	}
	top := height - sheetMargin - head
	plots := make([]*plot.Plot, len(charts))
	left := vg.Length(0) // the panels begin where the widest axis lets them
	for i := range charts {
		plots[i] = charts[i].plot()
		own := plots[i].DataCanvas(draw.New(canvas)).Min.X
		left = max(left, own)
	}
	for i, p := range plots {
		at := draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: sheetMargin, Y: top - vg.Length(i+1)*chartHeight + vg.Millimeter},
			Max: vg.Point{X: sheetMargin + chartWidth, Y: top - vg.Length(i)*chartHeight - vg.Millimeter}}}
		at.Min.X += left - p.DataCanvas(draw.New(canvas)).Min.X
		p.Draw(at)
	}
	legend.draw(all, vg.Point{X: sheetMargin + chartWidth + 3*vg.Millimeter, Y: top - vg.Millimeter})
	return canvas.Bytes()
}

// Style returns the style of texts of a size.
func Style(size vg.Length) text.Style {
	p := plot.New()
	s := p.X.Label.TextStyle
	s.Font.Variant, s.Font.Size, s.Handler = "Sans", size, NewOutlines()
	s.XAlign, s.YAlign = draw.XLeft, draw.YBottom
	return s
}

// Plain sets the font of all texts of a plot and lets the axes touch the data.
func Plain(p *plot.Plot) {
	handler := NewOutlines()
	p.TextHandler = handler
	p.X.Padding, p.Y.Padding = 0, 0
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font.Variant, s.Handler, s.Font.Size = "Sans", handler, smallText
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = textSize
		a.Label.Padding = vg.Millimeter
		a.Tick.Length = 4
		a.LineStyle.Width, a.Tick.LineStyle.Width = 0.7, 0.7
	}
	p.Title.TextStyle.Font.Size = textSize
	p.Title.Padding = 1.5 * vg.Millimeter
}

// Along sets an axis of a plot: its range, ticks and label.
func (a *Axis) Along(axis *plot.Axis, low, high float64) {
	axis.Min, axis.Max = a.widened(low, high)
	if a.Log {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, ticker{log: true}
		axis.Label.Text = a.label(0)
		return
	}
	power := exponent(axis.Min, axis.Max)
	axis.Tick.Marker = ticker{power: power, room: a.Steps}
	axis.Label.Text = a.label(power)
}

// plot returns the plot of a chart.
func (c *Chart) plot() *plot.Plot {
	p := plot.New()
	Plain(p)
	p.Title.Text = c.Title
	xl, xh, yl, yh := c.span()
	if slices.ContainsFunc(c.Curves, func(curve Curve) bool { return curve.Marks }) { // whole marks stand in the panel
		xl, xh = apart(xl, xh, c.X.Log)
		yl, yh = apart(yl, yh, c.Y.Log)
	}
	c.X.Along(&p.X, xl, xh)
	c.Y.Along(&p.Y, yl, yh)
	for _, l := range c.Levels {
		p.Add(levelLine(l.Y))
	}
	for i := range c.Curves {
		p.Add(curvePlot{&c.Curves[i], c})
	}
	p.Add(Frame{})
	return p
}

// apart widens a range by a little on both sides, but not beyond 0 where it begins there.
func apart(low, high float64, log bool) (float64, float64) {
	const part = 0.02
	if log {
		f := math.Pow(high/low, part)
		return low / f, high * f
	}
	margin := part * (high - low)
	if low != 0 {
		low -= margin
	}
	return low, high + margin
}

// span returns the range of the data, error bars and levels included.
func (c *Chart) span() (xl, xh, yl, yh float64) {
	xl, yl, xh, yh = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, curve := range c.Curves {
		for i, x := range curve.X {
			for _, y := range curve.ends(i) {
				if c.shown(x, y) {
					xl, xh, yl, yh = math.Min(xl, x), math.Max(xh, x), math.Min(yl, y), math.Max(yh, y)
				}
			}
		}
	}
	for _, l := range c.Levels {
		yl, yh = math.Min(yl, l.Y), math.Max(yh, l.Y)
	}
	return xl, xh, yl, yh
}

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

// Frame closes the box of a panel on top and at the right, and below where there is no axis.
type Frame struct{ Bottom bool }

// Plot draws it.
func (f Frame) Plot(c draw.Canvas, _ *plot.Plot) {
	points := []vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}}
	if f.Bottom {
		points = append(points, c.Min)
	}
	c.StrokeLines(draw.LineStyle{Color: color.Black, Width: 0.7}, points)
}

// levelLine is a line across a panel.
type levelLine float64

// Plot draws it.
func (l levelLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: color.Gray{110}, Width: 0.8, Dashes: []vg.Length{2, 2}}, c.Min.X, y(float64(l)), c.Max.X, y(float64(l)))
}

// legend lists the curves of all charts, each name once.
type legend struct {
	entries []Curve
	style   text.Style
}

func newLegend(charts []Chart) *legend {
	l := &legend{style: Style(smallText)}
	seen := map[string]bool{}
	for _, c := range charts {
		for _, curve := range c.Curves {
			if curve.Name != "" && !seen[curve.Name] {
				seen[curve.Name] = true
				l.entries = append(l.entries, curve)
			}
		}
	}
	return l
}

const sampleWidth, legendLine = 8 * vg.Millimeter, vg.Length(13)

func (l *legend) width() vg.Length {
	widest := vg.Length(0)
	for _, e := range l.entries {
		widest = max(widest, l.style.Width(e.Name))
	}
	if widest == 0 {
		return 0
	}
	return widest + sampleWidth + 6*vg.Millimeter
}

func (l *legend) height() vg.Length { return legendLine * vg.Length(len(l.entries)) }

// draw draws the legend below and right of a corner.
func (l *legend) draw(c draw.Canvas, corner vg.Point) {
	for i, e := range l.entries {
		y := corner.Y - legendLine*(vg.Length(i)+0.5)
		if e.Line {
			c.StrokeLine2(draw.LineStyle{Color: Hue(e.Colour), Width: lineWidth, Dashes: dashes[e.Dash%len(dashes)]}, corner.X, y, corner.X+sampleWidth, y)
		}
		if e.Marks {
			c.DrawGlyph(draw.GlyphStyle{Color: Hue(e.Colour), Radius: markRadius, Shape: marks[e.Mark%len(marks)]}, vg.Point{X: corner.X + sampleWidth/2, Y: y})
		}
		style := l.style
		style.YAlign = draw.YCenter
		c.FillText(style, vg.Point{X: corner.X + sampleWidth + 2*vg.Millimeter, Y: y}, e.Name)
	}
}

// Shortened ends the lines of a text that are too long in an ellipsis.
func Shortened(text string, fits func(line string) bool) string {
	out := ""
	for i, line := range splitLines(text) {
		for runes := []rune(line); !fits(line) && len(runes) > 0; line = string(runes) + "…" {
			runes = runes[:len(runes)-1]
		}
		if i > 0 {
			out += "\n"
		}
		out += line
	}
	return out
}

func splitLines(text string) []string { return NewOutlines().Lines(text) }

// Check says what cannot be drawn of charts.
func Check(charts []Chart) error {
	for _, c := range charts {
		for _, curve := range c.Curves {
			if len(curve.X) != len(curve.Y) {
				return fmt.Errorf("curve %q has %d places and %d values", curve.Name, len(curve.X), len(curve.Y))
			}
		}
		for _, a := range []Axis{c.X, c.Y} {
			if a.given() && !(a.Low < a.High) || a.Log && a.given() && a.Low <= 0 {
				return fmt.Errorf("the range %g … %g of %s is none", a.Low, a.High, a.Label)
			}
		}
	}
	return nil
}
