package bench

import (
	"fmt"
	"slices"

	"convect/cmd/convect/bench/report"
	"convect/lab/mueller"
)

// Ratios of times of an iteration, as the tables name them.
const (
	ratioInterleaved = "matrix-free / interleaved, an iteration"
	ratioExplicit    = "matrix-explicit / interleaved, an iteration"
)

// columnHeadlines are the paper's: its CUDA program, levels contiguous, on the sphere.
func columnHeadlines() (all []headline) {
	const size = "256x256x128"
	for _, kind := range []string{float32Name, float64Name} {
		theirs := func(what string) report.Pick {
			return report.Pick{Table: "paper", Column: "value", Where: report.Row{"what": what, "precision": kind}}
		}
		ours := func(table, column, key, value string, beside ...string) report.Pick {
			return report.Pick{Table: table, Column: column, Beside: beside,
				Where: report.Row{"panel": "sphere", "order": mueller.RowOrder.String(), "precision": kind, key: value}}
		}
		interleaved := mueller.Interleaved.String()
		all = append(all,
			headline{"pcg", "speed-up of an iteration matrix-free and interleaved over a stored matrix, " + kind, "", paperMueller, size,
				theirs(ratioExplicit), ours("ratios", "measured", "ratio", ratioExplicit)},
			headline{"pcg", "speed-up of an iteration by interleaving, " + kind, "", paperMueller, size,
				theirs(ratioInterleaved), ours("ratios", "measured", "ratio", ratioInterleaved)},
			headline{"pcg", "to five digits, transfers included, " + kind + " (theirs: 100 iterations; less is better)", "s", paperMueller, size,
				theirs(paperTotalName), ours("solves", "total", "solver", interleaved, "iterations")},
			headline{"pcg", "an iteration, interleaved, " + kind + " (less is better)", "ms", paperMueller, size,
				theirs(paperIterationName), ours("solves", columnTime.Key, "solver", interleaved)})
	}
	return all
}

// Names of figures in the table of the paper.
const (
	paperTotalName     = "100 iterations with transfers, interleaved, s"
	paperIterationName = "an iteration, interleaved, ms"
)

// paperPCG adds the paper's first results, whatever precisions are measured.
func (r *run) paperPCG() {
	t := r.table("paper", "The paper's own, 256 x 256 x 128 cells, CUDA on a Tesla M2090",
		report.Column{Key: "what", Title: "what", Origin: report.Label}, columnPrecision,
		report.Column{Key: "value", Title: "value", Origin: report.Paper, Format: "%.2f"})
	stored, plain, interleaved := mueller.Stored.String(), mueller.Plain.String(), mueller.Interleaved.String()
	for _, kind := range []string{float32Name, float64Name} {
		iteration := func(solver string) float64 { return paperIteration(kind, mueller.RowOrder, solver) }
		total, _ := paperSolve(columnCase{kind: kind, order: mueller.RowOrder}, interleaved).Number("paper_total")
		for _, f := range []struct {
			what  string
			value float64
		}{{ratioExplicit, iteration(stored) / iteration(interleaved)}, {ratioInterleaved, iteration(plain) / iteration(interleaved)},
			{paperTotalName, total}, {paperIterationName, iteration(interleaved)}} {
			t.Add(report.Row{"what": f.what, "precision": kind, "value": f.value})
		}
	}
}

// paperColumns marks the paper's figures at those of ours of the same precision and order of memory.
func paperColumns(of, column string, bars []string, rows []report.Row, bar func(report.Row) string) report.Series {
	return paperBars("paper, "+of, of, column, bars, rows, bar)
}

// onSphere returns the rows of a table of one precision and order of memory on the sphere.
func onSphere(t *report.Table, kind string, order mueller.Order) (rows []report.Row) {
	for _, row := range t.Rows {
		if row["panel"] == "sphere" && row["precision"] == kind && row["order"] == order.String() {
			rows = append(rows, row)
		}
	}
	return rows
}

func rowSolver(row report.Row) string { return fmt.Sprint(row["solver"]) }

func rowKernel(row report.Row) string { return fmt.Sprintf("%s: %s", row["solver"], row["kernel"]) }

// plotColumnKernels draws the times of kernels beside the paper's.
func (r *run) plotColumnKernels(t *report.Table) {
	p := &report.Plot{File: "pcg-3.png", Title: "Kernels on " + sizeText(r.options.Size) + " cells of the sphere (the paper's tables 3 and 4)",
		Y: report.Axis{Label: "ms", Log: true}}
	for _, row := range t.Rows {
		if name := rowKernel(row); !slices.Contains(p.Bars, name) {
			p.Bars = append(p.Bars, name)
		}
	}
	for _, kind := range r.kinds {
		for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
			s, rows := report.Series{Name: kind + ", " + order.String(), X: []float64{}}, onSphere(t, kind, order)
			for _, row := range rows {
				if v, ok := row.Number(columnTime.Key); ok {
					markAt(&s, p.Bars, rowKernel(row), v)
				}
			}
			p.Series = append(p.Series, s, paperColumns(s.Name, "paper_milliseconds", p.Bars, rows, rowKernel))
		}
	}
	r.report.Plots = append(r.report.Plots, p)
}
