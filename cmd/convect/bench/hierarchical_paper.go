package bench

import (
	"math"

	"convect/cmd/convect/bench/report"
)

// plotWithoutOverlap draws the speed-ups of blocks that share nothing beside the paper's.
func plotWithoutOverlap(best *report.Table) *report.Plot {
	p := &report.Plot{File: "hierarchical-4.png", Title: "Speed-up over plain Jacobi, no overlap (the paper's tables 1 and 3)",
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
	return p
}

// paperOptima are the paper's times of lines at the overlap that it finds best for each number of sweeps.
func paperOptima() report.Series {
	s := report.Series{Name: "paper, best overlap:\n1024 lines of 1024, Titan V", Dashed: true, Apart: true}
	lines, plain := paperBlocks["lines"], math.Inf(1)
	for _, seconds := range paperPlain {
		plain = math.Min(plain, seconds)
	}
	for n, overlap := range lines.overlap {
		s.X, s.Y = append(s.X, float64(overlap)), append(s.Y, plain/lines.best[n])
	}
	return s
}
