package stencil

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"convect/kernels"
)

// separableCase is a random operator that is a sum of products.
type separableCase struct {
	widths   [3][]float64
	periodic [3]bool
	walls    []kernels.Side
	stencil  kernels.Stencil
	constant [3]float64
	layers   [3][]float64
	mass     float64
}

func randomSeparable(rng *rand.Rand) (c separableCase) {
	c.stencil = bothStencils[rng.IntN(2)]
	for d := range 3 {
		if d == kernels.Y && rng.IntN(3) == 0 {
			continue
		}
		n := 2 + rng.IntN(19)
		c.widths[d] = graded(n, 0.5+rng.Float64(), 1)
		if across := d != kernels.Z; !across || c.stencil == kernels.SevenPoint {
			switch rng.IntN(3) {
			case 0:
				c.widths[d] = graded(n, 1, 0.8+0.4*rng.Float64())
			case 1: // narrow at both ends
				for i := range n {
					c.widths[d][i] = 0.1 + float64(min(i, n-1-i))/float64(n)
				}
			}
		}
		c.periodic[d] = d != kernels.Z && rng.IntN(3) == 0
		for _, side := range [2]kernels.Side{kernels.Side(2 * d), kernels.Side(2*d + 1)} {
			if !c.periodic[d] && rng.IntN(3) == 0 {
				c.walls = append(c.walls, side)
			}
		}
		c.constant[d] = math.Exp(rng.NormFloat64())
	}
	if rng.IntN(2) == 0 {
		for d := range 3 {
			for range c.widths[kernels.Z] {
				c.layers[d] = append(c.layers[d], math.Exp(1.5*rng.NormFloat64()))
			}
			if rng.IntN(3) == 0 {
				c.layers[d] = c.layers[0]
			}
		}
	}
	if rng.IntN(2) == 0 {
		c.mass = math.Exp(3 * rng.NormFloat64())
	}
	return c
}

// cells spreads layers over cells.
func (c *separableCase) cells() (cells [3][]float64) {
	if c.layers[0] == nil {
		return cells
	}
	plane := len(c.widths[kernels.X]) * max(1, len(c.widths[kernels.Y]))
	for d, layers := range c.layers {
		for e := range d {
			if &c.layers[e][0] == &layers[0] {
				cells[d] = cells[e]
			}
		}
		for n := 0; cells[d] == nil || n < len(layers) && len(cells[d]) <= n*plane; n++ {
			for range plane {
				cells[d] = append(cells[d], layers[n])
			}
		}
	}
	return cells
}

func (c *separableCase) name() string {
	sides := make([]string, len(c.walls))
	for n, s := range c.walls {
		sides[n] = s.String()
	}
	return fmt.Sprintf("%dx%dx%d/%d points/periodic %v/fixed %s/layers %v/mass %.2g", len(c.widths[0]), len(c.widths[1]), len(c.widths[2]), c.stencil.Points(),
		c.periodic, strings.Join(sides, ","), c.layers[0] != nil, c.mass)
}

// TestSeparableSolves leaves a residual of rounding alone, zero at fixed nodes, and no mean where constants are in the null space.
func TestSeparableSolves(t *testing.T) {
	dev := device(t)
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := randomSeparable(rng)
		t.Run(c.name(), func(t *testing.T) {
			for d, w := range c.widths {
				if c.periodic[d] {
					c.widths[d] = graded(len(w), 1, 1)
				}
			}
			g := must[*Grid](t)(newGrid(dev, kernels.Float64, c.widths, c.periodic))
			b := must[*Boundary](t)(NewBoundary(g, walls(g, c.walls...)))
			o := must[*Operator](t)(NewOperator(b, Coefficients{Stencil: c.stencil, Constant: c.constant, Cells: c.cells()}))
			defer o.FreeAll()
			s, err := NewSeparable(o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Free()
			o.SetMassScale(c.mass)
			f := field(t, g, noise(g.Nodes(), seed))
			if o.Singular() {
				f.RemoveMean(true)
			}
			u, r := field(t, g, noise(g.Nodes(), 3)), field(t, g, make([]float64, g.Nodes()))
			s.Solve(u, f)
			o.Residual(r, f, u)
			left, of, values := download(t, r), download(t, f), download(t, u)
			rest, all := 0.0, 0.0
			for n := range left {
				rest, all = rest+left[n]*left[n], all+of[n]*of[n]
			}
			if !(math.Sqrt(rest/all) < 1e-10) {
				t.Errorf("the residual is %g of the right side", math.Sqrt(rest/all))
			}
			mean, size := 0.0, 0.0
			volumes := g.volumes()
			for n, fixed := range fixedNodes(b) {
				if fixed && values[n] != 0 {
					t.Fatalf("fixed node %d is %g", n, values[n])
				}
				mean, size = mean+volumes[n]*values[n], size+volumes[n]*math.Abs(values[n])
			}
			if o.Singular() && !(math.Abs(mean) <= 1e-10*size) {
				t.Errorf("the mean is %g of the mean size", mean/size)
			}
		})
	}
}

