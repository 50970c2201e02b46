package bench

import (
	"fmt"
	"math"
	"strings"

	"convect/cmd/convect/bench/report"
	"convect/lab/islam"
)

// What the paper swept.
var (
	paperSweeps  = [...]int{4, 8, 16, 32, 64, 128}
	paperThreads = [...]int{32, 64, 128, 256, 512}
)

// paperPlain are the paper's seconds of plain Jacobi on lines, over threads per block.
var paperPlain = [...]float64{7.24811, 5.69035, 5.67569, 5.67727, 5.68042}

// paperBlocks are the paper's tables 1 and 2 (lines), 3 and 4 (plane), over the numbers of sweeps.
var paperBlocks = map[string]struct {
	without, best [6]float64
	overlap       [6]int
}{
	"lines": {[6]float64{2.45, 3.82, 3.79, 2.47, 1.46, 0.81}, [6]float64{3.09, 5.74, 8.00, 7.50, 5.84, 3.75}, [6]int{2, 4, 4, 8, 10, 12}},
	"plane": {[6]float64{2.17, 3.67, 3.98, 2.96, 1.86, 1.09}, [6]float64{2.18, 4.22, 5.58, 5.84, 4.88, 3.50}, [6]int{0, 2, 2, 4, 6, 8}},
}

// paperSpeedUp returns the paper's figures for the n-th number of sweeps.
func paperSpeedUp(shape string, n int) report.Row {
	p := paperBlocks[shape]
	return report.Row{"paper_speed_up": p.without[n], "paper_overlap": p.overlap[n], "paper_best": p.best[n]}
}

// blockTables adds the tables that are filled as shapes are measured.
func (r *run) blockTables(n int) (t blockTables) {
	shape := report.Column{Key: "shape", Title: "shape", Origin: report.Label}
	tile := report.Column{Key: "tile", Title: "block", Unit: "unknowns", Origin: report.Counted}
	sweeps := report.Column{Key: "sweeps", Title: "sweeps", Unit: "/cycle", Origin: report.Counted}
	overlap := report.Column{Key: "overlap", Title: "overlap", Unit: "unknowns", Origin: report.Counted}
	cycles := report.Column{Key: "cycles", Title: "cycles", Origin: report.Counted}
	cycleTime := report.Column{Key: columnTime.Key, Title: "time", Unit: "ms/cycle", Origin: report.Measured, Format: "%.4f"}
	reached := report.Column{Key: "to_tolerance", Title: "to 1e-4", Unit: "s", Origin: report.Model, Format: "%.3f"}
	speedUp := func(key, title string, o report.Origin) report.Column {
		return report.Column{Key: key, Title: title, Origin: o, Format: "%.2f"}
	}
	t.plain = r.table("plain", fmt.Sprintf("Plain Jacobi, %d unknowns along an axis, over blocks", n), shape, tile, cycleTime, columnBytes, columnModel,
		columnPoints, columnSpeed, columnCopy, columnFraction, cycles, reached,
		report.Column{Key: "paper_seconds", Title: "to 1e-4", Unit: "s", Origin: report.Paper, Format: "%.3f"})
	t.cycles = r.table("cycles", "Cycles on blocks", shape, tile, sweeps, overlap, cycles,
		report.Column{Key: "of_plain", Title: "sweeps", Unit: "of plain", Origin: report.Counted, Format: "%.3f"}, cycleTime,
		report.Column{Key: "sweep_nanoseconds", Title: "time", Unit: "ns/sweep/unknown", Origin: report.Measured, Format: "%.4f"},
		columnBytes, columnModel, columnSpeed, columnCopy, columnFraction, reached, speedUp("speed_up", "speed-up", report.Model))
	t.best = r.table("best", "Speed-up over plain Jacobi without overlap and with the best one (the paper's tables 1 to 4, blocks of 32)",
		shape, sweeps, speedUp("speed_up", "no overlap", report.Model),
		report.Column{Key: "paper_speed_up", Title: "no overlap", Origin: report.Paper, Format: "%.2f"},
		report.Column{Key: "overlap", Title: "best overlap", Origin: report.Model},
		report.Column{Key: "paper_overlap", Title: "best overlap", Origin: report.Paper},
		speedUp("best", "best", report.Model), report.Column{Key: "paper_best", Title: "best", Origin: report.Paper, Format: "%.2f"})
	t.cubes = r.table("cubes", "Cubes: speed-up over plain Jacobi without overlap and with the best blocks", shape, sweeps,
		speedUp("speed_up", "no overlap", report.Model), report.Column{Key: "tile", Title: "best block", Unit: "unknowns", Origin: report.Model},
		report.Column{Key: "overlap", Title: "best overlap", Origin: report.Model}, speedUp("best", "best", report.Model),
		report.Column{Key: "swept", Title: "swept", Unit: "unknowns/unknown", Origin: report.Counted, Format: "%.2f"},
		report.Column{Key: "rim_bytes", Title: "bytes with rims", Unit: "/point", Origin: report.Counted, Format: "%.1f"})
	t.runs = r.table("runs", "Whole runs, cycles fixed beforehand, transfers included", shape, tile, sweeps, overlap, cycles,
		report.Column{Key: "seconds", Title: "time", Unit: "s", Origin: report.Measured, Format: "%.3f"},
		report.Column{Key: "residual", Title: "residual", Origin: report.Measured, Format: "%.2e"},
		speedUp("speed_up", "speed-up", report.Measured))
	return t
}

