package stencil

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
)

func uniform(t *testing.T, dev kernels.Device, cells [3]int, size [3]float64, periodic [3]bool) *Grid {
	t.Helper()
	return must[*Grid](t)(NewGrid(dev, kernels.Float64, Extent{Cells: cells, Size: size, Periodic: periodic}))
}

func TestCoarsenFactors(t *testing.T) {
	dev := device(t)
	for _, c := range []struct {
		name  string
		cells [3]int
		size  [3]float64
		k     [3]float64
		want  [3]int
	}{
		{"cube", [3]int{8, 8, 8}, [3]float64{1, 1, 1}, [3]float64{1, 1, 1}, [3]int{2, 2, 2}},
		{"square", [3]int{8, 0, 8}, [3]float64{1, 0, 1}, [3]float64{1, 1, 1}, [3]int{2, 1, 2}},
		{"odd y", [3]int{8, 7, 8}, [3]float64{1, 0.875, 1}, [3]float64{1, 1, 1}, [3]int{2, 1, 2}},
		{"two cells", [3]int{8, 8, 2}, [3]float64{1, 1, 0.25}, [3]float64{1, 1, 1}, [3]int{2, 2, 1}},
		{"flat cells", [3]int{8, 8, 8}, [3]float64{1, 1, 0.1}, [3]float64{1, 1, 1}, [3]int{1, 1, 2}},
		{"anisotropic", [3]int{8, 8, 8}, [3]float64{1, 1, 1}, [3]float64{10, 7, 1}, [3]int{2, 2, 1}},
		{"just below", [3]int{8, 8, 8}, [3]float64{1, 1, 1}, [3]float64{10, 6.6, 6.7}, [3]int{2, 1, 2}},
	} {
		g := uniform(t, dev, c.cells, c.size, [3]bool{})
		b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
		o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: c.k}))
		if got := o.CoarsenFactors(); got != c.want {
			t.Errorf("%s: factors %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCouplingsUseTheExtremes(t *testing.T) {
	g := uniform(t, device(t), [3]int{2, 2, 2}, [3]float64{1, 1, 1}, [3]bool{})
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	k := []float64{1, 100, 3, 3, 3, 3, 3, 3}
	o := must[*Operator](t)(NewOperator(b, Coefficients{Cells: [3][]float64{k, k, k}}))
	for d, s := range o.Couplings() {
		near(t, AxisName(d), s, 10/0.25, rounding, 40)
	}
}

func TestCoarseConductivityOfLayers(t *testing.T) {
	// Layers one cell thick across z: arithmetic mean along x and y, harmonic along z.
	g := gradedGrid(t, device(t), false)
	shape := g.CellShape()
	k := make([]float64, cellCount(g))
	layer := func(c int) float64 { return math.Pow(10, float64(c%3)) }
	for c := range k {
		k[c] = layer(c / (shape[0] * shape[1]))
	}
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	o := must[*Operator](t)(NewOperator(b, Coefficients{Cells: [3][]float64{k, k, k}}))
	coarse := must[*Operator](t)(o.Coarsen([3]int{2, 2, 2}, o.Stencil()))
	defer coarse.FreeAll()
	n := coarse.Grid.CellShape()
	if n != [3]int{4, 3, 5} {
		t.Fatalf("coarse cells %v", n)
	}
	var got [3][]float64
	for d := range got {
		got[d] = cellValues(t, coarse, d)
	}
	for c := range n[0] * n[1] * n[2] {
		z := c / (n[0] * n[1])
		h := [2]float64{g.Widths[2][2*z], g.Widths[2][2*z+1]}
		v := [2]float64{layer(2 * z), layer(2*z + 1)}
		total := h[0] + h[1]
		arithmetic := (h[0]*v[0] + h[1]*v[1]) / total
		harmonic := total / (h[0]/v[0] + h[1]/v[1])
		near(t, fmt.Sprintf("x, cell %d", c), got[0][c], arithmetic, rounding, arithmetic)
		near(t, fmt.Sprintf("y, cell %d", c), got[1][c], arithmetic, rounding, arithmetic)
		near(t, fmt.Sprintf("z, cell %d", c), got[2][c], harmonic, rounding, harmonic)
	}
}

// Trilinear elements take the arithmetic mean in all directions, and stay trilinear.
func TestCoarseElements(t *testing.T) {
	g := gradedGrid(t, device(t), false)
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	k := lognormal(cellCount(g), 2, 1)
	o := must[*Operator](t)(NewOperator(b, Coefficients{Stencil: kernels.TwentySevenPoint, Cells: [3][]float64{k, k, k}}))
	coarse := must[*Operator](t)(o.Coarsen([3]int{2, 2, 2}, o.Stencil()))
	defer coarse.FreeAll()
	if coarse.Stencil() != kernels.TwentySevenPoint {
		t.Errorf("%d points on the coarse level", coarse.Stencil().Points())
	}
	integral := func(o *Operator, d int) (s float64) {
		n := o.Grid.CellShape()
		for c, v := range cellValues(t, o, d) {
			s += v * o.Grid.Widths[0][c%n[0]] * o.Grid.Widths[1][c/n[0]%n[1]] * o.Grid.Widths[2][c/(n[0]*n[1])]
		}
		return s
	}
	for d := range 3 {
		want := integral(o, d)
		near(t, "∫ k along "+AxisName(d), integral(coarse, d), want, rounding, want)
	}
}

func TestCoarseMassIsConserved(t *testing.T) {
	dev := device(t)
	for _, periodic := range [][3]bool{{}, {true, false, true}} {
		g := uniform(t, dev, [3]int{8, 6, 4}, [3]float64{1, 1, 1}, periodic)
		b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
		mass := lognormal(g.Nodes(), 1, 4)
		o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: [3]float64{1, 1, 1}, Mass: mass}))
		coarse := must[*Operator](t)(o.Coarsen([3]int{2, 1, 2}, o.Stencil()))
		near(t, fmt.Sprintf("mass, periodic %v", periodic), sum(coarse.mass), sum(mass), rounding, sum(mass))
		coarse.FreeAll()

		// The dual volumes themselves restrict to the coarse dual volumes.
		factor := [3]int{2, 2, 2}
		c := must[*Grid](t)(g.Coarsen(factor))
		for n, v := range restrictMass(volume(g), g, c) {
			near(t, fmt.Sprintf("volume of node %d, periodic %v", n, periodic), v, volume(c)[n], rounding, v)
		}
		c.Free()
	}
}

