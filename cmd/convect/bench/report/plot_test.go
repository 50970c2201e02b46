package report

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotutil"
)

// labels returns the names of ticks.
func labels(ticks []plot.Tick) (names []string) {
	for _, t := range ticks {
		if t.Label != "" {
			names = append(names, t.Label)
		}
	}
	return names
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		got, want []string
	}{
		{labels(logTicks(0.5, 20)), []string{"0.5", "1", "2", "5", "10", "20"}},
		{labels(logTicks(1, 1e6)), []string{"1", "10", "100", "1000", "10000", "100000", "1000000"}},
		{labels(evenTicks(0, 1)), []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{labels(evenTicks(-0.03, 0.05)), []string{"-0.03", "-0.02", "-0.01", "0.00", "0.01", "0.02", "0.03", "0.04", "0.05"}},
		{labels(evenTicks(40, 121)), []string{"40", "50", "60", "70", "80", "90", "100", "110", "120"}},
		{labels(evenTicks(3, 3)), []string{"3"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	for _, c := range []struct{ v, below, above float64 }{{3, 2, 5}, {1, 1, 2}, {0.07, 0.05, 0.1}, {99, 50, 100}, {5, 5, 10}} {
		if b, a := mantissaBelow(c.v), mantissaAbove(c.v); math.Abs(b-c.below) > 1e-12 || math.Abs(a-c.above) > 1e-12 {
			t.Errorf("%g: from %g to %g", c.v, b, a)
		}
	}
}

// draws tells whether a change of a plot is seen.
func draws(t *testing.T, p *Plot, change func(p *Plot)) bool {
	t.Helper()
	before, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	changed := *p
	changed.Series = slices.Clone(p.Series)
	change(&changed)
	after, err := changed.PNG()
	if err != nil {
		t.Fatal(err)
	}
	return !bytes.Equal(before, after)
}

// What a paper has is seen on bars, on dots and across, and so is what is not finite left out.
func TestMarks(t *testing.T) {
	for _, log := range []bool{false, true} {
		p := &Plot{Bars: []string{"a", "b"}, Y: Axis{"s", log}, Series: []Series{{Name: "ours", Y: []float64{1, 2}}}}
		for name, s := range map[string]Series{
			"mark": {Name: "", X: []float64{1}, Y: []float64{1.5}, Dashed: true, Of: "ours"}, "level": {Y: []float64{1.5}, Dashed: true},
		} {
			with := *p
			with.Series = append(slices.Clone(p.Series), s)
			if !draws(t, &with, func(p *Plot) { p.Series[1].Y = []float64{1.2} }) {
				t.Errorf("logarithmic %v: another %s is not seen", log, name)
			}
		}
	}
	lines := &Plot{Series: []Series{{X: []float64{1, 2, 3}, Y: []float64{1, 2, 1}}}}
	if draws(t, lines, func(p *Plot) {
		p.Series[0] = Series{X: []float64{1, 2, 2.5, 3}, Y: []float64{1, 2, math.NaN(), 1}}
	}) {
		t.Error("a value that is not finite is drawn")
	}
	if !draws(t, lines, func(p *Plot) { p.Series[0].Apart = true }) {
		t.Error("points are joined all the same")
	}
	if _, err := (&Plot{Bars: []string{"a"}, Y: Axis{Log: true}, Series: []Series{{Name: "none", X: []float64{}, Dashed: true}}}).PNG(); err != nil {
		t.Error(err)
	}
}

// manyBars is a plot of many bars of one height with long names, and its picture.
func manyBars(t *testing.T, label string) (*Plot, image.Image) {
	t.Helper()
	p := &Plot{Title: "Jacobi sweep of Laplace's equation, 256 points", X: Axis{Label: "tile (x × y × z; *: whole axis)"}, Y: Axis{Label: label},
		Series: []Series{{Name: "float32"}}}
	for n := range 29 {
		p.Bars = append(p.Bars, fmt.Sprintf("registers, %d", n))
		p.Series[0].Y = append(p.Series[0].Y, 1)
	}
	drawn, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	return p, picture
}

// The bars at both ends are as wide as the others.
func TestBarsAreWhole(t *testing.T) {
	p, picture := manyBars(t, "two words a sweep, of copy")
	b, want := picture.Bounds(), plotutil.Color(0)
	var widths []int // along a line through the bars
	for x, before := b.Min.X, false; x < b.Max.X; x++ {
		inside := same(picture.At(x, b.Max.Y/2), want)
		if inside && !before {
			widths = append(widths, 0)
		}
		if inside {
			widths[len(widths)-1]++
		}
		before = inside
	}
	if len(widths) != len(p.Bars) || slices.Max(widths)-slices.Min(widths) > 2 {
		t.Errorf("widths of %d bars in pixels: %v", len(p.Bars), widths)
	}
}

// Names and labels end within the picture.
func TestNothingIsCut(t *testing.T) {
	cut := func(label string) bool {
		_, picture := manyBars(t, label)
		b := picture.Bounds()
		for x := b.Min.X; x < b.Max.X; x++ {
			if !same(picture.At(x, b.Min.Y), color.White) || !same(picture.At(x, b.Max.Y-1), color.White) {
				return true
			}
		}
		for y := b.Min.Y; y < b.Max.Y; y++ {
			if !same(picture.At(b.Min.X, y), color.White) || !same(picture.At(b.Max.X-1, y), color.White) {
				return true
			}
		}
		return false
	}
	if cut("two words a sweep, of copy") {
		t.Error("something is drawn at the edge")
	}
	if !cut(strings.Repeat("mm", 60)) {
		t.Error("a label that is too long is not seen at the edge")
	}
}

// Series of a picture do not look alike.
func TestHues(t *testing.T) {
	for n := range 21 {
		for m := range n {
			if same(hue(n), hue(m)) {
				t.Errorf("series %d and %d have one colour", m, n)
			}
		}
	}
}

// same tells whether two colours are.
func same(a, b color.Color) bool {
	r, g, u, _ := a.RGBA()
	r2, g2, u2, _ := b.RGBA()
	return r == r2 && g == g2 && u == u2
}
