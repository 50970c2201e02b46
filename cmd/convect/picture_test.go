package main

import (
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
