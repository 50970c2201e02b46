package multigrid

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// No eigenvalue of D⁻¹A on any level lies above the upper bound of its spectrum, where k varies: beside a mass that outweighs most of it, and where widths differ and the extremes of
// k lie where cells are wide.
func TestUpperBound(t *testing.T) {
	media := func(n [3]int) []float64 { return lognormal(n, 2.5, 3, 8) }
	inside := func(n [3]int) []float64 {
		v := media(n)
		for i := range v {
			if k := i / (n[0] * n[1]); k < n[2]/4 || k >= n[2]-n[2]/4 {
				v[i] = 1
			}
		}
		return v
	}
	inZ := [3]stencil.Grading{kernels.Z: {Cluster: stencil.ClusterBoth, Ratio: 4}}
	all := [3]stencil.Grading{{Cluster: stencil.ClusterLow, Ratio: 3}, {Cluster: stencil.ClusterBoth, Ratio: 2}, {Cluster: stencil.ClusterBoth, Ratio: 4}}
	for name, p := range map[string]problem{
		"27 points, graded z":     {cells: [3]int{24, 24, 16}, layout: inside, stencil: kernels.TwentySevenPoint, grading: inZ},
		"27 points, graded":       {cells: [3]int{22, 18, 16}, layout: inside, stencil: kernels.TwentySevenPoint, grading: all, fixed: mixed},
		"27 points, graded, mass": {cells: [3]int{24, 24, 16}, layout: inside, stencil: kernels.TwentySevenPoint, grading: inZ, mass: 300},
		"7 points, graded":        {cells: [3]int{24, 20, 16}, layout: inside, grading: all},
		"27 points":               {cells: [3]int{20, 28, 16}, mass: 1e4, layout: media, stencil: kernels.TwentySevenPoint},
		"27 points, odd":          {cells: cube(19), mass: 1e4, layout: media, stencil: kernels.TwentySevenPoint},
		"7 points":                {cells: [3]int{20, 28, 16}, mass: 1e4, layout: media},
		"7 points, layers":        {cells: cube(16), mass: 1e5, fixed: mixed, layout: func(n [3]int) []float64 { return layers(n, 1e4, 3) }},
		"27 points, less of mass": {cells: [3]int{18, 26, 14}, mass: 10, fixed: mixed, layout: media, stencil: kernels.TwentySevenPoint},
	} {
		t.Run(name, func(t *testing.T) {
			s := must[*Solver](t)(New(p.operator(t, device(t)), Options{Method: ConjugateGradients, Smoother: Chebyshev}))
			defer s.Free()
			for n, l := range s.levels {
				if largest, bound := largestEigenvalue(t, l), l.bounds((p.mass+l.leak)*l.density).high; largest > 1.001*bound {
					t.Errorf("level %d of %v cells: an eigenvalue of %.4f above the bound %.4f", n, l.op.Grid.Cells, largest, bound)
				}
			}
		})
	}
}

// largestEigenvalue returns what a power iteration finds of D⁻¹A, from below: the quotient of <x, A x> and <x, D x>.
func largestEigenvalue(t *testing.T, l *level) (largest float64) {
	t.Helper()
	x, next, zero, image := newField(t, l.op), newField(t, l.op), newField(t, l.op), newField(t, l.op)
	random(t, l.op, x, 3)
	for range 200 {
		l.op.Smooth(next, x, zero, 1) // x - D⁻¹A x
		l.op.Apply(image, x)
		v, left, a := download(t, x), download(t, next), download(t, image)
		var energy, weight, size float64
		for n := range v {
			step := v[n] - left[n]
			energy += v[n] * a[n]
			if step != 0 {
				weight += v[n] * v[n] * a[n] / step
			}
			v[n] = step
			size += step * step
		}
		largest = energy / weight
		for n := range v {
			v[n] /= math.Sqrt(size)
		}
		x.Upload(v)
	}
	return largest
}
