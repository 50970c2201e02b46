package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"convect/cmd/convect/figure"
)

// logFrom is the ratio of the largest to the smallest value from which an axis is logarithmic.
const logFrom = 20

// shownPanels is how many panels a picture has at most.
const shownPanels = 12

// Charts returns the panels of results.pdf: each result over the first key that varies in numbers, other keys by colours, with error bars; of a latin hypercube over
// each key. Without a key of numbers the runs stand side by side, and where seeds alone vary each run over its seed.
func (t *Table) Charts() []figure.Chart {
	var axes []int
	for n := range t.Vary {
		if !t.IsSeed(n) && t.numeric(n) {
			axes = append(axes, n)
		}
	}
	if t.Continue != "" { // the branch runs along its key
		axes = []int{slices.IndexFunc(t.Vary, func(v Vary) bool { return v.Key == t.Continue })}
		if !t.numeric(axes[0]) {
			axes = nil
		}
	}
	if len(axes) == 0 {
		axes = []int{-1}
	}
	if t.Combine != Latin {
		axes = axes[:1]
	}
	var out []figure.Chart
	for i, name := range t.Results {
		if of, isError := strings.CutSuffix(name, "_stderr"); isError && slices.Contains(t.Results, of+"_mean") {
			continue // these are its error bars
		}
		for _, axis := range axes {
			switch {
			case len(out) == shownPanels:
			case len(t.Vary) == 1 && t.IsSeed(0) && t.numeric(0):
				out = append(out, t.seeds(i))
			default:
				out = append(out, t.chart(i, axis))
			}
		}
	}
	return out
}

// numeric tells whether a key takes two or more different numbers.
func (t *Table) numeric(n int) bool {
	seen := map[float64]bool{}
	for _, r := range t.Runs {
		v, ok := Number(r.Values[n])
		if !ok {
			return false
		}
		seen[v] = true
	}
	return len(seen) > 1
}

// chart returns the panel of a result over a key; -1: over the place of the runs.
func (t *Table) chart(result, axis int) figure.Chart {
	c := figure.Chart{Y: figure.Axis{Label: figure.Label(t.Results[result]), Unit: t.Units[result]}}
	groups := t.Groups()
	if axis >= 0 {
		c.X.Label, c.X.Unit, c.X.Log = figure.Label(t.Dims[axis]), t.KeyUnits[axis], t.logarithmic(axis)
	} else {
		c.X.Label = "run, in the order of results.csv"
	}
	curves := map[string]int{}
	if t.Back { // the end of a branch belongs to both directions
		var both []Group
		for _, g := range groups {
			if both = append(both, g); g.Rows[0].turns(t.Rows) {
				g.Back = true
				both = append(both, g)
			}
		}
		groups = both
	}
	for place, g := range groups {
		name := t.others(g, axis)
		at, known := curves[name]
		if !known {
			at = len(c.Curves)
			curves[name] = at
			c.Curves = append(c.Curves, figure.Curve{Name: name, Marks: true, Line: axis >= 0 && t.Combine != Latin, Colour: at, Mark: at, Dash: at / figure.Hues()})
			if g.Back {
				c.Curves[at].Dash = 1
			}
		}
		curve := &c.Curves[at]
		x := float64(place + 1)
		if axis >= 0 {
			x, _ = Number(g.Values[axis])
		}
		mean, bar := g.value(result)
		curve.X, curve.Y = append(curve.X, x), append(curve.Y, mean)
		curve.Low, curve.High = append(curve.Low, mean-bar), append(curve.High, mean+bar)
	}
	return c
}

// seeds returns the panel of a result over the seeds, the only key that varies, with a band around the mean.
func (t *Table) seeds(result int) figure.Chart {
	runs := figure.Curve{Name: "each run", Marks: true}
	band := figure.Curve{Name: "mean and deviation", Line: true, Band: true, Colour: 1}
	for _, r := range t.Rows {
		seed, _ := Number(r.Run.Values[0])
		runs.X, runs.Y = append(runs.X, seed), append(runs.Y, r.Values[result])
	}
	all := Group{Rows: t.Rows}
	mean, deviation, _ := all.Mean(result)
	for _, end := range []float64{slices.Min(runs.X), slices.Max(runs.X)} {
		band.X, band.Y = append(band.X, end), append(band.Y, mean)
		band.Low, band.High = append(band.Low, mean-deviation), append(band.High, mean+deviation)
	}
	return figure.Chart{X: figure.Axis{Label: figure.Label(t.Dims[0])}, Y: figure.Axis{Label: figure.Label(t.Results[result]), Unit: t.Units[result]},
		Curves: []figure.Curve{band, runs}}
}

// value returns the mean of a result and the length of its error bar: the deviation from seed to seed, or of one run the standard error that it tells; NaN: none.
func (g *Group) value(result int) (mean, bar float64) {
	mean, bar, count := g.Mean(result)
	if count == 1 && len(g.Rows) == 1 {
		bar = g.Rows[0].Errors[result]
	}
	return mean, bar
}

// logarithmic tells whether the values of a key span so much that their axis should be.
func (t *Table) logarithmic(n int) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range t.Runs {
		v, _ := Number(r.Values[n])
		low, high = math.Min(low, v), math.Max(high, v)
	}
	return low > 0 && (high >= logFrom*low || t.Vary[n].Log && high > low)
}

// others names the values of the keys that are neither the axis nor seeds.
func (t *Table) others(g Group, axis int) string {
	var parts []string
	for n, value := range g.Values {
		if n != axis && !t.IsSeed(n) && t.Combine == Grid && len(t.Vary[n].Values) > 1 {
			parts = append(parts, figure.Label(t.Dims[n])+" = "+unquoted(value))
		}
	}
	if t.Back {
		parts = append(parts, direction(g.Back))
	}
	return strings.Join(parts, ", ")
}

// BarsText says what the error bars of the picture are; "" where there are none.
func (t *Table) BarsText() string {
	for _, g := range t.Groups() {
		for i := range t.Results {
			_, bar := g.value(i)
			switch {
			case math.IsNaN(bar):
			case len(g.Rows) > 1:
				return fmt.Sprintf("mean and standard deviation of %d runs with different seeds", len(g.Rows))
			default:
				return "error bars: standard error of the mean over time"
			}
		}
	}
	return ""
}
