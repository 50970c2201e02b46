package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"convect/cmd/convect/colours"
	"convect/cmd/convect/figure"
	"convect/io/whole"
	"convect/kernels"
	"convect/physics"
)

// fieldOptions are what plot and movie say of the picture of a field.
type fieldOptions struct {
	field       string
	slices      []string
	contours    []string
	vectors     bool
	streamlines string
	limits      []float64
	colours     string
	logColours  bool
	dots        int
	title       string
	out         string

	spans []interval // of the fields whose lines are drawn, in all pictures with the same levels; nil: of each picture its own
}

// interval is from the least to the greatest of values.
type interval struct{ low, high float64 }

func (o *fieldOptions) add(f *pflag.FlagSet, dots int) {
	f.StringVar(&o.field, "field", "", "temperature, concentration, pressure, velocity, velocity_x, streamfunction, … (default: what is transported first)")
	f.StringArrayVar(&o.slices, "slice", nil, "a plane of a 3-D run, as z=0.5; may be given several times (default: the liveliest vertical plane and z in the middle)")
	f.StringArrayVar(&o.contours, "contours", nil, "lines of a field: FIELD:12 (so many) or FIELD:0,0.5,1 (at these values), as streamfunction:12")
	f.BoolVar(&o.vectors, "vectors", false, "arrows of the velocity")
	f.StringVar(&o.streamlines, "streamlines", "auto", "lines along the flow: auto (where there are no contours and no arrows), yes, no")
	f.Float64SliceVar(&o.limits, "range", nil, "the values of both ends of the colours, or of the y axis of curves, as 0,1")
	f.StringVar(&o.colours, "colours", "", strings.Join(colours.Names(), ", ")+", each with -r behind it for its reverse (default: batlow; vik where zero is in the middle)")
	f.BoolVar(&o.logColours, "log-colours", false, "colours by the logarithm of the values, as of a permeability")
	f.IntVar(&o.dots, "dots", dots, "pixels an inch of what is made of pixels; 300 to 600 for print")
	f.StringVar(&o.title, "title", "", "in the place of the title of the case; none: no title")
	f.StringVarP(&o.out, "out", "o", "", "the file")
}

// check refuses what makes no sense.
func (o *fieldOptions) check() error {
	switch {
	case o.limits != nil && !isRange(o.limits):
		return usage("--range: accepted are two numbers that are apart, the lower one first, as 0,1")
	case o.dots < 20 || o.dots > 2400:
		return usage("--dots %d: accepted are 20 to 2400", o.dots)
	case !slices.Contains([]string{"auto", "yes", "no"}, o.streamlines):
		return usage("--streamlines %s: accepted are auto, yes, no", o.streamlines)
	}
	if o.colours != "" {
		if _, err := colours.Get(o.colours); err != nil {
			return usage("--colours: %v", err)
		}
	}
	return nil
}

// isRange tells whether numbers are the ends of a range in which an axis finds ticks: two, finite, and further apart than rounding.
func isRange(ends []float64) bool {
	return len(ends) == 2 && ends[1]-ends[0] > 1e-9*math.Max(math.Abs(ends[0]), math.Abs(ends[1])) && !math.IsInf(ends[0], 0) && !math.IsInf(ends[1], 0)
}

// plotOptions are the options of plot.
type plotOptions struct {
	fieldOptions
	curveOptions
	time  string
	step  int64
	flags *pflag.FlagSet
}

func plotCommand() *command {
	o, f := &plotOptions{}, newFlags("plot")
	o.flags = f
	f.StringVar(&o.time, "time", "", "of the snapshot, in the unit of the case or with a unit, as '100 yr': the nearest one is taken (default: the last)")
	f.Int64Var(&o.step, "step", -1, "of the snapshot, in the place of --time")
	o.fieldOptions.add(f, pictureDots)
	o.curveOptions.add(f)
	return &command{
		name: "plot", arguments: "DIR|FILE…", summary: "draw fields and curves as PDF, SVG or PNG", least: 1, most: math.MaxInt, flags: f,
		text: `Draws a field of a run directory or of a snapshot: a section, or planes of a 3-D run, in colours that people with any
colour vision can read, with streamlines, contours or arrows over them. Several runs stand beside each other with the
same colours and levels of contours.

With --columns it draws columns of series.csv over time, of several runs in one picture; FILE may be a table such as
results.csv of a sweep, with --x for what runs along. With --profile it draws horizontal means over the height. Columns
that come with a standard error or a deviation have error bars.

The name of the file decides: .pdf and .svg are made of lines, with all text as outlines, .png of pixels.`,
		examples: []string{
			"convect plot square.out                                             into square-temperature.pdf",
			"convect plot square.out --contours streamfunction:12 --range 0,1 -o fig.svg",
			"convect plot cube.out --field velocity --slice z=0.5 --slice x=0.25 --vectors -o cube.png",
			"convect plot ra50.out ra100.out --columns nusselt_hot,nusselt_cold --log x -o nu.pdf",
			"convect plot co2.sweep/seed=* --columns sherwood_high --band",
			"convect plot square.sweep/results.csv --x rayleigh --columns nusselt",
			"convect plot square.out --profile temperature",
		},
		exits: []int{exitDone, exitFailed, exitUsage},
		run:   func(e *environment, args []string) error { return o.run(e, args) },
	}
}

