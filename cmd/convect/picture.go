package main

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/colours"
	"convect/cmd/convect/figure"
	"convect/io/series"
	"convect/io/whole"
	"convect/kernels"
)

// Sizes of the picture.
const (
	pictureLong  = 16 * vg.Centimeter // longer side of a panel
	pictureShort = 4 * vg.Centimeter  // shorter side at least
	pictureDots  = 150                // per inch
	titleHeight  = 14 * vg.Millimeter
	headingSize  = vg.Length(11.5)
	imagePixels  = 1000 // along the longer side of a field
	wide         = 1.6  // width over height from which panels stand one below the other
)

// panel is one plane of the picture with what lies over its colours.
type panel struct {
	field      *slice
	flow       [2]*slice // streamlines of it; nil: none
	vectors    [2]*slice // arrows of it; nil: none
	contours   []contour
	title      string        // may be empty
	across, up figure.Axis   // ranges follow from the field
	wells      []plotter.XYs // both ends of each
}

// contour is the lines of a level.
type contour struct {
	level float64
	lines [][]figure.Point
}

// look says how a picture is drawn.
type look struct {
	format   string
	dots     int // per inch
	colours  *colours.Map
	low      float64 // the range of the colours; both NaN: that of the panels
	high     float64
	centred  bool // a range of the panels has zero in its middle
	barLabel figure.Axis
	log      bool // colours by the logarithm of the value
}

// index returns the place of a value among the colours.
func (l *look) index(v float64) int {
	if l.log {
		return colours.Index(math.Log(math.Max(v, l.low)), math.Log(l.low), math.Log(l.high))
	}
	return colours.Index(v, l.low, l.high)
}

// plainLook returns the usual look of a quantity.
func plainLook(q *quantity, format string, dots int) (*look, error) {
	name := colours.Default
	if q.signed {
		name = colours.Signed
	}
	m, err := colours.Get(name)
	return &look{format: format, dots: dots, colours: m, low: math.NaN(), high: math.NaN(), centred: q.signed, barLabel: figure.Axis{Label: q.label, Unit: q.unit}}, err
}

