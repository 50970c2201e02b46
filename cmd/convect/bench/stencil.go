package bench

import (
	"fmt"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/stencil"
)

func stencils() Benchmark {
	return Benchmark{
		Name: "stencil", Title: "Applying and relaxing the elliptic operators",
		Source: "Krotkiewski & Dabrowski, Efficient 3D stencil computations and geometric multigrid on modern GPUs",
		Text: "y = A x and Jacobi sweeps of the discrete operators on a cube of nodes, with constant coefficients, one value a " +
			"cell, and three: points/s, GFLOP/s, GB/s and the fraction of the copy bandwidth.",
		Size: []int{257}, Axes: []int{1, 3}, Repeat: 25, Kinds: []string{float32Name, float64Name},
		measure: measureStencil,
	}
}

// stencilOps are what is timed: the words that move besides the coefficients, and the operations besides Apply.
var stencilOps = []struct {
	name  string
	words int
	flops int
	run   func(p *poisson)
}{
	{"apply", 2, 0, func(p *poisson) { p.op.Apply(p.out, p.u) }},
	{"Jacobi", 3, 3, func(p *poisson) { p.op.Smooth(p.out, p.u, p.f, 0.9) }},
	{"residual", 3, 1, func(p *poisson) { p.op.Residual(p.out, p.f, p.u) }},
}

// poisson is an operator on a box of nodes with the bottom and the top fixed, and fields of noise.
type poisson struct {
	discretisation
	grid      *stencil.Grid
	boundary  *stencil.Boundary
	op        *stencil.Operator
	u, f, out *stencil.Field
	random    []float64
	cells     [3][]float64 // conductivities, nil where constant
}

// noiseApart is how far apart the fields and the coefficients begin in one sequence of noise.
const noiseApart = 10007

// poissonNoise is what the fields and the coefficients on n nodes are made of.
func poissonNoise(n [3]int) []float64 { return noise(n[0]*n[1]*n[2]+4*noiseApart, 10) }

// newPoisson makes the fields on n nodes of the unit box from poissonNoise; withCells makes the operator.
func newPoisson(dev kernels.Device, d discretisation, elem kernels.Elem, n [3]int, random []float64) (*poisson, error) {
	p := &poisson{discretisation: d, random: random}
	var err error
	e := stencil.Extent{Cells: [3]int{n[0] - 1, n[1] - 1, n[2] - 1}, Size: [3]float64{1, 1, 1}}
	if p.grid, err = stencil.NewGrid(dev, elem, e); err != nil {
		return nil, err
	}
	var fixed [6][]bool
	for _, s := range []kernels.Side{kernels.Bottom, kernels.Top} {
		fixed[s] = trues(p.grid.Box.WallNodes(s))
	}
	if p.boundary, err = stencil.NewBoundary(p.grid, fixed); err != nil {
		return p, err
	}
	for i, f := range []**stencil.Field{&p.u, &p.f, &p.out} {
		if *f, err = p.grid.NewField("noise", p.boundary); err != nil {
			return p, err
		}
		if *f != p.out {
			(*f).Upload(random[i*noiseApart:][:p.grid.Nodes()])
		}
	}
	return p, dev.Sync()
}

// withCells replaces the operator by one with 0, 1 or 3 arrays of cell values.
func (p *poisson) withCells(arrays int) error {
	if p.op != nil {
		p.op.Free()
	}
	c := stencil.Coefficients{Constant: [3]float64{1, 1, 1}}
	p.choose(&c)
	shape := p.grid.CellShape()
	for axis := range arrays {
		c.Cells[axis] = p.random[(2+axis)*noiseApart:][:shape[0]*shape[1]*shape[2]]
	}
	if arrays == 1 {
		c.Cells[1], c.Cells[2] = c.Cells[0], c.Cells[0]
	}
	p.cells = c.Cells
	var err error
	p.op, err = stencil.NewOperator(p.boundary, c)
	return err
}

func (p *poisson) free() {
	for _, f := range []*stencil.Field{p.u, p.f, p.out} {
		f.Free()
	}
	if p.op != nil {
		p.op.Free()
	}
	if p.boundary != nil {
		p.boundary.Free()
	}
	p.grid.Free()
}

func trues(n int) []bool {
	v := make([]bool, n)
	for i := range v {
		v[i] = true
	}
	return v
}

func measureStencil(r *run) error {
	n := threeAxes(r.options.Size)
	t := r.table("kernels", fmt.Sprintf("Kernels on %s nodes, bottom and top fixed", sizeText(n[:])),
		report.Column{Key: "stencil", Title: "stencil", Origin: report.Label},
		report.Column{Key: "coefficients", Title: "coefficients", Origin: report.Label},
		report.Column{Key: "kernel", Title: "kernel", Origin: report.Label}, columnPrecision, columnTime, columnBytes, columnModel,
		columnPoints,
		report.Column{Key: "flops_per_point", Title: "operations", Unit: "/point", Origin: report.Counted, Format: "%.0f"},
		report.Column{Key: "gigaflops", Title: "GFLOP/s", Origin: report.Measured, Format: "%.1f"},
		columnSpeed, columnCopy, columnFraction)
	random := poissonNoise(n)
	for _, d := range discretisations() {
		for _, kind := range r.kinds {
			if err := r.stencilOf(t, d, kind, n, random); err != nil {
				return err
			}
		}
	}
	r.paperStencil()
	r.plotStencil(t)
	r.note("bytes: every array read once and every array written once, coefficients included. operations: additions, " +
		"subtractions and products of the formula at a point, so GFLOP/s follow from the measured time.")
	return nil
}

