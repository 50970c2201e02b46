package bench

import (
	"fmt"
	"math"
	"slices"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/lab/islam"
)

func hierarchicals() Benchmark {
	return Benchmark{
		Name: "hierarchical", Title: "Hierarchical Jacobi: many sweeps on blocks in cache",
		Source: "Islam & Wang, Hierarchical Jacobi iteration for structured matrices on GPUs using shared memory, 2020",
		Text: "Poisson's equation in one dimension (N copies of N unknowns), in the plane (N x N) and in a cube, u and f ones, until the residual " +
			"is 1e-4 of the first: cycles over sweeps and overlap, time against plain Jacobi, its tables 1 to 4; lines, a plane and a cube that fill " +
			"sixteen times the last cache; and such sweeps as the smoother of a multigrid.",
		Size: []int{1024}, Axes: []int{1}, Repeat: 7, Kinds: []string{float64Name},
		measure: measureHierarchical,
	}
}

const (
	blockTolerance = 1e-4
	blockMost      = 10_000_000 // cycles
	paperTile      = 32
	// lineFrom is the least length of lines whose eighth holds blocks worth their rims.
	lineFrom = 256
	// allOverlaps is the largest plane on which all overlaps are tried: counting takes most of the time.
	allOverlaps = 256
)

// transfers are timed so often, after one that is not counted.
const transfers = 3

// relaxation is one shape on the device, and what its measurements share.
type relaxation struct {
	*islam.Problem
	name     string
	dev      kernels.Device
	copied   *plainCopy
	transfer float64 // seconds for u and f to the device and u back
	sweeps   int     // of plain Jacobi
	plain    float64 // seconds of a plain sweep over the best blocks
	tile     int     // those
}

// newRelaxation allocates a shape on which plain Jacobi takes so many sweeps.
func (r *run) newRelaxation(name string, s islam.Shape, sweeps int) (*relaxation, error) {
	p, err := islam.New(r.dev, kernels.Float64, s)
	if err != nil {
		return nil, err
	}
	x := &relaxation{Problem: p, name: name, dev: r.dev, sweeps: sweeps}
	if x.copied, err = r.copyOf(r.dev, kernels.Float64, p.Nodes()); err != nil {
		p.Free()
		return nil, err
	}
	u, f := p.Start()
	times := make([]float64, 1+transfers)
	for n := range times {
		begin := time.Now()
		p.Upload(u, f)
		if err := p.Download(u); err != nil {
			p.Free()
			return nil, err
		}
		times[n] = time.Since(begin).Seconds()
	}
	x.transfer = median(times[1:])
	return x, nil
}

// blockTables are the tables of the benchmark.
type blockTables struct {
	plain, cycles, best, cubes, runs *report.Table
}

func measureHierarchical(r *run) error {
	n := r.options.Size[0]
	if err := r.checkHierarchical(); err != nil {
		return err
	}
	t := r.blockTables(n)
	for _, s := range []struct {
		name  string
		shape islam.Shape
	}{{"lines", islam.Lines(n, n)}, {"plane", islam.Plane(n)}} {
		if err := r.relaxationOf(t, s.name, s.shape); err != nil {
			return err
		}
	}
	if copies := r.beyondCache(n); copies > 0 && n >= lineFrom {
		if err := r.longLines(t, islam.Lines(n, copies)); err != nil {
			return err
		}
		if err := r.largePlane(t, n, int(math.Sqrt(float64(n*copies)))); err != nil {
			return err
		}
	}
	if err := r.cubes(t, n); err != nil {
		return err
	}
	r.plotHierarchical(t)
	r.hierarchicalNotes(t, n)
	return r.smoothers(n)
}

// relaxationOf measures plain Jacobi and all cycles on blocks of a shape.
func (r *run) relaxationOf(t blockTables, name string, s islam.Shape) error {
	x, err := r.newRelaxation(name, s, s.PlainSweeps(blockTolerance))
	if err != nil {
		return err
	}
	defer x.Free()
	if err := r.plainSweeps(t.plain, x); err != nil {
		return err
	}
	var fastest islam.Blocks
	least, cycles := math.Inf(1), 0
	for n, sweeps := range paperSweeps {
		without, best := math.NaN(), math.Inf(1)
		at := 0
		for _, overlap := range x.overlaps(n, ownClock(r.dev)) {
			b := islam.Blocks{Tile: min(paperTile, s.N), Overlap: overlap, Sweeps: sweeps}
			total, count, err := r.cyclesOf(t.cycles, x, b)
			if err != nil {
				return err
			}
			if overlap == 0 {
				without = total
			}
			if total < best {
				best, at = total, overlap
			}
			if total < least {
				least, fastest, cycles = total, b, count
			}
		}
		t.best.Add(with(report.Row{"shape": name, "sweeps": sweeps, "speed_up": x.plainTime() / without, "overlap": at,
			"best": x.plainTime() / best}, paperSpeedUp(name, n)))
	}
	return r.wholeRuns(t.runs, x, fastest, cycles)
}

