package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"convect/io/whole"
	"convect/kernels"
)

// Sizes of the picture.
const (
	pictureLong  = 16 * vg.Centimeter // longer side of the domain
	pictureShort = 4 * vg.Centimeter  // shorter side at least
	pictureDPI   = 150
	imagePixels  = 1000 // along the longer side
)

// picture draws the temperature on the vertical mid-plane, or the whole field in 2-D, with streamlines of the velocity
// in that plane, into temperature.png.
func (s *session) picture() error {
	t, err := s.plane("temperature", 0, 1)
	if err != nil {
		return err
	}
	var flow [2]*slice
	for i, component := range []int{0, 2} {
		if flow[i], err = s.plane("velocity", component, 3); err != nil {
			return err
		}
	}
	png, err := drawPicture(t, flow, s.pictureLabels())
	if err != nil {
		return err
	}
	return whole.WriteFile(s.dir.path(pictureName), png)
}

// slice holds values on the nodes of a vertical plane, x fastest, in the units of the case.
type slice struct {
	x, z   []float64
	values []float64
}

// plane downloads a component of a quantity on the plane in the middle of y; periodic planes are repeated.
func (s *session) plane(name string, component, components int) (*slice, error) {
	values, err := s.simulation.Download(name)
	if err != nil {
		return nil, err
	}
	g := s.simulation.Grid()
	out := &slice{x: g.Coordinates(kernels.X), z: g.Coordinates(kernels.Z)}
	if g.Periodic[kernels.X] {
		out.x = append(out.x, g.Size[kernels.X])
	}
	if g.Periodic[kernels.Z] {
		out.z = append(out.z, g.Size[kernels.Z])
	}
	scale := 1.0
	for _, q := range s.simulation.Quantities() {
		if q.Name == name {
			scale = q.Scale(s.c.Scales)
		}
	}
	n := g.Box.N
	for k := range out.z {
		for i := range out.x {
			node := i%n[0] + n[0]*(n[1]/2+n[1]*(k%n[2]))
			out.values = append(out.values, scale*values[components*node+component])
		}
	}
	for _, x := range [][]float64{out.x, out.z} {
		for i := range x {
			x[i] *= s.c.Scales.Length
		}
	}
	return out, nil
}

// at interpolates linearly on a uniform grid.
func (s *slice) at(x, z float64) float64 {
	i, a := locate(s.x, x)
	k, b := locate(s.z, z)
	n := len(s.x)
	v := s.values[k*n+i:]
	return (1-b)*((1-a)*v[0]+a*v[1]) + b*((1-a)*v[n]+a*v[n+1])
}

// locate returns the cell of a uniform axis that holds a point, and how far in it lies.
func locate(x []float64, at float64) (cell int, part float64) {
	last := len(x) - 1
	s := (at - x[0]) / (x[last] - x[0]) * float64(last)
	cell = min(max(int(s), 0), last-1)
	return cell, min(max(s-float64(cell), 0), 1)
}

// span returns the least and the greatest value.
func (s *slice) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range s.values {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	return low, high
}

// size returns the lengths of the plane.
func (s *slice) size() (width, height float64) {
	return s.x[len(s.x)-1] - s.x[0], s.z[len(s.z)-1] - s.z[0]
}

// labels are the texts of a picture.
type labels struct{ title, x, z, bar string }

func (s *session) pictureLabels() labels {
	title := fmt.Sprintf("%s\nRa = %.4g,  t = %.4g%s", s.c.Title, s.c.Parameters.Rayleigh,
		s.simulation.Time()*s.c.Scales.Time, unitSuffix(s.c.Scales.TimeUnit))
	if nu := s.simulation.Sample().Nusselt(); !math.IsNaN(nu) {
		title += fmt.Sprintf(",  Nu = %.4g", nu)
	}
	if g := s.simulation.Grid(); !g.Flat() {
		y := float64(g.Box.N[1]/2) / float64(g.Cells[1]) * g.Size[1] * s.c.Scales.Length
		title += fmt.Sprintf(",  plane y = %.4g%s", y, unitSuffix(s.c.Scales.LengthUnit))
	}
	return labels{title: title, x: axisLabel("x", s.c.Scales.LengthUnit), z: axisLabel("z", s.c.Scales.LengthUnit),
		bar: axisLabel("T", s.c.Scales.TemperatureUnit)}
}

