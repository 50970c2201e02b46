package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"convect/io/series"
	"convect/io/whole"
)

// Sizes of the picture.
const (
	pictureLong  = 16 * vg.Centimeter // longer side of a panel
	pictureShort = 4 * vg.Centimeter  // shorter side at least
	pictureDots  = 150                // per inch
	titleHeight  = 14 * vg.Millimeter
	imagePixels  = 1000 // along the longer side of a field
	paletteSize  = 512
	wide         = 1.6 // width over height from which panels stand one below the other
)

// panel is one plane of the picture, a vertical one with streamlines of the velocity in it.
type panel struct {
	field      *slice
	flow       [2]*slice     // nil: no streamlines
	title      string        // may be empty
	across, up string        // labels of the axes
	wells      []plotter.XYs // both ends of each
}

// pictures are the names of the pictures of the case.
func (s *session) pictures() []string {
	var names []string
	for _, of := range s.c.Parameters.Transported() {
		names = append(names, pictureName(of.Name))
	}
	return names
}

// drawPictures draws each scalar: in 2-D the field, in 3-D a vertical plane and the horizontal one in the middle. Their numbers are those of the summary.
func (s *session) drawPictures(summary *series.Summary) error {
	f, err := s.downloadFields()
	if err != nil {
		return err
	}
	for n, of := range s.c.Parameters.Transported() {
		label := of.Name
		switch {
		case of.Name == "temperature":
			label = "T"
		case of.Name == "concentration":
			label = "S"
		}
		png, err := drawPicture(s.panels(f, of.Name), s.pictureTitle(summary), axisLabel(label, of.Unit(s.c.Scales)), s.dots)
		if err == nil {
			err = whole.WriteFile(s.dir.path(s.pictures()[n]), png)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) pictureTitle(r *series.Summary) string {
	scales := &s.c.Scales
	title := fmt.Sprintf("%s\nRa = %.4g,  t = %s", s.c.Title, r.Rayleigh, scales.TimeText(float64(r.Time)/scales.Time, 4))
	if !math.IsNaN(float64(r.Nusselt)) {
		title += fmt.Sprintf(",  Nu = %.4g", r.Nusselt)
	}
	if sherwood, ok := r.Scalars["concentration"]["sherwood"]; ok && !math.IsNaN(float64(sherwood)) {
		title += fmt.Sprintf(",  Sh = %.4g", sherwood)
	}
	return title
}

func axisLabel(name, unit string) string {
	if unit == "1" {
		return name
	}
	return name + " [" + unit + "]"
}

// drawPicture returns the PNG, of so many dots an inch: panels with one colour bar.
func drawPicture(panels []panel, title, bar string, dots int) ([]byte, error) {
	colours := moreland.SmoothBlueRed()
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		l, h := p.field.span()
		low, high = math.Min(low, l), math.Max(high, h)
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	colours.SetMin(low)
	colours.SetMax(high)
	l := &layout{bar: colourBar(colours, bar), title: title, dots: dots}
	for _, p := range panels {
		l.add(p.plot(colours, imagePixels*dots/pictureDots), p.field)
	}
	return l.render()
}

// plot returns the plot of a panel, whose field has so many pixels along its longer side.
func (p *panel) plot(colours palette.ColorMap, pixels int) *plot.Plot {
	out := plot.New()
	t := p.field
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.title, p.across, p.up
	out.Title.Padding = 2 * vg.Millimeter
	a0, b0, a1, b1 := t.across[0], t.up[0], t.across[len(t.across)-1], t.up[len(t.up)-1]
	out.Add(plotter.NewImage(colourImage(t, colours, pixels), a0, b0, a1, b1))
	if p.flow[0] != nil {
		out.Add(streamlines(p.flow)...)
	}
	out.Add(wellMarks(p.wells)...)
	out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = a0, a1, b0, b1
	useSans(out)
	return out
}

func colourBar(colours palette.ColorMap, label string) *plot.Plot {
	bar := plot.New()
	bar.Add(&plotter.ColorBar{ColorMap: colours, Vertical: true, Colors: paletteSize})
	bar.HideX()
	bar.Y.Label.Text = label
	useSans(bar)
	return bar
}

// useSans sets the font of all texts and lets the axes touch the field.
func useSans(p *plot.Plot) {
	p.X.Padding, p.Y.Padding = 0, 0
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
}

// colourImage paints the values, interpolated, top row first, with so many pixels along the longer side.
func colourImage(t *slice, colours palette.ColorMap, pixels int) image.Image {
	width, height := t.size()
	scale := float64(pixels) / math.Max(width, height)
	na, nb := max(int(width*scale), 2), max(int(height*scale), 2)
	table := colours.Palette(paletteSize).Colors()
	low, high := colours.Min(), colours.Max()
	img := image.NewRGBA(image.Rect(0, 0, na, nb))
	for j := range nb {
		for i := range na {
			v := t.at(t.across[0]+width*(float64(i)+0.5)/float64(na), t.up[0]+height*(1-(float64(j)+0.5)/float64(nb)))
			n := int((v - low) / (high - low) * paletteSize)
			img.Set(i, j, table[min(max(n, 0), paletteSize-1)])
		}
	}
	return img
}

// layout places panels, the colour bar and the title. Fields keep their true proportions where they are not extreme.
type layout struct {
	panels []*plot.Plot
	sizes  []vg.Point // of the panels with their axes
	isWide bool
	bar    *plot.Plot
	title  string
	dots   int // per inch
}

// add appends a panel; what its title and axes take follows from a trial.
func (l *layout) add(p *plot.Plot, t *slice) {
	width, height := t.size()
	scale := float64(pictureLong) / math.Max(width, height)
	want := vg.Point{X: max(vg.Length(width*scale), pictureShort), Y: max(vg.Length(height*scale), pictureShort)}
	inner := p.DataCanvas(draw.New(vgimg.New(want.X, want.Y))).Size()
	l.panels = append(l.panels, p)
	l.sizes = append(l.sizes, vg.Point{X: 2*want.X - inner.X, Y: 2*want.Y - inner.Y})
	l.isWide = l.isWide || width > wide*height
}

// size returns the size of all panels together.
func (l *layout) size() vg.Point {
	var all vg.Point
	for _, s := range l.sizes {
		if l.isWide {
			all.X, all.Y = max(all.X, s.X), all.Y+s.Y
		} else {
			all.X, all.Y = all.X+s.X, max(all.Y, s.Y)
		}
	}
	return all
}

// render draws everything and returns a PNG.
func (l *layout) render() ([]byte, error) {
	const margin, gap, barWidth = 4 * vg.Millimeter, 5 * vg.Millimeter, 18 * vg.Millimeter
	size := l.size()
	full := vg.Point{X: size.X + gap + barWidth + 2*margin, Y: size.Y + titleHeight + 2*margin}
	canvas := vgimg.NewWith(vgimg.UseWH(full.X, full.Y), vgimg.UseDPI(l.dots), vgimg.UseBackgroundColor(color.White))
	all := draw.New(canvas)
	heading := l.panels[0].Title.TextStyle
	heading.Font.Size *= 1.15
	heading.XAlign, heading.YAlign = draw.XCenter, draw.YTop
	title := shortened(l.title, func(line string) bool { return heading.Width(line) <= full.X-2*margin })
	centre := max((margin+size.X)/2, margin+heading.Width(title)/2) // of the panels, or further right where they are narrow
	all.FillText(heading, vg.Point{X: centre, Y: full.Y - margin}, title)
	corner := vg.Point{X: margin, Y: margin + size.Y} // top left of the next panel
	var data vg.Rectangle
	for i, p := range l.panels {
		s := l.sizes[i]
		at := draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: corner.X, Y: corner.Y - s.Y}, Max: vg.Point{X: corner.X + s.X, Y: corner.Y}}}
		p.Draw(at)
		own := p.DataCanvas(at).Rectangle
		if i == 0 {
			data = own
		}
		data.Min.Y = min(data.Min.Y, own.Min.Y)
		if l.isWide {
			corner.Y -= s.Y
		} else {
			corner.X += s.X
		}
	}
	l.drawBar(draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: margin + size.X + gap, Y: data.Min.Y},
		Max: vg.Point{X: margin + size.X + gap + barWidth, Y: data.Max.Y}}})
	var png bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&png); err != nil {
		return nil, err
	}
	return png.Bytes(), nil
}

// shortened ends the lines of a text that are too long in an ellipsis.
func shortened(text string, fits func(line string) bool) string {
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		for runes := []rune(line); !fits(lines[n]) && len(runes) > 0; lines[n] = string(runes) + "…" {
			runes = runes[:len(runes)-1]
		}
	}
	return strings.Join(lines, "\n")
}

// drawBar draws the colour bar with its ends at those of the canvas.
func (l *layout) drawBar(c draw.Canvas) {
	own := l.bar.DataCanvas(c).Rectangle
	c.Min.Y, c.Max.Y = 2*c.Min.Y-own.Min.Y, 2*c.Max.Y-own.Max.Y
	l.bar.Draw(c)
}
