package main

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	html "html/template"
	"math"
	"os"
	"slices"
	"strings"

	"convect/cmd/convect/figure"
	"convect/io/series"
	"convect/io/whole"
	"convect/multigrid"
	"convect/physics"
)

// Names of what a run leaves for a reader.
const (
	reportName     = "report.html"
	referencesName = "references.bib"
)

//go:embed templates/report.html
var reportText string

// runPage is what the page of a run shows.
type runPage struct {
	Title, How  string
	Numbers     []reportNumber
	Pictures    []reportPicture
	Curves      []reportPicture
	BalanceText string
	FlowHeads   []string
	Flows       []reportFlow
	Solver      []reportNumber
	Times       []reportNumber
	TimeNote    string
	Warnings    []string
	Case        string
	References  []string
	Made        string
}

type reportNumber struct{ Name, Value, Unit string }

type reportPicture struct {
	Name   string
	Source html.URL
}

type reportFlow struct {
	Name   string
	Values []string
}

// writeReport writes the page of a run that has ended, and the references of its methods.
func (s *session) writeReport(r *series.Summary) error {
	how := "reached its end"
	if r.Steady {
		how = "became steady"
	}
	methods := []multigrid.Method{s.simulation.PressureSolver().Options().Method}
	for _, solver := range s.simulation.DiffusionSolvers() {
		methods = append(methods, solver.Options().Method)
	}
	all := cited(&s.c.Parameters, methods)
	page := &runPage{Title: s.c.Title, Case: s.c.Text, Warnings: s.warnings(),
		How:  fmt.Sprintf("The run %s after %d steps, t = %s.", how, r.Steps, physics.TimeText(float64(r.Time), r.TimeUnit, 6)),
		Made: fmt.Sprintf("This page was %s; version %s, on %s.", ownMark, r.Version, r.Device)}
	for i := range all {
		page.References = append(page.References, all[i].String())
	}
	table, err := series.Read(s.dir.path(series.SeriesName))
	if err != nil {
		return err
	}
	page.numbers(r, s)
	page.pictures(s)
	if err := page.curves(table, s); err != nil {
		return err
	}
	page.balances(table, s)
	page.solver(table, s, methods)
	page.times(r, s)
	t, err := html.New(reportName).Parse(reportText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page); err != nil {
		return err
	}
	if err := s.dir.writeOwn(referencesName, []byte(bibliography(all))); err != nil {
		return err
	}
	return s.dir.writeOwn(reportName, b.Bytes())
}

// ownMark stands in the files of a run that have a name that somebody else's may have too.
const ownMark = "written by convect at the end of a run"

// isOwn tells whether a file was written by a run.
func (d directory) isOwn(name string) bool {
	text, err := os.ReadFile(d.path(name))
	return err == nil && bytes.Contains(text, []byte(ownMark))
}

// writeOwn writes a file, but not over one that no run has written.
func (d directory) writeOwn(name string, text []byte) error {
	if _, err := os.Lstat(d.path(name)); err == nil && !d.isOwn(name) {
		return fmt.Errorf("%s is not of a run and stays as it is", d.path(name))
	}
	return whole.WriteFile(d.path(name), text)
}

// removeOwn removes what a run has written for a reader.
func (d directory) removeOwn() error {
	for _, name := range []string{reportName, referencesName} {
		if d.isOwn(name) {
			if err := os.Remove(d.path(name)); err != nil {
				return fmt.Errorf("remove the report of the run that was there: %w", err)
			}
		}
	}
	return nil
}

// warnings lists what the log of the run warns of, each once.
func (s *session) warnings() []string {
	text, err := os.ReadFile(s.dir.path(logName))
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if _, warning, found := strings.Cut(line, " WRN "); found && !slices.Contains(out, strings.TrimSpace(warning)) {
			out = append(out, strings.TrimSpace(warning))
		}
	}
	return out
}

