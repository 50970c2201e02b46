package bench

import (
	"fmt"
	"math"
	"slices"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/lab/jaugey"
)

func poisson2d() Benchmark {
	return Benchmark{
		Name: "poisson2d", Title: "Poisson's equation in the plane over layouts and tile sizes",
		Source: "Jaugey, Poisson solver in CUDA, 2021",
		Text: "Jacobi sweeps on N x N points, one thread a row, one a column, square tiles, and square tiles copied to scratch " +
			"memory first, over the paper's threads per block: its figures 1, 2, A.1, A.2.",
		Size: []int{4096}, Axes: []int{1}, Repeat: 3, Kinds: []string{float32Name, float64Name},
		measure: measurePoisson2D,
	}
}

// paperIterations is what the paper runs each time.
const paperIterations = 1000

// plane is the benchmark's problem.
type plane struct {
	dev   kernels.Device
	offer jaugey.Kernels
	box   kernels.Box
	elem  kernels.Elem
	u     [2]kernels.Buffer
	f     kernels.Buffer
	host  [2][]float64 // of u[0] and f
}

func newPlane(dev kernels.Device, elem kernels.Elem, n int) (*plane, error) {
	p := &plane{dev: dev, box: kernels.NewBox([3]int{n, 1, n}, true), elem: elem}
	var ok bool
	if p.offer, ok = jaugey.On(dev); !ok {
		return nil, ErrNotOffered
	}
	for i, b := range []*kernels.Buffer{&p.u[0], &p.f, &p.u[1]} {
		var err error
		if *b, err = dev.Alloc(elem, p.box.Len); err != nil {
			return p, err
		}
		if i < 2 {
			p.host[i] = noise(p.box.Nodes(), uint64(i))
			dev.UploadBox(*b, p.box, p.host[i])
		}
	}
	return p, dev.Sync()
}

func (p *plane) free() {
	for _, b := range []kernels.Buffer{p.u[0], p.u[1], p.f} {
		if b != nil {
			p.dev.Free(b)
		}
	}
}

// args describe a sweep from one array to the other.
func (p *plane) args(layout jaugey.Layout, tile int) jaugey.Poisson2DArgs {
	return jaugey.Poisson2DArgs{Box: p.box, U: p.u[0], Out: p.u[1], F: p.f, Layout: layout, Tile: tile}
}

// planeCase is one layout and number of the paper's threads in a block.
type planeCase struct {
	layout  jaugey.Layout
	tile    int
	threads int // of a block in the paper: tile, or its square
}

// planeCases lists the paper's, and on a processor larger square tiles.
func planeCases(dev kernels.Device, n int) (all []planeCase) {
	widest := 1024
	if ownClock(dev) {
		widest = 32 // by 32 threads
	}
	for _, layout := range []jaugey.Layout{jaugey.RowThreads, jaugey.ColumnThreads} {
		for tile := 1; tile <= min(1024, n); tile *= 2 {
			all = append(all, planeCase{layout, tile, tile})
		}
	}
	for _, layout := range []jaugey.Layout{jaugey.SquareTiles, jaugey.StagedTiles} {
		for tile := 1; tile <= min(widest, n); tile *= 2 {
			all = append(all, planeCase{layout, tile, tile * tile})
		}
	}
	return all
}

