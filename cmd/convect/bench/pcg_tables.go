package bench

import (
	"fmt"

	"convect/cmd/convect/bench/report"
	"convect/lab/mueller"
)

// columnLabels name a problem on columns.
func columnLabels(more ...report.Column) []report.Column {
	return append([]report.Column{
		{Key: "panel", Title: "panel", Origin: report.Label}, columnPrecision, {Key: "order", Title: "memory", Origin: report.Label},
	}, more...)
}

// pcgTables adds the tables that are filled as problems are measured.
func (r *run) pcgTables(size [3]int) (t columnTables) {
	cells := sizeText(size[:])
	solver := report.Column{Key: "solver", Title: "solver", Origin: report.Label}
	seconds := func(key, title string) report.Column {
		return report.Column{Key: key, Title: title, Unit: "s", Origin: report.Measured, Format: "%.3f"}
	}
	paper := func(key, title, unit, format string) report.Column {
		return report.Column{Key: key, Title: title, Unit: unit, Origin: report.Paper, Format: format}
	}
	over := report.Column{Key: "over_explicit", Title: "over explicit", Origin: report.Measured, Format: "%.2f"}
	t.kernels = r.table("kernels", "Kernels of an iteration on "+cells+" cells (the paper's tables 3, 4 and 7)", columnLabels(solver,
		report.Column{Key: "kernel", Title: "kernel", Origin: report.Label}, columnTime, columnBytes, columnModel, columnSpeed,
		columnCopy, columnFraction, report.Column{Key: "gigaflops", Title: "GFLOP/s", Origin: report.Measured, Format: "%.1f"}, over,
		paper("paper_milliseconds", "time", "ms", "%.2f"), paper("paper_gigaflops", "GFLOP/s", "", "%.1f"),
		paper("paper_gigabytes", "speed", "GB/s", "%.1f"))...)
	t.solves = r.table("solves", fmt.Sprintf("Solves to a relative residual of %.0e on %s cells (the paper's tables 5 and 6; its own make "+
		"100 iterations)", pcgTolerance, cells), columnLabels(solver,
		seconds("set_up", "set-up"), seconds("transfer", "transfer"), seconds("solve", "solve"), seconds("total", "total"),
		report.Column{Key: "iterations", Title: "iterations", Origin: report.Measured},
		report.Column{Key: "residual", Title: "residual", Origin: report.Measured, Format: "%.1e"},
		report.Column{Key: "plain_residual", Title: "of u, plain", Origin: report.Measured, Format: "%.1e"},
		iterationTime, columnBytes, columnModel, columnSpeed, columnCopy, columnFraction, over,
		paper("paper_set_up", "set-up", "s", "%.2f"), paper("paper_transfer", "transfer", "s", "%.3f"),
		paper("paper_total", "total", "s", "%.2f"), paper("paper_iteration", "iteration", "ms", "%.1f"))...)
	t.ratios = r.table("ratios", "Ratios of times beside the ratios of what must move", columnLabels(
		report.Column{Key: "ratio", Title: "ratio", Origin: report.Label},
		report.Column{Key: "measured", Title: "measured", Origin: report.Measured, Format: "%.2f"},
		report.Column{Key: "counted", Title: "bytes", Origin: report.Counted, Format: "%.2f"},
		report.Column{Key: "of_counted", Title: "of bytes", Origin: report.Measured, Format: "%.2f"},
		report.Column{Key: "references", Title: "references", Origin: report.Counted, Format: "%.2f"},
		paper("paper", "ratio", "", "%.2f"))...)
	t.sizes = r.table("sizes", fmt.Sprintf("Iterations to %.0e over numbers of columns of %d cells, ω in proportion to their width",
		pcgTolerance, size[2]), report.Column{Key: "panel", Title: "panel", Origin: report.Label}, columnPrecision,
		report.Column{Key: "columns", Title: "columns", Origin: report.Label},
		report.Column{Key: "iterations", Title: "conjugate gradients", Unit: "iterations", Origin: report.Measured},
		report.Column{Key: "growth", Title: "over the first", Origin: report.Measured, Format: "%.2f"},
		report.Column{Key: "cycles", Title: "multigrid", Unit: "cycles", Origin: report.Measured},
		report.Column{Key: "levels", Title: "levels", Origin: report.Counted},
		report.Column{Key: "factor", Title: "factor", Unit: "/cycle", Origin: report.Measured, Format: "%.3f"})
	return t
}

// iterationTime is columnTime for an iteration.
var iterationTime = report.Column{Key: columnTime.Key, Title: "time", Unit: "ms/iteration", Origin: report.Measured, Format: "%.3f"}

