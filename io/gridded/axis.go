package gridded

import (
	"fmt"
	"math"
	"slices"
)

// axis is what a file says about the values along one axis.
type axis struct {
	n           int       // values
	coordinates []float64 // increasing; nil: none
	name        string    // of the coordinates in the file
	what        string    // Points or Cells where the file says so
	slack       float64   // rounding of the coordinates
	reversed    bool      // the file has them decreasing
	place       int       // of the axis in the file's order; -1: the file has no such axis

	points, edges []float64 // one of them after settle; none: the same all along
}

// uniform tells whether the field is the same all along the axis.
func (a *axis) uniform() bool { return a.n == 1 && len(a.coordinates) < 2 }

// order checks that coordinates increase or decrease and turns them so that they increase.
func (a *axis) order(d int) error {
	for i, x := range a.coordinates {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return wrong(axisNames[d], "finite numbers that increase or decrease", "coordinate %d of %s is %g", i, a.name, x)
		}
	}
	n := len(a.coordinates)
	if n < 2 {
		return nil
	}
	a.coordinates = slices.Clone(a.coordinates)
	if a.coordinates[n-1] < a.coordinates[0] {
		slices.Reverse(a.coordinates)
		a.reversed = true
	}
	for i := 1; i < n; i++ {
		if !(a.coordinates[i] > a.coordinates[i-1]) {
			at := i
			if a.reversed {
				at = n - i
			}
			return wrong(axisNames[d], "coordinates that increase, or decrease, from one to the next",
				"the coordinates %s are out of order at index %d (%s, beside %s)", a.name, at, short(a.coordinates[i]), short(a.coordinates[i-1]))
		}
	}
	return nil
}

// midway returns the ends of cells around centres.
func midway(centres []float64) []float64 {
	n := len(centres)
	edges := make([]float64, n+1)
	for i := 1; i < n; i++ {
		edges[i] = (centres[i-1] + centres[i]) / 2
	}
	edges[0] = centres[0] - (edges[1] - centres[0])
	edges[n] = centres[n-1] + (centres[n-1] - edges[n-1])
	return edges
}

// reaches tells whether ends cover from 0 to size.
func (a *axis) reaches(x []float64, size float64) bool {
	slack := math.Max(1e-6*size, a.slack)
	return x[0] <= slack && x[len(x)-1] >= size-slack
}

// around continues points of a periodic axis that begin at 0 by the first one at its end; nil where they leave a gap.
func (a *axis) around(size float64) []float64 {
	x := a.coordinates
	gap, widest := x[0]+size-x[len(x)-1], 0.0
	for i := 1; i < len(x); i++ {
		widest = math.Max(widest, x[i]-x[i-1])
	}
	if math.Abs(x[0]) > math.Max(1e-6*size, a.slack) || !(gap > 0) || gap > 2*widest {
		return nil
	}
	return append(slices.Clone(x), x[0]+size)
}

// asPoints returns the points at which the values stand, nil if they do not reach the ends of the target.
func (a *axis) asPoints(size float64, periodic bool) []float64 {
	switch {
	case len(a.coordinates) != a.n || a.what == Cells:
		return nil
	case a.reaches(a.coordinates, size):
		return a.coordinates
	case periodic:
		return a.around(size)
	}
	return nil
}

// asCells returns the ends of the cells in which the values hold, nil if there are none. Unless they are told to be centres, points one of
// which lies on an end of the target are none.
func (a *axis) asCells(size float64, told bool) []float64 {
	x, slack := a.coordinates, math.Max(1e-6*size, a.slack)
	switch {
	case a.what == Points:
		return nil
	case len(x) == a.n+1:
		return x
	case !told && a.what != Cells && (math.Abs(x[0]) <= slack || math.Abs(x[len(x)-1]-size) <= slack):
		return nil
	}
	if edges := tiling(x, size, slack); edges != nil {
		return edges
	}
	return midway(x)
}

// tiling returns the ends of cells with given centres that fill the target exactly, nil if there are none.
func tiling(centres []float64, size, slack float64) []float64 {
	edges := []float64{0}
	for i, c := range centres {
		edges = append(edges, 2*c-edges[i])
		if !(edges[i] < c) {
			return nil
		}
	}
	if last := len(centres); math.Abs(edges[last]-size) > slack*float64(last) {
		return nil
	}
	edges[len(centres)] = size
	return edges
}

// extent says from where to where the coordinates reach.
func (a *axis) extent(x []float64, d int, size float64) string {
	text := fmt.Sprintf("along %s it reaches from %s to %s (%s), and the domain from 0 to %s", axisNames[d], short(x[0]), short(x[len(x)-1]), a.name, short(size))
	if ratio := size / (x[len(x)-1] - x[0]); ratio > 900 && ratio < 1100 {
		text += "; are they in km?"
	}
	return text
}

// short prints a number in a message.
func short(v float64) string { return fmt.Sprintf("%.6g", v) }
