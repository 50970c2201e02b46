package casefile

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

const gradedGrid = `grid:
  cells: [12, 10]
  size: [2, 1]
  grading: {x: {cluster: both, ratio: 3}, z: {cluster: low, ratio: 5}}
`

func TestGrading(t *testing.T) {
	c := load(t, gradedGrid)
	want := [3]stencil.Grading{{Cluster: stencil.ClusterBoth, Ratio: 3}, {}, {Cluster: stencil.ClusterLow, Ratio: 5}}
	if c.Extent().Grading != want {
		t.Errorf("grading %+v, want %+v", c.Extent().Grading, want)
	}
	z := c.coordinates(kernels.Z)
	if first, last := z[1]-z[0], z[10]-z[9]; math.Abs(last/first-5) > 1e-12 || z[10] != 1 {
		t.Errorf("heights %v", z)
	}
	if c = load(t, gradedGrid, "grid.grading={x: {cluster: high, ratio: 1}}"); c.Extent().Grading != [3]stencil.Grading{} {
		t.Errorf("a ratio of 1 gives %+v", c.Extent().Grading)
	}
	load(t, "boundaries: {left: periodic, right: periodic, bottom: {temperature: 1}, top: {temperature: 0}}\n"+gradedGrid)
}

// Values at the centres of cells, and layers, follow the widths.
func TestMaterialsOnGradedGrid(t *testing.T) {
	c := load(t, gradedGrid+"physics: {rayleigh: 1, permeability: 1 + z}\n")
	z := c.Extent().Coordinates(kernels.Z)
	for k := range 10 {
		if got, want := c.Parameters.Permeability.Cells[0][12*k], 1+(z[k]+z[k+1])/2; math.Abs(got-want) > 1e-14 {
			t.Errorf("row %d: K = %g, want %g", k, got, want)
		}
	}
	c = load(t, gradedGrid+fmt.Sprintf("physics: {rayleigh: 1, permeability: {layers: [{top: %.17g, value: 3}, {top: 1, value: 1}]}}\n", z[4]))
	for k := range 10 {
		want := 1.0
		if k < 4 {
			want = 3
		}
		if got := c.Parameters.Permeability.Cells[2][12*k]; got != want {
			t.Errorf("row %d: K = %g, want %g", k, got, want)
		}
	}
}

// Between graded grids a linear field is carried exactly, at whatever nodes.
func TestInterpolationBetweenGradedGrids(t *testing.T) {
	from, to := load(t, gradedGrid), load(t, gradedGrid, "grid.grading.z={cluster: both, ratio: 8}", "grid.cells=[9, 17]")
	linear := func(x, z float64) float64 { return 2 - x + 3*z }
	values := func(c *Case) (v []float64) {
		for _, z := range c.coordinates(kernels.Z) {
			for _, x := range c.coordinates(kernels.X) {
				v = append(v, linear(x, z))
			}
		}
		return v
	}
	got, err := to.interpolate(from.closed(values(from), 1))
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range values(to) {
		if math.Abs(got[n]-want) > 1e-13 {
			t.Fatalf("node %d: %g, want %g", n, got[n], want)
		}
	}
}

// What flows through patches is added up over the cells as they are.
func TestBalanceOnGradedGrid(t *testing.T) {
	boundaries := `boundaries:
  bottom: {temperature: 1}
  top: {temperature: 0}
  patches:
    - {wall: bottom, x: [0.1, 0.73], flow: {velocity: 1}, inflow_temperature: 1}
    - {wall: top, x: [0.9, 1.53], flow: {velocity: -1}}
`
	load(t, gradedGrid+boundaries)
	c := load(t, gradedGrid)
	for d, size := range c.Extent().Size {
		sum := 0.0
		for _, w := range c.dualWidths(d) {
			sum += w
		}
		if d != kernels.Y && math.Abs(sum-size) > 1e-14 {
			t.Errorf("dual widths along axis %d add up to %g", d, sum)
		}
	}
	if w := c.dualWidths(kernels.Z); slices.Max(w)/slices.Min(w) < 5 {
		t.Errorf("dual widths %v", w)
	}
}
