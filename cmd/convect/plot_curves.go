package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"convect/cmd/convect/figure"
	"convect/io/series"
	"convect/io/whole"
	"convect/physics"
)

// curveOptions are what plot says of curves.
type curveOptions struct {
	columns []string
	profile string
	x       string
	log     string
	bars    string
	band    bool
	xRange  []float64
}

func (o *curveOptions) add(f *pflag.FlagSet) {
	f.StringSliceVar(&o.columns, "columns", nil, "columns of series.csv, or of the table that is given, separated by commas")
	f.StringVar(&o.profile, "profile", "", "a column of profiles.csv over the height, at --time (default: the last)")
	f.StringVar(&o.x, "x", "", "the column that runs along (default: time; of another table its first column)")
	f.StringVar(&o.log, "log", "", "logarithmic axes: x, y or xy")
	f.StringVar(&o.bars, "bars", "", "the column with half the length of the error bars, or none (default: NAME_deviation, or NAME_stderr beside NAME_mean)")
	f.BoolVar(&o.band, "band", false, "of several runs: their mean, and a band of one standard deviation from run to run on both sides")
	f.Float64SliceVar(&o.xRange, "x-range", nil, "the values of both ends of the x axis, as 0,1")
}

// drawCurves draws columns of tables.
func (o *plotOptions) drawCurves(e *environment, paths []string) error {
	if o.log != "" && !slices.Contains([]string{"x", "y", "xy", "yx"}, o.log) {
		return usage("--log %s: accepted are x, y, xy", o.log)
	}
	if o.band && (o.profile != "" || len(paths) < 2) {
		return usage("--band is of --columns of two or more runs")
	}
	if o.xRange != nil && !isRange(o.xRange) {
		return usage("--x-range: accepted are two numbers that are apart, the lower one first")
	}
	var charts []figure.Chart
	var err error
	title := ""
	if o.profile != "" {
		charts, err = o.profiles(paths)
	} else {
		charts, err = o.courses(paths)
	}
	if err != nil {
		return err
	}
	if err := o.sayEmpty(e, charts); err != nil {
		return err
	}
	if len(paths) == 1 {
		title = caseTitle(paths[0])
	}
	if o.band {
		for i := range charts {
			if charts[i].Curves = bands(charts[i].Curves, len(o.columns), strings.Contains(o.log, "x")); charts[i].Curves == nil {
				return usage("--band: the runs have no part of %s in common", charts[i].X.Label)
			}
		}
		var titles []string
		for _, path := range paths {
			titles = append(titles, caseTitle(path))
		}
		title = strings.TrimPrefix(fmt.Sprintf("%s\nmean and standard deviation of %d runs", commonTitle(titles), len(paths)), "\n")
	}
	o.setAxes(e, charts)
	if err := figure.Check(charts); err != nil {
		return usage("%v", err)
	}
	if o.out == "" {
		what := o.profile
		if what == "" {
			what = strings.Join(o.columns, "-")
		}
		o.out = fmt.Sprintf("%s-%s.pdf", tableName(paths[0]), what)
	}
	format, err := figure.FormatOf(o.out)
	if err != nil {
		return usage("-o %v", err)
	}
	o.warnOfGlyphs(e, title)
	text, err := figure.Draw(format, o.dots, o.titled(title), charts)
	if err == nil {
		err = whole.WriteFile(o.out, text)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(e.out, o.out)
	return nil
}

// setAxes gives charts the ranges and logarithmic axes that are asked for, and says what has no place on these.
func (o *plotOptions) setAxes(e *environment, charts []figure.Chart) {
	for i := range charts {
		c := &charts[i]
		c.X.Log, c.Y.Log = strings.Contains(o.log, "x"), strings.Contains(o.log, "y")
		if o.limits != nil {
			c.Y.Low, c.Y.High = o.limits[0], o.limits[1]
		}
		if o.xRange != nil {
			c.X.Low, c.X.High = o.xRange[0], o.xRange[1]
		}
		if n := c.Dropped(); n > 0 {
			fmt.Fprintf(e.errors, "%d points are not above 0 and have no place on a logarithmic axis: they are left out\n", n)
		}
	}
}

// sayEmpty refuses to draw where no curve has a point, and names those that have none beside others.
func (o *plotOptions) sayEmpty(e *environment, charts []figure.Chart) error {
	var empty []string
	all := 0
	for _, chart := range charts {
		for _, c := range chart.Curves {
			all++
			isPoint := false
			for i, x := range c.X {
				isPoint = isPoint || !math.IsNaN(x) && !math.IsNaN(c.Y[i])
			}
			if !isPoint {
				empty = append(empty, c.Name)
			}
		}
	}
	switch {
	case len(empty) == all:
		return usage("there is nothing to draw: in no row there is a number for both axes")
	case len(empty) > 0:
		fmt.Fprintf(e.errors, "without a number, and left out: %s\n", strings.Join(empty, "; "))
	}
	return nil
}

// courses draws columns over another column: those of one kind and unit in one panel, runs by colour, columns by dashes.
func (o *plotOptions) courses(paths []string) ([]figure.Chart, error) {
	if len(o.columns) == 0 {
		return nil, usage("--columns names what to draw")
	}
	var charts []figure.Chart
	var kinds []string // of the panels
	for n, path := range paths {
		t, err := tableAt(path, series.SeriesName)
		if err != nil {
			return nil, err
		}
		along := o.x
		if along == "" {
			if along = "time"; !slices.Contains(t.Names, along) {
				along = t.Names[0]
			}
		}
		x, xUnit, err := column(t, path, along)
		if err != nil {
			return nil, err
		}
		x, xUnit = readable(x, xUnit)
		for i, name := range o.columns {
			y, unit, err := column(t, path, name)
			if err != nil {
				return nil, err
			}
			curve := figure.Curve{X: x, Y: y, Line: true, Colour: n, Dash: i}
			if len(paths) == 1 {
				curve.Colour = i
			}
			curve.Name = o.curveName(path, name, len(paths))
			if few := 60; len(x) <= few && !slices.Contains(t.Names, "step") {
				curve.Marks, curve.Mark = true, curve.Colour
			}
			if o.band {
				curve.Name, curve.Colour, curve.Dash = figure.Label(name), i, 0
			} else {
				if err := o.addBars(&curve, t, path, name); err != nil {
					return nil, err
				}
				thinned(&curve)
			}
			kind := family(name) + " " + unit
			at := slices.Index(kinds, kind)
			if at < 0 {
				at = len(charts)
				kinds = append(kinds, kind)
				charts = append(charts, figure.Chart{X: figure.Axis{Label: figure.Label(along), Unit: xUnit}, Y: figure.Axis{Unit: unit}})
			}
			if charts[at].X.Unit != xUnit {
				return nil, usage("%s has %s in %s, and %s in %s", path, along, xUnit, paths[0], charts[at].X.Unit)
			}
			if label := figure.Label(name); !slices.Contains(strings.Split(charts[at].Y.Label, ", "), label) {
				charts[at].Y.Label = strings.TrimPrefix(charts[at].Y.Label+", "+label, ", ")
			}
			charts[at].Curves = append(charts[at].Curves, curve)
		}
	}
	return charts, nil
}

// curveName is the name of a curve in the legend: what tells it from the others.
func (o *plotOptions) curveName(path, name string, runs int) string {
	switch {
	case runs == 1 && len(o.columns) == 1:
		return ""
	case runs == 1:
		return figure.Label(name)
	case len(o.columns) == 1:
		return tableName(path)
	}
	return tableName(path) + ", " + figure.Label(name)
}

// addBars gives a curve its error bars.
func (o *plotOptions) addBars(c *figure.Curve, t *series.Table, path, name string) error {
	bars := o.bars
	if bars == "" {
		bars = name + "_deviation"
		if of, isMean := strings.CutSuffix(name, "_mean"); isMean && !slices.Contains(t.Names, bars) {
			bars = of + "_stderr"
		}
		if !slices.Contains(t.Names, bars) {
			return nil
		}
	}
	if bars == "none" {
		return nil
	}
	half, _, err := column(t, path, bars)
	if err != nil {
		return err
	}
	for i, y := range c.Y {
		c.Low, c.High = append(c.Low, y-half[i]), append(c.High, y+half[i])
	}
	return nil
}

// bandPoints is at how many places runs are compared.
const bandPoints = 400

// bands turns the curves of several runs into one of each name: their mean and their standard deviation at places that all of them reach, linear between the rows of
// each; nil: there are none.
func bands(all []figure.Curve, columns int, log bool) []figure.Curve {
	byName := map[string][]figure.Curve{}
	var names []string
	for _, c := range all {
		if byName[c.Name] == nil {
			names = append(names, c.Name)
		}
		byName[c.Name] = append(byName[c.Name], c)
	}
	var out []figure.Curve
	for _, name := range names {
		runs := byName[name]
		first, last := math.Inf(-1), math.Inf(1)
		for _, c := range runs {
			begin := c.X[0]
			if log { // the first place above 0
				for _, x := range c.X {
					if begin = x; x > 0 {
						break
					}
				}
			}
			first, last = math.Max(first, begin), math.Min(last, c.X[len(c.X)-1])
		}
		if !(first < last) {
			return nil
		}
		mean := figure.Curve{Name: name, Line: true, Band: true, Colour: runs[0].Colour}
		if columns == 1 {
			mean.Name = ""
		}
		for k := range bandPoints {
			part := float64(k) / (bandPoints - 1)
			x := first + part*(last-first)
			if log {
				x = first * math.Pow(last/first, part)
			}
			sum, squares := 0.0, 0.0
			values := make([]float64, len(runs))
			for n, c := range runs {
				cell, weight := 0, 0.0
				if len(c.X) > 1 {
					cell, weight = locate(c.X, x)
				}
				values[n] = c.Y[cell]
				if weight > 0 {
					values[n] = (1-weight)*c.Y[cell] + weight*c.Y[cell+1]
				}
				sum += values[n]
			}
			m := sum / float64(len(runs))
			for _, v := range values {
				squares += (v - m) * (v - m)
			}
			deviation := math.Sqrt(squares / float64(len(runs)-1))
			mean.X, mean.Y = append(mean.X, x), append(mean.Y, m)
			mean.Low, mean.High = append(mean.Low, m-deviation), append(mean.High, m+deviation)
		}
		out = append(out, mean)
	}
	return out
}

// readable turns seconds into a unit that fits their size.
func readable(t []float64, unit string) ([]float64, string) {
	if unit != "s" {
		return t, unit
	}
	most := 0.0
	for _, v := range t {
		most = math.Max(most, math.Abs(v))
	}
	u := physics.TimeUnits()[0]
	for _, longer := range physics.TimeUnits() {
		if most >= 2*longer.Seconds {
			u = longer
		}
	}
	out := make([]float64, len(t))
	for i, v := range t {
		out[i] = v / u.Seconds
	}
	return out, u.Name
}

// thinned leaves the least and the greatest value of each of many groups of a long curve, which looks the same.
func thinned(c *figure.Curve) {
	const most = 4000
	if len(c.X) <= most || c.Low != nil {
		return
	}
	group := (len(c.X) + most/2 - 1) / (most / 2)
	var x, y []float64
	for from := 0; from < len(c.X); from += group {
		low, high, hole := -1, -1, false
		for i := from; i < min(from+group, len(c.X)); i++ {
			if math.IsNaN(c.Y[i]) {
				hole = true
				continue
			}
			if low < 0 || c.Y[i] < c.Y[low] {
				low = i
			}
			if high < 0 || c.Y[i] > c.Y[high] {
				high = i
			}
		}
		if low < 0 {
			x, y = append(x, c.X[from]), append(y, math.NaN())
			continue
		}
		for _, i := range []int{min(low, high), max(low, high)} {
			x, y = append(x, c.X[i]), append(y, c.Y[i])
		}
		if hole {
			x, y = append(x, c.X[max(low, high)]), append(y, math.NaN())
		}
	}
	c.X, c.Y = x, y
}

// profiles draws a column of profiles.csv over the height.
func (o *plotOptions) profiles(paths []string) ([]figure.Chart, error) {
	chart := figure.Chart{X: figure.Axis{Label: figure.Label(o.profile)}, Y: figure.Axis{Label: "z"}}
	for n, path := range paths {
		t, err := tableAt(path, series.ProfilesName)
		if err != nil {
			return nil, err
		}
		values, unit, err := column(t, path, o.profile)
		if err != nil {
			return nil, err
		}
		z, zUnit, err := column(t, path, "z")
		if err != nil {
			return nil, err
		}
		times, timeUnit, err := column(t, path, "time")
		if err != nil {
			return nil, err
		}
		if n > 0 && (chart.X.Unit != unit || chart.Y.Unit != zUnit) {
			return nil, usage("%s has other units than %s", path, paths[0])
		}
		chart.X.Unit, chart.Y.Unit = unit, zUnit
		wanted := []string{o.time}
		if o.time != "" {
			wanted = strings.Split(o.time, ",")
		}
		for i, text := range wanted {
			at := times[len(times)-1]
			if text != "" {
				t, err := timeIn(text, timeUnit)
				if err != nil {
					return nil, err
				}
				for _, own := range times {
					if math.Abs(own-t) < math.Abs(at-t) {
						at = own
					}
				}
			}
			curve := figure.Curve{Line: true, Colour: n + i, Dash: n, Name: "t = " + figure.Typeset(physics.TimeText(at, timeUnit, 4))}
			if len(paths) > 1 {
				curve.Name = tableName(path) + ", " + curve.Name
			}
			for k, own := range times {
				if own == at {
					curve.X, curve.Y = append(curve.X, values[k]), append(curve.Y, z[k])
				}
			}
			chart.Curves = append(chart.Curves, curve)
		}
	}
	return []figure.Chart{chart}, nil
}