// overlaps lists those to try with the n-th number of sweeps: on large planes none and the paper's best, unless the device is fast.
func (x *relaxation) overlaps(n int, fast bool) []int {
	if x.Copies > 0 || x.N <= allOverlaps || fast {
		most := 10
		if x.Copies > 0 {
			most = 16
		}
		var all []int
		for o := 0; o <= most && o < min(paperTile, x.N); o += 2 {
			all = append(all, o)
		}
		return all
	}
	if o := paperBlocks["plane"].overlap[n]; o > 0 {
		return []int{0, o}
	}
	return []int{0}
}

// plainTime returns the seconds of plain Jacobi with transfers.
func (x *relaxation) plainTime() float64 { return x.transfer + float64(x.sweeps)*x.plain }

// plainSweeps times sweeps of plain Jacobi cut into blocks of the paper's numbers of threads.
func (r *run) plainSweeps(t *report.Table, x *relaxation) error {
	x.plain = math.Inf(1)
	var rows []report.Row
	tiles := paperThreads[:]
	if x.Cubic {
		tiles = cubeRows
	}
	for n, tile := range tiles {
		if tile > x.N && n > 0 || n > 0 && x.Cubic && ownClock(r.dev) { // which a GPU does not cut
			continue
		}
		r.progress("%s, plain Jacobi, blocks of %d", x.name, tile)
		b := islam.Blocks{Tile: tile, Sweeps: 1}
		took, err := r.timeCycle(x, b)
		if err != nil {
			return err
		}
		if took.seconds < x.plain {
			x.plain, x.tile = took.seconds, tile
		}
		row := report.Row{"shape": x.name, "tile": tile, "cycles": x.sweeps, "to_tolerance": x.transfer + float64(x.sweeps)*took.seconds}
		if x.name == "lines" {
			row["paper_seconds"] = paperPlain[n]
		}
		rows = append(rows, with(took.row(sweepBytes, x.Unknowns()), row))
	}
	for _, row := range rows {
		t.Add(row)
	}
	return nil
}

// sweepBytes are the bytes of a cycle for each unknown: u and f read, u written.
const sweepBytes = 24

// cyclesOf counts and times the cycles of one kind of block; total is the time to the tolerance with transfers.
func (r *run) cyclesOf(t *report.Table, x *relaxation, b islam.Blocks) (total float64, count int, err error) {
	r.progress("%s, blocks of %d, overlap %d, %d sweeps", x.name, b.Tile, b.Overlap, b.Sweeps)
	counted := x.Problem
	if x.Copies > 1 { // all lines are alike
		if counted, err = islam.New(x.dev, kernels.Float64, islam.Lines(x.N, 1)); err != nil {
			return 0, 0, err
		}
		defer counted.Free()
	}
	if count, err = counted.Count(b, blockTolerance, blockMost); err != nil {
		return 0, 0, err
	}
	total, err = r.cycleRow(t, x, b, count)
	return total, count, err
}

// recordedCycles are made at once where a device records: an even number, so that u comes back to where it was.
const recordedCycles = 32

// recorded calls work with a function that makes recordedCycles cycles at the least cost, and with one that makes one.
func (x *relaxation) recorded(b islam.Blocks, work func(many, one func()) error) error {
	one := func() { x.Cycle(b) }
	many := func() {
		for range recordedCycles {
			one()
		}
	}
	if d, ok := x.dev.(kernels.Recorder); ok {
		one() // for the memory that it needs
		if record := d.Record(many); record != nil {
			defer record.Free()
			direct := many
			many = func() {
				if !record.Replay() {
					direct()
				}
			}
		}
	}
	return work(many, one)
}

// timeCycle times a cycle in turns with a copy, among many on a GPU, where the host could not keep up with them one by one.
func (r *run) timeCycle(x *relaxation, b islam.Blocks) (took timing, err error) {
	if !ownClock(r.dev) {
		return r.inTurns(x.dev, x.copied, kernel(func() { x.Cycle(b) }))
	}
	err = x.recorded(b, func(many, _ func()) error {
		took, err = r.inTurns(x.dev, x.copied, kernel(many))
		took.seconds /= recordedCycles
		return err
	})
	return took, err
}

// cycleRow times the cycles of one kind of block, of which `count` are needed.
func (r *run) cycleRow(t *report.Table, x *relaxation, b islam.Blocks, count int) (total float64, err error) {
	took, err := r.timeCycle(x, b)
	if err != nil {
		return 0, err
	}
	total = x.transfer + float64(count)*took.seconds
	row := with(took.row(sweepBytes, x.Unknowns()), report.Row{"shape": x.name, "tile": b.Tile, "sweeps": b.Sweeps, "overlap": b.Overlap,
		"cycles": count, "of_plain": float64(count*b.Sweeps) / float64(x.sweeps), "to_tolerance": total, "speed_up": x.plainTime() / total,
		"sweep_nanoseconds": took.seconds / float64(b.Sweeps*x.Unknowns()) * 1e9})
	delete(row, columnPoints.Key)
	t.Add(row)
	return total, nil
}