// span sets the range that is not given to that of panels.
func (l *look) span(panels []panel) {
	if !math.IsNaN(l.low) {
		return
	}
	l.low, l.high = math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		low, high := p.field.span()
		l.low, l.high = math.Min(l.low, low), math.Max(l.high, high)
	}
	if l.centred {
		l.high = math.Max(math.Abs(l.low), math.Abs(l.high))
		l.low = -l.high
	}
	switch {
	case l.log && l.low > 0:
		l.low, l.high = figure.Decades(l.low, l.high)
	case l.low == l.high:
		l.low, l.high = l.low-0.5, l.high+0.5
	}
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
	f := s.fields()
	for n, of := range s.c.Parameters.Transported() {
		q, err := f.find(of.Name)
		if err != nil {
			return err
		}
		l, err := plainLook(q, "png", s.dots)
		if err != nil {
			return err
		}
		panels := f.panels(q, s.c)
		if f.failure != nil {
			return f.failure
		}
		png, err := drawPicture(panels, s.pictureTitle(summary), l)
		if err == nil {
			err = whole.WriteFile(s.dir.path(s.pictures()[n]), png)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// panels returns what the picture of a quantity shows by default; c tells of wells.
func (f *fields) panels(q *quantity, c *casefile.Case) []panel {
	j := 0
	if !f.flat() {
		of := q.name
		if !f.holds(of) || f.isVector(of) {
			of = f.names[0]
		}
		j = f.liveliest(of)
	}
	vertical := f.panel(q, c, kernels.Y, j)
	if f.flat() {
		vertical.title = ""
	}
	if slices.Contains(f.names, velocityName) {
		vertical.flow = f.flow(kernels.Y, j)
	}
	if f.flat() {
		return []panel{vertical}
	}
	return []panel{vertical, f.panel(q, c, kernels.Z, middle(f.x[kernels.Z]))}
}

// panel returns the plane across an axis at a node, in colours alone.
func (f *fields) panel(q *quantity, c *casefile.Case, normal, index int) panel {
	a, b := planeAxes(normal)
	axis := func(d int) figure.Axis { return figure.Axis{Label: string("xyz"[d]), Unit: f.lengthUnit} }
	p := panel{field: q.plane(normal, index), across: axis(a), up: axis(b),
		title: fmt.Sprintf("plane %c = %s%s", "xyz"[normal], figure.Typeset(fmt.Sprintf("%.4g", f.x[normal][index])), unitSuffix(f.lengthUnit))}
	if c != nil {
		p.wells = wellEnds(c, a, b)
	}
	return p
}

// planeAxes returns what runs across and up in a plane.
func planeAxes(normal int) (across, up int) {
	switch normal {
	case kernels.X:
		return kernels.Y, kernels.Z
	case kernels.Y:
		return kernels.X, kernels.Z
	}
	return kernels.X, kernels.Y
}

// flow returns the velocity in a plane; nil where the fluid is at rest.
func (f *fields) flow(normal, index int) [2]*slice {
	a, b := planeAxes(normal)
	u := [2]*slice{f.plane(velocityName, a, normal, index), f.plane(velocityName, b, normal, index)}
	for i, v := range u[0].values {
		if math.Hypot(v, u[1].values[i]) > f.atRest {
			return u
		}
	}
	return [2]*slice{}
}

func (s *session) pictureTitle(r *series.Summary) string {
	scales := &s.c.Scales
	title := fmt.Sprintf("Ra = %.4g,  t = %s", r.Rayleigh, scales.TimeText(float64(r.Time)/scales.Time, 4))
	if !math.IsNaN(float64(r.Nusselt)) {
		title += fmt.Sprintf(",  Nu = %.4g", r.Nusselt)
	}
	if sherwood, ok := r.Scalars["concentration"]["sherwood"]; ok && !math.IsNaN(float64(sherwood)) {
		title += fmt.Sprintf(",  Sh = %.4g", sherwood)
	}
	return s.c.Title + "\n" + figure.Typeset(title)
}

// drawPicture returns the file of panels with one colour bar.
func drawPicture(panels []panel, title string, of *look) ([]byte, error) {
	canvas, err := drawPanels(panels, title, of)
	if err != nil {
		return nil, err
	}
	return canvas.Bytes()
}

// drawFrame returns the pixels of panels with one colour bar.
func drawFrame(panels []panel, title string, of *look) (*image.RGBA, error) {
	canvas, err := drawPanels(panels, title, of)
	if err != nil {
		return nil, err
	}
	return canvas.Image(), nil
}

func drawPanels(panels []panel, title string, of *look) (*figure.Canvas, error) {
	of.span(panels)
	l := &layout{look: of, title: title}
	longest := 0.0
	for _, p := range panels {
		width, height := p.field.size()
		longest = math.Max(longest, math.Max(width, height))
		l.isWide = l.isWide || width > wide*height
	}
	for _, p := range panels {
		l.add(&p, float64(pictureLong)/longest)
	}
	return l.render()
}

// plot returns the plot of a panel, whose axes are so long.
func (p *panel) plot(of *look, size vg.Point) *plot.Plot {
	out := plot.New()
	figure.Plain(out)
	t := p.field
	out.Title.Text = p.title
	a0, b0, a1, b1 := t.across[0], t.up[0], t.across[len(t.across)-1], t.up[len(t.up)-1]
	out.Add(plotter.NewImage(colourImage(t, of, imagePixels*of.dots/pictureDots), a0, b0, a1, b1))
	for _, c := range p.contours {
		out.Add(contourLines(c))
	}
	if p.flow[0] != nil {
		out.Add(streamlines(p.flow)...)
	}
	if p.vectors[0] != nil {
		out.Add(arrows{p.vectors})
	}
	out.Add(wellMarks(p.wells)...)
	for _, a := range []struct {
		of        figure.Axis
		axis      *plot.Axis
		low, high float64
		length    vg.Length
	}{{p.across, &out.X, a0, a1, size.X}, {p.up, &out.Y, b0, b1, size.Y}} {
		a.of.Low, a.of.High = a.low, a.high
		a.of.Steps = steps(a.length)
		a.of.Along(a.axis, a.low, a.high)
	}
	out.Add(figure.Frame{})
	return out
}

// steps returns into how many steps an axis of a length is divided.
func steps(length vg.Length) int {
	return min(max(int(length/(1.6*vg.Centimeter)), 1), 6)
}

// colourBar returns the bar of a look as the plot of an image, so long.
func colourBar(of *look, length vg.Length) *plot.Plot {
	bar := plot.New()
	figure.Plain(bar)
	img := image.NewRGBA(image.Rect(0, 0, 1, colours.Size))
	for i := range colours.Size {
		img.Set(0, colours.Size-1-i, of.colours.At(i))
	}
	bar.Add(plotter.NewImage(img, 0, of.low, 1, of.high))
	bar.HideX()
	axis := of.barLabel
	axis.Low, axis.High, axis.Steps, axis.Log = of.low, of.high, steps(length), of.log
	axis.Along(&bar.Y, of.low, of.high)
	bar.X.Min, bar.X.Max = 0, 1
	bar.Add(figure.Frame{Bottom: true})
	return bar
}

// colourImage paints the values, interpolated, top row first, with so many pixels along the longer side.
func colourImage(t *slice, of *look, pixels int) image.Image {
	width, height := t.size()
	scale := float64(pixels) / math.Max(width, height)
	na, nb := max(int(width*scale), 2), max(int(height*scale), 2)
	img := image.NewRGBA(image.Rect(0, 0, na, nb))
	for j := range nb {
		for i := range na {
			v := t.at(t.across[0]+width*(float64(i)+0.5)/float64(na), t.up[0]+height*(1-(float64(j)+0.5)/float64(nb)))
			img.SetRGBA(i, j, of.colours.At(of.index(v)))
		}
	}
	return img
}

// layout places panels, the colour bar and the title. Fields have one scale and keep their true proportions where these are not extreme.
type layout struct {
	look   *look
	panels []placed
	isWide bool // panels stand one below the other, not side by side
	title  string
}

// placed is a panel with its size and, in that, the field within its axes.
type placed struct {
	*plot.Plot
	size  vg.Point
	field vg.Rectangle
}

// on returns the part of a canvas that a panel gets whose field has its top left corner at a point.
func (p *placed) on(c vg.CanvasSizer, corner vg.Point) draw.Canvas {
	at := draw.New(c)
	at.Min = vg.Point{X: corner.X - p.field.Min.X, Y: corner.Y - p.field.Max.Y}
	at.Max = at.Min.Add(p.size)
	return at
}

// panelSize returns how large a field is drawn at a scale: one that would be tiny larger, and a narrow one wider.
func panelSize(of *slice, scale float64) vg.Point {
	width, height := of.size()
	if math.Max(width, height)*scale < float64(pictureShort) {
		scale = math.Min(float64(pictureShort)/math.Min(width, height), float64(pictureLong)/math.Max(width, height))
	}
	return vg.Point{X: max(vg.Length(width*scale), pictureShort), Y: max(vg.Length(height*scale), pictureShort)}
}

// add appends a panel; what its title and axes take follows from trials.
func (l *layout) add(of *panel, scale float64) {
	const trials = 3 // the numbers at the ends of an axis may reach beyond it
	want := panelSize(of.field, scale)
	p := placed{Plot: of.plot(l.look, want), size: want}
	for range trials {
		p.field = p.DataCanvas(draw.NewCanvas(&recorder.Canvas{}, p.size.X, p.size.Y)).Rectangle
		p.size = p.size.Add(want.Sub(p.field.Size()))
	}
	l.panels = append(l.panels, p)
}

// panelGap lies between two panels.
const panelGap = 3 * vg.Millimeter

// corners returns the top left corners of the fields, seen from the top left corner of the least rectangle with all panels, and the size of this. The fields begin on
// one line, however wide the numbers of their axes are.
func (l *layout) corners() (at []vg.Point, all vg.Point) {
	first := vg.Point{} // of the fields
	for _, p := range l.panels {
		first.X, first.Y = max(first.X, p.field.Min.X), max(first.Y, p.size.Y-p.field.Max.Y)
	}
	next := vg.Point{}
	for _, p := range l.panels {
		corner := vg.Point{X: next.X + p.field.Min.X, Y: first.Y}
		if l.isWide {
			corner = vg.Point{X: first.X, Y: next.Y + p.size.Y - p.field.Max.Y}
		}
		end := vg.Point{X: corner.X - p.field.Min.X + p.size.X, Y: corner.Y + p.field.Max.Y}
		at, all = append(at, vg.Point{X: corner.X, Y: -corner.Y}), vg.Point{X: max(all.X, end.X), Y: max(all.Y, end.Y)}
		next = vg.Point{X: end.X + panelGap, Y: end.Y + panelGap}
	}
	return at, all
}

// render draws everything.
func (l *layout) render() (*figure.Canvas, error) {
	const margin, gap = 4 * vg.Millimeter, 5 * vg.Millimeter
	corners, size := l.corners()
	barWidth := l.barWidth(size.Y)
	full := vg.Point{X: size.X + gap + barWidth + 2*margin, Y: size.Y + titleHeight + 2*margin}
	canvas, err := figure.New(l.look.format, full.X, full.Y, l.look.dots)
	if err != nil {
		return nil, err
	}
	all := draw.New(canvas)
	heading := figure.Style(headingSize)
	heading.XAlign, heading.YAlign = draw.XCenter, draw.YTop
	title := figure.Shortened(l.title, func(line string) bool { return heading.Width(line) <= full.X-2*margin })
	centre := max((margin+size.X)/2, margin+heading.Width(title)/2) // of the panels, or further right where they are narrow
	all.FillText(heading, vg.Point{X: centre, Y: full.Y - margin}, title)
	top := vg.Point{X: margin, Y: margin + size.Y}
	bar := vg.Rectangle{Min: vg.Point{X: margin + size.X + gap, Y: full.Y}, Max: vg.Point{X: margin + size.X + gap + barWidth, Y: top.Y + corners[0].Y}}
	for i, p := range l.panels {
		at := p.on(canvas, top.Add(corners[i]))
		p.Draw(at)
		bar.Min.Y = min(bar.Min.Y, at.Min.Y+p.field.Min.Y)
	}
	l.drawBar(draw.Canvas{Canvas: canvas, Rectangle: bar})
	return canvas, nil
}

// barWidth returns the width of a colour bar so long, with its numbers, however many figures they have.
func (l *layout) barWidth(length vg.Length) vg.Length {
	const colour, trial = 5 * vg.Millimeter, 50 * vg.Millimeter
	inner := colourBar(l.look, length).DataCanvas(draw.New(vgimg.New(trial, length))).Size()
	return colour + trial - inner.X
}

// drawBar draws the colour bar with its ends at those of the canvas.
func (l *layout) drawBar(c draw.Canvas) {
	bar := colourBar(l.look, c.Size().Y)
	own := bar.DataCanvas(c).Rectangle
	c.Min.Y, c.Max.Y = 2*c.Min.Y-own.Min.Y, 2*c.Max.Y-own.Max.Y
	bar.Draw(c)
}