// numbers lists the results that are defined.
func (p *runPage) numbers(r *series.Summary, s *session) {
	add := func(name string, v series.Number, unit string) {
		if v := float64(v); !math.IsNaN(v) {
			p.Numbers = append(p.Numbers, reportNumber{name, fmt.Sprintf("%.6g", v), strings.TrimPrefix(unit, "1")})
		}
	}
	scales := &s.c.Scales
	add("Rayleigh number", r.Rayleigh, "")
	add("Nusselt number", r.Nusselt, "")
	add("through the hot wall", r.NusseltHot, "")
	add("through the cold wall", r.NusseltCold, "")
	add("over the last half of the run", r.NusseltMean, "")
	add("standard error of this mean", r.NusseltStdErr, "")
	for _, of := range s.c.Parameters.Transported() {
		add("Sherwood number of the "+of.Name, scalarNumber(r.Scalars[of.Name], of.Number), "")
	}
	add("rms speed", r.SpeedRMS, scales.VelocityUnit)
	add("largest speed", r.SpeedMax, scales.VelocityUnit)
	add("largest |ψ|", r.PsiMax, productUnit(scales.VelocityUnit, scales.LengthUnit))
	add("mean temperature", r.TemperatureMean, scales.TemperatureUnit)
}

// scalarNumber returns a number of a scalar, NaN where it has none.
func scalarNumber(all map[string]series.Number, name string) series.Number {
	if v, ok := all[name]; ok {
		return v
	}
	return series.Number(math.NaN())
}

func dataURL(kind string, data []byte) html.URL {
	return html.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data))
}

// pictures takes those that the run has drawn.
func (p *runPage) pictures(s *session) {
	for _, name := range s.pictures() {
		if data, err := os.ReadFile(s.dir.path(name)); err == nil {
			p.Pictures = append(p.Pictures, reportPicture{strings.TrimSuffix(name, ".png"), dataURL("image/png", data)})
		}
	}
}

// curves draws transfers, speeds, steps, balances and cycles over time.
func (p *runPage) curves(t *series.Table, s *session) error {
	var transfers, cycles, balance []string
	for _, of := range s.c.Parameters.Transported() {
		all := of.Transfers()
		transfers = append(transfers, all[0].Name, all[1].Name)
		cycles = append(cycles, "cycles_"+of.Cycles)
		balance = append(balance, of.Content+"_in", of.Content+"_gain")
	}
	for _, group := range []struct {
		name    string
		columns []string
		log     bool
	}{{"transfer through walls", transfers, false}, {"speeds", []string{"speed_rms", "speed_max"}, false}, {"balances", balance, false}, {"steps", []string{"dt"}, true},
		{"cycles", append([]string{"cycles_pressure"}, cycles...), false}} {
		chart := figure.Chart{}
		time, unit := readable(t.Column("time"), t.Units[slices.Index(t.Names, "time")])
		chart.X = figure.Axis{Label: "t", Unit: unit}
		for _, name := range group.columns {
			at := slices.Index(t.Names, name)
			if at < 0 || !slices.ContainsFunc(t.Columns[at], func(v float64) bool { return !math.IsNaN(v) && !(group.log && v <= 0) }) {
				continue
			}
			n := len(chart.Curves)
			curve := figure.Curve{Name: figure.Label(name), X: time, Y: t.Columns[at], Line: true, Colour: n, Dash: n}
			thinned(&curve)
			chart.Curves = append(chart.Curves, curve)
			chart.Y = figure.Axis{Label: group.name, Unit: t.Units[at], Log: group.log}
		}
		if len(chart.Curves) == 0 || t.Rows() < 2 {
			continue
		}
		svg, err := figure.Draw("svg", s.dots, "", []figure.Chart{chart})
		if err != nil {
			return err
		}
		p.Curves = append(p.Curves, reportPicture{group.name, dataURL("image/svg+xml", svg)})
	}
	return nil
}

