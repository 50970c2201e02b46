package bench

import (
	"math"

	"convect/cmd/convect/bench/report"
	"convect/lab/jaugey"
)

// The paper's threads of a warp, below which it finds columns slower, and of a block, from which more gain little in 2-D.
const (
	paperWarp = 32
	paperFlat = 64
)

// planeTimes returns the time of an iteration over threads per block of a layout.
type planeTimes func(jaugey.Layout) map[float64]float64

// planeClaims are what the paper's text says of its figures, whose points it does not list, and the same of our times.
var planeClaims = []struct {
	text, paper string
	ours        func(t planeTimes) float64
}{
	{"time by column over by row, fewer than 32 threads a block (figure 1)", "above 1", func(t planeTimes) float64 {
		return meanRatio(t(jaugey.ColumnThreads), t(jaugey.RowThreads), 0, paperWarp-1)
	}},
	{"fastest threads a block, by row (figure 1)", "32 to below 1024", func(t planeTimes) float64 { return fastest(t(jaugey.RowThreads)) }},
	{"fastest threads a block, by column (figure 1)", "32 to below 1024", func(t planeTimes) float64 { return fastest(t(jaugey.ColumnThreads)) }},
	{"2-D: time with 1 thread a block over that with 64 (figure 2)", "falls linearly", func(t planeTimes) float64 {
		s := t(jaugey.SquareTiles)
		return s[1] / s[paperFlat]
	}},
	{"2-D: time with 64 threads a block over that with 1024 (figure 2)", "almost 1", func(t planeTimes) float64 {
		s := t(jaugey.SquareTiles)
		return s[paperFlat] / s[1024]
	}},
	{"2-D: time staged over direct, up to 64 threads a block (figure A.2)", "about 1", func(t planeTimes) float64 {
		return meanRatio(t(jaugey.StagedTiles), t(jaugey.SquareTiles), 0, paperFlat)
	}},
	{"2-D: time staged over direct, 65 to 1024 threads a block (figure A.2)", "above 1", func(t planeTimes) float64 {
		return meanRatio(t(jaugey.StagedTiles), t(jaugey.SquareTiles), paperFlat+1, 1024)
	}},
}

// meanRatio returns the geometric mean of the ratios of times over a range of threads per block.
func meanRatio(a, b map[float64]float64, from, to float64) float64 {
	sum, n := 0.0, 0.0
	for threads, v := range a {
		if w, ok := b[threads]; ok && threads >= from && threads <= to {
			sum, n = sum+math.Log(v/w), n+1
		}
	}
	return math.Exp(sum / n)
}

// fastest returns the threads per block of the least time.
func fastest(times map[float64]float64) float64 {
	at, least := math.NaN(), math.Inf(1)
	for threads, v := range times {
		if v < least {
			at, least = threads, v
		}
	}
	return at
}

// paperPoisson2D sets what the paper says of its figures beside what our times say, and marks it in the plots.
func (r *run) paperPoisson2D() {
	t := r.measured("sweeps")
	if t == nil {
		return
	}
	for _, m := range []struct {
		file, name string
		threads    float64
	}{{"poisson2d-1.png", "columns slower left", paperWarp}, {"poisson2d-2.png", "constant right", paperFlat}, {"poisson2d-a2.png", "staging costs right", paperFlat}} {
		r.mark(m.file, func(p *report.Plot) []report.Series { return []report.Series{paperLine(m.name, m.threads, p.Series)} })
	}
	claims := r.table("paper", "What the paper says of its figures, and ours (ratios over several blocks are geometric means)",
		report.Column{Key: "claim", Title: "claim", Origin: report.Label}, columnPrecision,
		report.Column{Key: "paper", Title: "paper, V100", Origin: report.Paper},
		report.Column{Key: "ours", Title: "ours", Origin: report.Measured, Format: report.Significant})
	for _, kind := range r.kinds {
		times := func(layout jaugey.Layout) map[float64]float64 {
			all := map[float64]float64{}
			s := r.layoutSeries(t, kind, layout)
			for i, x := range s.X {
				all[x] = s.Y[i]
			}
			return all
		}
		for _, c := range planeClaims {
			claims.Add(report.Row{"claim": c.text, "precision": kind, "paper": c.paper, "ours": c.ours(times)})
		}
	}
}

// paperLine is a vertical line that says what the paper sees on one side of a number of threads per block.
func paperLine(name string, threads float64, beside []report.Series) report.Series {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range beside {
		for _, y := range s.Y {
			low, high = math.Min(low, y), math.Max(high, y)
		}
	}
	return report.Series{Name: "paper: " + name, X: []float64{threads, threads}, Y: []float64{low, high}, Dashed: true}
}
