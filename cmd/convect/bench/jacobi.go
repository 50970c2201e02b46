package bench

import (
	"fmt"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
)

func jacobi() Benchmark {
	return Benchmark{
		Name: "jacobi", Title: "Jacobi sweeps of the 7-point Laplace equation",
		Source: "Giles, Jacobi iteration for a Laplace discretisation on a 3D structured grid, 2008",
		Text: "Laplace's equation on a cube, fixed boundary, no right side (8 bytes a point in float32): a plain single-core " +
			"reference, then the device over tile shapes (the paper's thread blocks).",
		Size: []int{256}, Axes: []int{1, 3}, Repeat: 15, Kinds: []string{float32Name, float64Name},
		measure: measureJacobi,
	}
}

// laplaceTiles are the tiles swept, along x, y and z; 0: the whole axis. A whole axis in z is the paper's column.
var laplaceTiles = [][3]int{
	{0, 0, 0}, {0, 0, 1}, {0, 0, 16}, {0, 64, 0}, {0, 32, 0}, {0, 16, 0}, {0, 8, 0}, {0, 4, 0}, {0, 1, 0},
	{128, 32, 0}, {128, 8, 0}, {64, 32, 0}, {64, 8, 0}, {32, 32, 0}, {32, 8, 0}, {32, 4, 0}, {16, 16, 0}, {16, 4, 0},
	{64, 64, 16}, {0, 32, 32},
}

// laplace is the benchmark's problem on one device.
type laplace struct {
	dev   kernels.Device
	offer kernels.Benchmarks
	box   kernels.Box
	elem  kernels.Elem
	u     [2]kernels.Buffer
	host  []float64 // of u[0]
}

func newLaplace(dev kernels.Device, elem kernels.Elem, n [3]int) (*laplace, error) {
	l := &laplace{dev: dev, box: kernels.NewBox(n, false), elem: elem}
	var ok bool
	if l.offer, ok = dev.(kernels.Benchmarks); !ok {
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

// sweep makes a sweep from one array to the other.
func (l *laplace) sweep(tile [3]int) {
	l.offer.LaplaceJacobi(kernels.LaplaceJacobiArgs{Box: l.box, U: l.u[0], Out: l.u[1], Tile: tile})
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
	t := r.table("sweeps", fmt.Sprintf("Sweeps of %s points", sizeText(n[:])),
		report.Column{Key: "kernel", Title: "kernel", Origin: report.Label}, columnPrecision, columnThreads,
		report.Column{Key: "tile", Title: "tile", Origin: report.Label}, columnTime, columnBytes, columnModel,
		report.Column{Key: "paper_loads", Title: "paper's loads", Unit: "/point", Origin: report.Model, Format: "%.2f"},
		report.Column{Key: "paper_model_milliseconds", Title: "paper's model", Unit: "ms", Origin: report.Model, Format: "%.3f"},
		columnPoints, columnSpeed, columnCopy, columnFraction,
		report.Column{Key: "speed_up", Title: "speed-up", Origin: report.Measured, Format: "%.1f"})
	for _, kind := range r.kinds {
		if err := r.jacobiOf(t, n, kind); err != nil {
			return err
		}
	}
	r.paperJacobi()
	r.plotJacobi(t)
	r.note("A tile is the paper's thread block: on the CPU one thread sweeps it plane by plane, on a GPU one block does. * " +
		"is a whole axis; a whole axis in z is the paper's column. Tiles that do not begin on a cache line are not streamed.")
	r.note("bytes/copy: one load and one store a point at the copy bandwidth. The paper's model: its loads, which count " +
		"every rim as read again and 16 values for each neighbour in x, and one store, at the copy bandwidth.")
	r.note("speed-up: over the single-core reference of this machine, a plain Go loop in float32, which gives the same answer.")
	return nil
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
	c, err := r.copyOf(l.dev, l.elem, l.box.Len)
	if err != nil {
		return err
	}
	r.progress("reference on one core")
	reference, err := r.inTurns(l.dev, c, kernel(func() { plainLaplace(want, u, n) }))
	if err != nil {
		return err
	}
	row := reference.row(8, l.box.Nodes())
	delete(row, columnCopy.Key) // that of all threads says nothing of one core
	delete(row, columnFraction.Key)
	delete(row, columnModel.Key)
	t.Add(with(row, report.Row{"kernel": "plain Go", "precision": float32Name, "threads": 1, "speed_up": 1.0}))
	if r.report.Machine.Threads > 1 {
		if err := r.jacobiOneThread(t, n, kind, reference); err != nil {
			return err
		}
	}
	for _, tile := range laplaceTiles {
		if err := r.jacobiRow(t, l, tile, kind, reference); err != nil {
			return err
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
	return r.jacobiRow(t, l, [3]int{0, 32, 0}, kind, reference)
}

func (r *run) jacobiRow(t *report.Table, l *laplace, tile [3]int, kind string, reference timing) error {
	for d, n := range tile {
		if n > l.box.N[d] {
			return nil // as the whole axis
		}
	}
	threads := l.dev.Info().Threads
	r.progress("%s, %d threads, tile %s", kind, threads, tileText(tile))
	c, err := r.copyOf(l.dev, l.elem, l.box.Len)
	if err != nil {
		return err
	}
	took, err := r.inTurns(l.dev, c, kernel(func() { l.sweep(tile) }))
	if err != nil {
		return err
	}
	loads, points := l.paperLoads(tile), l.box.Nodes()
	paper := (loads + 1) * float64(l.elem.Size()*points) / took.copied
	t.Add(with(took.row(l.bytes(), points), report.Row{
		"kernel": "device", "precision": kind, "threads": threads, "tile": tileText(tile), "paper_loads": loads,
		"paper_model_milliseconds": paper * 1e3, "speed_up": reference.seconds / took.seconds,
	}))
	return nil
}

// checkJacobi compares a sweep with every tile with the reference: five additions and two roundings of values up to 1.5.
func (r *run) checkJacobi(l *laplace, want, u []float32) error {
	r.progress("checking")
	plainLaplace(want, u, l.box.N)
	got, worst := make([]float64, l.box.Nodes()), 0.0
	for _, tile := range laplaceTiles {
		l.sweep(tile)
		if err := l.dev.DownloadBox(got, l.u[1], l.box); err != nil {
			return err
		}
		worst = max(worst, largestDifference(got, want))
	}
	return r.check(fmt.Sprintf("largest difference from the plain reference, %v, all tiles", l.elem), worst,
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
		X: report.Axis{Label: "tile (x × y × z; *: whole axis)"}, Y: report.Axis{Label: "fraction of the copy bandwidth"}}
	for _, kind := range r.kinds {
		s := report.Series{Name: kind}
		var names []string
		for _, row := range t.Rows {
			v, ok := row.Number(columnFraction.Key)
			if ok && row["precision"] == kind && row["threads"] == r.report.Machine.Threads {
				s.Y = append(s.Y, v)
				names = append(names, row["tile"].(string))
			}
		}
		p.Series, p.Bars = append(p.Series, s), names
	}
	r.report.Plots = append(r.report.Plots, p)
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
