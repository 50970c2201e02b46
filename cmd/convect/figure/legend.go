package figure

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