// run draws what is asked for.
func (o *plotOptions) run(e *environment, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	tables := slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, ".csv") })
	switch {
	case len(o.columns) > 0 && o.profile != "":
		return usage("--columns are curves over time, --profile over height: one of them")
	case tables || len(o.columns) > 0 || o.profile != "":
		for _, name := range []string{"field", "time", "step", "slice", "contours", "vectors", "streamlines", "colours", "log-colours"} {
			if o.flags.Changed(name) && !(name == "time" && o.profile != "") {
				return usage("--%s is of pictures of fields, not of curves", name)
			}
		}
		return o.drawCurves(e, paths)
	}
	for _, name := range []string{"x", "log", "bars", "band", "x-range"} {
		if o.flags.Changed(name) {
			return usage("--%s is of curves: --columns or --profile names what to draw", name)
		}
	}
	return o.drawField(e, paths)
}

// drawField draws a field of one or more runs.
func (o *plotOptions) drawField(e *environment, paths []string) error {
	var panels []panel
	var first *shot
	var l *look
	var titles []string
	if err := o.shareLevels(paths); err != nil {
		return err
	}
	for _, path := range paths {
		s, err := o.choose(path)
		if err != nil {
			return err
		}
		own, ownLook, err := o.panels(s)
		if err != nil {
			return err
		}
		if first == nil {
			first, l = s, ownLook
		} else if l.barLabel != ownLook.barLabel {
			return usage("%s has %s in another unit than %s has", path, ownLook.barLabel.Label, paths[0])
		}
		if len(paths) > 1 {
			for i := range own {
				own[i].title = strings.TrimSuffix(fmt.Sprintf("%s, t = %s, %s", s.name, figure.Typeset(physics.TimeText(s.Time, s.TimeUnit, 4)), own[i].title), ", ")
			}
		}
		panels = append(panels, own...)
		titles = append(titles, s.title())
	}
	if o.out == "" {
		o.out = fmt.Sprintf("%s-%s.pdf", first.name, strings.ReplaceAll(first.field(o.field), " ", "_"))
	}
	title := commonTitle(titles)
	var err error
	if l.format, err = figure.FormatOf(o.out); err != nil {
		return usage("-o %v", err)
	}
	o.warnOfGlyphs(e, title)
	text, err := drawPicture(panels, o.titled(title), l)
	if err == nil {
		err = whole.WriteFile(o.out, text)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s: %s of step %d, t = %s%s\n", o.out, first.field(o.field), first.Step, physics.TimeText(first.Time, first.TimeUnit, 6), beyond(panels, l))
	return nil
}

// shareLevels lets contours of several runs have the same levels.
func (o *plotOptions) shareLevels(paths []string) error {
	if len(o.contours) == 0 || len(paths) < 2 {
		return nil
	}
	for _, path := range paths {
		s, err := o.choose(path)
		if err == nil {
			o.spans, err = o.widened(o.spans, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commonTitle is the title over pictures with these: of several their first line, the title of the case, where all have the same. The panels have the names of the runs.
func commonTitle(titles []string) string {
	if len(titles) == 1 {
		return titles[0]
	}
	common, _, _ := strings.Cut(titles[0], "\n")
	for _, t := range titles {
		if line, _, _ := strings.Cut(t, "\n"); line != common {
			return ""
		}
	}
	return common
}

// titled returns the title that is asked for.
func (o *fieldOptions) titled(title string) string {
	switch o.title {
	case "":
		return title
	case "none":
		return ""
	}
	return o.title
}

// warnOfGlyphs says which characters of the title the font has not.
func (o *fieldOptions) warnOfGlyphs(e *environment, title string) {
	style := figure.Style(headingSize)
	if missing := figure.NewOutlines().Missing(o.titled(title), style.Font); missing != "" {
		fmt.Fprintf(e.errors, "the font has no glyph for %s: drawn as a number, [U+…]; --title gives another title\n", missing)
	}
}

// beyond says how many values lie beyond the range of the colours.
func beyond(panels []panel, l *look) string {
	out, all := 0, 0
	for _, p := range panels {
		for _, v := range p.field.values {
			if all++; v < l.low || v > l.high {
				out++
			}
		}
	}
	if out == 0 {
		return ""
	}
	return fmt.Sprintf("; %.2g %% of the values lie beyond the range and have the colours of its ends", 100*float64(out)/float64(all))
}

// panels returns what is drawn of a snapshot, and its look.
func (o *fieldOptions) panels(s *shot) ([]panel, *look, error) {
	name := s.field(o.field)
	q, err := s.fields.find(name)
	if err != nil {
		return nil, nil, usage("--field: %s: %v", filepath.Join(string(s.dir), "…"), err)
	}
	l, err := plainLook(q, "png", o.dots)
	if err == nil && o.colours != "" {
		l.colours, err = colours.Get(o.colours)
	}
	if err != nil {
		return nil, nil, err
	}
	if o.limits != nil {
		l.low, l.high = o.limits[0], o.limits[1]
	}
	if q.name == streamfunctionName && s.c != nil && len(s.c.WellEnds()) > 0 {
		return nil, nil, usage("--field streamfunction: a flow with wells has none")
	}
	planes, err := o.planes(s.fields, q)
	if err != nil {
		return nil, nil, err
	}
	spans := o.spans
	if spans == nil {
		if spans, err = o.widened(nil, s); err != nil {
			return nil, nil, err
		}
	}
	var out []panel
	for _, at := range planes {
		p := s.fields.panel(q, s.c, at.normal, at.index)
		if s.fields.flat() {
			p.title = ""
		}
		if err := o.overlay(&p, s, at, spans); err != nil {
			return nil, nil, err
		}
		out = append(out, p)
	}
	if o.logColours {
		l.log, l.centred = true, false
		if l.span(out); l.low <= 0 {
			return nil, nil, usage("--log-colours: the values begin at %g; accepted are values above 0, or a --range above 0", l.low)
		}
	}
	return out, l, nil
}

// planeAt is a plane of nodes across an axis.
type planeAt struct{ normal, index int }

// planes returns those that are asked for.
func (o *fieldOptions) planes(f *fields, q *quantity) ([]planeAt, error) {
	if f.flat() {
		if len(o.slices) > 0 {
			return nil, usage("--slice is of 3-D runs; this one is a section")
		}
		return []planeAt{{kernels.Y, 0}}, nil
	}
	if len(o.slices) == 0 {
		of := q.name
		if !f.holds(of) || f.isVector(of) {
			of = f.names[0]
		}
		return []planeAt{{kernels.Y, f.liveliest(of)}, {kernels.Z, middle(f.x[kernels.Z])}}, nil
	}
	var out []planeAt
	for _, text := range o.slices {
		axis, value, _ := strings.Cut(text, "=")
		d := strings.Index("xyz", strings.TrimSpace(axis))
		at, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if d < 0 || len(strings.TrimSpace(axis)) != 1 || err != nil {
			return nil, usage("--slice %s: accepted are x=, y= or z= and a number, as z=0.5", text)
		}
		x := f.x[d]
		if at < x[0]-1e-9*(x[len(x)-1]-x[0]) || at > x[len(x)-1]+1e-9*(x[len(x)-1]-x[0]) {
			return nil, usage("--slice %s lies outside the domain, %g … %g", text, x[0], x[len(x)-1])
		}
		nearest := 0
		for i, v := range x {
			if math.Abs(v-at) < math.Abs(x[nearest]-at) {
				nearest = i
			}
		}
		out = append(out, planeAt{d, nearest})
	}
	return out, nil
}

// contoured returns the field whose lines are asked for, and what is said of their levels.
func (s *shot) contoured(text string) (q *quantity, levels string, err error) {
	name, levels, _ := strings.Cut(text, ":")
	if q, err = s.fields.find(name); err != nil {
		return nil, "", usage("--contours %s: %v", text, err)
	}
	if name == streamfunctionName && s.c != nil && len(s.c.WellEnds()) > 0 {
		return nil, "", usage("--contours %s: a flow with wells has no streamfunction", text)
	}
	return q, levels, nil
}

// widened returns the spans of the fields whose lines are asked for, with the values in the planes of one more snapshot.
func (o *fieldOptions) widened(spans []interval, s *shot) ([]interval, error) {
	if len(o.contours) == 0 {
		return nil, nil
	}
	drawn, err := s.fields.find(s.field(o.field))
	if err != nil {
		return nil, usage("--field: %s: %v", filepath.Join(string(s.dir), "…"), err)
	}
	planes, err := o.planes(s.fields, drawn)
	if err != nil {
		return nil, err
	}
	all := make([]interval, len(o.contours))
	for n, text := range o.contours {
		if all[n] = (interval{math.Inf(1), math.Inf(-1)}); spans != nil {
			all[n] = spans[n]
		}
		q, _, err := s.contoured(text)
		if err != nil {
			return nil, err
		}
		for _, at := range planes {
			low, high := q.plane(at.normal, at.index).span()
			all[n] = interval{math.Min(all[n].low, low), math.Max(all[n].high, high)}
		}
	}
	return all, nil
}

// overlay puts contours, arrows and streamlines on a panel; spans say of the contours between which values their levels lie.
func (o *fieldOptions) overlay(p *panel, s *shot, at planeAt, spans []interval) error {
	f := s.fields
	for n, text := range o.contours {
		q, levels, err := s.contoured(text)
		if err != nil {
			return err
		}
		of := q.plane(at.normal, at.index)
		if of.cells {
			return usage("--contours %s: the values are of cells, between which there are no lines", text)
		}
		values, err := o.levels(levels, spans[n])
		if err != nil {
			return usage("--contours %s: %v", text, err)
		}
		for _, level := range values {
			p.contours = append(p.contours, contour{level, figure.Contours(of.across, of.up, of.values, level)})
		}
		note := fmt.Sprintf("contours of %s: %s", symbolOf(q.name), levelsText(values, q.unit))
		if low, high := of.span(); low == high {
			note = fmt.Sprintf("%s is %s everywhere", symbolOf(q.name), levelsText([]float64{low}, q.unit))
		}
		p.note(note)
	}
	wants := o.streamlines == "yes" || o.streamlines == "auto" && len(o.contours) == 0 && !o.vectors && at.normal != kernels.Z
	if !wants && !o.vectors {
		return nil
	}
	if !slices.Contains(f.names, velocityName) {
		if o.streamlines == "yes" || o.vectors {
			return usage("the snapshot has no velocity: output.fields leaves it out")
		}
		return nil
	}
	if wants {
		p.flow = f.flow(at.normal, at.index)
	}
	if o.vectors {
		p.vectors = f.flow(at.normal, at.index)
	}
	if p.vectors[0] != nil {
		_, fastest := arrows{p.vectors}.vectors()
		p.note("longest arrow: " + figure.Typeset(fmt.Sprintf("%.3g", fastest)) + unitSuffix(f.units[velocityName]))
	}
	return nil
}

// note adds something to the title of a panel.
func (p *panel) note(text string) { p.title = strings.TrimPrefix(p.title+"; "+text, "; ") }

// levels reads a number of levels, or their values.
func (o *fieldOptions) levels(text string, of interval) ([]float64, error) {
	const usual, most = 12, 200
	if text == "" {
		return figure.Levels(of.low, of.high, usual), nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > most {
			return nil, fmt.Errorf("accepted are 1 to %d lines, or values with commas between them", most)
		}
		return figure.Levels(of.low, of.high, n), nil
	}
	var out []float64
	for _, word := range strings.Split(strings.TrimSuffix(text, ","), ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q is no number; accepted: how many lines, or their values with commas between them (one value: 0,)", word)
		}
		out = append(out, v)
	}
	slices.Sort(out)
	return out, nil
}

// levelsText says which levels are drawn.
func levelsText(levels []float64, unit string) string {
	last := len(levels) - 1
	text := func(v float64) string { return figure.Typeset(fmt.Sprintf("%.3g", v)) }
	if last < 1 {
		return text(levels[0]) + unitSuffix(unit)
	}
	step := levels[1] - levels[0]
	for i := 1; i <= last; i++ {
		if math.Abs(levels[i]-levels[i-1]-step) > 1e-6*math.Abs(step) {
			var words []string
			for _, v := range levels {
				words = append(words, text(v))
			}
			return strings.Join(words, ", ") + unitSuffix(unit)
		}
	}
	return fmt.Sprintf("%s to %s by %s%s", text(levels[0]), text(levels[last]), text(step), unitSuffix(unit))
}
