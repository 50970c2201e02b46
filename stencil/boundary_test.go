package stencil

import (
	"fmt"
	"testing"

	"convect/kernels"
)

func TestWallAreasSumToTheWall(t *testing.T) {
	dev := device(t)
	for _, flat := range []bool{false, true} {
		g := gradedGrid(t, dev, flat)
		for s := range 6 {
			side := kernels.Side(s)
			if !g.Wall(side) {
				continue
			}
			area, want := 0.0, 1.0
			for n := range g.Box.WallNodes(side) {
				area += g.WallArea(side, n)
			}
			for d := range 3 {
				if d != side.Axis() && g.Cells[d] > 0 {
					want *= g.Size[d]
				}
			}
			near(t, side.String(), area, want, rounding, 1)
		}
	}
}

func TestSharesSumToOne(t *testing.T) {
	dev := device(t)
	for _, flat := range []bool{false, true} {
		g := gradedGrid(t, dev, flat)
		sides := []kernels.Side{kernels.Left, kernels.Bottom, kernels.Top}
		if !flat {
			sides = append(sides, kernels.Back)
		}
		fixed := walls(g, sides...)
		for n := range fixed[kernels.Top] { // a patch: half of the top
			fixed[kernels.Top][n] = n%2 == 0
		}
		b := must[*Boundary](t)(NewBoundary(g, fixed))
		total := make([]float64, g.Nodes())
		for s := range 6 {
			side := kernels.Side(s)
			for n, v := range b.Share(side) {
				if v < 0 || v > 1 {
					t.Errorf("share %g on %s", v, side)
				}
				total[g.wallNode(side, n)] += v
			}
		}
		for n, is := range fixedNodes(b) {
			want := 0.0
			if is {
				want = 1
			}
			near(t, fmt.Sprintf("flat %v, shares of node %d", flat, n), total[n], want, rounding, 1)
		}
	}
}

func TestMaskMatchesFixedNodes(t *testing.T) {
	g := gradedGrid(t, device(t), false)
	fixed := walls(g, kernels.Right, kernels.Bottom)
	fixed[kernels.Top] = make([]bool, g.Box.WallNodes(kernels.Top))
	fixed[kernels.Top][20], fixed[kernels.Top][21] = true, true
	b := must[*Boundary](t)(NewBoundary(g, fixed))
	if b.Singular() {
		t.Error("fixed nodes, yet singular")
	}
	// Jacobi from zero with a right side of ones is positive exactly at free nodes.
	o := must[*Operator](t)(NewOperator(b, Coefficients{Constant: [3]float64{1, 1, 1}}))
	ones := make([]float64, g.Nodes())
	for n := range ones {
		ones[n] = 1
	}
	out := field(t, g, noise(g.Nodes(), 1))
	o.Smooth(out, nil, field(t, g, ones), 1)
	is := fixedNodes(b)
	for n, v := range download(t, out) {
		if (v == 0) != is[n] || v < 0 {
			t.Fatalf("node %d, fixed %v: %g", n, is[n], v)
		}
	}
	if b.Mask.Rows > 2+3 {
		t.Errorf("%d distinct rows stored", b.Mask.Rows)
	}
}

func TestImposeOrder(t *testing.T) {
	g := gradedGrid(t, device(t), false)
	b := must[*Boundary](t)(NewBoundary(g, walls(g, kernels.Left, kernels.Right, kernels.Front, kernels.Back, kernels.Bottom, kernels.Top)))
	for s := range 6 {
		side := kernels.Side(s)
		v := make([]float64, g.Box.WallNodes(side))
		for n := range v {
			v[n] = float64(s + 1)
		}
		if err := b.SetValues(side, v); err != nil {
			t.Fatal(err)
		}
	}
	f := field(t, g, make([]float64, g.Nodes()))
	b.Impose(f)
	v := download(t, f)
	at := func(i, j, k int) float64 { return v[i+g.Box.N[0]*(j+g.Box.N[1]*k)] }
	x, y, z := g.Box.N[0]-1, g.Box.N[1]-1, g.Box.N[2]-1
	for _, c := range []struct {
		name    string
		i, j, k int
		want    kernels.Side
	}{
		{"corner", 0, 0, 0, kernels.Bottom}, {"corner", x, y, z, kernels.Top}, {"edge of front and left", 0, 0, 3, kernels.Left},
		{"edge of back and right", x, y, 3, kernels.Right}, {"edge of left and top", 0, 3, z, kernels.Top},
		{"edge of front and bottom", 3, 0, 0, kernels.Bottom}, {"front", 3, 0, 3, kernels.Front},
	} {
		if got := at(c.i, c.j, c.k); got != float64(c.want+1) {
			t.Errorf("%s (%d,%d,%d): value of %s, want %s", c.name, c.i, c.j, c.k, kernels.Side(got-1), c.want)
		}
	}
	if at(3, 3, 3) != 0 {
		t.Errorf("inner node set to %g", at(3, 3, 3))
	}
}

func TestNewBoundaryRefuses(t *testing.T) {
	dev := device(t)
	g := must[*Grid](t)(NewGrid(dev, kernels.Float64, Extent{Cells: [3]int{4, 0, 4}, Size: [3]float64{1, 0, 1}, Periodic: [3]bool{true}}))
	for name, fixed := range map[string][6][]bool{
		"periodic side": {kernels.Left: make([]bool, 5)},
		"absent side":   {kernels.Front: make([]bool, 20)},
		"wrong size":    {kernels.Top: make([]bool, 3)},
	} {
		if _, err := NewBoundary(g, fixed); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestNewGridRefuses(t *testing.T) {
	dev := device(t)
	for name, e := range map[string]Extent{
		"no cells":          {Cells: [3]int{0, 0, 4}, Size: [3]float64{1, 1, 1}},
		"one periodic cell": {Cells: [3]int{1, 0, 4}, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{true}},
		"negative size":     {Cells: [3]int{4, 0, 4}, Size: [3]float64{-1, 1, 1}},
	} {
		if _, err := NewGrid(dev, kernels.Float64, e); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