// balances says how well what enters and what is gained agree, and what passes each wall.
func (p *runPage) balances(t *series.Table, s *session) {
	last := t.Rows() - 1
	if last < 0 {
		return
	}
	var words []string
	for _, of := range s.c.Parameters.Transported() {
		in, gain := t.Column(of.Content+"_in"), t.Column(of.Content+"_gain")
		if in == nil || gain == nil || math.IsNaN(in[last]) || math.IsNaN(gain[last]) {
			continue
		}
		unit := unitSuffix(t.Units[slices.Index(t.Names, of.Content+"_in")])
		most := 0.0
		for i := range in {
			if d := math.Abs(in[i] - gain[i]); d > most {
				most = d
			}
		}
		words = append(words, fmt.Sprintf("Of %s %.6g%s entered in the last step and %.6g%s were gained; over all steps they differed by at most %.2g%s.", of.Content, in[last], unit,
			gain[last], unit, most, unit))
	}
	if d := t.Column("divergence_max"); d != nil && !math.IsNaN(d[last]) {
		words = append(words, fmt.Sprintf("The largest |∇·u| at the end was %.2g%s.", d[last], unitSuffix(t.Units[slices.Index(t.Names, "divergence_max")])))
	}
	p.BalanceText = strings.Join(words, " ")
	scalars := s.c.Parameters.Transported()
	for _, surface := range s.c.SurfaceNames() {
		flow := reportFlow{Name: strings.ReplaceAll(surface, "_", " ")}
		for _, name := range series.SurfaceColumns(surface, scalars) {
			value := "–"
			if v := t.Column(name); v != nil && !math.IsNaN(v[last]) {
				value = fmt.Sprintf("%.4g", v[last])
			}
			flow.Values = append(flow.Values, value)
			if len(p.Flows) == 0 {
				head := strings.TrimPrefix(name, surface+"_")
				if at := slices.Index(t.Names, name); at >= 0 && t.Units[at] != "1" {
					head += " [" + t.Units[at] + "]"
				}
				p.FlowHeads = append(p.FlowHeads, head)
			}
		}
		p.Flows = append(p.Flows, flow)
	}
}

// solver says how the equations were solved.
func (p *runPage) solver(t *series.Table, s *session, methods []multigrid.Method) {
	of := s.simulation.Parameters()
	add := func(name, value string) { p.Solver = append(p.Solver, reportNumber{Name: name, Value: value}) }
	g := s.simulation.Grid()
	add("cells", fmt.Sprintf("%s, %d nodes", cellsText(g.Cells), g.Nodes()))
	add("stencil", fmt.Sprintf("%d points", of.Stencil.Points()))
	add("precision", physics.PrecisionName(of.Precision, of.Mixed))
	add("device", deviceName(s.device.Info()))
	names := []string{"pressure"}
	columns := []string{"cycles_pressure"}
	for _, scalar := range s.c.Parameters.Transported() {
		names, columns = append(names, "diffusion of the "+scalar.Name), append(columns, "cycles_"+scalar.Cycles)
	}
	for n, name := range names {
		if n >= len(methods) {
			break
		}
		text := methods[n].String()
		if v := t.Column(columns[n]); len(v) > 1 {
			sum, count := 0.0, 0
			for _, c := range v[1:] {
				if !math.IsNaN(c) {
					sum += c
					count++
				}
			}
			if count > 0 {
				of, each := "cycles", fmt.Sprintf("%.3g", sum/float64(count))
				if each == "1" {
					of = "cycle"
				}
				text += fmt.Sprintf(", %s %s a step", each, of)
			}
		}
		add(name, text)
	}
}

// times says what the run took.
func (p *runPage) times(r *series.Summary, s *session) {
	add := func(name, value, unit string) { p.Times = append(p.Times, reportNumber{name, value, unit}) }
	add("wall time of the run", fmt.Sprintf("%.4g", float64(r.WallSeconds)), "s")
	if r.Steps > 0 && r.WallSeconds > 0 {
		add("a step", fmt.Sprintf("%.4g", 1e3*float64(r.WallSeconds)/float64(r.Steps)), "ms")
	}
	if v := float64(r.NodeStepsPerSecond); !math.IsNaN(v) && !math.IsInf(v, 0) {
		add("speed", short(v), "node steps/s")
	}
	parts := s.simulation.Profile()
	total := 0.0
	for _, part := range parts {
		total += part.Seconds
	}
	for _, part := range parts {
		add(part.Name, fmt.Sprintf("%.1f", 100*part.Seconds/total), "% of the time of steps")
	}
	if parts == nil {
		p.TimeNote = "A run with --profile tells the parts of a step here."
	}
}
