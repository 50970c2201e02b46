package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

func texts(low, high float64, t ticker) string {
	var words []string
	for _, tick := range t.Ticks(low, high) {
		if tick.Label != "" {
			words = append(words, tick.Label)
		}
	}
	return strings.Join(words, " ")
}

// Both ends of a range have a number, numbers are rounded alike, and none stands beside another.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		of        ticker
		want      string
	}{
		{0, 1, ticker{}, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{-1, 1, ticker{}, "−1.0 −0.5 0.0 0.5 1.0"},
		{0, 1.037, ticker{}, "0.0 0.2 0.4 0.6 0.8 1.037"},
		{-0.0371, 1, ticker{}, "−0.037 0.2 0.4 0.6 0.8 1.0"},
		{0, 89.27, ticker{room: 3}, "0 50 89.3"},
		{0, 350, ticker{}, "0 50 100 150 200 250 300 350"},
		{0, 3, ticker{least: 1}, "0 1 2 3"},
		{0, 40, ticker{least: 1}, "0 10 20 30 40"},
		{0, 5e-14, ticker{power: -14}, "0 1 2 3 4 5"},
		{1, 1000, ticker{log: true}, "1 10 100 1000"},
		{1e-9, 1e9, ticker{log: true}, "10⁻⁹ 10⁻⁶ 10⁻³ 1 1000 10⁶ 10⁹"},
		{20, 300, ticker{log: true}, "20 50 100 200 300"},
		{1e-14, 2e-14, ticker{log: true}, "10⁻¹⁴ 2×10⁻¹⁴"},
	} {
		if got := texts(c.low, c.high, c.of); got != c.want {
			t.Errorf("%g … %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

// A range of data ends at ticks.
func TestWidened(t *testing.T) {
	for _, c := range []struct {
		axis                    Axis
		low, high, wantL, wantH float64
	}{
		{Axis{}, 0.03, 0.97, 0, 1},
		{Axis{}, 1.6, 2.75, 1.6, 2.8},
		{Axis{Whole: true}, 0.98, 2.02, 0, 3},
		{Axis{}, 3, 3, 2.7, 3.3},
		{Axis{}, 0, 0, -1, 1},
		{Axis{Log: true}, 52, 290, 50, 300},
		{Axis{Log: true}, 1e-13, 1e-13, 9e-14, 2e-13},
		{Axis{Log: true}, 3e-4, 20, 1e-4, 100},
		{Axis{Low: 2, High: 7.3}, 0, 1, 2, 7.3},
	} {
		low, high := c.axis.widened(c.low, c.high)
		if math.Abs(low-c.wantL) > 1e-9*math.Abs(c.wantH) || math.Abs(high-c.wantH) > 1e-9*math.Abs(c.wantH) {
			t.Errorf("%g … %g of %+v: %g … %g, want %g … %g", c.low, c.high, c.axis, low, high, c.wantL, c.wantH)
		}
	}
}

// Runs, seeds and cycles have no halves between them on an axis; what is measured between whole numbers has.
func TestCountedAxes(t *testing.T) {
	texts := func(a plot.Axis) string {
		var words []string
		for _, tick := range a.Tick.Marker.Ticks(a.Min, a.Max) {
			words = append(words, tick.Label)
		}
		return strings.Join(words, " ")
	}
	for _, c := range []struct {
		of           Chart
		wantX, wantY string
	}{
		{Chart{Curves: []Curve{{X: []float64{1, 2, 3}, Y: []float64{0, 0.5, math.NaN()}, Marks: true}}}, "0 1 2 3", "0.0 0.1 0.2 0.3 0.4 0.5 0.6"},
		{Chart{Curves: []Curve{{X: []float64{1, 1.5, 3}, Y: []float64{0, 2, 1}, Line: true}}}, "1.0 1.5 2.0 2.5 3.0", "0 1 2"},
		{Chart{Curves: []Curve{{X: []float64{1, 9}, Y: []float64{0, 2}, Low: []float64{0, 1.5}, High: []float64{0, 2.5}}}}, "0 2 4 6 8 10", "0.0 0.5 1.0 1.5 2.0 2.5"},
	} {
		p := c.of.plot()
		if x, y := texts(p.X), texts(p.Y); x != c.wantX || y != c.wantY {
			t.Errorf("curves %+v: ticks %s and %s, want %s and %s", c.of.Curves, x, y, c.wantX, c.wantY)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		axis  Axis
		power int
		want  string
	}{{Axis{Label: "Ra"}, 0, "Ra"}, {Axis{Label: "k", Unit: "m²"}, -14, "k [10⁻¹⁴ m²]"}, {Axis{Label: "ψ", Unit: "1"}, 3, "ψ [10³]"}, {Axis{Label: "T", Unit: "K"}, 0, "T [K]"}} {
		if got := c.axis.label(c.power); got != c.want {
			t.Errorf("label %q, want %q", got, c.want)
		}
	}
	for name, want := range map[string]string{"nusselt": "Nu", "nusselt_hot": "Nu (hot)", "concentration.sherwood_mean": "concentration Sh (mean)", "well_P1_rate": "well P1 rate"} {
		if got := Label(name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
}

// Every character is drawn: those that the font has not as their numbers, small figures as such.
func TestTypeset(t *testing.T) {
	for text, want := range map[string]string{
		"Ra = -400,  t = 0.1": "Ra = −400,  t = 0.1", "Ra = 1e+04": "Ra = 10⁴", "t = -1.5e-07 yr": "t = −1.5×10⁻⁷ yr", "1e-14": "10⁻¹⁴", "Nu = 10.5": "Nu = 10.5",
		"run-3, seed-1e5, k2e-5": "run-3, seed-1e5, k2e-5", "1.1e+10": "1.1×10¹⁰", "(-2, 3)": "(−2, 3)", "": "",
	} {
		if got := Typeset(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestNoGlyphIsLost(t *testing.T) {
	style := Style(10)
	handler := style.Handler.(Outlines)
	const text = "Nu ⟨uT⟩ μκσΔψ∇∂ρε 10⁻¹⁴ K₂ m²/s °C − … ≤ × ·"
	if missing := handler.Missing(text, style.Font); missing != "" {
		t.Errorf("there are no glyphs for %q", missing)
	}
	if missing := handler.Missing("a中b", style.Font); missing != "中" {
		t.Errorf("missing are %q", missing)
	}
	fills := func(text string) int {
		var c recorder.Canvas
		handler.Draw(&c, text, style, vg.Point{})
		n := 0
		for _, a := range c.Actions {
			if _, ok := a.(*recorder.Fill); ok {
				n++
			}
		}
		return n
	}
	for _, r := range strings.ReplaceAll(text, " ", "") {
		if n := fills(string(r)); n != 1 {
			t.Errorf("%q is drawn as %d glyphs", r, n)
		}
	}
	if n, want := fills("中"), len("[U+4E2D]"); n != want {
		t.Errorf("a missing character is drawn as %d glyphs, want %d", n, want)
	}
	if wide, narrow := style.Width("10⁻¹⁴"), style.Width("10-14"); wide >= narrow || wide <= style.Width("10") {
		t.Errorf("10⁻¹⁴ is %g wide, 10-14 %g", wide, narrow)
	}
}

// All formats are drawn, each twice to the same bytes; SVG is XML with finite numbers.
func TestFormats(t *testing.T) {
	charts := []Chart{{Title: "ψ", X: Axis{Label: "Ra", Log: true}, Y: Axis{Label: "Nu"}, Levels: []Level{{Y: 2.6}},
		Curves: []Curve{{Name: "a", X: []float64{1, 10, 100, 0}, Y: []float64{1, math.NaN(), 3, 4}, Low: []float64{0.5, 0, 2, 4}, High: []float64{2, 0, math.NaN(), 4}, Line: true, Marks: true}}},
		{X: Axis{Label: "empty"}, Curves: []Curve{{Name: "b"}}}}
	if n := charts[0].Dropped(); n != 1 {
		t.Errorf("%d points are dropped", n)
	}
	for _, format := range Formats() {
		a, err := Draw(format, 60, "title", charts)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := Draw(format, 60, "title", charts); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: two drawings differ: %v", format, err)
		}
		switch format {
		case "png":
			if _, err := png.Decode(bytes.NewReader(a)); err != nil {
				t.Error(err)
			}
		case "svg":
			for d := xml.NewDecoder(bytes.NewReader(a)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if bytes.Contains(a, []byte("NaN")) || bytes.Contains(a, []byte("Inf")) {
				t.Error("the SVG has numbers that are not finite")
			}
		case "pdf":
			if !bytes.HasPrefix(a, []byte("%PDF")) {
				t.Error("no PDF")
			}
		}
	}
	if _, err := Draw("eps", 60, "", charts); err == nil {
		t.Error("another format: no error")
	}
	if err := Check([]Chart{{X: Axis{Low: 2, High: 1}}}); err == nil {
		t.Error("a range from high to low: no error")
	}
}

// A translucent line of a PDF has the colour that was asked for, and lets through what is below by its opacity alone.
func TestTranslucentColoursOfPDF(t *testing.T) {
	c, err := New("pdf", 50, 50, 60)
	if err != nil {
		t.Fatal(err)
	}
	sheet := draw.New(c)
	sheet.StrokeLine2(draw.LineStyle{Color: color.NRGBA{R: 213, G: 94, A: 51}, Width: 5}, 0, 25, 50, 25)
	file, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text := inflated(t, file)
	for _, want := range []string{"0.835 0.369 0.000 RG", "/CA 0.2"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
}

// inflated returns a PDF with its packed parts behind it, unpacked.
func inflated(t *testing.T, file []byte) []byte {
	t.Helper()
	out := file
	for _, part := range bytes.Split(file, []byte("stream\n")) {
		if r, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, text...)
		}
	}
	return out
}
