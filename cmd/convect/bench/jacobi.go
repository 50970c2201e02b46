package bench

import (
	"fmt"
	"math"
	"slices"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/lab/giles"
)

func jacobi() Benchmark {
	return Benchmark{
		Name: "jacobi", Title: "Jacobi sweeps of the 7-point Laplace equation",
		Source: "Giles, Jacobi iteration for a Laplace discretisation on a 3D structured grid, 2008",
		Text: "Laplace's equation on a cube, fixed boundary, no right side (8 bytes a point in float32): a plain single-core " +
			"reference, then the device over tile shapes (the paper's thread blocks); on a GPU also from registers, one to four sweeps in a pass.",
		Size: []int{256}, Axes: []int{1, 3}, Repeat: 15, Kinds: []string{float32Name, float64Name},
		measure: measureJacobi,
	}
}

// laplaceTiles are the tiles swept on a processor, along x, y and z; 0: the whole axis. A whole axis in z is the paper's column.
var laplaceTiles = [][3]int{
	{0, 0, 0}, {0, 0, 1}, {0, 0, 16}, {0, 64, 0}, {0, 32, 0}, {0, 16, 0}, {0, 8, 0}, {0, 4, 0}, {0, 1, 0},
	{128, 32, 0}, {128, 8, 0}, {64, 32, 0}, {64, 8, 0}, {32, 32, 0}, {32, 8, 0}, {32, 4, 0}, {16, 16, 0}, {16, 4, 0},
	{64, 64, 16}, {0, 32, 32},
}

// laplaceBlocks are those on a GPU, which are blocks of threads: the paper's first.
var laplaceBlocks = [][3]int{
	{32, 4, 0}, {16, 4, 0}, {16, 8, 0}, {16, 16, 0}, {32, 2, 0}, {32, 8, 0}, {32, 16, 0}, {64, 1, 0}, {64, 2, 0}, {64, 4, 0}, {64, 8, 0}, {128, 1, 0},
	{128, 2, 0}, {128, 4, 0}, {256, 1, 0}, {256, 2, 0}, {32, 4, 64}, {32, 8, 64}, {64, 4, 64}, {64, 8, 64}, {128, 4, 64}, {64, 2, 64}, {32, 4, 128}, {32, 4, 32}, {32, 4, 16},
}

// laplaceSweeps are the sweeps that a GPU makes in one pass.
var laplaceSweeps = []int{1, 2, 3, 4}

// laplaceVariant is a way to sweep.
type laplaceVariant struct {
	form   giles.Form
	tile   [3]int
	sweeps int
}

// laplaceVariants lists those that make a difference on a device and a box.
func laplaceVariants(dev kernels.Device, n [3]int) (all []laplaceVariant) {
	tiles := laplaceTiles
	if ownClock(dev) {
		tiles = laplaceBlocks
	}
	for _, tile := range tiles {
		if tile[0] <= n[0] && tile[1] <= n[1] && tile[2] <= n[2] { // else as the whole axis
			all = append(all, laplaceVariant{giles.PlanesInShared, tile, 1})
		}
	}
	if ownClock(dev) {
		for _, sweeps := range laplaceSweeps {
			all = append(all, laplaceVariant{giles.NodesInRegisters, [3]int{}, sweeps})
		}
	}
	return all
}

// kernelName is how the report calls it.
func (v laplaceVariant) kernelName(dev kernels.Device) string {
	if ownClock(dev) {
		return v.form.String()
	}
	return "device"
}

// laplace is the benchmark's problem on one device.
type laplace struct {
	dev   kernels.Device
	offer giles.Kernels
	box   kernels.Box
	elem  kernels.Elem
	u     [3]kernels.Buffer // the first two are swept, from one to the other; the third is for sweeps between
	host  []float64         // of u[0]
}

func newLaplace(dev kernels.Device, elem kernels.Elem, n [3]int) (*laplace, error) {
	l := &laplace{dev: dev, box: kernels.NewBox(n, false), elem: elem}
	var ok bool
	if l.offer, ok = giles.On(dev); !ok {
		return nil, ErrNotOffered
	}
	for i := range l.u {
		var err error
		if l.u[i], err = dev.Alloc(elem, l.box.Len); err != nil {
			return nil, err
		}
	}
	l.host = noise(l.box.Nodes(), 1)
	dev.UploadBox(l.u[0], l.box, l.host)
	return l, dev.Sync()
}

