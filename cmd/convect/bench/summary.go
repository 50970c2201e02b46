package bench

import (
	"slices"
	"strings"

	"convect/cmd/convect/bench/report"
)

// headline is a result of a paper and where its figure and ours stand in the report of a benchmark.
type headline struct {
	benchmark, what, unit string
	paper                 string // who and on what
	size                  string // of the paper; empty: it does not say
	theirs, ours          report.Pick
}

// The papers.
const (
	paperGiles           = "Giles 2008, GeForce 8800 GT"
	paperJaugey          = "Jaugey 2021, V100"
	paperKrotkiewski     = "Krotkiewski & Dabrowski, Tesla 2050"
	paperKrotkiewski1060 = "Krotkiewski & Dabrowski, Tesla 1060"
	paperIslam           = "Islam & Wang 2020, Titan V"
	paperMueller         = "Müller et al. 2013, Tesla M2090"
)

// headlines are the results that the papers put first.
func headlines() []headline {
	single, homogeneous := report.Row{"precision": float32Name}, report.Row{"permeability": "constant"}
	all := []headline{
		{"jacobi", "a sweep: part of the bandwidth (theirs: 3 loads and 1 store of the card's; ours: 1 and 1 of the copy's)", "", paperGiles, "256",
			report.Pick{Table: "paper", Column: "fraction"},
			report.Pick{Table: "sweeps", Column: columnFraction.Key, Prefer: single, Beside: []string{"sweeps"}}},
		{"jacobi", "a sweep: speed-up over one core", "", paperGiles, "256", report.Pick{Table: "paper", Column: "speed_up"},
			report.Pick{Table: "sweeps", Column: "speed_up", Prefer: single, Beside: []string{"sweeps"}}},
	}
	for _, c := range planeClaims {
		where := report.Row{"claim": c.text}
		all = append(all, headline{"poisson2d", c.text, "", paperJaugey, "4096", report.Pick{Table: "paper", Column: "paper", Where: where},
			report.Pick{Table: "paper", Column: "ours", Where: where, Prefer: single}})
	}
	for _, s := range []struct{ what, unit, theirs, ours string }{
		{"27 points: points a second", "G/s", "gigapoints_per_second", columnPoints.Key}, {"27 points", "GFLOP/s", "gigaflops", "gigaflops"},
		{"27 points: part of the bandwidth", "", "fraction", columnFraction.Key},
	} {
		all = append(all, headline{"stencil", s.what, s.unit, paperKrotkiewski, "", report.Pick{Table: "paper", Column: s.theirs, Where: paper27},
			ourApply("27-point", s.ours)})
	}
	all = append(all,
		headline{"stencil", "7 points: part of the bandwidth", "", paperKrotkiewski1060, "", report.Pick{Table: "paper", Column: "fraction", Where: paper7},
			ourApply("7-point", columnFraction.Key)},
		headline{"multigrid", "V-cycles, 27 points", "/s", paperKrotkiewski, "257", report.Pick{Table: "paper", Column: "cycles_per_second"},
			report.Pick{Table: "cycles", Column: "cycles_per_second", Where: report.Row{"stencil": "27-point"}, Prefer: single}},
		headline{"step", "a time step (less is better)", "s", paperKrotkiewski, "513x513x129", report.Pick{Table: "paper", Column: "seconds"},
			report.Pick{Table: "steps", Column: "seconds", Where: homogeneous, Prefer: single, Least: true}},
		headline{"step", "a time step: nodes", "M/s", paperKrotkiewski, "513x513x129", report.Pick{Table: "paper", Column: "million_nodes_per_second"},
			report.Pick{Table: "steps", Column: "million_nodes_per_second", Where: homogeneous, Prefer: single}})
	for _, s := range []struct{ shape, what string }{{"lines", "1-D: speed-up by sweeps on blocks in cache"}, {"plane", "2-D: speed-up by sweeps on blocks in cache"}} {
		where := report.Row{"shape": s.shape}
		all = append(all, headline{"hierarchical", s.what, "", paperIslam, "1024",
			report.Pick{Table: "best", Column: "paper_best", Where: where}, report.Pick{Table: "best", Column: "best", Where: where, Beside: []string{"sweeps", "overlap"}}})
	}
	return append(all, columnHeadlines()...)
}

// ourApply picks a figure of applying an operator with constant coefficients.
func ourApply(stencil, column string) report.Pick {
	return report.Pick{Table: "kernels", Column: column, Where: report.Row{"stencil": stencil, "kernel": "apply", "coefficients": coefficientNames[0]},
		Prefer: report.Row{"precision": float32Name}}
}

// Summary sets the first results of the papers beside those of the reports. Every figure is one that stands in a report.
func Summary(reports []*report.Report) *report.Table {
	label := func(key, title string) report.Column {
		return report.Column{Key: key, Title: title, Origin: report.Label}
	}
	t := &report.Table{Key: "headlines", Title: "The first results of the papers beside those of this machine", Columns: []report.Column{
		label("benchmark", "benchmark"), label("what", "result"), label("unit", "unit"), label("paper", "paper"),
		{Key: "theirs", Title: "theirs", Origin: report.Paper, Format: report.Significant},
		{Key: "ours", Title: "ours", Origin: report.Various, Format: report.Significant},
		{Key: "ratio", Title: "ours/theirs", Origin: report.Various, Format: report.Significant},
		label("origin", "origin of ours"), label("row", "of ours"), label("size", "size")}}
	for _, h := range headlines() {
		n := slices.IndexFunc(reports, func(r *report.Report) bool { return r.Benchmark == h.benchmark && r.Error == "" })
		if n < 0 {
			continue
		}
		t.Add(h.row(reports[n]))
	}
	return t
}

// row looks a headline up.
func (h headline) row(r *report.Report) report.Row {
	row := report.Row{"benchmark": h.benchmark, "what": h.what, "unit": h.unit, "paper": h.paper, "size": sizeText(r.Size)}
	if h.size != "" && h.size != sizeText(r.Size) {
		row["size"] = sizeText(r.Size) + " (paper: " + h.size + ")"
	}
	theirs, hasTheirs := r.Find(h.theirs)
	ours, hasOurs := r.Find(h.ours)
	if hasTheirs {
		row["theirs"] = theirs.Value
	}
	if !hasOurs {
		row["row"] = "not measured"
		return row
	}
	row["ours"], row["origin"], row["row"] = ours.Value, string(ours.Origin), strings.TrimPrefix(ours.Row, h.what+", ")
	a, isNumber := ours.Value.(float64)
	if b, both := theirs.Value.(float64); hasTheirs && isNumber && both {
		row["ratio"] = a / b
	}
	return row
}
