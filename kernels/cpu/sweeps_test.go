package cpu_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/stencil"
)

// plannedSweep is an operator and how a sweep over it computes rows, over one colour of it too, and why not as even ones.
type plannedSweep struct {
	extent                stencil.Extent
	elem                  kernels.Elem
	of                    stencil.Coefficients
	scale                 float64 // of the mass
	smooth, coloured, why string  // coloured "": there are no two colours
}

// plannedSweeps are operators by name.
func plannedSweeps() map[string]plannedSweep {
	box := stencil.Extent{Cells: [3]int{32, 16, 16}, Size: [3]float64{32, 16, 16}}
	cells := func(x, y, z int) stencil.Extent {
		return stencil.Extent{Cells: [3]int{x, y, z}, Size: [3]float64{float64(x), float64(y), float64(z)}}
	}
	graded := func(axis int) stencil.Extent {
		e := box
		e.Grading[axis] = stencil.Grading{Ratio: 3, Cluster: stencil.ClusterBoth}
		return e
	}
	periodic := box
	periodic.Periodic = [3]bool{true, false, true}
	even := stencil.Coefficients{Constant: [3]float64{1, 2, 3}}
	even27, massive, onCells := even, even, stencil.Coefficients{}
	even27.Stencil = kernels.TwentySevenPoint
	massive.Mass = slices.Repeat([]float64{1}, 33*17*17)
	k := slices.Repeat([]float64{1, 2}, 32*16*16/2)
	onCells.Cells = [3][]float64{k, k, k}
	return map[string]plannedSweep{
		"even":                 {box, kernels.Float64, even, 0, "even", "even_x", ""},
		"volumes":              {box, kernels.Float32, even, 2, "even", "even_x", ""},
		"27 points":            {box, kernels.Float64, even27, 0, "even", "", ""},
		"2-D":                  {cells(32, 0, 16), kernels.Float64, even, 0, "even", "even_x", ""},
		"2-D, 27 points":       {cells(32, 0, 16), kernels.Float32, even27, 1, "even", "", ""},
		"periodic":             {periodic, kernels.Float32, even, 0, "even", "even_x", ""},
		"mass on nodes":        {box, kernels.Float64, massive, 2, "graded", "graded", "a capacity at each node"},
		"mass times zero":      {box, kernels.Float64, massive, 0, "even", "even_x", ""},
		"a line of double":     {cells(7, 16, 16), kernels.Float64, even, 0, "graded", "graded", "rows are short"},
		"more than a line":     {cells(8, 16, 16), kernels.Float64, even, 0, "even", "even_x", ""},
		"a line of float":      {cells(15, 16, 16), kernels.Float32, even27, 0, "graded", "", "rows are short"},
		"walls":                {cells(32, 16, 1), kernels.Float64, even, 0, "even_x", "even_x", "all rows lie at walls"},
		"graded in x":          {graded(0), kernels.Float64, even, 0, "graded", "graded", "a width of x differs"},
		"graded in y":          {graded(1), kernels.Float64, even, 0, "even_x", "even_x", "a width of y differs"},
		"graded in z":          {graded(2), kernels.Float32, even27, 0, "even_x", "", "a width of z differs"},
		"K on cells":           {box, kernels.Float64, onCells, 0, "cells", "cells", "K on cells"},
		"K on cells, periodic": {periodic, kernels.Float32, onCells, 1, "cells", "cells", "K on cells"},
	}
}

// TestPlanOfSweeps compares the forms of rows that plans of sweeps name with those that follow from widths, K and mass.
func TestPlanOfSweeps(t *testing.T) {
	d := open(t, cpu.Options{Threads: 1, Instruction: "baseline"})
	for name, c := range plannedSweeps() {
		t.Run(name, func(t *testing.T) {
			g := must[*stencil.Grid](t)(stencil.NewGrid(d, c.elem, c.extent))
			b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, [6][]bool{}))
			o := must[*stencil.Operator](t)(stencil.NewOperator(b, c.of))
			o.SetMassScale(c.scale)
			u, f := must[*stencil.Field](t)(g.NewField("u", b)), must[*stencil.Field](t)(g.NewField("f", b))
			out := must[*stencil.Field](t)(g.NewField("out", b))
			plan := func(method, kernel, form, why string, sweep func()) {
				t.Helper()
				kernel = fmt.Sprintf("%s_%d_%s_baseline_f%d", kernel, o.Stencil().Points(), form, 8*c.elem.Size())
				want := kernels.Choice{Call: method, Kernels: []string{kernel}, Reason: why}
				if choices := d.Plan(sweep); !slices.ContainsFunc(choices, func(got kernels.Choice) bool { return reflect.DeepEqual(got, want) }) {
					t.Errorf("%+v, not %+v", choices, want)
				}
			}
			plan("Smooth", "smooth", c.smooth, c.why, func() { o.Smooth(out, u, f, 1) })
			plan("Residual", "residual", c.smooth, c.why, func() { o.Residual(out, f, u) })
			plan("Smooth", "smooth", "zero", "", func() { o.Smooth(out, nil, f, 1) })
			if c.coloured != "" {
				why := c.why
				if c.smooth == "even" || c.why == "all rows lie at walls" {
					why = "one colour at a time"
				}
				plan("RedBlack", "red_black", c.coloured, why, func() { o.RedBlack(u, f, 1, 0) })
			}
		})
	}
}
