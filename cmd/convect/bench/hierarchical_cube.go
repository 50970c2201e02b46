package bench

import (
	"fmt"
	"math"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/lab/islam"
)

// What is tried on cubes: numbers of sweeps and overlaps, and on a processor the rows along y and z of tiles of plain Jacobi.
var (
	cubeSweeps   = []int{2, 4, 8, 16, 32}
	cubeOverlaps = []int{0, 2, 4, 6}
	cubeRows     = []int{16, 8, 32, 64, 128}
)

// cubeTiles lists the unknowns along an axis of blocks: on a GPU those that registers hold.
func cubeTiles(dev kernels.Device) []int {
	if ownClock(dev) {
		return []int{16}
	}
	return []int{16, 32}
}

// cubeWithin returns the size of a cube whose three arrays, with their halo, lie in the last cache; at most a fourth of n, and whole sixteens.
func (r *run) cubeWithin(n int) int {
	const part = 0.6
	size := max(n/4, 4)
	if cache := r.dev.Info().LastCache; cache > 0 {
		size = min(size, int(math.Cbrt(part*float64(cache)/sweepBytes)))
	}
	if size > 16 {
		size -= size % 16
	}
	return size
}

// cubes compares blocks with plain Jacobi in three dimensions, in the last cache and where nothing stays there.
func (r *run) cubes(t blockTables, n int) error {
	small := islam.Cube(r.cubeWithin(n))
	counts, totals := map[islam.Blocks]int{}, map[islam.Blocks]float64{}
	plain := small.PlainSweeps(blockTolerance)
	if err := r.cubeOf(t, small, plain, counts, totals); err != nil {
		return err
	}
	if r.dev.Info().LastCache <= 0 || n < lineFrom {
		return nil
	}
	size := int(math.Cbrt(cachesFilled * float64(r.dev.Info().LastCache) / sweepBytes))
	large := islam.Cube((size + 16) / 16 * 16)
	ratio := math.Pow(float64(large.N+1)/float64(small.N+1), 2)
	for b, count := range counts {
		counts[b] = int(ratio * float64(count))
		if !ownClock(r.dev) && b.Overlap > 0 && !bestOverlap(b, totals) { // they take long
			delete(counts, b)
		}
	}
	return r.cubeOf(t, large, int(ratio*float64(plain)), counts, totals)
}

// bestOverlap tells whether no other overlap of such blocks took less.
func bestOverlap(b islam.Blocks, totals map[islam.Blocks]float64) bool {
	for other, total := range totals {
		if other.Tile == b.Tile && other.Sweeps == b.Sweeps && other.Overlap > 0 && total < totals[b] {
			return false
		}
	}
	return true
}

// cubeOf measures plain Jacobi and cycles on blocks of a cube. If there are no counts, cycles are counted and whole runs made; else those are tried that there
// are. Totals are the seconds to the tolerance.
func (r *run) cubeOf(t blockTables, s islam.Shape, sweeps int, counts map[islam.Blocks]int, totals map[islam.Blocks]float64) error {
	x, err := r.newRelaxation(fmt.Sprintf("cube of %d", s.N), s, sweeps)
	if err != nil {
		return err
	}
	defer x.Free()
	if err := r.plainSweeps(t.plain, x); err != nil {
		return err
	}
	known := len(counts) > 0
	var fastest islam.Blocks
	least := math.Inf(1)
	for _, sweeps := range cubeSweeps {
		without, best := math.Inf(1), math.Inf(1)
		var at islam.Blocks
		for _, tile := range cubeTiles(r.dev) {
			for _, overlap := range cubeOverlaps {
				b := islam.Blocks{Tile: min(tile, s.N), Overlap: overlap, Sweeps: sweeps}
				if overlap >= b.Tile || overlap > 0 && b.Tile == s.N || known && counts[b] == 0 {
					continue // one block has no overlap
				}
				total, err := r.cubeCycles(t.cycles, x, b, counts)
				if err != nil {
					return err
				}
				totals[b] = total
				if overlap == 0 {
					without = min(without, total)
				}
				if total < best {
					best, at = total, b
				}
				if total < least {
					least, fastest = total, b
				}
			}
		}
		inner, block, rim := math.Pow(float64(at.Tile-at.Overlap), 3), math.Pow(float64(at.Tile), 3), math.Pow(float64(at.Tile+2), 3)
		t.cubes.Add(report.Row{"shape": x.name, "sweeps": sweeps, "speed_up": x.plainTime() / without, "tile": at.Tile, "overlap": at.Overlap,
			"best": x.plainTime() / best, "swept": block / inner, "rim_bytes": sweepBytes/3*(rim+block)/inner + sweepBytes/3})
	}
	if known {
		return nil
	}
	return r.wholeRuns(t.runs, x, fastest, counts[fastest])
}

// cubeCycles times the cycles of one kind of block, and counts them if they are not known.
func (r *run) cubeCycles(t *report.Table, x *relaxation, b islam.Blocks, counts map[islam.Blocks]int) (float64, error) {
	if count := counts[b]; count > 0 {
		r.progress("%s, blocks of %d, overlap %d, %d sweeps", x.name, b.Tile, b.Overlap, b.Sweeps)
		return r.cycleRow(t, x, b, count)
	}
	total, count, err := r.cyclesOf(t, x, b)
	counts[b] = count
	return total, err
}

// plotCubes draws the speed-ups of cubes over sweeps, with the best overlap and without.
func (r *run) plotCubes(cubes *report.Table) {
	p := &report.Plot{File: "hierarchical-8.png", Title: "Speed-up over plain Jacobi, cubes", X: report.Axis{Label: "sweeps of a cycle", Log: true},
		Y: report.Axis{Label: "speed-up"}}
	var names []any
	for _, row := range cubes.Rows {
		if len(names) == 0 || names[len(names)-1] != row["shape"] {
			names = append(names, row["shape"])
		}
	}
	for _, name := range names {
		best, without := report.Series{Name: fmt.Sprintf("%v, best overlap", name)}, report.Series{Name: fmt.Sprintf("%v, no overlap", name), Dashed: true}
		for _, row := range cubes.Rows {
			if row["shape"] == name {
				best.X, best.Y = append(best.X, number(row, "sweeps")), append(best.Y, number(row, "best"))
				without.X, without.Y = append(without.X, number(row, "sweeps")), append(without.Y, number(row, "speed_up"))
			}
		}
		p.Series = append(p.Series, best, without)
	}
	r.report.Plots = append(r.report.Plots, p)
}
