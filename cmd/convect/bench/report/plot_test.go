package report

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
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

// Nothing is cut: with many groups of bars and long names the outermost pixels are those of the background.
func TestNothingIsCut(t *testing.T) {
	p := &Plot{Title: "Jacobi sweep of Laplace's equation, 256 points", X: Axis{Label: "tile (x × y × z; *: whole axis)"},
		Y: Axis{Label: "two words a sweep, of copy"}, Series: []Series{{Name: "float32"}, {Name: "paper, 8800 GT", Of: "float32", X: []float64{28}, Y: []float64{0.75}, Dashed: true}}}
	for n := range 29 {
		p.Bars = append(p.Bars, fmt.Sprintf("registers, %d", n))
		p.Series[0].Y = append(p.Series[0].Y, float64(n))
	}
	drawn, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if inside := x > b.Min.X && x < b.Max.X-1 && y > b.Min.Y && y < b.Max.Y-1; inside {
				continue
			}
			if red, green, blue, _ := picture.At(x, y).RGBA(); min(red, green, blue) < 0xffff {
				t.Fatalf("something is drawn at the edge, at %d, %d of %v", x, y, b.Max)
			}
		}
	}
}
