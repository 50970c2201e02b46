package stencil

import (
	"fmt"
	"testing"

	"convect/kernels"
)

const rounding = 1e-13

// bothStencils are the discretisations of an operator.
var bothStencils = [2]kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint}

// operators yields constant and variable operators of both stencils in 2-D and 3-D on graded grids.
func operators(t *testing.T, fixed []kernels.Side, check func(t *testing.T, o *Operator)) {
	dev := device(t)
	for _, flat := range []bool{false, true} {
		for n := range 4 {
			variable, stencil := n%2 == 1, bothStencils[n/2]
			t.Run(fmt.Sprintf("flat=%v/variable=%v/%d", flat, variable, stencil.Points()), func(t *testing.T) {
				g := gradedGrid(t, dev, flat)
				b := must[*Boundary](t)(NewBoundary(g, walls(g, fixed...)))
				c := Coefficients{Stencil: stencil, Constant: [3]float64{1.5, 0.7, 2.5}}
				if variable {
					for d := range 3 {
						c.Cells[d] = lognormal(cellCount(g), 2, uint64(d))
					}
				}
				check(t, must[*Operator](t)(NewOperator(b, c)))
			})
		}
	}
}

func apply(t *testing.T, o *Operator, v []float64) []float64 {
	t.Helper()
	x := field(t, o.Grid, v)
	y := must[*Field](t)(o.Grid.NewField("y", nil))
	o.Apply(y, x)
	return download(t, y)
}

func TestOperatorIsExactOnPolynomials(t *testing.T) {
	dev := device(t)
	k := [3]float64{1.5, 0.7, 2.5}
	polynomials := []struct {
		name      string
		u         func(x, y, z float64) float64
		laplacian [3]float64 // second derivatives
	}{
		{"constant", func(x, y, z float64) float64 { return 3 }, [3]float64{}},
		{"linear", func(x, y, z float64) float64 { return 1 + 2*x - 3*y + 5*z }, [3]float64{}},
		{"bilinear", func(x, y, z float64) float64 { return x*y - 2*y*z + x*z }, [3]float64{}},
		{"quadratic", func(x, y, z float64) float64 { return x*x - 2*y*y + 3*z*z + x - z }, [3]float64{2, -4, 6}},
	}
	for n := range 4 {
		flat := n%2 == 1
		g := gradedGrid(t, dev, flat)
		b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
		o := must[*Operator](t)(NewOperator(b, Coefficients{Stencil: bothStencils[n/2], Constant: k}))
		v := volume(g)
		for _, p := range polynomials {
			u := p.u
			if flat {
				p.laplacian[1] = 0
				u = func(x, _, z float64) float64 { return p.u(x, 0, z) }
			}
			want := -dot(k[:], p.laplacian[:])
			for n, a := range apply(t, o, nodes(g, u)) {
				if inner(g, n) {
					near(t, fmt.Sprintf("%s, flat %v, node %d", p.name, flat, n), a/v[n], want, 1e-10, 1)
				}
			}
		}
	}
}

func TestOperatorIsExactOnLinearFunctionsWithLayers(t *testing.T) {
	// Layers of different k in z: for a function of x and y alone nothing flows between layers.
	g := gradedGrid(t, device(t), false)
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	cells := make([]float64, cellCount(g))
	shape := g.CellShape()
	for c := range cells {
		cells[c] = float64(1 + c/(shape[0]*shape[1])*7%5)
	}
	for _, stencil := range bothStencils {
		o := must[*Operator](t)(NewOperator(b, Coefficients{Stencil: stencil, Cells: [3][]float64{cells, cells, cells}}))
		for n, a := range apply(t, o, nodes(g, func(x, y, _ float64) float64 { return x - 2*y })) {
			if inner(g, n) {
				near(t, fmt.Sprintf("%d points, node %d", stencil.Points(), n), a, 0, rounding, 1)
			}
		}
	}
}

func TestOperatorIsSymmetricAndPositive(t *testing.T) {
	operators(t, []kernels.Side{kernels.Left, kernels.Top}, func(t *testing.T, o *Operator) {
		n := o.Grid.Nodes()
		x, y := noise(n, 1), noise(n, 2)
		for _, v := range [][]float64{x, y} { // the masked operator is symmetric on vectors that vanish on fixed nodes
			f := field(t, o.Grid, v)
			zeroFixed(t, o.Boundary, f)
			copy(v, download(t, f))
		}
		ax, ay := apply(t, o, x), apply(t, o, y)
		near(t, "<Ax,y> and <x,Ay>", dot(ax, y), dot(x, ay), rounding, dot(ax, x))
		if !(dot(ax, x) > 0) {
			t.Errorf("<Ax,x> = %g", dot(ax, x))
		}
	})
}

// zeroFixed sets the fixed nodes of f to zero.
func zeroFixed(t *testing.T, b *Boundary, f *Field) {
	t.Helper()
	for s := range 6 {
		side := kernels.Side(s)
		if err := b.SetValues(side, make([]float64, b.Grid.Box.WallNodes(side))); err != nil {
			t.Fatal(err)
		}
	}
	b.Impose(f)
}

