package multigrid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/stencil"
)

// device opens the cpu backend for one test.
func device(t testing.TB) kernels.Device {
	t.Helper()
	dev, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return cyclic{dev}
}

// cyclic is a processor that does not say how fast it makes products, so that New never chooses direct solves: tests of cycles have cycles.
type cyclic struct{ *cpu.Device }

func (c cyclic) Info() kernels.Info {
	info := c.Device.Info()
	info.Products = 0
	return info
}

// must ends the test on an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// problem describes a Poisson problem; zero values: a unit box, k = 1, all walls natural, float64.
type problem struct {
	cells    [3]int
	size     [3]float64
	periodic [3]bool
	fixed    []kernels.Side // sides fixed as a whole
	patch    func(s kernels.Side, x, y, z float64) bool
	k        [3]float64
	layout   func(cells [3]int) []float64    // k per cell
	layouts  func(cells [3]int) [3][]float64 // the same for each direction
	float32  bool
	mass     float64
	stencil  kernels.Stencil
	grading  [3]stencil.Grading
}

// name of the boundary kinds that the tests run through.
var (
	dirichlet        = []kernels.Side{kernels.Left, kernels.Right, kernels.Front, kernels.Back, kernels.Bottom, kernels.Top}
	dirichletInPlane = []kernels.Side{kernels.Left, kernels.Right, kernels.Bottom, kernels.Top}

	closed = []kernels.Side(nil)
	mixed  = []kernels.Side{kernels.Bottom, kernels.Top}
)

// cube returns the cells of an n³ box, square those of an n² one.
func cube(n int) [3]int   { return [3]int{n, n, n} }
func square(n int) [3]int { return [3]int{n, 0, n} }

// operator builds the problem's operator; it lives as long as the device.
func (p problem) operator(t testing.TB, dev kernels.Device) *stencil.Operator {
	t.Helper()
	if p.size == [3]float64{} {
		p.size = [3]float64{1, 1, 1}
	}
	if p.k == [3]float64{} {
		p.k = [3]float64{1, 1, 1}
	}
	elem := kernels.Float64
	if p.float32 {
		elem = kernels.Float32
	}
	g := must[*stencil.Grid](t)(stencil.NewGrid(dev, elem, stencil.Extent{Cells: p.cells, Size: p.size, Periodic: p.periodic,
		Grading: p.grading}))
	b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, p.walls(g)))
	c := stencil.Coefficients{Stencil: p.stencil, Constant: p.k}
	if p.layout != nil {
		k := p.layout(g.CellShape())
		c.Cells = [3][]float64{k, k, k}
	}
	if p.layouts != nil {
		c.Cells = p.layouts(g.CellShape())
	}
	o := must[*stencil.Operator](t)(stencil.NewOperator(b, c))
	o.SetMassScale(p.mass)
	return o
}

// walls returns the fixed nodes of the problem.
func (p problem) walls(g *stencil.Grid) [6][]bool {
	var fixed [6][]bool
	x, y, z := g.Coordinates(0), g.Coordinates(1), g.Coordinates(2)
	for s := range 6 {
		side := kernels.Side(s)
		if !g.Wall(side) {
			continue
		}
		for _, f := range p.fixed {
			if f == side {
				fixed[s] = make([]bool, g.Box.WallNodes(side))
				for n := range fixed[s] {
					fixed[s][n] = true
				}
			}
		}
		if p.patch != nil {
			if fixed[s] == nil {
				fixed[s] = make([]bool, g.Box.WallNodes(side))
			}
			for n := range fixed[s] {
				i, j, k := g.WallIndex(side, n)
				fixed[s][n] = fixed[s][n] || p.patch(side, x[i], y[j], z[k])
			}
		}
	}
	return fixed
}

func newField(t testing.TB, o *stencil.Operator) *stencil.Field {
	t.Helper()
	return must[*stencil.Field](t)(o.Grid.NewField("test", o.Boundary))
}

func download(t testing.TB, f *stencil.Field) []float64 {
	t.Helper()
	return must[[]float64](t)(f.Download())
}

// noise returns n seeded values in [-1, 1].
func noise(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 7))
	v := make([]float64, n)
	for i := range v {
		v[i] = 2*r.Float64() - 1
	}
	return v
}

// random fills a field with noise, zero at fixed nodes and, of a singular problem, of zero mean.
func random(t testing.TB, o *stencil.Operator, f *stencil.Field, seed uint64) {
	t.Helper()
	f.Upload(noise(o.Grid.Nodes(), seed))
	for s := range 6 {
		side := kernels.Side(s)
		if err := o.Boundary.SetValues(side, make([]float64, o.Grid.Box.WallNodes(side))); err != nil {
			t.Fatal(err)
		}
	}
	o.Boundary.Impose(f)
	if o.Singular() {
		f.RemoveMean(false)
	}
}

// solver builds the solver of a problem with two fields.
func (p problem) solver(t testing.TB, dev kernels.Device, opt Options) (s *Solver, u, f *stencil.Field) {
	t.Helper()
	o := p.operator(t, dev)
	s = must[*Solver](t)(New(o, opt))
	t.Cleanup(s.Free)
	return s, newField(t, o), newField(t, o)
}

// krylovOf returns the conjugate gradients of a solver whose strategy they are.
func krylovOf(s *Solver) *krylov { return s.strategy.(*gradients).krylov }

func label(cells [3]int) string {
	if cells[1] == 0 {
		return fmt.Sprintf("%dx%d", cells[0], cells[2])
	}
	return fmt.Sprintf("%dx%dx%d", cells[0], cells[1], cells[2])
}

// iterate solves for a smooth right side from zero with each of the options, and wants so many iterations.
func (p problem) iterate(t *testing.T, dev kernels.Device, options []Options, want []int) {
	t.Helper()
	var got []int
	for _, opt := range options {
		s, u, f := p.solver(t, dev, opt)
		smoothRightSide(f)
		got = append(got, must[Result](t)(s.Solve(u, f, 0)).Iterations)
		s.Free()
		u.Free()
		f.Free()
	}
	if !slices.Equal(got, want) {
		t.Errorf("iterations %v, want %v", got, want)
	}
}

// between gives a problem the ends of the axes of a manufactured solution, which in 2-D is constant in y.
func (p *problem) between(axes *[3]shape) {
	if p.cells[1] == 0 {
		axes[1] = shape{u: func(float64) float64 { return 1 }, second: func(float64) float64 { return 0 }}
	}
	for d, a := range axes {
		p.periodic[d] = a.periodic
		if a.fixedLow {
			p.fixed = append(p.fixed, kernels.Side(2*d))
		}
		if a.fixedHigh {
			p.fixed = append(p.fixed, kernels.Side(2*d+1))
		}
	}
}