func (l *laplace) free() {
	for _, b := range l.u {
		l.dev.Free(b)
	}
}

// sweep makes sweeps from one array to the other.
func (l *laplace) sweep(v laplaceVariant) { l.between(v, 0) }

// toAndFro returns what makes sweeps to the other array and back in turns, as in a solver.
func (l *laplace) toAndFro(v laplaceVariant) func() {
	from := 1
	return func() {
		from = 1 - from
		l.between(v, from)
	}
}

// between makes sweeps from one of the first two arrays to the other.
func (l *laplace) between(v laplaceVariant, from int) {
	l.offer.LaplaceJacobi(giles.LaplaceJacobiArgs{Box: l.box, U: l.u[from], Out: l.u[1-from], Work: l.u[2], Tile: v.tile, Form: v.form, Sweeps: v.sweeps})
}

// bytes returns the least bytes a point: one load, one store.
func (l *laplace) bytes() float64 { return float64(2 * l.elem.Size()) }

// paperLoads returns the loads per point of a tile whose rim no other tile shares, each neighbour in x costing a whole
// vector of the paper's 16 (a cache line of float32): the paper's estimate, which it rounds to 3 for 32 x 4.
func (l *laplace) paperLoads(tile [3]int) float64 {
	const vector = 16
	loads := 1.0
	if tile[0] > 0 && tile[0] < l.box.N[0] {
		loads += 2 * vector / float64(tile[0])
	}
	if tile[1] > 0 && tile[1] < l.box.N[1] {
		loads += 2 / float64(tile[1])
	}
	return loads
}

func measureJacobi(r *run) error {
	n := threeAxes(r.options.Size)
	time := columnTime
	time.Unit = "ms/sweep"
	time.Format = "%.4f"
	t := r.table("sweeps", fmt.Sprintf("Sweeps of %s points", sizeText(n[:])),
		report.Column{Key: "kernel", Title: "kernel", Origin: report.Label}, columnPrecision, columnThreads,
		report.Column{Key: "tile", Title: "tile", Origin: report.Label},
		report.Column{Key: "sweeps", Title: "sweeps", Unit: "/pass", Origin: report.Counted}, time, columnBytes, columnModel,
		report.Column{Key: "paper_loads", Title: "paper's loads", Unit: "/point", Origin: report.Model, Format: "%.2f"},
		report.Column{Key: "paper_model_milliseconds", Title: "paper's model", Unit: "ms", Origin: report.Model, Format: "%.3f"},
		columnPoints, columnSpeed, columnCopy, columnFraction,
		report.Column{Key: "against_one", Title: "of one sweep's speed", Origin: report.Measured, Format: "%.2f"},
		report.Column{Key: "speed_up", Title: "speed-up", Origin: report.Measured, Format: "%.1f"})
	for _, kind := range r.kinds {
		if err := r.jacobiOf(t, n, kind); err != nil {
			return err
		}
	}
	r.paperJacobi()
	r.plotJacobi(t)
	r.jacobiNotes(t)
	return nil
}