func axisLabel(name, unit string) string {
	if unit == "1" {
		return name
	}
	return name + " [" + unit + "]"
}

// drawPicture returns the PNG.
func drawPicture(t *slice, flow [2]*slice, l labels) ([]byte, error) {
	low, high := t.span()
	colours := moreland.SmoothBlueRed()
	colours.SetMin(low)
	colours.SetMax(high)
	main := plot.New()
	main.Title.Text = l.title
	main.Title.Padding = 3 * vg.Millimeter
	main.X.Label.Text, main.Y.Label.Text = l.x, l.z
	field, err := colourImage(t, colours)
	if err != nil {
		return nil, err
	}
	x0, z0, x1, z1 := t.x[0], t.z[0], t.x[len(t.x)-1], t.z[len(t.z)-1]
	main.Add(plotter.NewImage(field, x0, z0, x1, z1))
	for _, s := range streamlines(flow) {
		main.Add(s)
	}
	main.X.Min, main.X.Max, main.Y.Min, main.Y.Max = x0, x1, z0, z1
	bar := plot.New()
	bar.Add(&plotter.ColorBar{ColorMap: colours, Vertical: true, Colors: 256})
	bar.HideX()
	bar.X.Padding, bar.Y.Padding = 0, 0
	bar.Y.Label.Text = l.bar
	for _, p := range []*plot.Plot{main, bar} {
		p.X.Padding, p.Y.Padding = 0, 0
		for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
			style.Font.Variant = "Sans"
		}
	}
	return render(main, bar, t)
}

// colourImage paints the values, interpolated, top row first.
func colourImage(t *slice, colours palette.ColorMap) (image.Image, error) {
	width, height := t.size()
	scale := imagePixels / math.Max(width, height)
	nx, nz := max(int(width*scale), 2), max(int(height*scale), 2)
	img := image.NewRGBA(image.Rect(0, 0, nx, nz))
	for j := range nz {
		for i := range nx {
			v := t.at(t.x[0]+width*(float64(i)+0.5)/float64(nx), t.z[0]+height*(1-(float64(j)+0.5)/float64(nz)))
			c, err := colours.At(math.Min(math.Max(v, colours.Min()), colours.Max()))
			if err != nil {
				return nil, fmt.Errorf("colour of %g: %w", v, err)
			}
			img.Set(i, j, c)
		}
	}
	return img, nil
}

// render lays out the field, in its true proportions where they are not extreme, and the colour bar beside it.
func render(main, bar *plot.Plot, t *slice) ([]byte, error) {
	width, height := t.size()
	scale := float64(pictureLong) / math.Max(width, height)
	want := vg.Point{X: max(vg.Length(width*scale), pictureShort), Y: max(vg.Length(height*scale), pictureShort)}
	const margin, gap, barWidth = 4 * vg.Millimeter, 5 * vg.Millimeter, 18 * vg.Millimeter
	// What title and axes take follows from a trial.
	trial := draw.New(vgimg.New(want.X, want.Y))
	inner := main.DataCanvas(trial)
	size := vg.Point{X: 2*want.X - inner.Size().X, Y: 2*want.Y - inner.Size().Y}
	canvas := vgimg.NewWith(vgimg.UseWH(size.X+gap+barWidth+2*margin, size.Y+2*margin), vgimg.UseDPI(pictureDPI),
		vgimg.UseBackgroundColor(color.White))
	all := draw.New(canvas)
	left := draw.Crop(all, margin, -margin-barWidth-gap, margin, -margin)
	main.Draw(left)
	data := main.DataCanvas(left)
	bar.Draw(draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: left.Max.X + gap, Y: data.Min.Y}, Max: vg.Point{X: left.Max.X + gap + barWidth, Y: data.Max.Y}}})
	var png bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&png); err != nil {
		return nil, err
	}
	return png.Bytes(), nil
}