// coefficientNames names what the numbers of cell arrays mean.
var coefficientNames = map[int]string{0: "constant", 1: "one a cell", 3: "three a cell"}

// stencilOf checks and times all kernels of a stencil's operators.
func (r *run) stencilOf(t *report.Table, d discretisation, kind string, n [3]int, random []float64) error {
	p, err := newPoisson(r.dev, d, element(kind), n, random)
	if err != nil {
		return err
	}
	defer p.free()
	for _, arrays := range []int{0, 1, 3} {
		if err := r.checkStencil(d, kind, arrays); err != nil {
			return err
		}
		r.progress("%s, %s, %s", d.name, coefficientNames[arrays], kind)
		if err := p.withCells(arrays); err != nil {
			return err
		}
		if err := r.checkPlane(p, kind, arrays); err != nil {
			return err
		}
		if err := r.timeStencil(t, p, kind, arrays); err != nil {
			return err
		}
	}
	return nil
}

// timeStencil times all kernels of an operator.
func (r *run) timeStencil(t *report.Table, p *poisson, kind string, arrays int) error {
	elem, points := p.grid.Elem, p.grid.Nodes()
	c, err := r.copyOf(r.dev, elem, points)
	if err != nil {
		return err
	}
	for _, op := range stencilOps {
		took, err := r.inTurns(r.dev, c, kernel(func() { op.run(p) }))
		if err != nil {
			return err
		}
		flops := p.flops[arrays] + op.flops
		t.Add(with(took.row(float64((op.words+arrays)*elem.Size()), points), report.Row{
			"stencil": p.name, "coefficients": coefficientNames[arrays], "kernel": op.name, "precision": kind,
			"flops_per_point": flops, "gigaflops": float64(flops*points) / took.seconds / 1e9,
		}))
	}
	return nil
}

// stencilRoundings bounds what the conductances and the balance of a point take, relative to the sum of the sizes of its terms.
const stencilRoundings = 40

// checkStencil compares Apply with the plain reference on a small odd box.
func (r *run) checkStencil(d discretisation, kind string, arrays int) error {
	n := [3]int{19, 13, 11}
	p, err := newPoisson(r.dev, d, element(kind), n, poissonNoise(n))
	if err != nil {
		return err
	}
	defer p.free()
	if err := p.withCells(arrays); err != nil {
		return err
	}
	got, u, err := p.applied(p.grid.Box)
	if err != nil {
		return err
	}
	want, size := d.plain(p.grid, p.cells, u)
	inner := n[0] * n[1] // the bottom and the top are fixed
	worst := worstOf(got, want, size, inner, inner*(n[2]-1))
	return r.check(fmt.Sprintf("%s apply, %s, %s: relative difference from the plain reference", d.name,
		coefficientNames[arrays], kind), worst, stencilRoundings*p.grid.Elem.Epsilon())
}

// checkPlane does the same with the plane in the middle of the box that is timed.
func (r *run) checkPlane(p *poisson, kind string, arrays int) error {
	n := p.grid.Box.N
	below := n[2]/2 - 1
	if below < 0 || below+2 >= n[2] {
		return nil
	}
	slab := p.grid.Box
	slab.N[2], slab.Origin = 3, slab.Index(0, 0, below)
	got, u, err := p.applied(slab)
	if err != nil {
		return err
	}
	e := stencil.Extent{Cells: [3]int{n[0] - 1, n[1] - 1, 2}, Size: [3]float64{1, 1, 2 / float64(n[2]-1)}}
	grid, err := stencil.NewGrid(r.dev, p.grid.Elem, e)
	if err != nil {
		return err
	}
	defer grid.Free()
	var cells [3][]float64
	layer := (n[0] - 1) * (n[1] - 1)
	for d, c := range p.cells {
		if c != nil {
			cells[d] = c[below*layer:][:2*layer]
		}
	}
	want, size := p.plain(grid, cells, u)
	worst := worstOf(got, want, size, n[0]*n[1], 2*n[0]*n[1])
	return r.check(fmt.Sprintf("%s apply, %s, %s, the middle plane of %s nodes: relative difference from the plain reference", p.name,
		coefficientNames[arrays], kind, sizeText(n[:])), worst, stencilRoundings*p.grid.Elem.Epsilon())
}

// applied returns A u and u on the nodes of a part of the box.
func (p *poisson) applied(part kernels.Box) (image, u []float64, err error) {
	p.op.Apply(p.out, p.u)
	image, u = make([]float64, part.Nodes()), make([]float64, part.Nodes())
	if err := p.grid.Device.DownloadBox(image, p.out.Buffer, part); err != nil {
		return nil, nil, err
	}
	return image, u, p.grid.Device.DownloadBox(u, p.u.Buffer, part)
}

// worstOf returns the largest difference of two lists over sizes, of the elements from first on before last.
func worstOf(got, want, size []float64, first, last int) float64 {
	worst := 0.0
	for c := first; c < last; c++ {
		worst = max(worst, largestDifference([]float64{got[c] / size[c]}, []float64{want[c] / size[c]}))
	}
	return worst
}
