package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// addGroups draws the series side by side over the names in Bars.
func (p *Plot) addGroups(out *plot.Plot) error {
	places := map[string]int{} // of the series that have one of their own
	for _, s := range p.Series {
		if !s.Dashed {
			places[s.Name] = len(places)
		}
	}
	width := vg.Length(0.7) * plotWidth / vg.Length(len(p.Bars)*max(len(places), 1)+2)
	for n, s := range p.Series {
		color := hue(p.color(n))
		if s.Dashed && s.X == nil && len(s.Y) == 1 {
			addLevel(out, s, color)
			continue
		}
		place, own := places[s.Name]
		if other, ok := places[s.Of]; ok && !own {
			place, own = other, true
		}
		var offset vg.Length // of a group's middle where the series has no place
		if own {
			offset = width * (vg.Length(place) - vg.Length(len(places)-1)/2)
		}
		if s.Dashed || p.Y.Log {
			dots := &marks{XYs: s.points(), offset: offset, GlyphStyle: draw.GlyphStyle{Color: color, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}}
			if s.Dashed {
				dots.Shape, dots.Radius = draw.PyramidGlyph{}, vg.Points(4)
			}
			if s.Dashed && !p.Y.Log { // to be seen on a bar
				dots.Color = plotutil.DarkColors[p.color(n)%len(plotutil.DarkColors)]
			}
			out.Add(dots)
			out.Legend.Add(s.Name, dots)
			continue
		}
		bars, err := plotter.NewBarChart(plotter.Values(s.Y), width)
		if err != nil {
			return fmt.Errorf("series %s: %w", s.Name, err)
		}
		bars.Color, bars.LineStyle.Width, bars.Offset = color, 0, offset
		out.Add(bars)
		out.Legend.Add(s.Name, bars)
	}
	out.NominalX(p.Bars...)
	out.X.Min, out.X.Max = -0.5, float64(len(p.Bars))-0.5 // room for whole groups
	if !p.Y.Log {
		out.Y.Min = 0
	}
	return nil
}

// addLevel draws a dashed line across at one value.
func addLevel(out *plot.Plot, s Series, c color.Color) {
	level := s.Y[0]
	line := plotter.NewFunction(func(float64) float64 { return level })
	line.Color, line.Width, line.Dashes = c, vg.Points(1.4), dashes
	out.Add(line)
	out.Legend.Add(s.Name, line)
	out.Y.Min, out.Y.Max = math.Min(out.Y.Min, level), math.Max(out.Y.Max, level)
}

// marks are points over groups, moved aside as bars are.
type marks struct {
	plotter.XYs
	offset vg.Length
	draw.GlyphStyle
}

// Plot draws the points.
func (m *marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, v := range m.XYs {
		c.DrawGlyph(m.GlyphStyle, vg.Point{X: x(v.X) + m.offset, Y: y(v.Y)})
	}
}

// DataRange returns the extent of the points; without any it takes no room.
func (m *marks) DataRange() (left, right, low, high float64) {
	if len(m.XYs) == 0 {
		return math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	}
	return plotter.XYRange(m.XYs)
}

// Thumbnail draws a point for the legend.
func (m *marks) Thumbnail(c *draw.Canvas) { c.DrawGlyph(m.GlyphStyle, c.Center()) }
