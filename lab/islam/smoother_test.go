package islam_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/lab/islam"
	"convect/lab/labtest"
	"convect/multigrid"
	"convect/stencil"
)

// elliptic describes a problem for cycles; zero values: a unit box, k = 1, all walls natural, float64.
type elliptic struct {
	name     string
	cells    [3]int
	size     [3]float64
	periodic bool
	fixed    []kernels.Side
	points   kernels.Stencil
	cell     func(n [3]int) []float64 // k per cell
	grading  [3]stencil.Grading
	mass     float64
}

// What is fixed.
var (
	everyWall = []kernels.Side{kernels.Left, kernels.Right, kernels.Front, kernels.Back, kernels.Bottom, kernels.Top}
	ends      = []kernels.Side{kernels.Bottom, kernels.Top}
)

func cube(n int) [3]int   { return [3]int{n, n, n} }
func square(n int) [3]int { return [3]int{n, 0, n} }

// solver builds the operator with a solver and two fields, which live as long as the device.
func (p elliptic) solver(t testing.TB, d kernels.Device, opt multigrid.Options) (o *stencil.Operator, s *multigrid.Solver, u, f *stencil.Field) {
	t.Helper()
	if p.size == [3]float64{} {
		p.size = [3]float64{1, 1, 1}
	}
	e := stencil.Extent{Cells: p.cells, Size: p.size, Grading: p.grading, Periodic: [3]bool{p.periodic, p.periodic, p.periodic}}
	g, err := stencil.NewGrid(d, kernels.Float64, e)
	must(t, err)
	var walls [6][]bool
	for _, side := range p.fixed {
		walls[side] = make([]bool, g.Box.WallNodes(side))
		for n := range walls[side] {
			walls[side][n] = true
		}
	}
	b, err := stencil.NewBoundary(g, walls)
	must(t, err)
	c := stencil.Coefficients{Stencil: p.points, Constant: [3]float64{1, 1, 1}}
	if p.cell != nil {
		k := p.cell(g.CellShape())
		c.Cells = [3][]float64{k, k, k}
	}
	o, err = stencil.NewOperator(b, c)
	must(t, err)
	o.SetMassScale(p.mass)
	s, err = multigrid.New(o, opt)
	must(t, err)
	t.Cleanup(s.Free)
	u, err = g.NewField("u", b)
	must(t, err)
	f, err = g.NewField("f", b)
	must(t, err)
	return o, s, u, f
}

// lognormal returns log-normal values of variance 1 on cells, correlated over six of them.
func lognormal(cells [3]int) []float64 {
	r := rand.New(rand.NewPCG(1, 11))
	v := make([]float64, cells[0]*cells[1]*cells[2])
	for i := range v {
		v[i] = r.NormFloat64()
	}
	const correlation = 6.
	stride := 1
	for _, n := range cells {
		reach := min(2*int(correlation), n/2)
		before := append([]float64(nil), v...)
		for i := range v {
			at := i / stride % n
			v[i] = 0
			for d := -reach; d <= reach; d++ {
				v[i] += math.Exp(-2*float64(d*d)/(correlation*correlation)) * before[i+((at+d+n)%n-at)*stride]
			}
		}
		stride *= n
	}
	mean, square, n := 0.0, 0.0, float64(len(v))
	for _, x := range v {
		mean, square = mean+x/n, square+x*x/n
	}
	for i, x := range v {
		v[i] = math.Exp((x - mean) / math.Sqrt(square-mean*mean))
	}
	return v
}

// noise fills a field with seeded values in [-1, 1], zero at fixed nodes and of zero mean where constants are in the null space.
func noise(t testing.TB, o *stencil.Operator, f *stencil.Field, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	v := make([]float64, o.Grid.Nodes())
	for i := range v {
		v[i] = 2*r.Float64() - 1
	}
	f.Upload(v)
	for s := range 6 {
		side := kernels.Side(s)
		must(t, o.Boundary.SetValues(side, make([]float64, o.Grid.Box.WallNodes(side))))
	}
	o.Boundary.Impose(f)
	if o.Singular() {
		f.RemoveMean(false)
	}
}

// smoother returns sweeps on blocks.
func smoother(t testing.TB, d kernels.Device, sweeps, overlap, block int) islam.Smoother {
	t.Helper()
	s, err := islam.NewSmoother(on(t, d), sweeps, overlap, block)
	must(t, err)
	return s
}

// blockOptions are those of V(1,1) cycles of so many sweeps an application.
func blockOptions(t testing.TB, d kernels.Device, sweeps, overlap, block int) multigrid.Options {
	return multigrid.Options{Method: multigrid.Multigrid, Pre: sweeps, Post: sweeps, Sweeper: smoother(t, d, sweeps, overlap, block)}
}

