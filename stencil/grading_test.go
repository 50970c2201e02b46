package stencil

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"convect/kernels"
)

// The largest width is Ratio times the smallest, widths add up to the size, they are narrow where they should be, and
// neighbours differ by a factor of 1 + O(1/n).
func TestGradingHasItsRatio(t *testing.T) {
	for _, cluster := range []Cluster{ClusterLow, ClusterHigh, ClusterBoth} {
		for _, n := range []int{cluster.LeastCells(), 4, 7, 16, 65} {
			for _, ratio := range []float64{1.5, 4, 100} {
				e := Extent{Cells: [3]int{4, 0, n}, Size: [3]float64{1, 0, 2.5}, Grading: [3]Grading{kernels.Z: {cluster, ratio}}}
				h := e.Widths(kernels.Z)
				near(t, "ratio", slices.Max(h)/slices.Min(h), ratio, 1e-13, ratio)
				near(t, "size", sum(h), 2.5, 1e-14, 2.5)
				mirrored := slices.Clone(h)
				slices.Reverse(mirrored)
				switch cluster {
				case ClusterLow:
					mirrored = e.with(ClusterHigh).Widths(kernels.Z)
					slices.Reverse(mirrored)
					near(t, "smallest", h[0], slices.Min(h), 0, 1)
				case ClusterHigh:
					near(t, "smallest", h[n-1], slices.Min(h), 0, 1)
					continue
				}
				for i := range h {
					near(t, fmt.Sprintf("%v, cell %d of %d", cluster, i, n), h[i], mirrored[i], 1e-14, 1)
					if i > 0 {
						if jump := math.Abs(math.Log(h[i] / h[i-1])); jump > 4.5*math.Log(ratio)/float64(n-2) && n > 4 {
							t.Errorf("%v: cells %d and %d of %d differ by a factor of %g", cluster, i-1, i, n, math.Exp(jump))
						}
					}
				}
			}
		}
	}
}

// with returns the extent with another cluster along z.
func (e Extent) with(c Cluster) Extent {
	e.Grading[kernels.Z].Cluster = c
	return e
}

// Grid and extent agree on coordinates, and an even extent is what it has always been.
func TestCoordinates(t *testing.T) {
	dev := device(t)
	for _, e := range []Extent{
		{Cells: [3]int{5, 3, 7}, Size: [3]float64{1, 2, 0.3}},
		{Cells: [3]int{5, 0, 7}, Size: [3]float64{1, 0, 0.3}, Periodic: [3]bool{true, false, false},
			Grading: [3]Grading{{ClusterBoth, 3}, {}, {ClusterLow, 10}}},
	} {
		g := must[*Grid](t)(NewGrid(dev, kernels.Float64, e))
		for d := range 3 {
			x, own := e.Coordinates(d), g.Coordinates(d)
			for i := range own {
				near(t, fmt.Sprintf("%s of node %d", AxisName(d), i), own[i], x[i], 1e-15, 2)
			}
			if n := e.Cells[d]; n > 0 {
				near(t, "last", x[n], e.Size[d], 0, 1)
				near(t, "centre", e.Centres(d)[n-1], (x[n]+x[n-1])/2, 1e-15, 2)
			}
		}
		g.Free()
	}
}

func TestGradingIsChecked(t *testing.T) {
	dev := device(t)
	for name, e := range map[string]Extent{
		"ratio":    {Cells: [3]int{4, 0, 4}, Size: [3]float64{1, 0, 1}, Grading: [3]Grading{{ClusterLow, 0.5}}},
		"cells":    {Cells: [3]int{2, 0, 4}, Size: [3]float64{1, 0, 1}, Grading: [3]Grading{{ClusterBoth, 2}}},
		"periodic": {Cells: [3]int{4, 0, 4}, Size: [3]float64{1, 0, 1}, Periodic: [3]bool{true}, Grading: [3]Grading{{ClusterLow, 2}}},
		"cluster":  {Cells: [3]int{4, 0, 4}, Size: [3]float64{1, 0, 1}, Grading: [3]Grading{{7, 2}}},
	} {
		if _, err := NewGrid(dev, kernels.Float64, e); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The centre of the streamfunction is that of the domain, not of the indices: ψ = w x - u z there.
func TestCentreOfGradedGrid(t *testing.T) {
	const u, w = 3, -2
	e := Extent{Cells: [3]int{8, 0, 9}, Size: [3]float64{2, 0, 1}, Grading: [3]Grading{{ClusterLow, 6}, {}, {ClusterHigh, 3}}}
	g := must[*Grid](t)(NewGrid(device(t), kernels.Float64, e))
	o := must[*Operator](t)(NewOperator(must[*Boundary](t)(NewBoundary(g, [6][]bool{})), Coefficients{Constant: [3]float64{1, 1, 1}}))
	f := must[*Flow](t)(NewFlow(o))
	f.Velocity[kernels.X].Fill(u)
	f.Velocity[kernels.Z].Fill(w)
	f.Streamfunction(must[*Field](t)(g.NewField("ψ", nil)), 0)
	v := must[[]float64](t)(g.Device.Scalars())
	// A node carries the mean of its dual corners, which lies off it by a quarter of the difference of its cells.
	off := func(d int) (most float64) {
		h := g.Widths[d]
		for i := range h[1:] {
			most = max(most, math.Abs(h[i+1]-h[i])/4)
		}
		return most
	}
	near(t, "ψ at the centre", v[1], w*1-u*0.5, math.Abs(w)*off(kernels.X)+math.Abs(u)*off(kernels.Z), 1)
}
