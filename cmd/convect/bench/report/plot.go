package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sizes of a plot.
const (
	plotWidth  = 18 * vg.Centimeter
	plotHeight = 11 * vg.Centimeter
	plotDPI    = 130
)

// Plot is a diagram: lines over x, or with Bars a group of bars for every name in Bars.
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

// Series is a line of a plot, or the bars of one colour. Dashed marks what was not measured here.
type Series struct {
	Name   string
	X, Y   []float64 // X is not used by bars
	Dashed bool
}

// PNG draws the plot.
func (p *Plot) PNG() ([]byte, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.X.Label, p.Y.Label
	out.Title.Padding = 2 * vg.Millimeter
	out.Legend.Top = true
	out.Legend.Padding = vg.Millimeter
	out.Add(plotter.NewGrid())
	var err error
	if p.Bars != nil {
		err = p.addBars(out)
	} else {
		err = p.addLines(out)
	}
	if err != nil {
		return nil, fmt.Errorf("report: plot %s: %w", p.File, err)
	}
	p.setAxes(out)
	canvas := vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(plotDPI), vgimg.UseBackgroundColor(color.White))
	out.Draw(draw.New(canvas))
	var png bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&png); err != nil {
		return nil, fmt.Errorf("report: plot %s: %w", p.File, err)
	}
	return png.Bytes(), nil
}

func (p *Plot) addLines(out *plot.Plot) error {
	for n, s := range p.Series {
		points := make(plotter.XYs, len(s.X))
		for i := range points {
			points[i].X, points[i].Y = s.X[i], s.Y[i]
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("series %s: %w", s.Name, err)
		}
		line.Color, dots.Color = plotutil.Color(n), plotutil.Color(n)
		line.Width, dots.Shape = vg.Points(1.4), plotutil.Shape(n)
		if s.Dashed {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(4)}
		}
		out.Add(line, dots)
		out.Legend.Add(s.Name, line, dots)
	}
	return nil
}

func (p *Plot) addBars(out *plot.Plot) error {
	width := vg.Length(0.7) * plotWidth / vg.Length(len(p.Bars)*len(p.Series)+2)
	for n, s := range p.Series {
		bars, err := plotter.NewBarChart(plotter.Values(s.Y), width)
		if err != nil {
			return fmt.Errorf("series %s: %w", s.Name, err)
		}
		bars.Color, bars.LineStyle.Width = plotutil.Color(n), 0
		bars.Offset = width * (vg.Length(n) - vg.Length(len(p.Series)-1)/2)
		out.Add(bars)
		out.Legend.Add(s.Name, bars)
	}
	out.NominalX(p.Bars...)
	if len(strings.Join(p.Bars, " ")) > 60 {
		out.X.Tick.Label.Rotation = math.Pi / 5
		out.X.Tick.Label.XAlign, out.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	}
	out.X.Min, out.X.Max = -0.5, float64(len(p.Bars))-0.5 // room for whole groups of bars
	out.Y.Min = 0
	return nil
}

// setAxes sets scales, ticks, room for the legend and the font of all texts.
func (p *Plot) setAxes(out *plot.Plot) {
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&out.X, p.X.Log}, {&out.Y, p.Y.Log}} {
		if a.log && a.axis.Min > 0 && a.axis.Max > a.axis.Min {
			a.axis.Scale, a.axis.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
		}
	}
	if p.Y.Log && out.Y.Min > 0 {
		out.Y.Max *= math.Pow(out.Y.Max/out.Y.Min, 0.25)
	} else {
		out.Y.Max += 0.3 * (out.Y.Max - out.Y.Min)
	}
	for _, style := range []*text.Style{&out.Title.TextStyle, &out.X.Label.TextStyle, &out.Y.Label.TextStyle, &out.X.Tick.Label, &out.Y.Tick.Label, &out.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
}

// logTicks names 1, 2 and 5 of every decade, or the decades alone where there are many.
func logTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	decades := math.Log10(high / low)
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || decades < 3 && (m == 2 || m == 5) {
				t.Label = strconv.FormatFloat(v, 'g', 4, 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