// TestSeparableInSinglePrecision solves layers of contrast a million on a grid that is narrow at its walls: in float32 a solve leaves little of a smooth right side.
func TestSeparableInSinglePrecision(t *testing.T) {
	dev := device(t)
	extent := Extent{Cells: [3]int{48, 0, 64}, Size: [3]float64{1, 0, 1}, Grading: [3]Grading{{}, {}, {Ratio: 10, Cluster: ClusterBoth}}}
	g := must[*Grid](t)(NewGrid(dev, kernels.Float32, extent))
	b := must[*Boundary](t)(NewBoundary(g, walls(g, kernels.Top)))
	cells := make([]float64, 48*64)
	for n := range cells {
		cells[n] = 1
		if k := n / 48; k > 20 && k < 24 {
			cells[n] = 1e-6
		}
	}
	o := must[*Operator](t)(NewOperator(b, Coefficients{Cells: [3][]float64{cells, cells, cells}}))
	s := must[*Separable](t)(NewSeparable(o))
	defer s.Free()
	right := make([]float64, g.Nodes())
	x, z, volumes := g.Coordinates(0), g.Coordinates(2), g.volumes()
	for n := range right {
		right[n] = volumes[n] * math.Cos(math.Pi*x[n%49]) * math.Cos(3*z[n/49])
	}
	f, u, r := field(t, g, right), field(t, g, make([]float64, g.Nodes())), field(t, g, make([]float64, g.Nodes()))
	s.Solve(u, f)
	o.Residual(r, f, u)
	rest, all := 0.0, 0.0
	for n, v := range download(t, r) {
		rest, all = rest+v*v, all+right[n]*right[n]
	}
	if !(math.Sqrt(rest/all) < 0.01) {
		t.Errorf("the residual is %g of the right side", math.Sqrt(rest/all))
	}
}

// TestNotSeparable tells why.
func TestNotSeparable(t *testing.T) {
	dev := device(t)
	plain := func(change func(e *Extent)) *Grid {
		e := Extent{Cells: [3]int{6, 5, 4}, Size: [3]float64{1, 1, 1}}
		change(&e)
		return must[*Grid](t)(NewGrid(dev, kernels.Float64, e))
	}
	cells := noise(6*5*4, 1)
	for n := range cells {
		cells[n] = math.Exp(cells[n])
	}
	part := make([]bool, 7*6)
	part[3] = true
	for _, c := range []struct {
		grid  *Grid
		fixed [6][]bool
		of    Coefficients
		want  string
	}{
		{plain(func(*Extent) {}), [6][]bool{}, Coefficients{Cells: [3][]float64{cells, cells, cells}}, "along z alone"},
		{plain(func(*Extent) {}), [6][]bool{5: part}, Coefficients{}, "fixed in part"},
		{plain(func(*Extent) {}), [6][]bool{}, Coefficients{Mass: noise(7*6*5, 1)}, "mass"},
		{plain(func(*Extent) {}), [6][]bool{}, Coefficients{Ties: noise(7*6*5, 1)}, "ties"},
		{plain(func(e *Extent) { e.Periodic[2] = true }), [6][]bool{}, Coefficients{}, "z is periodic"},
		{plain(func(e *Extent) { e.Grading[0] = Grading{Ratio: 3, Cluster: ClusterBoth} }), [6][]bool{}, Coefficients{Stencil: kernels.TwentySevenPoint}, "27 points"},
	} {
		c.of.Constant = [3]float64{1, 1, 1}
		b := must[*Boundary](t)(NewBoundary(c.grid, c.fixed))
		o := must[*Operator](t)(NewOperator(b, c.of))
		if err := o.Separability(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, wanted %q", err, c.want)
		}
		if _, err := NewSeparable(o); err == nil {
			t.Errorf("there is a solver in spite of %q", c.want)
		}
	}
}
