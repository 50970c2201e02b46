package physics

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// The equivalent radius of a node is Peaceman's: 0.1985 of equal cells (e^-γ/√8), and in an anisotropic medium and for other proportions
// 0.28 [√(k_b/k_a) a² + √(k_a/k_b) b²]^½/[(k_b/k_a)^¼ + (k_a/k_b)^¼], which is 0.14 of the root in ρ.
func TestPeaceman(t *testing.T) {
	euler := 0.5772156649
	for _, of := range []struct{ width, height, ka, kb float64 }{
		{1, 1, 1, 1}, {1, 1, 4, 1}, {2, 1, 1, 1}, {2, 1, 1, 5}, {1, 1, 100, 1}, {1, 1, 1, 1e4}, {100, 1, 1, 1}, {1000, 1, 1, 1}, {10, 1, 100, 1}, {1, 30, 1, 0.01}, {1, 30, 0.01, 1},
	} {
		g, err := stencil.NewGrid(openDevice(t, 1), kernels.Float64, stencil.Extent{Cells: [3]int{30, 0, 30}, Size: [3]float64{30 * of.width, 0, 30 * of.height}})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		got := math.Exp(equivalent(g, kernels.SevenPoint, [2]int{0, 2}, [2]float64{15 * of.width, 15 * of.height}, [2]float64{of.ka, of.kb}, [2][2]float64{}))
		ratio := math.Sqrt(of.kb / of.ka)
		want := math.Exp(-euler) / 4 * math.Sqrt(ratio*of.width*of.width+of.height*of.height/ratio)
		within(t, fmt.Sprintf("%+v: equivalent radius", of), got, want, 2e-3)
	}
}

// towardsWell is a box of pressures p = -q ln ρ/(2π √(k_a k_b)) at its sides with a well in it that holds what p is at its wall, of which the exact rate is q a unit of length: in an anisotropic medium the
// well is the ellipse in ρ whose p is that of the circle in the mean. Behind the left wall it has an image: 1, and the wall is closed; -1, and its pressure is 0.
func towardsWell(e stencil.Extent, k [3]float64, at [3]float64, radius, q float64, line bool, image float64) Parameters {
	p := idle(e)
	axes := [2]int{0, 2}
	if line {
		axes[1] = 1
	}
	ka, kb := k[axes[0]], k[axes[1]]
	ratio, mean := math.Sqrt(kb/ka), math.Sqrt(ka*kb)
	logarithm := func(a, b float64) float64 { return math.Log(ratio*a*a+b*b/ratio) / 2 }
	pressure := func(x, y, z, _ float64) float64 {
		b := [3]float64{x, y, z}[axes[1]] - at[axes[1]]
		sum := logarithm(x-at[0], b)
		if image != 0 {
			sum += image * logarithm(x+at[0], b)
		}
		return -q * sum / (2 * math.Pi * mean)
	}
	for _, d := range axes {
		for end := range 2 {
			if side := kernels.Side(2*d + end); image <= 0 || side != kernels.Left {
				p.Walls[side].Flow, p.Walls[side].FlowValue = FixedPressure, pressure
			}
		}
	}
	p.Permeability = Material{Constant: k}
	w := point("well", 0, at)
	if line {
		w = lineWell("well", 0, at, 0, e.Size[2])
	}
	held := -q * math.Log(radius*(math.Sqrt(ratio)+1/math.Sqrt(ratio))/2) / (2 * math.Pi * mean)
	if image != 0 {
		held += -q * image * logarithm(2*at[0], 0) / (2 * math.Pi * mean)
	}
	p.Wells = []Well{holding(w, held, radius, 1)}
	return p
}

// A well that holds a pressure has the rate of radial flow in an anisotropic medium, in rectangular and graded cells, off the centre of its cell and on nodes, at a point of a section and along a
// line, with both stencils, beside walls too.
func TestHeldInAnisotropicMedium(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	plain := stencil.Extent{Cells: [3]int{30, 0, 30}, Size: [3]float64{1, 0, 1}}
	wide := stencil.Extent{Cells: [3]int{24, 0, 30}, Size: [3]float64{3, 0, 1}}
	uneven := stencil.Extent{Cells: [3]int{36, 0, 30}, Size: [3]float64{2, 0, 1}}
	uneven.Grading[0] = stencil.Grading{Cluster: stencil.ClusterBoth, Ratio: 4}
	uneven.Grading[2] = stencil.Grading{Cluster: stencil.ClusterLow, Ratio: 3}
	column := stencil.Extent{Cells: [3]int{30, 24, 4}, Size: [3]float64{2, 1, 0.5}}
	column.Grading[0] = stencil.Grading{Cluster: stencil.ClusterHigh, Ratio: 3}
	column.Grading[2] = stencil.Grading{Cluster: stencil.ClusterLow, Ratio: 3}
	near := plain
	for _, c := range []struct {
		name   string
		extent stencil.Extent
		k, at  [3]float64
		line   bool
		image  float64
	}{
		{"on a node", plain, [3]float64{4, 1, 1}, [3]float64{0.5, 0, 0.5}, false, 0},
		{"in a cell, 16 : 1", plain, [3]float64{16, 1, 1}, [3]float64{0.512, 0, 0.489}, false, 0},
		{"in a cell, 1 : 25", plain, [3]float64{1, 1, 25}, [3]float64{0.521, 0, 0.507}, false, 0},
		{"wide cells", wide, [3]float64{9, 1, 1}, [3]float64{1.43, 0, 0.48}, false, 0},
		{"graded", uneven, [3]float64{6, 1, 1}, [3]float64{0.77, 0, 0.41}, false, 0},
		{"a line", column, [3]float64{5, 1, 0.1}, [3]float64{0.93, 0.52, 0}, true, 0},
		{"a cell from a closed wall", near, [3]float64{3, 1, 1}, [3]float64{0.04, 0, 0.51}, false, 1},
		{"in the cell at a closed wall", near, [3]float64{1, 1, 2}, [3]float64{0.012, 0, 0.51}, false, 1},
		{"a cell from a wall of fixed pressure", near, [3]float64{3, 1, 1}, [3]float64{0.04, 0, 0.51}, false, -1},
		{"in the cell at a wall of fixed pressure", near, [3]float64{1, 1, 2}, [3]float64{0.012, 0, 0.51}, false, -1},
	} {
		for _, points := range bothStencils {
			p := towardsWell(c.extent, c.k, c.at, 1e-4, 2, c.line, c.image)
			p.Stencil = points
			want := 2.
			if c.line {
				want *= c.extent.Size[2]
			}
			s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
			got := s.Sample().Wells[0].Rate
			t.Logf("%s, %s: %.5f of the rate", c.name, stencilName(points), got/want)
			within(t, c.name+", "+stencilName(points)+": rate", got, want, 2e-3)
		}
	}
}

// Resistances between ratios are interpolated to 0.02 %, over four decades.
func TestResistance(t *testing.T) {
	of := func(ratio float64) float64 {
		return math.Log(math.Sqrt(2*math.Sqrt(ratio)+1/math.Sqrt(ratio))) - math.Log(1e-3*(math.Pow(ratio, 0.25)+math.Pow(ratio, -0.25))/2)
	}
	r := newResistance(0.01, 100, of)
	for _, ratio := range []float64{0.01, 0.013, 0.1, 0.7, 1, 3.3, 42, 100, 101} {
		within(t, fmt.Sprint("resistance at ", ratio), r.at(ratio), of(math.Min(ratio, 100)), 2e-4)
	}
}