func TestCoarseBoundaryKeepsCoincidentNodes(t *testing.T) {
	g := gradedGrid(t, device(t), false)
	fixed := walls(g, kernels.Left)
	fixed[kernels.Top] = make([]bool, g.Box.WallNodes(kernels.Top))
	patch := 3 + g.Box.N[0]*3 // node (3,3): between coarse nodes
	kept := 4 + g.Box.N[0]*2  // node (4,2): coarse node (2,1)
	fixed[kernels.Top][patch], fixed[kernels.Top][kept] = true, true
	b := must[*Boundary](t)(NewBoundary(g, fixed))
	factor := [3]int{2, 2, 2}
	c := must[*Grid](t)(g.Coarsen(factor))
	coarse := must[*Boundary](t)(b.Coarsen(c))
	for n, is := range coarse.fixed[kernels.Left] {
		if !is {
			t.Errorf("left node %d is free", n)
		}
	}
	for n, is := range coarse.fixed[kernels.Top] {
		if want := n == 2+c.Box.N[0]*1; is != want {
			t.Errorf("top node %d fixed %v", n, is)
		}
	}
}

func TestTransfersAreTransposed(t *testing.T) {
	dev := device(t)
	for _, c := range []struct {
		cells    [3]int
		factor   [3]int
		periodic [3]bool
	}{
		{[3]int{8, 6, 4}, [3]int{2, 2, 2}, [3]bool{}}, {[3]int{8, 6, 4}, [3]int{1, 2, 1}, [3]bool{false, true, false}},
		{[3]int{8, 0, 6}, [3]int{2, 1, 2}, [3]bool{true, false, false}},
	} {
		g := uniform(t, dev, c.cells, [3]float64{1, 1, 1}, c.periodic)
		coarse := must[*Grid](t)(g.Coarsen(c.factor))
		fine, small := noise(g.Nodes(), 1), noise(coarse.Nodes(), 2)
		r, p := field(t, coarse, make([]float64, coarse.Nodes())), field(t, g, make([]float64, g.Nodes()))
		Restrict(r, field(t, g, fine), nil, c.factor)
		Prolong(p, field(t, coarse, small), nil, c.factor)
		near(t, fmt.Sprintf("%v: <Pc,f> and <c,Rf>", c.cells), dot(download(t, p), fine), dot(small, download(t, r)), rounding, float64(g.Nodes()))
		near(t, fmt.Sprintf("%v: Σ", c.cells), sum(download(t, r)), sum(fine), rounding, float64(g.Nodes()))
	}
}

func TestCoarsenRefusesOddCells(t *testing.T) {
	g := uniform(t, device(t), [3]int{5, 4, 4}, [3]float64{1, 1, 1}, [3]bool{})
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: [3]float64{1, 1, 1}}))
	if _, err := o.Coarsen([3]int{2, 2, 2}, o.Stencil()); err == nil {
		t.Error("5 cells were halved")
	}
}