// jacobiNotes says what the columns mean, and on a GPU what has become of the paper's figures.
func (r *run) jacobiNotes(t *report.Table) {
	r.note("A tile is the paper's thread block: on the CPU one thread sweeps it plane by plane, on a GPU one block does, one thread a node. * " +
		"is a whole axis; a whole axis in z is the paper's column. Tiles that do not begin on a cache line are not streamed on a CPU.")
	r.note("copy: of two arrays of as many points, without padding: what a sweep must move. Sweeps go to the other array and back in turns, as in a " +
		"solver; kernels that go the other way on the way back find part of what they read in the cache.")
	r.note("bytes/copy: one load and one store a point and pass at the copy bandwidth. The paper's model: its loads, which count " +
		"every rim as read again and 16 values for each neighbour in x, and one store, at the copy bandwidth.")
	r.note("speed-up: over the single-core reference of this machine, a plain Go loop in float32, which gives the same answer; the host's clock for that one. " +
		"of one sweep's speed: a sweep's time in registers, one a pass, over that of the row.")
	type kind struct{ kernel, sweeps any }
	best := map[kind]report.Row{}
	var paper report.Row
	for _, row := range t.Rows {
		if row["precision"] != r.kinds[0] || row["kernel"] == "plain Go" {
			continue
		}
		key := kind{row["kernel"], row["sweeps"]}
		if b := best[key]; b == nil || number(row, columnTime.Key) < number(b, columnTime.Key) {
			best[key] = row
		}
		if row["tile"] == tileText([3]int{32, 4, 0}) {
			paper = row
		}
	}
	planes, one := best[kind{giles.PlanesInShared.String(), 1}], best[kind{giles.NodesInRegisters.String(), 1}]
	if planes == nil || one == nil || paper == nil {
		return
	}
	r.note("The paper's kernel with its blocks of 32 x 4 reaches %.2f of a copy where it reached 0.75 of the peak, and %.0f times the one core where it had 50; its model "+
		"asks for 3 loads, of which the caches leave 1. It is not bound by memory any more: a plane takes a block %.2f µs, the latency of its loads, for which two barriers wait, and "+
		"one column a block are too few blocks to hide it. The same cut into slabs, %s, reaches %.2f; "+
		"from registers and the first cache, without shared memory, %.2f.",
		number(paper, columnFraction.Key), number(paper, "speed_up"), number(paper, columnTime.Key)*1e3/float64(threeAxes(r.options.Size)[2]), planes["tile"], number(planes, columnFraction.Key), number(one, columnFraction.Key))
	for _, sweeps := range laplaceSweeps[1:] {
		if row := best[kind{giles.NodesInRegisters.String(), sweeps}]; row != nil {
			r.note("%d sweeps in one pass: a sweep %.2f times as fast as by itself, the pass at %.2f of a copy.", sweeps, number(row, "against_one"),
				number(row, columnFraction.Key))
		}
	}
}

// number returns a value of a row, NaN if there is none.
func number(row report.Row, key string) float64 {
	if v, ok := row.Number(key); ok {
		return v
	}
	return math.NaN()
}

// jacobiOf measures in one precision: the reference, one thread, all threads.
func (r *run) jacobiOf(t *report.Table, n [3]int, kind string) error {
	l, err := newLaplace(r.dev, element(kind), n)
	if err != nil {
		return err
	}
	defer l.free()
	want, u := make([]float32, l.box.Nodes()), narrow(l.host)
	if err := r.checkJacobi(l, want, u); err != nil {
		return err
	}
	r.progress("reference on one core")
	reference := r.onHost(func() { giles.Plain(want, u, n) })
	row := reference.row(8, l.box.Nodes())
	for _, key := range []string{columnCopy.Key, columnFraction.Key, columnModel.Key} {
		delete(row, key) // there was no copy beside it
	}
	t.Add(with(row, report.Row{"kernel": "plain Go", "precision": float32Name, "threads": 1, "sweeps": 1, "speed_up": 1.0}))
	if r.report.Machine.Threads > 1 && !ownClock(r.dev) {
		if err := r.jacobiOneThread(t, n, kind, reference); err != nil {
			return err
		}
	}
	first := len(t.Rows)
	for _, v := range laplaceVariants(l.dev, n) {
		if err := r.jacobiRow(t, l, v, kind, reference); err != nil {
			return err
		}
	}
	one := math.NaN()
	for _, row := range t.Rows[first:] {
		if row["kernel"] == giles.NodesInRegisters.String() && row["sweeps"] == 1 {
			one = number(row, columnTime.Key)
		}
	}
	for _, row := range t.Rows[first:] {
		if !math.IsNaN(one) {
			row["against_one"] = one / number(row, columnTime.Key)
		}
	}
	return nil
}

// jacobiOneThread measures whole rows with one thread of the device.
func (r *run) jacobiOneThread(t *report.Table, n [3]int, kind string, reference timing) error {
	dev, err := r.env.Open(1)
	if err != nil {
		return err
	}
	defer dev.Close()
	l, err := newLaplace(dev, element(kind), n)
	if err != nil {
		return err
	}
	defer l.free()
	defer r.freeCopies()
	return r.jacobiRow(t, l, laplaceVariant{tile: [3]int{0, min(32, n[1]), 0}, sweeps: 1}, kind, reference)
}

