package bench

import (
	"slices"

	"convect/cmd/convect/bench/report"
)

// addPapers adds what the papers have to the tables and plots of benchmarks that were measured: those of jacobi, poisson2d and hierarchical. The
// others do so as they draw.
func (r *run) addPapers() {
	switch r.Name {
	case "jacobi":
		r.mark("jacobi.png", func(p *report.Plot) []report.Series { return []report.Series{r.paperTile(p.Bars)} })
	case "poisson2d":
		r.paperPoisson2D()
	case "hierarchical":
		r.mark("hierarchical-3.png", func(*report.Plot) []report.Series { return paperOptima() })
		r.plotShared()
	}
}

// mark adds series to a plot.
func (r *run) mark(file string, series func(p *report.Plot) []report.Series) {
	for _, p := range r.report.Plots {
		if p.File == file {
			p.Series = append(p.Series, series(p)...)
		}
	}
}

// measured returns a table of the report, nil where there is none.
func (r *run) measured(key string) *report.Table {
	n := slices.IndexFunc(r.report.Tables, func(t *report.Table) bool { return t.Key == key })
	if n < 0 {
		return nil
	}
	return r.report.Tables[n]
}

// paperLevel is the largest figure in a column of the table of the paper, as a line across a plot.
func (r *run) paperLevel(column, name string) report.Series {
	s := report.Series{Name: name, Dashed: true}
	if f, ok := r.report.Find(report.Pick{Table: "paper", Column: column}); ok {
		s.Y = []float64{f.Value.(float64)}
	}
	return s
}

// markAt adds a mark at one of the bars of a plot.
func markAt(s *report.Series, bars []string, bar string, v float64) {
	if n := slices.Index(bars, bar); n >= 0 {
		s.X, s.Y = append(s.X, float64(n)), append(s.Y, v)
	}
}

// paperTile marks the paper's part of the bandwidth at its blocks of 32 x 4.
func (r *run) paperTile(bars []string) report.Series {
	s := report.Series{Name: "paper, 8800 GT", Dashed: true, X: []float64{}}
	if f, ok := r.report.Find(report.Pick{Table: "paper", Column: "fraction"}); ok {
		markAt(&s, bars, tileText([3]int{32, 4, 0}), f.Value.(float64))
	}
	return s
}

// paperBars marks figures of a paper over bars named in rows; it takes the colour and the place of the series of ours.
func paperBars(name, of, column string, bars []string, rows []report.Row, bar func(report.Row) string) report.Series {
	s := report.Series{Name: name, Dashed: true, X: []float64{}, Of: of}
	for _, row := range rows {
		if v, ok := row.Number(column); ok {
			markAt(&s, bars, bar(row), v)
		}
	}
	return s
}
