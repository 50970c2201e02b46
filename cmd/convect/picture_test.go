package main

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"
)

// The colours of the bar have the same width whatever figures its numbers have.
func TestColourBarKeepsItsWidth(t *testing.T) {
	for _, ends := range [][2]float64{{0, 1}, {-0.0936, 1.0931}, {-123456, 1}, {1.00001, 1.00002}} {
		of, err := plainLook(&quantity{name: "temperature", label: "T", unit: "K"}, "png", pictureDots)
		if err != nil {
			t.Fatal(err)
		}
		of.low, of.high = ends[0], ends[1]
		hot := &slice{across: []float64{0, 1}, up: []float64{0, 1}, values: []float64{ends[1], ends[1], ends[1], ends[1]}}
		img, err := drawFrame([]panel{{field: hot}}, "", of)
		if err != nil {
			t.Fatal(err)
		}
		size := img.Bounds().Size()
		middle := of.colours.At(of.index((ends[0] + ends[1]) / 2))
		columns := 0
		for x := size.X / 2; x < size.X; x++ {
			near := 0 // pixels of the column with the colour in the middle of the range, which the panel has not
			for y := range size.Y {
				c := img.RGBAAt(x, y)
				if diff := max(int(c.R)-int(middle.R), int(middle.R)-int(c.R), int(c.G)-int(middle.G), int(middle.G)-int(c.G), int(c.B)-int(middle.B), int(middle.B)-int(c.B)); diff < 6 {
					near++
				}
			}
			if near > 0 {
				columns++
			}
		}
		if want := 5 / 25.4 * pictureDots; float64(columns) < want-3 || float64(columns) > want+3 {
			t.Errorf("from %g to %g the bar has %d columns of colour, want %.0f", ends[0], ends[1], columns, want)
		}
	}
}

// Panels of one picture have one scale, and begin on one line however wide the numbers of their axes are: at the left one below the other, on top side by side.
func TestPanelsAreAligned(t *testing.T) {
	of, err := plainLook(&quantity{name: "temperature", label: "T", unit: "K"}, "png", pictureDots)
	if err != nil {
		t.Fatal(err)
	}
	of.low, of.high = 0, 1
	plane := func(width, low, high float64) panel {
		return panel{field: &slice{across: []float64{0, width}, up: []float64{low, high}, values: []float64{0.5, 0.5, 0.5, 0.5}}}
	}
	for _, c := range []struct {
		name   string
		panels []panel
		sizes  [][2]float64
	}{
		{"below", []panel{plane(40, 0, 10), plane(20, 1000, 1010), plane(40, 0.01, 20)}, [][2]float64{{16, 4}, {8, 4}, {16, 8}}},
		{"beside", []panel{plane(10, 0, 10), plane(7.5, 1000, 1007.5)}, [][2]float64{{16, 16}, {12, 12}}},
		{"tiny", []panel{plane(10, 0, 10), plane(1, 0, 1)}, [][2]float64{{16, 16}, {4, 4}}},
	} {
		c.panels[len(c.panels)-1].title = "with a title"
		of.span(c.panels)
		img, err := drawFrame(c.panels, "", of)
		if err != nil {
			t.Fatal(err)
		}
		fields := patches(img, of.colours.At(of.index(0.5)))
		if len(fields) != len(c.sizes) {
			t.Fatalf("%s: fields at %v", c.name, fields)
		}
		for i, f := range fields {
			for d, pixels := range []int{f.Dx(), f.Dy()} {
				if want := c.sizes[i][d] / 2.54 * pictureDots; math.Abs(float64(pixels)-want) > 3 {
					t.Errorf("%s: field %d has %d pixels, want %.0f", c.name, i, pixels, want)
				}
			}
			if c.name == "below" && f.Min.X != fields[0].Min.X || c.name != "below" && f.Min.Y != fields[0].Min.Y {
				t.Errorf("%s: field %d begins at %v, the first at %v", c.name, i, f.Min, fields[0].Min)
			}
		}
	}
}

// The longest arrow is a strip long, whatever is fast between arrows; the others are in proportion.
func TestArrowsAreSeen(t *testing.T) {
	const n = 2*strips + 1
	u := &slice{values: make([]float64, n*n)}
	for i := range n {
		u.across = append(u.across, float64(i)/(n-1))
	}
	u.up = u.across
	w := &slice{across: u.across, up: u.up, values: make([]float64, n*n)}
	for i := range n * n {
		u.values[i], w.values[i] = float64(i%n)/(n-1), 0
	}
	w.values[n*n-1] = 1000 // in a corner, where there is no arrow
	longest, shortest := 0.0, math.Inf(1)
	all, fastest := arrows{[2]*slice{u, w}}.vectors()
	for _, v := range all {
		longest, shortest = math.Max(longest, math.Hypot(v.across, v.up)), math.Min(shortest, v.across)
	}
	if want := 1.0 / strips; math.Abs(longest-want) > 1e-12 {
		t.Errorf("the longest arrow is %g long, want %g", longest, want)
	}
	if want := 1 - 0.5/strips; math.Abs(fastest-want) > 1e-12 {
		t.Errorf("the longest arrow stands for a speed of %g, want %g", fastest, want)
	}
	if want := 1.0 / strips / (2*strips - 1); math.Abs(shortest-want) > 1e-12 { // the first and the last stand half a strip from the ends
		t.Errorf("the shortest arrow is %g long, want %g", shortest, want)
	}
}

// patches returns the rectangles of one colour that are at least half a centimetre high and 2 wide, from the top left on.
func patches(img *image.RGBA, of color.RGBA) (all []image.Rectangle) {
	const height, width = pictureDots / 5, pictureDots * 4 / 5
	is := func(x, y int) bool { return img.RGBAAt(x, y) == of }
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			at := image.Pt(x, y)
			known := slices.IndexFunc(all, func(r image.Rectangle) bool { return at.In(r) })
			switch {
			case known >= 0:
				x = all[known].Max.X - 1
			case is(x, y):
				r := image.Rect(x, y, x, y)
				for r.Max.X < b.Max.X && is(r.Max.X, y) {
					r.Max.X++
				}
				for r.Max.Y < b.Max.Y && is(x, r.Max.Y) {
					r.Max.Y++
				}
				if r.Dx() >= width && r.Dy() >= height {
					all = append(all, r)
				}
			}
		}
	}
	return all
}