func TestOperatorHasZeroRowSumsAndConserves(t *testing.T) {
	operators(t, nil, func(t *testing.T, o *Operator) {
		x := noise(o.Grid.Nodes(), 3)
		scale := maxAbs(apply(t, o, x))
		ones := make([]float64, len(x))
		for n := range ones {
			ones[n] = 1
		}
		if m := maxAbs(apply(t, o, ones)); m != 0 {
			t.Errorf("A 1 = %g", m)
		}
		near(t, "Σ A x", sum(apply(t, o, x)), 0, rounding, scale*float64(len(x)))

		o.SetMassScale(2.5)
		for n, v := range volume(o.Grid) {
			near(t, fmt.Sprintf("A 1 with mass, node %d", n), apply(t, o, ones)[n], 2.5*v, rounding, 2.5*v)
			if n > 40 {
				break
			}
		}
	})
}

func TestOperatorWithNodalMass(t *testing.T) {
	g := gradedGrid(t, device(t), false)
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	mass := lognormal(g.Nodes(), 1, 5)
	o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: [3]float64{1, 1, 1}, Mass: mass}))
	o.SetMassScale(3)
	x := noise(g.Nodes(), 6)
	with := apply(t, o, x)
	o.SetMassScale(0)
	without := apply(t, o, x)
	for n := range x {
		near(t, fmt.Sprintf("node %d", n), with[n]-without[n], 3*mass[n]*x[n], 1e-12, 1+mass[n])
	}
	u, r := field(t, g, make([]float64, len(x))), field(t, g, x)
	o.SetMassScale(3)
	o.MassUpdate(u, r)
	for n, v := range download(t, u) {
		near(t, fmt.Sprintf("mass update, node %d", n), v, x[n]/(3*mass[n]), rounding, 1)
	}
}

func TestResidualAndSmoothersLeaveFixedNodes(t *testing.T) {
	operators(t, []kernels.Side{kernels.Bottom, kernels.Right}, func(t *testing.T, o *Operator) {
		g := o.Grid
		u, f, out := field(t, g, noise(g.Nodes(), 8)), field(t, g, noise(g.Nodes(), 9)), field(t, g, noise(g.Nodes(), 10))
		fixed := fixedNodes(o.Boundary)
		before := download(t, u)
		o.Residual(out, f, u)
		for n, r := range download(t, out) {
			if fixed[n] && r != 0 {
				t.Fatalf("residual %g at fixed node %d", r, n)
			}
		}
		o.Smooth(out, u, f, 0.8)
		smoothed := download(t, out)
		if o.Stencil() == kernels.TwentySevenPoint { // no colours
			for n := range before {
				if same := smoothed[n] == before[n]; same != fixed[n] {
					t.Fatalf("node %d, fixed %v: %g became %g", n, fixed[n], before[n], smoothed[n])
				}
			}
			return
		}
		o.RedBlack(u, f, 1, 0)
		o.RedBlack(u, f, 1, 1)
		relaxed := download(t, u)
		for n := range before {
			if same := smoothed[n] == before[n] && relaxed[n] == before[n]; same != fixed[n] {
				t.Fatalf("node %d, fixed %v: %g became %g and %g", n, fixed[n], before[n], smoothed[n], relaxed[n])
			}
		}
		// After a Gauss–Seidel half sweep the residual of that colour vanishes.
		o.Residual(out, f, u)
		for n, r := range download(t, out) {
			i, j, k := n%g.Box.N[0], n/g.Box.N[0]%g.Box.N[1], n/(g.Box.N[0]*g.Box.N[1])
			if (i+j+k)%2 == 1 {
				near(t, fmt.Sprintf("residual of node %d", n), r, 0, 1e-11, 1)
			}
		}
	})
}

// fixedNodes returns which nodes a boundary fixes, [z][y][x].
func fixedNodes(b *Boundary) []bool {
	v := make([]bool, b.Grid.Nodes())
	for s, f := range b.fixed {
		for n, is := range f {
			if is {
				v[b.Grid.wallNode(kernels.Side(s), n)] = true
			}
		}
	}
	return v
}

func TestUnmaskedResidualIsWallFlux(t *testing.T) {
	// T = z between fixed walls: the residual at a wall node is the flux through its part of the wall.
	g := gradedGrid(t, device(t), false)
	b := must[*Boundary](t)(NewBoundary(g, walls(g, kernels.Bottom, kernels.Top)))
	k := 2.5
	for _, stencil := range bothStencils {
		o := must[*Operator](t)(NewOperator(b, Coefficients{Stencil: stencil, Constant: [3]float64{1, 1, k}}))
		flux := apply(t, o.Unmasked(), nodes(g, func(_, _, z float64) float64 { return z }))
		for n := range g.Box.WallNodes(kernels.Top) {
			near(t, "top", flux[g.wallNode(kernels.Top, n)], k*g.WallArea(kernels.Top, n), rounding*10, 1)
			near(t, "bottom", flux[g.wallNode(kernels.Bottom, n)], -k*g.WallArea(kernels.Bottom, n), rounding*10, 1)
		}
	}
}

func TestNewOperatorRefusesWrongSizes(t *testing.T) {
	g := gradedGrid(t, device(t), false)
	b := must[*Boundary](t)(NewBoundary(g, [6][]bool{}))
	short := make([]float64, 5)
	if _, err := NewOperator(b, Coefficients{Cells: [3][]float64{short, short, short}}); err == nil {
		t.Error("5 coefficients were accepted")
	}
}
