package bench

import (
	"fmt"

	"convect/cmd/convect/bench/report"
)

// The rows of the paper.
var (
	paper7  = report.Row{"kernel": "7-point, Tesla 1060"}
	paper27 = report.Row{"kernel": "27-point, Tesla 2050"}
)

// paperStencil adds the figures of the paper.
func (r *run) paperStencil() {
	t := r.table("paper", "The paper's own, on cards of 102 to 144 GB/s",
		report.Column{Key: "kernel", Title: "kernel", Origin: report.Label},
		report.Column{Key: "gigapoints_per_second", Title: "points", Unit: "G/s", Origin: report.Paper, Format: "%.1f"},
		report.Column{Key: "gigaflops", Title: "GFLOP/s", Origin: report.Paper, Format: "%.0f"},
		report.Column{Key: "fraction", Title: "of bandwidth", Origin: report.Paper, Format: "%.2f"})
	t.Add(with(report.Row{"fraction": 1.0}, paper7))
	t.Add(with(report.Row{"gigapoints_per_second": 5.7, "gigaflops": 300.0, "fraction": 0.65}, paper27))
}

// plotStencil shows the fractions of the copy bandwidth, points and operations a second, with the paper's figures at what they are of.
func (r *run) plotStencil(t *report.Table) {
	for _, d := range []struct {
		file, key, paper, axis string
		log                    bool
	}{
		{"stencil.png", columnFraction.Key, "fraction", "fraction of the copy bandwidth", false},
		{"stencil-2.png", columnPoints.Key, "gigapoints_per_second", "points, G/s", true},
		{"stencil-3.png", "gigaflops", "gigaflops", "GFLOP/s", true},
	} {
		p := &report.Plot{File: d.file, Title: "Kernels on " + gridText(r.options.Size) + " nodes", Y: report.Axis{Label: d.axis, Log: d.log}}
		for _, kind := range r.kinds {
			s := report.Series{Name: kind}
			p.Bars = nil
			for _, row := range t.Rows {
				if v, ok := row.Number(d.key); ok && row["precision"] == kind {
					s.Y = append(s.Y, v)
					p.Bars = append(p.Bars, stencilBar(row["stencil"], row["kernel"], row["coefficients"]))
				}
			}
			p.Series = append(p.Series, s)
		}
		paper := report.Series{Name: "paper, Tesla 1060 and 2050", Dashed: true, X: []float64{}}
		for _, of := range []struct {
			stencil string
			where   report.Row
		}{{"7-point", paper7}, {"27-point", paper27}} {
			if f, ok := r.report.Find(report.Pick{Table: "paper", Column: d.paper, Where: of.where}); ok {
				markAt(&paper, p.Bars, stencilBar(of.stencil, "apply", coefficientNames[0]), f.Value.(float64))
			}
		}
		p.Series = append(p.Series, paper)
		r.report.Plots = append(r.report.Plots, p)
	}
}

// stencilBar names a kernel in a plot.
func stencilBar(stencil, kernel, coefficients any) string {
	return fmt.Sprintf("%s %s, %s", stencil, kernel, coefficients)
}
