package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// logTicks names 1, 2 and 5 of every decade, or the decades alone where there are many.
func logTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	decades := math.Log10(high / low)
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || decades < 3 && (m == 2 || m == 5) {
				t.Label = tickText(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// tickText writes a number without an exponent unless it is very large or small.
func tickText(v float64) string {
	if v != 0 && (math.Abs(v) < 1e-4 || math.Abs(v) >= 1e7) {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// mantissas are those of the ends of logarithmic axes.
var mantissas = []float64{1, 2, 5, 10}

// mantissaBelow returns the largest 1, 2 or 5 times a power of ten that is not above a value.
func mantissaBelow(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)))
	below := decade
	for _, m := range mantissas {
		if m*decade <= v*(1+1e-9) {
			below = m * decade
		}
	}
	return below
}

// mantissaAbove returns the smallest 1, 2 or 5 times a power of ten that is above a value.
func mantissaAbove(v float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range mantissas {
		if m*decade > v*(1+1e-9) {
			return m * decade
		}
	}
	return 20 * decade
}

// evenTicks names multiples of 1, 2 or 5 times a power of ten, five to ten of them.
func evenTicks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: tickText(low)}}
	}
	step := mantissaBelow((high - low) / 5)
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for n := math.Ceil(low/step - 1e-9); n*step <= high+1e-9*step; n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: strconv.FormatFloat(n*step+0, 'f', digits, 64)})
	}
	return ticks
}