// With blocks that overlap by twice the sweeps an application is that many Chebyshev sweeps of all nodes; with less it is
// not, but hardly worse.
func TestBlocksBecomeSweepsOfAllNodes(t *testing.T) {
	d := labtest.Processor(t, cpu.Options{})
	for _, p := range []elliptic{{name: "3-D", cells: [3]int{24, 20, 28}, fixed: ends}, {name: "2-D", cells: square(64)}, {name: "periodic", cells: cube(24), periodic: true},
		{name: "27 points", cells: cube(24), fixed: ends, points: kernels.TwentySevenPoint}} {
		const sweeps = 4
		var got [3][]float64
		for n, opt := range []multigrid.Options{{Method: multigrid.Multigrid, Smoother: multigrid.Chebyshev, Pre: sweeps, Post: sweeps},
			blockOptions(t, d, sweeps, 2*sweeps, 6), blockOptions(t, d, sweeps, 4, 6)} {
			o, s, u, f := p.solver(t, d, opt)
			noise(t, o, u, 1)
			noise(t, o, f, 2)
			s.Cycle(u, f)
			var err error
			got[n], err = u.Download()
			must(t, err)
		}
		size, same, near := 0.0, 0.0, 0.0
		for n, w := range got[0] {
			size = max(size, math.Abs(w))
			same, near = max(same, math.Abs(got[1][n]-w)), max(near, math.Abs(got[2][n]-w))
		}
		if !(same <= 1e-12*size) || !(near > 1e-6*size && near < 0.1*size) {
			t.Errorf("%s: %g and %g of %g apart", p.name, same, near, size)
		}
	}
}

// asymptoticFactor returns the mean factor by which the last cycles of many reduce the residual of A u = 0.
func (p elliptic) asymptoticFactor(t testing.TB, d kernels.Device, opt multigrid.Options) float64 {
	const cycles, last = 14, 5
	o, s, u, f := p.solver(t, d, opt)
	noise(t, o, u, 42)
	r, err := o.Grid.NewField("residual", o.Boundary)
	must(t, err)
	norms := make([]float64, cycles+1)
	for n := range norms {
		o.Residual(r, f, u)
		v, err := r.Download()
		must(t, err)
		square := 0.0
		for _, x := range v {
			square += x * x
		}
		norms[n] = math.Sqrt(square)
		u.Combine(stencil.Sum{C: 1 / norms[n], X: u}) // so that rounding sets no floor to the factor
		if n > 0 {
			norms[n] *= norms[n-1]
		}
		s.Cycle(u, f)
		if o.Singular() {
			u.RemoveMean(false)
		}
	}
	return math.Pow(norms[cycles]/norms[cycles-last], 1.0/last)
}

// Factors with blocks so small that most rows lie near a rim.
func TestFactorsOfSmallBlocks(t *testing.T) {
	devicetest.Long(t)
	d := labtest.Processor(t, cpu.Options{})
	for _, c := range []struct {
		elliptic
		sweeps, overlap int
		most            float64
	}{
		{elliptic{name: "3-D", cells: cube(64)}, 4, 4, 0.05}, {elliptic{name: "3-D", cells: cube(64)}, 8, 6, 0.03},
		{elliptic{name: "27 points", cells: cube(64), points: kernels.TwentySevenPoint}, 4, 4, 0.05},
		{elliptic{name: "2-D", cells: square(256)}, 4, 4, 0.05}, {elliptic{name: "2-D", cells: square(256)}, 8, 6, 0.03},
	} {
		for _, fixed := range [][]kernels.Side{ends, nil} {
			c.fixed = fixed
			if got := c.asymptoticFactor(t, d, blockOptions(t, d, c.sweeps, c.overlap, 8)); !(got <= c.most) {
				t.Errorf("%s, %d walls fixed, %d sweeps on blocks that overlap by %d: factor %.4f, at most %.2f allowed", c.name, len(fixed), c.sweeps, c.overlap,
					got, c.most)
			}
		}
	}
}

// smoothRightSide is 1 + sin πx sin πy sin πz, integrated.
func smoothRightSide(f *stencil.Field) {
	g := f.Grid
	v := make([]float64, 0, g.Nodes())
	x, y, z := g.Coordinates(0), g.Coordinates(1), g.Coordinates(2)
	if g.Flat() {
		y[0] = 0.5
	}
	for k := range z {
		for j := range y {
			for i := range x {
				w := g.DualWidth(0, i) * g.DualWidth(1, j) * g.DualWidth(2, k)
				v = append(v, w*(1+math.Sin(math.Pi*x[i])*math.Sin(math.Pi*y[j])*math.Sin(math.Pi*z[k])))
			}
		}
	}
	f.Upload(v)
}

