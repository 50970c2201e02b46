package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"slices"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats lists what a figure can be written as; each is the ending of its files.
func Formats() []string { return []string{"pdf", "svg", "png"} }

// FormatOf returns the format of a file by its name.
func FormatOf(path string) (string, error) {
	for _, format := range Formats() {
		if strings.HasSuffix(strings.ToLower(path), "."+format) {
			return format, nil
		}
	}
	return "", fmt.Errorf("%s: the name of a picture ends in .pdf, .svg or .png", path)
}

// Canvas is a white sheet of one of the formats.
type Canvas struct {
	vg.CanvasWriterTo
	format string
	widths map[int]bool // of the images of a PDF
}

// New returns a sheet of a size; dots is the number of pixels an inch of a PNG.
func New(format string, width, height vg.Length, dots int) (*Canvas, error) {
	if !slices.Contains(Formats(), format) {
		return nil, fmt.Errorf("there is no format %q; accepted: %s", format, strings.Join(Formats(), ", "))
	}
	c := &Canvas{format: format}
	switch format {
	case "png":
		c.CanvasWriterTo = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dots), vgimg.UseBackgroundColor(color.White))}
		return c, nil
	case "svg":
		c.CanvasWriterTo = vgsvg.New(width, height)
	case "pdf":
		undated()
		c.CanvasWriterTo = vgpdf.New(width, height)
	}
	white := draw.New(c)
	white.FillPolygon(color.White, []vg.Point{white.Min, {X: white.Max.X, Y: white.Min.Y}, white.Max, {X: white.Min.X, Y: white.Max.Y}})
	return c, nil
}

// undated lets the library for PDF write no time of today.
var undated = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// Size returns the size of the sheet.
func (c *Canvas) Size() (width, height vg.Length) { return c.CanvasWriterTo.(vg.CanvasSizer).Size() }

// SetColor sets the colour of lines and areas. The library for PDF would multiply that of a translucent one by its opacity twice, which makes white grey.
func (c *Canvas) SetColor(of color.Color) {
	if c.format == "pdf" && of != nil {
		of = straight{color.NRGBAModel.Convert(of).(color.NRGBA)}
	}
	c.CanvasWriterTo.SetColor(of)
}

// straight is a colour that is not multiplied by its opacity.
type straight struct{ color.NRGBA }

// RGBA returns its parts as they are.
func (s straight) RGBA() (r, g, b, a uint32) {
	const whole = 0x101 // 16 bits of 8
	return uint32(s.R) * whole, uint32(s.G) * whole, uint32(s.B) * whole, uint32(s.A) * whole
}

// DrawImage draws an image into a rectangle, its first row on top. The library for PDF would have it upside down.
func (c *Canvas) DrawImage(into vg.Rectangle, img image.Image) {
	if c.format == "pdf" {
		extra := 0 // the library stores images by width, and those of one width in any order
		for c.widths[img.Bounds().Dx()+extra] {
			extra++
		}
		if c.widths == nil {
			c.widths = map[int]bool{}
		}
		c.widths[img.Bounds().Dx()+extra] = true
		img = flipped{img, extra}
	}
	c.CanvasWriterTo.DrawImage(into, img)
}

// flipped is an image upside down, and wider by some columns.
type flipped struct {
	image.Image
	extra int
}

// Bounds returns its rectangle.
func (f flipped) Bounds() image.Rectangle {
	b := f.Image.Bounds()
	b.Max.X += f.extra
	return b
}

// At returns the pixel of the row that is mirrored.
func (f flipped) At(x, y int) color.Color {
	b := f.Image.Bounds()
	return f.Image.At(b.Min.X+(x-b.Min.X)*b.Dx()/(b.Dx()+f.extra), b.Max.Y-1-(y-b.Min.Y))
}

// Image returns what was drawn on a sheet of PNG; nil of the other formats.
func (c *Canvas) Image() *image.RGBA {
	png, ok := c.CanvasWriterTo.(vgimg.PngCanvas)
	if !ok {
		return nil
	}
	out := image.NewRGBA(png.Image().Bounds())
	imagedraw.Draw(out, out.Bounds(), png.Image(), out.Bounds().Min, imagedraw.Src)
	return out
}

// Bytes returns the file. Nothing can be drawn afterwards.
func (c *Canvas) Bytes() ([]byte, error) {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("%s: %w", c.format, err)
	}
	if c.format == "svg" { // else a viewer keeps the proportions of the image and leaves a part of its place empty; and the library calls PNG JPEG
		text := bytes.ReplaceAll(b.Bytes(), []byte("<image "), []byte(`<image preserveAspectRatio="none" `))
		return bytes.ReplaceAll(text, []byte("data:image/jpg;base64"), []byte("data:image/png;base64")), nil
	}
	return b.Bytes(), nil
}