func (r *run) jacobiRow(t *report.Table, l *laplace, v laplaceVariant, kind string, reference timing) error {
	threads, sweeps := l.dev.Info().Threads, float64(v.sweeps)
	r.progress("%s, %d threads, %s, tile %s, %d sweeps", kind, threads, v.kernelName(l.dev), tileText(v.tile), v.sweeps)
	c, err := r.copyOf(l.dev, l.elem, l.box.Nodes()) // what a sweep must move
	if err != nil {
		return err
	}
	took, err := r.inTurns(l.dev, c, kernel(l.toAndFro(v)))
	if err != nil {
		return err
	}
	took.seconds /= sweeps
	row := report.Row{"kernel": v.kernelName(l.dev), "precision": kind, "threads": threads, "sweeps": v.sweeps,
		"speed_up": reference.seconds / took.seconds}
	if v.form == giles.PlanesInShared {
		loads := l.paperLoads(v.tile)
		row["tile"], row["paper_loads"] = tileText(v.tile), loads
		row["paper_model_milliseconds"] = (loads + 1) * float64(l.elem.Size()*l.box.Nodes()) / took.copied * 1e3
	}
	t.Add(with(took.row(l.bytes()/sweeps, l.box.Nodes()), row))
	return nil
}

// checkJacobi compares all variants with the reference: a sweep makes five additions and two roundings of values up to 1.5.
func (r *run) checkJacobi(l *laplace, want, u []float32) error {
	r.progress("checking")
	got, worst, next, done := make([]float64, l.box.Nodes()), 0.0, slices.Clone(u), 0
	variants := laplaceVariants(l.dev, l.box.N)
	slices.SortStableFunc(variants, func(a, b laplaceVariant) int { return a.sweeps - b.sweeps })
	for _, v := range variants {
		for ; done < v.sweeps; done++ {
			giles.Plain(want, next, l.box.N)
			copy(next, want)
		}
		l.dev.Fill(kernels.FillArgs{X: l.u[1]})
		l.sweep(v)
		if err := l.dev.DownloadBox(got, l.u[1], l.box); err != nil {
			return err
		}
		worst = max(worst, largestDifference(got, want))
	}
	return r.check(fmt.Sprintf("largest difference from the plain reference, %v, all tiles and forms", l.elem), worst,
		16*1.5*kernels.Float32.Epsilon())
}

// paperJacobi adds the figures of the paper.
func (r *run) paperJacobi() {
	t := r.table("paper", "The paper's own, 256³ float32, GeForce 8800 GT of 57.6 GB/s, blocks of 32 x 4",
		report.Column{Key: "kernel", Title: "kernel", Origin: report.Label},
		report.Column{Key: "milliseconds", Title: "time", Unit: "ms", Origin: report.Paper, Format: "%.1f"},
		report.Column{Key: "model_milliseconds", Title: "3 loads + 1 store", Unit: "ms", Origin: report.Paper, Format: "%.1f"},
		report.Column{Key: "fraction", Title: "of bandwidth", Origin: report.Paper, Format: "%.2f"},
		report.Column{Key: "speed_up", Title: "speed-up", Origin: report.Paper, Format: "%.0f"})
	t.Add(report.Row{"kernel": "Gold, one Xeon core", "milliseconds": 310.0, "speed_up": 1.0})
	t.Add(report.Row{"kernel": "GPU", "milliseconds": 6.2, "model_milliseconds": 4.7, "fraction": 0.75, "speed_up": 50.0})
}

// plotJacobi shows the fraction of the copy bandwidth over tile shapes.
func (r *run) plotJacobi(t *report.Table) {
	p := &report.Plot{File: "jacobi.png", Title: "Jacobi sweep of Laplace's equation, " + sizeText(r.options.Size) + " points",
		X: report.Axis{Label: "tile (x × y × z; *: whole axis)"}, Y: report.Axis{Label: "two words a sweep, of copy"}}
	for _, kind := range r.kinds {
		s := report.Series{Name: kind}
		var names []string
		for _, row := range t.Rows {
			v, ok := row.Number(columnFraction.Key)
			if ok && row["precision"] == kind && row["threads"] == r.report.Machine.Threads {
				s.Y = append(s.Y, v*number(row, "sweeps")) // of what one sweep a pass can have at most
				names = append(names, barName(row))
			}
		}
		p.Series, p.Bars = append(p.Series, s), names
	}
	r.report.Plots = append(r.report.Plots, p)
}

// barName names a row by its tile, or by its sweeps.
func barName(row report.Row) string {
	if tile, ok := row["tile"].(string); ok {
		return tile
	}
	return fmt.Sprintf("registers, %d", row["sweeps"])
}

// tileText writes a tile, whole axes as *.
func tileText(tile [3]int) string {
	s := ""
	for d, n := range tile {
		if d > 0 {
			s += "x"
		}
		if n == 0 {
			s += "*"
			continue
		}
		s += fmt.Sprint(n)
	}
	return s
}