func measurePoisson2D(r *run) error {
	n := r.options.Size[0]
	t := r.table("sweeps", fmt.Sprintf("Time of an iteration on %d x %d points, mean of %d runs", n, n, r.options.Repeat),
		report.Column{Key: "layout", Title: "layout", Origin: report.Label}, columnPrecision,
		report.Column{Key: "threads_per_block", Title: "threads/block", Origin: report.Counted},
		report.Column{Key: "blocks", Title: "blocks", Origin: report.Counted},
		report.Column{Key: "iterations", Title: "iterations", Unit: "/run", Origin: report.Counted},
		columnTime, columnBytes, columnModel, columnPoints, columnSpeed, columnCopy, columnFraction)
	for _, kind := range r.kinds {
		if err := r.poisson2DOf(t, kind); err != nil {
			return err
		}
	}
	r.plotPoisson2D(t)
	if ownClock(r.dev) {
		r.planeTrends(t)
	} else {
		r.planeThreads()
	}
	r.note("blocks: ceil((N-1)/n) + 1, squared for tiles, as in the paper; the last may be empty.")
	r.note("iterations: the paper makes %d a run; here a run ends after the budget's share of time, and the time of an "+
		"iteration is that of the run over its iterations.", paperIterations)
	r.note("The paper's figures (V100, 4096², float32) are plots without numbers in the text: by column slower than by row " +
		"below 32 threads, both U-shaped over threads per block; in 2-D falling linearly to 64 threads, then flat, and " +
		"shared memory no gain, a loss above 64.")
	return nil
}

// planeThreads says what a processor makes of the paper's threads.
func (r *run) planeThreads() {
	r.note("A block of the paper's threads is a block of nodes here, visited in the order in which its threads would touch " +
		"memory in step: row, n whole rows, column by column; column, n whole columns, row by row; 2-D, tiles of n x n " +
		"(threads/block is n², beyond 1024 more than a GPU's block can hold); 2-D staged, the same from a copy of the tile with its rim in scratch " +
		"memory. Blocks are shared out over the cores.")
}

// planeTrends holds the paper's observations against what was measured.
func (r *run) planeTrends(t *report.Table) {
	kind := r.kinds[0]
	of := map[jaugey.Layout]report.Series{}
	for layout := jaugey.RowThreads; layout <= jaugey.StagedTiles; layout++ {
		of[layout] = r.layoutSeries(t, kind, layout)
	}
	at := func(layout jaugey.Layout, threads float64) float64 {
		if i := slices.Index(of[layout].X, threads); i >= 0 {
			return of[layout].Y[i]
		}
		return math.NaN()
	}
	best := func(layout jaugey.Layout) (ms, threads float64) {
		i := slices.Index(of[layout].Y, slices.Min(of[layout].Y))
		return of[layout].Y[i], of[layout].X[i]
	}
	row, rowAt := best(jaugey.RowThreads)
	column, columnAt := best(jaugey.ColumnThreads)
	tiles, tilesAt := best(jaugey.SquareTiles)
	staged, stagedAt := best(jaugey.StagedTiles)
	r.note("One thread a row or a column (paper: by column slower below 32 threads; U-shaped): here, %s, by column takes %.2f of the time by row with 1 thread a block, "+
		"%.2f with 8, %.2f with 32, %.2f with 256. The best are %.3g ms by row with %.0f threads and %.3g ms by column with %.0f; with 1024 threads they take %.1f and %.1f times "+
		"as long. By column every thread waits for one row after the other, whatever the blocks: %.2g µs a row with 1 thread a block and %.2g with 1024, the latency of memory. By "+
		"row a line of the cache serves its thread for many nodes, until the lines of too many threads push each other out of the first cache.", kind, at(jaugey.ColumnThreads, 1)/at(jaugey.RowThreads, 1), at(jaugey.ColumnThreads, 8)/at(jaugey.RowThreads, 8),
		at(jaugey.ColumnThreads, 32)/at(jaugey.RowThreads, 32), at(jaugey.ColumnThreads, 256)/at(jaugey.RowThreads, 256), row, rowAt, column, columnAt,
		at(jaugey.RowThreads, 1024)/row, at(jaugey.ColumnThreads, 1024)/column,
		at(jaugey.ColumnThreads, 1)*1e3/float64(r.options.Size[0]), at(jaugey.ColumnThreads, 1024)*1e3/float64(r.options.Size[0]))
	r.note("In 2-D (paper: falling linearly to 64 threads, then flat): 16 threads take %.2f of the time of 4, 64 %.2f of that of 16, 256 %.2f of that of 64, 1024 %.2f of "+
		"that of 256. Through shared memory (paper: no gain up to 64, a loss above): %.2f of the time without with 16 threads, %.2f with 64, %.2f with 256, %.2f with 1024. The best are "+
		"%.3g ms with %.0f threads and %.3g ms with %.0f.", at(jaugey.SquareTiles, 16)/at(jaugey.SquareTiles, 4), at(jaugey.SquareTiles, 64)/at(jaugey.SquareTiles, 16),
		at(jaugey.SquareTiles, 256)/at(jaugey.SquareTiles, 64), at(jaugey.SquareTiles, 1024)/at(jaugey.SquareTiles, 256),
		at(jaugey.StagedTiles, 16)/at(jaugey.SquareTiles, 16), at(jaugey.StagedTiles, 64)/at(jaugey.SquareTiles, 64),
		at(jaugey.StagedTiles, 256)/at(jaugey.SquareTiles, 256), at(jaugey.StagedTiles, 1024)/at(jaugey.SquareTiles, 1024), tiles, tilesAt, staged, stagedAt)
}