// wholeRuns makes all cycles of the fastest blocks and all plain sweeps, transfers included, where that takes no more than
// ten times the budget.
func (r *run) wholeRuns(t *report.Table, x *relaxation, b islam.Blocks, cycles int) error {
	u, f := x.Start()
	var times [2]float64
	for n, w := range []struct {
		b      islam.Blocks
		cycles int
	}{{islam.Blocks{Tile: x.tile, Sweeps: 1}, x.sweeps}, {b, cycles}} {
		if x.plainTime() > 10*r.options.Budget.Seconds() {
			return nil
		}
		r.progress("%s, a whole run, %d cycles", x.name, w.cycles)
		host := slices.Clone(u)
		if err := x.recorded(w.b, func(many, one func()) error {
			begin := time.Now()
			x.Upload(u, f)
			left := w.cycles
			for ; left >= recordedCycles; left -= recordedCycles {
				many()
			}
			for range left {
				one()
			}
			err := x.Download(host)
			times[n] = time.Since(begin).Seconds()
			return err
		}); err != nil {
			return err
		}
		left, err := x.left(u, f)
		if err != nil {
			return err
		}
		t.Add(report.Row{"shape": x.name, "tile": w.b.Tile, "sweeps": w.b.Sweeps, "overlap": w.b.Overlap, "cycles": w.cycles, "seconds": times[n],
			"residual": left, "speed_up": times[0] / times[n]})
	}
	return nil
}

// left returns the residual over that of the start, to which it goes back.
func (x *relaxation) left(u, f []float64) (float64, error) {
	now, err := x.Residual()
	if err != nil {
		return 0, err
	}
	x.Upload(u, f)
	first, err := x.Residual()
	return now / first, err
}

// cachesFilled is how often the last cache the long lines are.
const cachesFilled = 16

// beyondCache returns the number of lines whose three arrays fill the last cache sixteen times; 0 where the device has none.
func (r *run) beyondCache(n int) int {
	line := int64(3 * 8 * n)
	return int((cachesFilled*r.dev.Info().LastCache + line - 1) / line)
}

// longLines compares blocks of at most an eighth of a line with plain Jacobi where nothing stays in the last cache.
func (r *run) longLines(t blockTables, s islam.Shape) error {
	x, err := r.newRelaxation(fmt.Sprintf("%d lines", s.Copies), s, s.PlainSweeps(blockTolerance))
	if err != nil {
		return err
	}
	defer x.Free()
	if err := r.plainSweeps(t.plain, x); err != nil {
		return err
	}
	for tile := s.N / 32; tile <= s.N/8; tile *= 2 {
		for sweeps := tile / 4; sweeps <= tile; sweeps *= 2 {
			b := islam.Blocks{Tile: tile, Overlap: sweeps / 4 / 2 * 2, Sweeps: sweeps}
			if _, _, err := r.cyclesOf(t.cycles, x, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// largeBlocks are those that are tried on a large plane: the paper's best and those about them.
var largeBlocks = [][2]int{{8, 2}, {16, 2}, {16, 4}, {32, 2}, {32, 4}, {32, 6}, {64, 4}, {64, 6}, {64, 8}, {128, 8}}

// largePlane compares blocks with plain Jacobi on a plane of about size² where nothing stays in the last cache. Cycles are those counted on the plane of n²
// times the ratio of the squares of N + 1, as those of plain Jacobi: what is slow is as smooth on both.
func (r *run) largePlane(t blockTables, n, size int) error {
	size -= size % paperTile
	counts := map[[2]int]int{}
	for _, row := range t.cycles.Rows {
		if row["shape"] == "plane" {
			counts[[2]int{row["sweeps"].(int), row["overlap"].(int)}] = row["cycles"].(int)
		}
	}
	ratio := math.Pow(float64(size+1)/float64(n+1), 2)
	x, err := r.newRelaxation(fmt.Sprintf("plane of %d", size), islam.Plane(size), int(ratio*float64(islam.Plane(n).PlainSweeps(blockTolerance))))
	if err != nil {
		return err
	}
	defer x.Free()
	if err := r.plainSweeps(t.plain, x); err != nil {
		return err
	}
	for _, b := range largeBlocks {
		if count := counts[b]; count > 0 {
			r.progress("%s, overlap %d, %d sweeps", x.name, b[1], b[0])
			if _, err := r.cycleRow(t.cycles, x, islam.Blocks{Tile: paperTile, Overlap: b[1], Sweeps: b[0]}, int(ratio*float64(count))); err != nil {
				return err
			}
		}
	}
	return nil
}
