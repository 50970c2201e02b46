package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sizes of a plot, without its legend.
const (
	plotWidth  = 18 * vg.Centimeter
	plotHeight = 11 * vg.Centimeter
	plotMargin = 2 * vg.Millimeter
	plotLetter = 0.1 * vg.Centimeter // of a rotated name, upwards
	plotDPI    = 130
)

// Plot is a diagram: lines over x, or with Bars a group of bars for every name in Bars, on a logarithmic axis dots.
type Plot struct {
	File   string   `json:"file"` // name.png, beside the report
	Title  string   `json:"title"`
	X, Y   Axis     `json:"-"`
	Series []Series `json:"-"`
	Bars   []string `json:"-"`
}

// Axis is an axis of a plot.
type Axis struct {
	Label string
	Log   bool
}

// Series is a line of a plot, or the bars of one colour. Values that are not finite are left out.
type Series struct {
	Name   string    // empty: not in the legend
	X, Y   []float64 // over bars X holds their numbers from 0; nil: all of them
	Dashed bool      // not measured here: a dashed line; over bars a mark, or with one value and no X a dashed line across
	Apart  bool      // no line joins the points
	Of     string    // the series whose colour it takes, and over bars whose place; empty: its own
}

// PNG draws the plot with its legend on the right.
func (p *Plot) PNG() ([]byte, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.X.Label, p.Y.Label
	out.Title.Padding = 2 * vg.Millimeter
	out.Legend.Padding = vg.Millimeter
	out.Add(plotter.NewGrid())
	var err error
	if p.Bars != nil {
		err = p.addGroups(out)
	} else {
		err = p.addLines(out)
	}
	if err != nil {
		return nil, fmt.Errorf("report: plot %s: %w", p.File, err)
	}
	p.setAxes(out)
	legend := out.Legend
	out.Legend = plot.NewLegend()
	legend.Top, legend.Left = true, true
	height := plotHeight
	if p.rotated() {
		height += longest(p.Bars) * plotLetter
	}
	width := plotWidth + legend.Rectangle(draw.New(vgimg.New(plotWidth, plotHeight))).Size().X + 4*plotMargin
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(plotDPI), vgimg.UseBackgroundColor(color.White))
	all := draw.New(canvas)
	p.drawWithLabel(out, draw.Crop(all, plotMargin, plotWidth-width, plotMargin, -plotMargin))
	legend.Draw(draw.Crop(all, plotWidth+2*plotMargin, 0, 0, -4*plotMargin))
	var png bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&png); err != nil {
		return nil, fmt.Errorf("report: plot %s: %w", p.File, err)
	}
	return png.Bytes(), nil
}

// drawWithLabel draws the plot and the label of its y axis, which gonum puts beyond a logarithmic axis.
func (p *Plot) drawWithLabel(out *plot.Plot, c draw.Canvas) {
	style := out.Y.Label.TextStyle
	out.Y.Label.Text = ""
	inner := draw.Crop(c, style.Height(p.Y.Label)+plotMargin, 0, 0, 0)
	out.Draw(inner)
	style.Rotation, style.XAlign, style.YAlign = math.Pi/2, draw.XCenter, draw.YTop
	data := out.DataCanvas(inner)
	c.FillText(style, vg.Point{X: c.Min.X, Y: data.Center().Y}, p.Y.Label)
}

// color returns the number of the colour of a series.
func (p *Plot) color(n int) int {
	for m, s := range p.Series {
		if s.Name != "" && s.Name == p.Series[n].Of {
			return m
		}
	}
	return n
}

// hue returns a colour that no other of the first three times seven has: those of plotutil, and after these darker ones.
func hue(n int) color.Color {
	shades := []uint32{100, 60, 30} // per cent
	r, g, b, _ := plotutil.Color(n).RGBA()
	shade := func(v uint32) uint8 { return uint8(v >> 8 * shades[n/len(plotutil.SoftColors)%len(shades)] / 100) }
	return color.RGBA{shade(r), shade(g), shade(b), 255}
}

// points returns the finite points of a series.
func (s *Series) points() (points plotter.XYs) {
	for i, y := range s.Y {
		x := float64(i)
		if s.X != nil {
			x = s.X[i]
		}
		if !math.IsNaN(y) && !math.IsInf(y, 0) {
			points = append(points, plotter.XY{X: x, Y: y})
		}
	}
	return points
}

func (p *Plot) addLines(out *plot.Plot) error {
	for n, s := range p.Series {
		points := s.points()
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("series %s: %w", s.Name, err)
		}
		c := p.color(n)
		line.Color, dots.Color = hue(c), hue(c)
		line.Width, dots.Shape, dots.Radius = vg.Points(1.4), plotutil.Shape(n), vg.Points(3)
		if s.Dashed {
			line.Dashes = dashes
		}
		thumbs := []plot.Thumbnailer{line, dots}
		if s.Apart {
			dots.Shape, thumbs = draw.BoxGlyph{}, thumbs[1:]
		} else {
			out.Add(line)
		}
		out.Add(dots)
		if s.Name != "" {
			out.Legend.Add(s.Name, thumbs...)
		}
	}
	return nil
}

var dashes = []vg.Length{vg.Points(5), vg.Points(4)}

// rotated tells whether the names of bars do not fit side by side.
func (p *Plot) rotated() bool { return len(strings.Join(p.Bars, " ")) > 60 }

// longest returns the length of the longest name.
func longest(names []string) (n vg.Length) {
	for _, s := range names {
		n = max(n, vg.Length(len(s)))
	}
	return n
}

// setAxes sets scales, ticks, some room above, and the font of all texts.
func (p *Plot) setAxes(out *plot.Plot) {
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&out.X, p.X.Log}, {&out.Y, p.Y.Log}} {
		switch {
		case a.log && a.axis.Min > 0:
			a.axis.Scale, a.axis.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
		case p.Bars == nil || a.axis == &out.Y:
			a.axis.Tick.Marker = plot.TickerFunc(evenTicks)
		}
	}
	if p.Y.Log && out.Y.Min > 0 {
		out.Y.Min, out.Y.Max = mantissaBelow(out.Y.Min), mantissaAbove(out.Y.Max)
	} else {
		out.Y.Max += 0.05 * (out.Y.Max - out.Y.Min)
	}
	if p.rotated() {
		out.X.Tick.Label.Rotation = math.Pi / 4
		out.X.Tick.Label.XAlign, out.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	}
	for _, style := range []*text.Style{&out.Title.TextStyle, &out.X.Label.TextStyle, &out.Y.Label.TextStyle, &out.X.Tick.Label, &out.Y.Tick.Label, &out.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
}
