package physics

import (
	"math"
	"strings"
	"testing"

	"convect/stencil"
)

func TestLayered(t *testing.T) {
	// Four cells a quarter high; the interface at 0.3 cuts the second at one fifth of its height.
	e := stencil.Extent{Cells: [3]int{2, 3, 4}, Size: [3]float64{1, 1, 1}}
	m, err := Layered(e, []Layer{{0.3, [3]float64{2, 4, 8}}, {1, [3]float64{1, 1, 0.5}}})
	if err != nil {
		t.Fatal(err)
	}
	want := [4][3]float64{
		{2, 4, 8},
		{0.2*2 + 0.8, 0.2*4 + 0.8, 1 / (0.2/8 + 0.8/0.5)},
		{1, 1, 0.5},
		{1, 1, 0.5},
	}
	for d, cells := range m.Cells {
		if len(cells) != 24 {
			t.Fatalf("%d cells along axis %d, want 24", len(cells), d)
		}
		for c, v := range cells {
			if w := want[c/6][d]; math.Abs(v-w) > 1e-14*w {
				t.Errorf("axis %d, cell %d: %g, want %g", d, c, v, w)
			}
		}
	}
}

// TestLayeredThin checks layers thinner than a cell: a cell that holds three of them.
func TestLayeredThin(t *testing.T) {
	e := stencil.Extent{Cells: [3]int{1, 0, 1}, Size: [3]float64{1, 0, 1}}
	m, err := Layered(e, []Layer{{0.5, [3]float64{1, 1, 1}}, {0.75, [3]float64{4, 4, 4}}, {1, [3]float64{2, 2, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Cells[0][0], 0.5+1+0.5; math.Abs(got-want) > 1e-15 {
		t.Errorf("along: %g, want %g", got, want)
	}
	if got, want := m.Cells[2][0], 1/(0.5+0.25/4+0.25/2); math.Abs(got-want) > 1e-15 {
		t.Errorf("across: %g, want %g", got, want)
	}
}

func TestLayeredRefuses(t *testing.T) {
	e := stencil.Extent{Cells: [3]int{1, 0, 4}, Size: [3]float64{1, 0, 1}}
	one := [3]float64{1, 1, 1}
	for _, c := range []struct {
		name   string
		layers []Layer
		reason string
	}{
		{"none", nil, "end at 0"},
		{"too low", []Layer{{0.5, one}, {0.9, one}}, "end at 0.9"},
		{"not increasing", []Layer{{0.5, one}, {0.5, one}, {1, one}}, "layer 2"},
		{"NaN height", []Layer{{math.NaN(), one}}, "layer 1"},
		{"zero", []Layer{{1, [3]float64{1, 1, 0}}}, "along z"},
		{"infinite", []Layer{{1, [3]float64{math.Inf(1), 1, 1}}}, "along x"},
	} {
		if _, err := Layered(e, c.layers); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.reason)
		}
	}
}

func TestFromFunc(t *testing.T) {
	f := func(x, y, z, _ float64) float64 { return x + 10*y + 100*z }
	e := stencil.Extent{Cells: [3]int{2, 1, 4}, Size: [3]float64{1, 3, 2}}
	m := FromFunc(e, f)
	want := []float64{40.25, 40.75, 90.25, 90.75, 140.25, 140.75, 190.25, 190.75}
	for c, w := range want {
		if v := m.Cells[0][c]; math.Abs(v-w) > 1e-13 {
			t.Errorf("cell %d: %g, want %g", c, v, w)
		}
	}
	flat := stencil.Extent{Cells: [3]int{2, 0, 1}, Size: [3]float64{1, 3, 2}}
	if v := FromFunc(flat, f).Cells[2][1]; v != 100.75 {
		t.Errorf("2-D: %g, want 100.75", v)
	}
}