// pcgCounts adds the paper's table 2 with our counts: words are those that must move if caches are perfect.
func (r *run) pcgCounts() {
	t := r.table("counts", "Operations for each cell and iteration (the paper's table 2)",
		report.Column{Key: "solver", Title: "solver", Origin: report.Label}, report.Column{Key: "kernel", Title: "kernel", Origin: report.Label},
		report.Column{Key: "flops", Title: "FLOP", Origin: report.Counted}, report.Column{Key: "words", Title: "words", Origin: report.Counted},
		report.Column{Key: "indices", Title: "indices", Origin: report.Counted},
		report.Column{Key: "paper_flops", Title: "FLOP", Origin: report.Paper},
		report.Column{Key: "paper_none", Title: "references", Unit: "no cache", Origin: report.Paper},
		report.Column{Key: "paper_levels", Title: "references", Unit: "levels cached", Origin: report.Paper},
		report.Column{Key: "paper_columns", Title: "references", Unit: "columns too", Origin: report.Paper})
	for _, form := range mueller.Forms() {
		for _, part := range append(mueller.Works(form), mueller.Part{Name: "total", Work: mueller.Total(form)}) {
			row := report.Row{"solver": form.String(), "kernel": part.Name, "flops": part.Work.Flops, "words": part.Work.Words}
			if part.Work.Ints > 0 {
				row["indices"] = part.Work.Ints
			}
			for n, key := range []string{"paper_none", "paper_levels", "paper_columns"} {
				if v := part.Work.References[n]; v > 0 && (form != mueller.Stored || part.Name != "total") {
					row[key] = v
				}
			}
			if v := paperFlops(form, part.Name); v > 0 {
				row["paper_flops"] = v
			}
			t.Add(row)
		}
	}
}

// paperFlops returns the operations of the paper's table 2 and section 4.2; 0 where it has none.
func paperFlops(form mueller.Form, kernel string) int {
	switch form {
	case mueller.Stored:
		return map[string]int{"SpMV": 14, "BLAS": 13}[kernel]
	case mueller.Interleaved:
		return map[string]int{"interlvd. SpMV": 28, "interlvd. prec.": 19, "total": 47}[kernel]
	}
	return map[string]int{"SpMV": 20, "preconditioner": 13, "BLAS": 13, "total": 46}[kernel]
}

// onPaper picks from the paper's figures of single and double precision: those of its C program, where columns are contiguous,
// and those of its CUDA program, where levels are.
func onPaper(kind string, order mueller.Order, single, double [2]float64) float64 {
	n := 0
	if order == mueller.RowOrder {
		n = 1
	}
	if kind == float32Name {
		return single[n]
	}
	return double[n]
}

// paperKernel returns the paper's tables 3, 4 and 7 for a kernel.
func paperKernel(kind string, order mueller.Order, form mueller.Form, name string) report.Row {
	type figures struct{ single, double, speed, bandwidth [2]float64 } // speed and bandwidth: of CUDA in single and double precision
	all := map[string]figures{
		"matrix-explicit SpMV":           {[2]float64{170.6, 6.91}, [2]float64{182.2, 10.91}, [2]float64{}, [2]float64{}},
		"matrix-explicit preconditioner": {[2]float64{205.3, 12.50}, [2]float64{249.7, 23.20}, [2]float64{}, [2]float64{}},
		"matrix-free SpMV":               {[2]float64{78.5, 0.75}, [2]float64{80.7, 1.41}, [2]float64{223.7, 119.0}, [2]float64{50.73, 79.07}},
		"matrix-free preconditioner":     {[2]float64{252.6, 2.40}, [2]float64{350.4, 3.75}, [2]float64{45.4, 29.1}, [2]float64{38.41, 49.35}},
		"interleaved interlvd. SpMV":     {[2]float64{129.9, 2.16}, [2]float64{132.3, 3.86}, [2]float64{108.7, 60.9}, [2]float64{64.67, 78.97}},
		"interleaved interlvd. prec.":    {[2]float64{253.1, 3.34}, [2]float64{351.3, 4.86}, [2]float64{47.7, 32.8}, [2]float64{46.16, 64.58}},
	}
	f, ok := all[form.String()+" "+name]
	if !ok {
		return nil
	}
	row := report.Row{"paper_milliseconds": onPaper(kind, order, f.single, f.double)}
	if order == mueller.RowOrder && f.speed[0] > 0 {
		row["paper_gigaflops"] = onPaper(kind, order, [2]float64{0, f.speed[0]}, [2]float64{0, f.speed[1]})
		row["paper_gigabytes"] = onPaper(kind, order, [2]float64{0, f.bandwidth[0]}, [2]float64{0, f.bandwidth[1]})
	}
	return row
}

// paperPart returns the time of a kernel with a stored matrix over that without, by the paper's tables 3 and 4.
func paperPart(kind string, order mueller.Order, name string) float64 {
	time := func(form mueller.Form) float64 {
		return number(paperKernel(kind, order, form, name), "paper_milliseconds")
	}
	return time(mueller.Stored) / time(mueller.Plain)
}