// blockGolden lists iterations of cycles alone to 1e-8 with a smooth right side from zero: 4 sweeps that overlap by 4 rows on blocks of the usual size,
// and in mixed precision 8 sweeps that overlap by 8 on small ones. They are exact.
var blockGolden = []struct {
	elliptic
	want [2]int
}{
	{elliptic{name: "3-D dirichlet", cells: cube(32), fixed: everyWall}, [2]int{6, 6}},
	{elliptic{name: "3-D closed", cells: cube(32)}, [2]int{6, 6}},
	{elliptic{name: "3-D periodic", cells: cube(32), periodic: true}, [2]int{6, 6}},
	{elliptic{name: "2-D mixed", cells: square(64), fixed: ends}, [2]int{6, 6}},
	{elliptic{name: "cells 10:1 flat", cells: cube(32), size: [3]float64{10, 10, 1}, fixed: ends}, [2]int{6, 5}},
	{elliptic{name: "mass", cells: cube(32), fixed: ends, mass: 1000}, [2]int{5, 5}},
	{elliptic{name: "27 points", cells: cube(32), fixed: ends, points: kernels.TwentySevenPoint}, [2]int{7, 6}},
	{elliptic{name: "log-normal, variance 1", cells: cube(32), fixed: ends, cell: lognormal}, [2]int{11, 10}},
	{elliptic{name: "z 4", cells: cube(32), fixed: ends, grading: [3]stencil.Grading{2: {Cluster: stencil.ClusterBoth, Ratio: 4}}}, [2]int{8, 9}},
}

func TestGoldenIterationsOfBlocks(t *testing.T) {
	d := labtest.Processor(t, cpu.Options{})
	options := [2]multigrid.Options{blockOptions(t, d, 4, 4, 0), blockOptions(t, d, 8, 8, 8)}
	options[1].Mixed = true
	for _, c := range blockGolden {
		t.Run(c.name, func(t *testing.T) {
			var got [2]int
			for n, opt := range options {
				_, s, u, f := c.solver(t, d, opt)
				smoothRightSide(f)
				r, err := s.Solve(u, f, 0)
				must(t, err)
				got[n] = r.Iterations
			}
			if got != c.want {
				t.Errorf("iterations %v, want %v", got, c.want)
			}
		})
	}
}

// On an emulated GPU, whose coarsest level may be another, cycles lead to what they do on the processor: a residual of 1e-12 leaves an error of that
// times the condition, below 100 here.
func TestSmootherOnGPU(t *testing.T) {
	for _, p := range []elliptic{{cells: [3]int{12, 8, 16}, fixed: ends}, {cells: square(32), fixed: ends, points: kernels.TwentySevenPoint}} {
		var got [2][]float64
		for n, d := range []kernels.Device{labtest.Processor(t, cpu.Options{}), labtest.Emulated(t)} {
			opt := blockOptions(t, d, 3, 2, 4)
			opt.Tolerance = 1e-12
			_, s, u, f := p.solver(t, d, opt)
			smoothRightSide(f)
			_, err := s.Solve(u, f, 0)
			must(t, err)
			got[n], err = u.Download()
			must(t, err)
		}
		for n, w := range got[0] {
			if math.Abs(got[1][n]-w) > 1e-10 {
				t.Fatalf("%v: node %d is %v, on the processor %v", p.cells, n, got[1][n], w)
			}
		}
	}
}

func TestSmootherRefuses(t *testing.T) {
	k := on(t, labtest.Processor(t, cpu.Options{}))
	for part, c := range map[string][3]int{"even": {4, 3, 0}, "from 2 on": {4, -2, 0}, "from 1 to 32": {33, 4, 0}, "blocks of -1 rows": {4, 4, -1}} {
		if _, err := islam.NewSmoother(k, c[0], c[1], c[2]); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: %v, want something about %q", c, err, part)
		}
	}
}

// BenchmarkSmoother times solves to 1e-8 from zero with a smooth right side beside Chebyshev and red–black.
func BenchmarkSmoother(b *testing.B) {
	d := labtest.Processor(b, cpu.Options{})
	for _, cells := range [][3]int{cube(128), cube(256), square(2048)} {
		p := elliptic{cells: cells, fixed: ends}
		for _, c := range []struct {
			name string
			multigrid.Options
		}{
			{"chebyshev-V(2,2)", multigrid.Options{Smoother: multigrid.Chebyshev, Pre: 2, Post: 2}}, {"red-black-V(1,1)", multigrid.Options{Smoother: multigrid.RedBlack, Pre: 1, Post: 1}},
			{"blocks-2-2", blockOptions(b, d, 2, 2, 0)}, {"blocks-4-4", blockOptions(b, d, 4, 4, 0)}, {"blocks-8-6", blockOptions(b, d, 8, 6, 0)},
		} {
			c.Method, c.Mixed = multigrid.Multigrid, true
			b.Run(fmt.Sprintf("%v/%s", cells, c.name), func(b *testing.B) {
				_, s, u, f := p.solver(b, d, c.Options)
				smoothRightSide(f)
				var r multigrid.Result
				var err error
				for b.Loop() {
					u.Fill(0)
					r, err = s.Solve(u, f, 0)
					must(b, err)
				}
				b.ReportMetric(float64(r.Iterations), "iterations")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/math.Log10(r.Residuals[0]/r.Residuals[len(r.Residuals)-1]), "ns/digit")
			})
		}
	}
}