// plotHierarchical draws speed-ups over sweeps beside the paper's, and on lines cycles and time over the overlap.
func (r *run) plotHierarchical(t blockTables) {
	speed := &report.Plot{File: "hierarchical-1.png", Title: "Speed-up over plain Jacobi, best overlap", X: report.Axis{Label: "sweeps of a cycle", Log: true},
		Y: report.Axis{Label: "speed-up"}}
	for _, shape := range []string{"lines", "plane"} {
		for _, from := range []struct {
			name, key string
			dashed    bool
		}{{"", "best", false}, {", paper (Titan V)", "paper_best", true}} {
			s := report.Series{Name: shape + from.name, Dashed: from.dashed}
			for _, row := range t.best.Rows {
				if row["shape"] == shape {
					x, _ := row.Number("sweeps")
					y, _ := row.Number(from.key)
					s.X, s.Y = append(s.X, x), append(s.Y, y)
				}
			}
			speed.Series = append(speed.Series, s)
		}
	}
	r.report.Plots = append(r.report.Plots, speed)
	for _, d := range []struct{ file, title, shape, key, axis string }{
		{"hierarchical-2.png", "Cycles over the overlap, lines (figure 9)", "lines", "cycles", "cycles"},
		{"hierarchical-3.png", "Time over the overlap, lines (figure 9)", "lines", "to_tolerance", "seconds to 1e-4"},
		{"hierarchical-4.png", "Cycles over the overlap, plane (figure 13)", "plane", "cycles", "cycles"},
		{"hierarchical-5.png", "Time over the overlap, plane (figure 13)", "plane", "to_tolerance", "seconds to 1e-4"},
	} {
		p := &report.Plot{File: d.file, Title: d.title, X: report.Axis{Label: "overlap"}, Y: report.Axis{Label: d.axis, Log: true}}
		for _, sweeps := range paperSweeps {
			s := report.Series{Name: fmt.Sprintf("%d sweeps", sweeps)}
			for _, row := range t.cycles.Rows {
				if row["shape"] == d.shape && row["sweeps"] == sweeps {
					s.X, s.Y = append(s.X, number(row, "overlap")), append(s.Y, number(row, d.key))
				}
			}
			p.Series = append(p.Series, s)
		}
		r.report.Plots = append(r.report.Plots, p)
	}
	r.plotWithoutOverlap(t)
	r.plotCubes(t.cubes)
}

// plotWithoutOverlap draws the paper's figures 7 and 12: time over sweeps without overlap, and plain Jacobi on its best blocks.
func (r *run) plotWithoutOverlap(t blockTables) {
	for _, d := range []struct{ file, title, shape string }{
		{"hierarchical-6.png", "Time over sweeps, lines, no overlap (figure 7)", "lines"},
		{"hierarchical-7.png", "Time over sweeps, plane, no overlap (figure 12)", "plane"},
	} {
		blocks, plain := report.Series{Name: "blocks"}, report.Series{Name: "plain Jacobi", Dashed: true}
		best := math.Inf(1)
		for _, row := range t.plain.Rows {
			if row["shape"] == d.shape {
				best = min(best, number(row, "to_tolerance"))
			}
		}
		for _, row := range t.cycles.Rows {
			if row["shape"] == d.shape && row["overlap"] == 0 {
				x := number(row, "sweeps")
				blocks.X, blocks.Y = append(blocks.X, x), append(blocks.Y, number(row, "to_tolerance"))
				plain.X, plain.Y = append(plain.X, x), append(plain.Y, best)
			}
		}
		r.report.Plots = append(r.report.Plots, &report.Plot{File: d.file, Title: d.title, X: report.Axis{Label: "sweeps of a cycle", Log: true},
			Y: report.Axis{Label: "seconds to 1e-4", Log: true}, Series: []report.Series{blocks, plain}})
	}
}

