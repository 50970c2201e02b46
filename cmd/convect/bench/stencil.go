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
	grid      *stencil.Grid
	boundary  *stencil.Boundary
	op        *stencil.Operator
	u, f, out *stencil.Field
	cells     [3][]float64 // conductivities, nil where constant
}

// newPoisson builds an operator on n nodes of the unit box with 0, 1 or 3 arrays of cell values.
func newPoisson(dev kernels.Device, d discretisation, elem kernels.Elem, n [3]int, arrays int) (*poisson, error) {
	p := &poisson{}
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
	c := stencil.Coefficients{Constant: [3]float64{1, 1, 1}}
	cells := e.Cells[0] * e.Cells[1] * e.Cells[2]
	d.choose(&c)
	for axis := range arrays {
		c.Cells[axis] = noise(cells, uint64(axis))
	}
	if arrays == 1 {
		c.Cells[1], c.Cells[2] = c.Cells[0], c.Cells[0]
	}
	p.cells = c.Cells
	if p.op, err = stencil.NewOperator(p.boundary, c); err != nil {
		return p, err
	}
	for i, f := range []**stencil.Field{&p.u, &p.f, &p.out} {
		if *f, err = p.grid.NewField("noise", p.boundary); err != nil {
			return p, err
		}
		(*f).Upload(noise(p.grid.Nodes(), uint64(10+i)))
	}
	return p, dev.Sync()
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
	for _, d := range discretisations() {
		for _, kind := range r.kinds {
			for _, arrays := range []int{0, 1, 3} {
				if err := r.stencilOf(t, d, kind, n, arrays); err != nil {
					return err
				}
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

// stencilOf times all kernels of an operator.
func (r *run) stencilOf(t *report.Table, d discretisation, kind string, n [3]int, arrays int) error {
	if err := r.checkStencil(d, kind, arrays); err != nil {
		return err
	}
	r.progress("%s, %s, %s", d.name, coefficientNames[arrays], kind)
	elem := element(kind)
	p, err := newPoisson(r.dev, d, elem, n, arrays)
	if err != nil {
		return err
	}
	defer p.free()
	c, err := r.copyOf(r.dev, elem, p.grid.Box.Len)
	if err != nil {
		return err
	}
	for _, op := range stencilOps {
		took, err := r.inTurns(r.dev, c, kernel(func() { op.run(p) }))
		if err != nil {
			return err
		}
		points, flops := p.grid.Nodes(), d.flops[arrays]+op.flops
		t.Add(with(took.row(float64((op.words+arrays)*elem.Size()), points), report.Row{
			"stencil": d.name, "coefficients": coefficientNames[arrays], "kernel": op.name, "precision": kind,
			"flops_per_point": flops, "gigaflops": float64(flops*points) / took.seconds / 1e9,
		}))
	}
	return nil
}

// checkStencil compares Apply with the plain reference on a small odd box, relative to the sum of the sizes of its terms.
// The conductances and the balance of a point take less than 40 roundings.
func (r *run) checkStencil(d discretisation, kind string, arrays int) error {
	const roundings = 40
	elem := element(kind)
	p, err := newPoisson(r.dev, d, elem, [3]int{19, 13, 11}, arrays)
	if err != nil {
		return err
	}
	defer p.free()
	p.op.Apply(p.out, p.u)
	got, err := p.out.Download()
	if err != nil {
		return err
	}
	u, err := p.u.Download()
	if err != nil {
		return err
	}
	want, size := d.plain(p.grid, p.cells, u)
	worst := 0.0
	for c := range got {
		if k := c / (p.grid.Box.N[0] * p.grid.Box.N[1]); k > 0 && k < p.grid.Box.N[2]-1 {
			worst = max(worst, largestDifference([]float64{got[c] / size[c]}, []float64{want[c] / size[c]}))
		}
	}
	return r.check(fmt.Sprintf("%s apply, %s, %s: relative difference from the plain reference", d.name,
		coefficientNames[arrays], kind), worst, roundings*elem.Epsilon())
}
