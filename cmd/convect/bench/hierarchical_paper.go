package bench

import (
	"fmt"
	"math"

	"convect/cmd/convect/bench/report"
)

// plotShared draws the speed-ups of blocks that share nothing beside the paper's.
func (r *run) plotShared() {
	best := r.measured("best")
	if best == nil {
		return
	}
	p := &report.Plot{File: "hierarchical-no-overlap.png", Title: "Speed-up over plain Jacobi, no overlap (the paper's tables 1 and 3)",
		X: report.Axis{Label: "sweeps of a cycle", Log: true}, Y: report.Axis{Label: "speed-up"}}
	for _, shape := range []string{"lines", "plane"} {
		ours, paper := report.Series{Name: shape}, report.Series{Name: shape + ", paper (Titan V)", Dashed: true}
		for _, row := range best.Rows {
			if row["shape"] != shape {
				continue
			}
			sweeps, _ := row.Number("sweeps")
			if v, ok := row.Number("speed_up"); ok {
				ours.X, ours.Y = append(ours.X, sweeps), append(ours.Y, v)
			}
			if v, ok := row.Number("paper_speed_up"); ok {
				paper.X, paper.Y = append(paper.X, sweeps), append(paper.Y, v)
			}
		}
		p.Series = append(p.Series, ours, paper)
	}
	r.report.Plots = append(r.report.Plots, p)
}

// paperOptima are the paper's times of lines at the overlap that it finds best for each number of sweeps, in the colour of ours.
func paperOptima() (all []report.Series) {
	lines, plain, name := paperBlocks["lines"], math.Inf(1), "paper, best (Titan V)"
	for _, seconds := range paperPlain {
		plain = math.Min(plain, seconds)
	}
	for n, overlap := range lines.overlap {
		all = append(all, report.Series{Name: name, Of: fmt.Sprintf("%d sweeps", paperSweeps[n]), Dashed: true, Apart: true,
			X: []float64{float64(overlap)}, Y: []float64{plain / lines.best[n]}})
		name = "" // once in the legend
	}
	return all
}
