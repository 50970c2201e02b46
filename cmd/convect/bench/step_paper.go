package bench

import (
	"slices"

	"convect/cmd/convect/bench/report"
)

// paperStep adds the figure of the paper, and the nodes a second that follow.
func (r *run) paperStep() {
	t := r.table("paper", "The paper's own",
		report.Column{Key: "machine", Title: "machine", Origin: report.Label},
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Paper, Format: "%.1f"},
		report.Column{Key: "million_nodes_per_second", Title: "nodes", Unit: "M/s", Origin: report.Paper, Format: "%.0f"})
	const seconds = 0.7
	t.Add(report.Row{"machine": "513 x 513 x 128, float32, Tesla 2050", "seconds": seconds, "million_nodes_per_second": 513 * 513 * 128 / seconds / 1e6})
}

// plotStep shows the parts, those that a case does not have as nothing.
func (r *run) plotStep(parts *report.Table, cases []stepCase) {
	p := &report.Plot{File: "step.png", Title: "A step on " + sizeText(r.options.Size) + " nodes", Y: report.Axis{Label: "seconds"}}
	for _, row := range parts.Rows {
		if name := row["part"].(string); !slices.Contains(p.Bars, name) {
			p.Bars = append(p.Bars, name)
		}
	}
	for _, c := range cases {
		s := report.Series{Name: c.name(), Y: make([]float64, len(p.Bars))}
		for _, row := range parts.Rows {
			if v, ok := row.Number("seconds"); ok && c.has(row) {
				s.Y[slices.Index(p.Bars, row["part"].(string))] = v
			}
		}
		p.Series = append(p.Series, s)
	}
	r.report.Plots = append(r.report.Plots, p)
}

// plotNodes shows the nodes a second beside the paper's, which is of its own grid.
func (r *run) plotNodes(t *report.Table) {
	p := &report.Plot{File: "step-2.png", Title: "Steps on " + sizeText(r.options.Size) + " nodes (paper: 513x513x128, float32)", Y: report.Axis{Label: "nodes, M/s", Log: true}}
	s := report.Series{Name: "a step"}
	for _, c := range r.stepCases() {
		for _, row := range t.Rows {
			if v, ok := row.Number("million_nodes_per_second"); ok && c.has(row) {
				s.Y, p.Bars = append(s.Y, v), append(p.Bars, c.name())
			}
		}
	}
	p.Series = []report.Series{s, r.paperLevel("million_nodes_per_second", "paper, Tesla 2050")}
	r.report.Plots = append(r.report.Plots, p)
}