// hierarchicalNotes says what the columns mean.
func (r *run) hierarchicalNotes(t blockTables, n int) {
	r.note("Figures of the paper: Titan V, float64, 1024 copies of 1024 unknowns and 1024².")
	r.note("The paper's threads of a block are the unknowns of a block (along each axis) that one core sweeps in its first cache, where a GPU has " +
		"shared memory; its subiterations are the sweeps of a cycle; its overlap is the number of unknowns that neighbouring blocks share, each " +
		"handing on the half farther from its rim. Blocks of lines are several rows high. Plain Jacobi sweeps block after block straight in memory.")
	r.note("cycles: until the residual (2-norm) is 1e-4 of the first, counted in a run of their own, for lines on one of them, because all are alike; those of plain Jacobi "+
		"follow from the eigenvalues. to 1e-4: cycles times the time of a cycle, and the transfers of u and f to the device and of u back. "+
		"Speed-ups compare that with plain Jacobi on its best blocks. Runs that would take more than ten times --budget are not made whole (lines and plane of %d).", n)
	r.note("All blocks of a cycle start from the same u, on a GPU too, where the paper's may see what a neighbour has just handed on.")
	r.note("Lines and planes named by a number fill the last cache %d times with u, its successor and f; blocks of lines are at most an eighth of a line there. The cycles of the plane "+
		"among them are those counted on %d² times the ratio of the squares of N + 1.", cachesFilled, n)
	var sizes []string
	for _, tile := range cubeTiles(r.dev) {
		sizes = append(sizes, fmt.Sprint(tile))
	}
	r.note("Cubes have blocks of %s unknowns along each axis. swept: unknowns that a sweep makes for each that a block in the middle hands on. bytes with rims: what such a block reads of u with its "+
		"rim and of f, and what it hands on, for each of those; neighbours find what they share in the last cache. The cycles of the cube of %d caches are those counted on the small one times the ratio of the "+
		"squares of N + 1.", strings.Join(sizes, " or "), cachesFilled)
	if !ownClock(r.dev) {
		r.note("On planes larger than %d² only no overlap and the paper's best are tried, on the larger cube none and the best of the smaller one.", allOverlaps)
		return
	}
	r.note("On a GPU a block is in the registers of a warp, of a cube in those of eight warps and in shared memory too, and %d cycles, of plain Jacobi too, are launched at once.", recordedCycles)
	r.cacheNotes(t)
}

// cacheNotes says for every shape what the best blocks gain, and how many plain sweeps a cycle of them costs: the paper's gains were over sweeps from memory.
func (r *run) cacheNotes(t blockTables) {
	var shapes []any
	plain, best := map[any]float64{}, map[any]report.Row{}
	for _, row := range t.plain.Rows {
		shape := row["shape"]
		if _, known := plain[shape]; !known {
			shapes, plain[shape] = append(shapes, shape), math.Inf(1)
		}
		plain[shape] = min(plain[shape], number(row, columnTime.Key))
	}
	for _, row := range t.cycles.Rows {
		if b := best[row["shape"]]; b == nil || number(row, "speed_up") > number(b, "speed_up") {
			best[row["shape"]] = row
		}
	}
	for _, shape := range shapes {
		if b := best[shape]; b != nil {
			r.note("%s: a plain sweep takes %.2f µs. The best blocks, of %d with %d sweeps and an overlap of %d, gain %.2f; a cycle of theirs costs %.1f plain sweeps.", shape,
				plain[shape]*1e3, b["tile"], b["sweeps"], b["overlap"], number(b, "speed_up"), number(b, columnTime.Key)/plain[shape])
		}
	}
	r.note("The paper's plain sweep of lines took 44 µs (5.68 s for %d), 25 MB at 570 GB/s from memory. Here the fields of lines and plane lie in the second-level cache, so that there is "+
		"less to gain: what bounds a cycle in the plane are shuffles, and products and sums of double, not memory. The shapes of 16 caches are the paper's case.",
		islam.Lines(1024, 1).PlainSweeps(blockTolerance))
}