// poisson2DOf measures all cases in one precision.
func (r *run) poisson2DOf(t *report.Table, kind string) error {
	n := r.options.Size[0]
	if err := r.checkPoisson2D(kind); err != nil {
		return err
	}
	p, err := newPlane(r.dev, element(kind), n)
	if p != nil {
		defer p.free()
	}
	if err != nil {
		return err
	}
	c, err := r.copyOf(r.dev, p.elem, p.box.Len)
	if err != nil {
		return err
	}
	for _, x := range planeCases(r.dev, n) {
		r.progress("%s, %v, %d", kind, x.layout, x.threads)
		a := p.args(x.layout, x.tile)
		took, iterations, err := r.meanOfRuns(c, func() { p.offer.Poisson2D(a) })
		if err != nil {
			return err
		}
		blocks := a.Blocks(n)
		if x.layout == jaugey.SquareTiles || x.layout == jaugey.StagedTiles {
			blocks *= blocks
		}
		t.Add(with(took.row(float64(3*p.elem.Size()), p.box.Nodes()), report.Row{"layout": x.layout.String(), "precision": kind,
			"threads_per_block": x.threads, "blocks": blocks, "iterations": iterations}))
	}
	return nil
}

// meanOfRuns times runs of up to paperIterations iterations, as many as the budget allows, in turns with copies. The
// seconds are the mean over the runs, as in the paper.
func (r *run) meanOfRuns(c *plainCopy, iterate func()) (timing, int, error) {
	work := kernel(iterate)
	if _, err := sample(r.dev, work, 1); err != nil { // to warm up
		return timing{}, 0, err
	}
	once, err := sample(r.dev, work, 1)
	if err != nil {
		return timing{}, 0, err
	}
	share := r.options.Budget.Seconds() / float64(2*r.options.Repeat) // the copies take as long
	iterations := int(math.Min(paperIterations, math.Max(1, share/once)))
	var sum, copied float64
	for range r.options.Repeat {
		s, err := sample(r.dev, work, iterations)
		if err != nil {
			return timing{}, 0, err
		}
		sum += s
		one, err := sample(r.dev, kernel(c.run), 1)
		if err != nil {
			return timing{}, 0, err
		}
		calls := int(math.Max(1, math.Min(share, shortest.Seconds()*20)/one))
		if one, err = sample(r.dev, kernel(c.run), calls); err != nil {
			return timing{}, 0, err
		}
		copied += one
	}
	runs := float64(r.options.Repeat)
	return timing{seconds: sum / runs, copied: c.bytes() / (copied / runs), samples: r.options.Repeat}, iterations, nil
}

// checkedPlane is the size at which the layouts are checked: no multiple of any tile.
const checkedPlane = 515

