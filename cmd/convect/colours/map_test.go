package colours

import (
	"math"
	"strings"
	"testing"
)

// The maps of low to high get lighter all along, also in grey; vik is lightest in its middle and has different ends.
func TestLightness(t *testing.T) {
	light := func(m *Map, i int) float64 {
		c := m.At(i)
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	for _, name := range Names() {
		m, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		reverse, err := Get(name + "-r")
		if err != nil || reverse.At(0) != m.At(Size-1) || reverse.At(Size-1) != m.At(0) || reverse.At(7) != m.At(Size-8) {
			t.Errorf("%s-r is not the reverse of %s: %v", name, name, err)
		}
		const window = 8 // neighbours are rounded to 1/255
		for i := range Size - window {
			rises := light(m, i+window) > light(m, i)
			if want := name != Signed || i+window < Size/2; (name != Signed || i+window < Size/2 || i >= Size/2) && rises != want {
				t.Errorf("%s: lightness rises from %d to %d: %v", name, i, i+window, rises)
			}
		}
	}
}

func linear(v uint8) float64 { return math.Pow(float64(v)/255, 2.2) }

func TestIndex(t *testing.T) {
	for _, c := range []struct {
		value float64
		want  int
	}{{-1, 0}, {2, 0}, {3, 128}, {4, 255}, {9, 255}, {math.Inf(1), 255}} {
		if got := Index(c.value, 2, 4); got != c.want {
			t.Errorf("Index(%v) = %d, want %d", c.value, got, c.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	if _, err := Get("jet"); err == nil || !strings.Contains(err.Error(), "batlow, vik") {
		t.Errorf("error %v", err)
	}
}
