package bench

import (
	"fmt"
	"strings"

	"convect/cmd/convect/bench/report"
)

// paperMultigrid adds the figure of the paper.
func (r *run) paperMultigrid() {
	t := r.table("paper", "The paper's own",
		report.Column{Key: "solver", Title: "solver", Origin: report.Label},
		report.Column{Key: "cycles_per_second", Title: "V-cycles", Unit: "/s", Origin: report.Paper, Format: "%.0f"})
	t.Add(report.Row{"solver": "27-point, 257³, float32, Tesla 2050", "cycles_per_second": 40.0})
}

// plotMultigrid shows the time of a digit, and the cycles a second beside the paper's.
func (r *run) plotMultigrid(cycles, t *report.Table) {
	p := &report.Plot{File: "multigrid.png", Title: fmt.Sprintf("Poisson's equation on %d³ nodes", r.options.Size[0]),
		Y: report.Axis{Label: "ms for each decimal digit"}}
	for _, kind := range r.kinds {
		s := report.Series{Name: kind}
		var names []string
		for _, row := range t.Rows {
			if v, ok := row.Number("milliseconds_per_digit"); ok && row["precision"] == kind {
				s.Y = append(s.Y, v)
				names = append(names, wordsOf(row, "stencil", "method", "smoother", "cycle"))
			}
		}
		p.Series, p.Bars = append(p.Series, s), names
	}
	r.report.Plots = append(r.report.Plots, p)
	r.plotCycles(cycles)
}

// wordsOf joins what a row has of some columns: a direct solve has no smoother and no cycle.
func wordsOf(row report.Row, keys ...string) string {
	var words []string
	for _, key := range keys {
		if v := row[key]; v != nil {
			words = append(words, fmt.Sprint(v))
		}
	}
	return strings.Join(words, " ")
}

// plotCycles shows the cycles a second beside the paper's.
func (r *run) plotCycles(t *report.Table) {
	p := &report.Plot{File: "multigrid-2.png", Title: fmt.Sprintf("V-cycles on %d³ nodes (paper: 27-point, float32, 257³)", r.options.Size[0]),
		Y: report.Axis{Label: "V-cycles a second", Log: true}}
	for _, kind := range r.kinds {
		s := report.Series{Name: kind}
		p.Bars = nil
		for _, row := range t.Rows {
			if v, ok := row.Number("cycles_per_second"); ok && row["precision"] == kind {
				s.Y = append(s.Y, v)
				p.Bars = append(p.Bars, fmt.Sprintf("%s %s %s, %s", row["stencil"], row["smoother"], row["cycle"], strings.TrimPrefix(fmt.Sprint(row["from"]), "a ")))
			}
		}
		p.Series = append(p.Series, s)
	}
	p.Series = append(p.Series, r.paperLevel("cycles_per_second", "paper, Tesla 2050"))
	r.report.Plots = append(r.report.Plots, p)
}
