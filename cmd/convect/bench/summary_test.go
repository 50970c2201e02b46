package bench

import (
	"math"
	"strings"
	"testing"

	"convect/cmd/convect/bench/report"
)

// firstResults are the papers' as their texts have them, in the order of the summary; of ratios of a paper's own figures the quotient.
var firstResults = map[string][]any{
	"jacobi":    {0.75, 50.0},
	"poisson2d": {"above 1", "32 to below 1024", "32 to below 1024", "falls linearly", "almost 1", "about 1", "above 1"},
	"stencil":   {5.7, 300.0, 0.65, 1.0}, "multigrid": {40.0}, "step": {0.7, 48.12}, "hierarchical": {8.0, 5.84},
	"pcg": {4.20, 1.45, 0.62, 5.6, 4.70, 1.58, 0.96, 8.8},
}

// checkSummary checks that every first result of a paper has its own figure and ours, and that ours stands in a table.
func checkSummary(t *testing.T, reports []*report.Report) {
	t.Helper()
	seen := map[string]int{}
	for _, row := range Summary(reports).Rows {
		name := row["benchmark"].(string)
		want := firstResults[name][seen[name]]
		seen[name]++
		if theirs, isNumber := row.Number("theirs"); isNumber {
			w, _ := want.(float64)
			ours, _ := row.Number("ours")
			ratio, _ := row.Number("ratio")
			if math.Abs(theirs-w) > 0.005*w || math.Abs(ratio-ours/theirs) > 1e-9*ratio {
				t.Errorf("%s: %v: theirs is %g, want %g; ratio %g", name, row["what"], theirs, w, ratio)
			}
		} else if row["theirs"] != want {
			t.Errorf("%s: %v: theirs is %v, want %v", name, row["what"], row["theirs"], want)
		}
		if ours, ok := row.Number("ours"); !ok || !standsIn(reports, name, ours) || row["origin"] == "" || row["row"] == "" {
			t.Errorf("%s: %v: ours is %v of %v", name, row["what"], row["ours"], row["row"])
		}
	}
	for name, all := range firstResults {
		if seen[name] != len(all) {
			t.Errorf("%s: %d results of %d", name, seen[name], len(all))
		}
	}
}

// standsIn tells whether a figure that is not a paper's stands in a report.
func standsIn(reports []*report.Report, name string, figure float64) bool {
	for _, r := range reports {
		for _, table := range r.Tables {
			for _, c := range table.Columns {
				for _, row := range table.Rows {
					if v, ok := row.Number(c.Key); ok && r.Benchmark == name && c.Origin != report.Paper && v == figure {
						return true
					}
				}
			}
		}
	}
	return false
}

// paperPlots are the plots with something of a paper, by benchmark.
var paperPlots = map[string][]string{"jacobi": {"jacobi.png"}, "poisson2d": {"poisson2d-1.png", "poisson2d-2.png", "poisson2d-a2.png"},
	"stencil": {"stencil.png", "stencil-2.png", "stencil-3.png"}, "multigrid": {"multigrid-2.png"}, "step": {"step-2.png"},
	"pcg":          {"pcg-1.png", "pcg-2.png", "pcg-3.png"},
	"hierarchical": {"hierarchical-1.png", "hierarchical-3.png", "hierarchical-no-overlap.png"}}

// checkPlots checks that the plots of a benchmark show the paper's points.
func checkPlots(t *testing.T, r *report.Report) {
	t.Helper()
	shown := map[string]bool{}
	for _, p := range r.Plots {
		for _, s := range p.Series {
			if strings.Contains(s.Name, "paper") && s.Dashed && len(s.Y) > 0 && (s.X == nil || len(s.X) == len(s.Y)) {
				shown[p.File] = true
			}
		}
	}
	for _, file := range paperPlots[r.Benchmark] {
		if !shown[file] {
			t.Errorf("%s shows nothing of the paper", file)
		}
	}
}

// Without a benchmark, or with its run failed, the summary has nothing of it; what was not measured is said.
func TestSummaryOfLittle(t *testing.T) {
	failed := stencils().Failed(here(), Options{}, ErrNotOffered)
	if rows := Summary([]*report.Report{failed}).Rows; len(rows) > 0 {
		t.Errorf("%v", rows)
	}
	r := &run{Benchmark: columns(), report: &report.Report{Benchmark: "pcg"}}
	r.paperPCG()
	for _, row := range Summary([]*report.Report{r.report}).Rows {
		if _, ok := row.Number("theirs"); !ok || row["row"] != "not measured" {
			t.Errorf("%v", row)
		}
	}
}

// Ratios of times over threads per block.
func TestPlaneClaims(t *testing.T) {
	a, b := map[float64]float64{1: 8, 4: 2, 16: 5, 64: 1}, map[float64]float64{1: 2, 4: 2, 64: 9}
	if got := meanRatio(a, b, 0, 16); math.Abs(got-2) > 1e-12 {
		t.Errorf("mean of 4 and 1 is %g", got)
	}
	if got := meanRatio(a, b, 65, 1024); !math.IsNaN(got) {
		t.Errorf("mean of nothing is %g", got)
	}
	if fastest(a) != 64 || fastest(b) > 4 {
		t.Errorf("fastest %g, %g", fastest(a), fastest(b))
	}
}

// A quick run takes small sizes and few samples where the options leave them open.
func TestQuickOptions(t *testing.T) {
	for _, b := range All() {
		r := &run{Benchmark: b, options: Options{Quick: true, Repeat: 2}}
		if err := r.setOptions(); err != nil {
			t.Fatal(err)
		}
		if o := r.options; o.Repeat != 2 || o.Budget != quickBudget || product(o.Size) >= product(b.Size) {
			t.Errorf("%s: %+v", b.Name, o)
		}
		if b.Check(Options{Quick: true, Size: b.Size}) == nil {
			t.Errorf("%s: --quick and --size", b.Name)
		}
	}
}

func product(numbers []int) int {
	p := 1
	for _, n := range numbers {
		p *= n
	}
	return p
}