// checkPoisson2D compares a sweep of every case with the plain reference: five additions of values up to 1.5 and a product.
func (r *run) checkPoisson2D(kind string) error {
	r.progress("checking")
	p, err := newPlane(r.dev, element(kind), min(checkedPlane, r.options.Size[0]))
	if p != nil {
		defer p.free()
	}
	if err != nil {
		return err
	}
	n := p.box.N[0]
	want, got, worst := make([]float64, n*n), make([]float64, n*n), 0.0
	u, f := rounded(p.host[0], p.elem), rounded(p.host[1], p.elem)
	jaugey.Plain(want, u, f, n, n)
	for _, x := range planeCases(r.dev, r.options.Size[0]) {
		p.dev.Fill(kernels.FillArgs{X: p.u[1]})
		p.offer.Poisson2D(p.args(x.layout, x.tile))
		if err := p.dev.DownloadBox(got, p.u[1], p.box); err != nil {
			return err
		}
		worst = max(worst, largestDifference(got, want))
	}
	return r.check(fmt.Sprintf("largest difference from the plain reference on %d x %d points, %v, all layouts and tiles", n, n, p.elem),
		worst, 8*2*p.elem.Epsilon())
}

// plotPoisson2D draws the paper's four figures.
func (r *run) plotPoisson2D(t *report.Table) {
	axes := func(p *report.Plot) *report.Plot {
		p.X = report.Axis{Label: "threads per block", Log: true}
		if p.Y.Label == "" {
			p.Y = report.Axis{Label: "time of an iteration, ms", Log: true}
		}
		r.report.Plots = append(r.report.Plots, p)
		return p
	}
	layouts := func(from, to jaugey.Layout) (all []report.Series) {
		for _, kind := range r.kinds {
			for layout := from; layout <= to; layout++ {
				all = append(all, r.layoutSeries(t, kind, layout))
			}
		}
		return all
	}
	size := fmt.Sprintf("%d²", r.options.Size[0])
	axes(&report.Plot{File: "poisson2d-1.png", Title: "Figure 1: by row and by column, " + size, Series: layouts(jaugey.RowThreads, jaugey.ColumnThreads)})
	axes(&report.Plot{File: "poisson2d-2.png", Title: "Figure 2: square tiles, " + size, Series: layouts(jaugey.SquareTiles, jaugey.StagedTiles)})
	axes(&report.Plot{File: "poisson2d-a1.png", Title: "Figure A.1: all layouts, " + size, Series: layouts(jaugey.RowThreads, jaugey.StagedTiles)})
	difference := &report.Plot{File: "poisson2d-a2.png", Title: "Figure A.2: what staging costs, " + size,
		Y: report.Axis{Label: "time staged over time direct"}}
	for _, kind := range r.kinds {
		direct, staged := r.layoutSeries(t, kind, jaugey.SquareTiles), r.layoutSeries(t, kind, jaugey.StagedTiles)
		for i := range staged.Y {
			staged.Y[i] /= direct.Y[i]
		}
		staged.Name = kind
		difference.Series = append(difference.Series, staged)
	}
	axes(difference)
}

// layoutSeries returns time over threads per block of a layout.
func (r *run) layoutSeries(t *report.Table, kind string, layout jaugey.Layout) report.Series {
	s := report.Series{Name: layout.String()}
	if len(r.kinds) > 1 {
		s.Name += ", " + kind
	}
	for _, row := range t.Rows {
		if row["layout"] == layout.String() && row["precision"] == kind {
			x, _ := row.Number("threads_per_block")
			y, _ := row.Number(columnTime.Key)
			s.X, s.Y = append(s.X, x), append(s.Y, y)
		}
	}
	return s
}

// rounded returns values as the element type holds them.
func rounded(v []float64, e kernels.Elem) []float64 {
	if e == kernels.Float64 {
		return v
	}
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(float32(x))
	}
	return w
}
