package figure

import (
	"math"
	"testing"
)

// axis returns n + 1 equal places from 0 to 1.
func axis(n int) []float64 {
	x := make([]float64, n+1)
	for i := range x {
		x[i] = float64(i) / float64(n)
	}
	return x
}

func field(x, y []float64, f func(x, y float64) float64) (v []float64) {
	for _, b := range y {
		for _, a := range x {
			v = append(v, f(a, b))
		}
	}
	return v
}

// The contour of a distance is a circle that closes, to the error of the bilinear field.
func TestContourOfACircle(t *testing.T) {
	x, y := axis(40), axis(30)
	v := field(x, y, func(x, y float64) float64 { return math.Hypot(x-0.5, y-0.5) })
	lines := Contours(x, y, v, 0.3)
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	l, length := lines[0], 0.0
	if l[0] != l[len(l)-1] {
		t.Error("the line does not close")
	}
	for i, p := range l {
		if r := math.Hypot(p.X-0.5, p.Y-0.5); math.Abs(r-0.3) > 1e-3 {
			t.Fatalf("radius %g", r)
		}
		if i > 0 {
			length += math.Hypot(p.X-l[i-1].X, p.Y-l[i-1].Y)
		}
	}
	if math.Abs(length-2*math.Pi*0.3) > 0.005 {
		t.Errorf("length %g", length)
	}
}

// The contour 0 of two cells of opposite sense is the line between them, whatever the rounding of the zeros on walls and in the middle; the walls, where the field is 0
// too, are no contours.
func TestZeroOfASymmetricField(t *testing.T) {
	x, y := axis(32), axis(16)
	for _, noise := range []float64{0, 1e-17, -1e-17} {
		n := 0
		v := field(x, y, func(x, y float64) float64 {
			n++
			return math.Sin(2*math.Pi*x)*math.Sin(math.Pi*y) + noise*float64(n%3-1)
		})
		lines := Contours(x, y, v, 0)
		if len(lines) != 1 {
			t.Fatalf("noise %g: %d lines", noise, len(lines))
		}
		low, high := 1.0, 0.0
		for _, p := range lines[0] {
			if math.Abs(p.X-0.5) > 1e-12 {
				t.Errorf("noise %g: the line is at %v", noise, p)
			}
			low, high = math.Min(low, p.Y), math.Max(high, p.Y)
		}
		if low != 0 || high != 1 {
			t.Errorf("noise %g: the line reaches from %g to %g", noise, low, high)
		}
	}
}

// Lines of a saddle do not cross, those of a plane are straight, and a hole is gone around.
func TestContoursOfSaddlesPlanesAndHoles(t *testing.T) {
	x := axis(7)
	saddle := field(x, x, func(x, y float64) float64 { return (x - 0.5) * (y - 0.5) })
	if lines := Contours(x, x, saddle, 0.01); len(lines) != 2 {
		t.Errorf("a saddle has %d lines", len(lines))
	}
	plane := field(x, x, func(x, y float64) float64 { return x + 2*y })
	lines := Contours(x, x, plane, 1.3)
	if len(lines) != 1 {
		t.Fatalf("a plane has %d lines", len(lines))
	}
	for _, p := range lines[0] {
		if math.Abs(p.X+2*p.Y-1.3) > 1e-12 {
			t.Errorf("%v is not on the line", p)
		}
	}
	plane[3+8*4] = math.NaN()
	if lines := Contours(x, x, plane, 1.5); len(lines) != 2 {
		t.Errorf("beside a hole there are %d lines", len(lines))
	}
	if lines := Contours(x, x, make([]float64, 64), 0); lines != nil {
		t.Errorf("a constant field has %d lines", len(lines))
	}
}

func TestLevels(t *testing.T) {
	if got := Levels(-6, 6, 3); got[0] != -4 || got[1] != 0 || got[2] != 4 {
		t.Errorf("levels %v", got)
	}
}
