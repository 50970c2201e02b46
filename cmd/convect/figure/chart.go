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
	axis.Tick.Marker = ticker{power: power, room: a.Steps, least: a.leastStep()}
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
	x, y := c.X, c.Y
	x.Whole, y.Whole = c.counts()
	x.Along(&p.X, xl, xh)
	y.Along(&p.Y, yl, yh)
	for _, l := range c.Levels {
		p.Add(levelLine(l.Y))
	}
	for i := range c.Curves {
		p.Add(curvePlot{&c.Curves[i], c})
	}
	p.Add(Frame{})
	return p
}

// counts tells of both axes whether all that the chart shows lies at whole numbers, as those of runs, seeds and cycles do.
func (c *Chart) counts() (x, y bool) {
	x, y = true, true
	for _, curve := range c.Curves {
		for i := range curve.X {
			for _, end := range curve.ends(i) {
				if c.shown(curve.X[i], end) {
					x, y = x && curve.X[i] == math.Trunc(curve.X[i]), y && end == math.Trunc(end)
				}
			}
		}
	}
	for _, l := range c.Levels {
		y = y && l.Y == math.Trunc(l.Y)
	}
	return x, y
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