// paperIteration returns the milliseconds of the paper's table 6.
func paperIteration(kind string, order mueller.Order, solver string) float64 {
	f := map[string][2][2]float64{
		mueller.Stored.String():      {{410.8, 23.5}, {494.6, 41.4}},
		mueller.Plain.String():       {{376.3, 8.1}, {491.5, 13.9}},
		mueller.Interleaved.String(): {{370.6, 5.6}, {453.4, 8.8}},
	}[solver]
	return onPaper(kind, order, f[0], f[1])
}

// paperSolve returns the paper's tables 5 and 6 for a solver on the sphere.
func paperSolve(c columnCase, solver string) report.Row {
	if c.flat || solver == multigridName {
		return nil
	}
	totals := map[string][2][2]float64{
		mueller.Stored.String():      {{43.72, 2.54}, {50.50, 4.41}},
		mueller.Plain.String():       {{37.00, 0.87}, {49.37, 1.48}},
		mueller.Interleaved.String(): {{37.39, 0.62}, {45.78, 0.96}},
	}[solver]
	row := report.Row{"paper_total": onPaper(c.kind, c.order, totals[0], totals[1]), "paper_iteration": paperIteration(c.kind, c.order, solver)}
	if solver == mueller.Stored.String() {
		row["paper_set_up"] = onPaper(c.kind, c.order, [2]float64{0.55, 0.15}, [2]float64{0.72, 0.16})
	}
	if c.order == mueller.RowOrder {
		row["paper_transfer"] = onPaper(c.kind, c.order, [2]float64{0, 0.047}, [2]float64{0, 0.073})
	}
	return row
}

// plotPCG draws the time of an iteration and of a solve.
func (r *run) plotPCG(t columnTables) {
	size := sizeText(r.options.Size)
	for _, d := range []struct{ file, key, paper, title, axis string }{
		{"pcg-1.png", columnTime.Key, "paper_iteration", "An iteration on " + size + " cells of the sphere (the paper's table 6)", "ms"},
		{"pcg-2.png", "total", "paper_total", fmt.Sprintf("A solve to %.0e with set-up and transfer, %s cells of the sphere (table 5)", pcgTolerance, size), "seconds"},
	} {
		p := &report.Plot{File: d.file, Title: d.title, Y: report.Axis{Label: d.axis, Log: true}}
		for _, kind := range r.kinds {
			for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
				s := report.Series{Name: kind + ", " + order.String()}
				var names []string
				for _, row := range t.solves.Rows {
					if v, ok := row.Number(d.key); ok && row["panel"] == "sphere" && row["precision"] == kind && row["order"] == order.String() {
						s.Y = append(s.Y, v)
						names = append(names, row["solver"].(string))
					}
				}
				p.Series, p.Bars = append(p.Series, s), names
				p.Series = append(p.Series, paperColumns(s.Name, d.paper, names, onSphere(t.solves, kind, order), rowSolver))
			}
		}
		r.report.Plots = append(r.report.Plots, p)
	}
}

// pcgNotes says what the columns mean.
func (r *run) pcgNotes(p mueller.Parameters) {
	r.note("-ω²(∇²u + λ² r⁻² ∂r(r² ∂r u)) + u = f with ω = %.3g Δx = %.4g, λ = %g, levels r = 1 + %g (k/%d)², no flux through the walls, zero "+
		"first guess. f is smooth: a bump in x and y with waves in r; the paper does not say its own.", p.Courant, p.Omega(), p.Lambda, p.Depth, p.Levels)
	r.note("Figures of the paper are those of 256 x 256 x 128 cells whatever the size here: where k is fastest its C program on one core of " +
		"a Xeon E5-2620, where x is fastest its CUDA program on a Tesla M2090. Its GB/s are of all references that reach memory.")
	r.note("bytes: words that must move for each cell and kernel or iteration if caches are perfect. A fraction of copy above 1 is that of " +
		"kernels that read more than they write.")
	r.note("set-up: coefficients of levels and columns, and with a stored matrix its entries, with multigrid its levels. transfer: f to the " +
		"device, u back; on the CPU a copy between float64 on the host and the device's memory.")
	r.note("residual: the recursive one of conjugate gradients, that of the corrections of multigrid, relative to the first. of u, plain: that " +
		"of the solution by the plain operator in float64. In float32 it ends at the rounding of u times the vertical coupling, whatever the solver.")
	if ownClock(r.dev) {
		r.note("Vertical systems on a GPU without a stored matrix, in preconditioner, interlvd. prec. and multigrid: parallel in the vertical too, 16 cells " +
			"a thread of a column of up to 128, by substructuring, which the paper leaves to future work. With a stored matrix a thread solves a whole column, as in " +
			"the paper.")
	}
	r.note("Multigrid: V(2,2), columns merged two by two, vertical systems as the smoother. Solvers are timed in turns, once at least; " +
		"--budget gives time for more samples.")
}
