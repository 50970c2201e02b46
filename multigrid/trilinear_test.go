package multigrid

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// The bounds of a cube, a square and a box that coarsens in z alone.
func TestTrilinearSpectrum(t *testing.T) {
	for _, c := range []struct {
		couplings [3]float64
		factor    [3]int
		want      spectrum
	}{
		{[3]float64{1, 1, 1}, [3]int{2, 2, 2}, spectrum{0.5, 1.5}},
		{[3]float64{1, 0, 1}, [3]int{2, 1, 2}, spectrum{0.75, 1.5}},
		{[3]float64{1e-9, 1e-9, 1}, [3]int{1, 1, 2}, spectrum{0.25, 4.5}},
	} {
		got := trilinearSpectrum(c.couplings, 0, c.factor)
		if math.Abs(got.low-c.want.low) > 1e-6 || math.Abs(got.high-c.want.high) > 1e-6 {
			t.Errorf("%v: %v, want %v", c.couplings, got, c.want)
		}
	}
	if got := trilinearSpectrum([3]float64{1, 1, 1}, 1e9, [3]int{2, 2, 2}); math.Abs(got.low-1) > 1e-6 || math.Abs(got.high-1) > 1e-6 {
		t.Errorf("with mass alone: %v, want 1", got)
	}
}

// Lines on a cube whose z is tied the most, the least, and on a square.
func TestTrilinearLineSpectrum(t *testing.T) {
	for _, c := range []struct {
		couplings [3]float64
		want      spectrum
	}{
		{[3]float64{1e-9, 1e-9, 1}, spectrum{0.25, 2.25}},
		{[3]float64{1, 1, 1e-9}, spectrum{0.75, 1.5}},
		{[3]float64{1e-9, 0, 1}, spectrum{0.5, 2}}, // tied across at θ_z = 0 only, 1 - c_x, else (2 + c_x)/2
		{[3]float64{1, 0, 1e-9}, spectrum{1, 2}},
	} {
		got := trilinearLineSpectrum(c.couplings, 0, [3]int{2, 2, 1})
		if math.Abs(got.low-c.want.low) > 1e-6 || math.Abs(got.high-c.want.high) > 1e-6 {
			t.Errorf("%v: %v, want %v", c.couplings, got, c.want)
		}
	}
}

// No eigenvalue of T⁻¹A, T the vertical lines, lies above the bound, and a power iteration comes near.
func TestUpperBoundOfTrilinearLines(t *testing.T) {
	dev := device(t)
	for name, p := range map[string]problem{
		"cube": {cells: cube(16)}, "z tied": {cells: cube(16), k: [3]float64{1, 1, 100}}, "x tied": {cells: cube(16), k: [3]float64{100, 1, 1}},
		"flat, fixed": {cells: cube(16), size: [3]float64{8, 8, 1}, fixed: mixed}, "2-D": {cells: square(32)}, "mass": {cells: cube(16), mass: 1e3},
		"graded": {cells: cube(16), grading: [3]stencil.Grading{narrow(4), narrow(2), narrow(10)}},
	} {
		p.stencil = kernels.TwentySevenPoint
		s, u, f := p.solver(t, dev, Options{Smoother: Line})
		s.SetMassScale(p.mass)
		largest := powerIteration(t, s.op, u, f, s.op.LineSmooth)
		if bound := s.levels[0].bounds(p.mass).high; !(largest <= bound*(1+1e-9)) || largest < 0.7*bound {
			t.Errorf("%s: eigenvalue %.4f, bound %.4f", name, largest, bound)
		}
		s.Free()
	}
}

// independent returns log-normal values from cell to cell for each direction, of means 1, 1/3 and 3.
func independent(cells [3]int) [3][]float64 {
	var k [3][]float64
	for d, mean := range []float64{1, 1.0 / 3, 3} {
		k[d] = lognormal(cells, 4, 0, uint64(d+1))
		for c := range k[d] {
			k[d][c] *= mean
		}
	}
	return k
}

// Where kx, ky and kz vary on their own no eigenvalue of D⁻¹A or T⁻¹A lies above the bound either, on any level, though some lie
// above that of the mean couplings.
func TestUpperBoundOfIndependentDirections(t *testing.T) {
	dev := device(t)
	beyond := 0
	for name, p := range map[string]problem{
		"cube": {cells: cube(16)}, "fixed": {cells: cube(16), fixed: dirichlet}, "flat": {cells: cube(16), size: [3]float64{3, 3, 1}},
		"2-D": {cells: square(32), fixed: mixed}, "graded": {cells: cube(16), grading: [3]stencil.Grading{narrow(3), {}, narrow(4)}},
		"x and z": {cells: cube(16), layouts: func(n [3]int) [3][]float64 { k := independent(n); return [3][]float64{k[0], k[0], k[2]} }},
		"mass":    {cells: cube(16), mass: 100},
	} {
		p.stencil = kernels.TwentySevenPoint
		if p.layouts == nil {
			p.layouts = independent
		}
		for _, smoother := range []Smoother{Chebyshev, Line} {
			s, _, _ := p.solver(t, dev, Options{Smoother: smoother})
			s.SetMassScale(p.mass)
			for n, l := range s.levels[:len(s.levels)-1] {
				if l.op.Stencil() == kernels.SevenPoint { // 2 bounds them, by Gershgorin's theorem
					continue
				}
				sweep := l.op.Smooth
				if smoother == Line {
					sweep = l.op.LineSmooth
				}
				largest := powerIteration(t, l.op, newField(t, l.op), newField(t, l.op), sweep)
				if bound := l.bounds(p.mass).high; !(largest <= bound*(1+1e-9)) {
					t.Errorf("%s, %s, level %d: eigenvalue %.4f, bound %.4f", name, smoother, n, largest, bound)
				}
				if largest > l.spectrumOf()(l.couplings, p.mass, l.factor).high {
					beyond++
				}
			}
			s.Free()
		}
	}
	if beyond < 5 {
		t.Errorf("the bound of the mean couplings is exceeded %d times alone: the test says little", beyond)
	}
}

// Conjugate gradients, whose preconditioner was not positive with the bound of the mean couplings.
func TestIndependentDirectionsConverge(t *testing.T) {
	dev := device(t)
	for name, c := range map[string]struct {
		problem
		want []int
	}{
		"closed":  {problem{cells: cube(32)}, []int{31, 31}},
		"mixed":   {problem{cells: cube(32), fixed: mixed}, []int{33, 33}},
		"flat 10": {problem{cells: cube(32), size: [3]float64{10, 10, 1}, fixed: mixed}, []int{18, 18}},
		"2-D":     {problem{cells: square(64), fixed: mixed}, []int{27, 27}},
	} {
		c.stencil, c.layouts = kernels.TwentySevenPoint, independent
		t.Run(name, func(t *testing.T) {
			c.iterate(t, dev, []Options{{}, {Mixed: true, Method: ConjugateGradients}}, c.want)
		})
	}
}

func TestTrilinearFactors(t *testing.T) {
	dev := device(t)
	for _, c := range []struct {
		smoother Smoother
		most     float64
	}{{Jacobi, 0.09}, {Chebyshev, 0.06}} {
		for name, p := range map[string]problem{
			"mixed": {cells: cube(32), fixed: mixed}, "dirichlet": {cells: cube(32), fixed: dirichlet}, "closed": {cells: cube(32)},
			"float32": {cells: cube(32), fixed: mixed, float32: true}, "64": {cells: cube(64), fixed: mixed},
		} {
			p.stencil = kernels.TwentySevenPoint
			t.Run(fmt.Sprintf("%s/%s", c.smoother, name), func(t *testing.T) {
				got := asymptoticFactor(t, p, dev, Options{Smoother: c.smoother, Pre: 2, Post: 2})
				t.Logf("%.4f", got)
				if !(got <= c.most) {
					t.Errorf("factor %.4f, at most %.2f allowed", got, c.most)
				}
			})
		}
	}
}

// trilinearGolden lists iterations as golden does, for the options of trilinearOptions.
var trilinearGolden = []struct {
	name string
	problem
	want [5]int
}{
	{"3-D dirichlet", problem{cells: cube(32), fixed: dirichlet}, [5]int{8, 6, 5, 5, 6}},
	{"3-D closed", problem{cells: cube(32), fixed: closed}, [5]int{8, 6, 5, 5, 6}},
	{"3-D periodic layer", problem{cells: [3]int{48, 32, 16}, size: [3]float64{3, 2, 1}, periodic: [3]bool{true, true, false}, fixed: mixed}, [5]int{9, 7, 5, 5, 7}},
	{"2-D mixed", problem{cells: square(64), fixed: mixed}, [5]int{7, 7, 5, 5, 7}},
	{"2-D periodic", problem{cells: square(64), periodic: [3]bool{true, false, true}}, [5]int{7, 6, 5, 5, 6}},
	{"anisotropic k", problem{cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 100}}, [5]int{38, 18, 5, 5, 7}},
	{"cells 10:1 flat", problem{cells: cube(32), size: [3]float64{10, 10, 1}, fixed: mixed}, [5]int{38, 18, 6, 6, 8}},
	{"primes", problem{cells: [3]int{67, 0, 71}, fixed: mixed}, [5]int{8, 7, 6, 6, 7}},
	{"mass", problem{cells: cube(32), fixed: mixed, mass: 1000}, [5]int{5, 4, 4, 4, 4}},
	{"log-normal, variance 1", problem{cells: cube(32), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}, [5]int{14, 12, 7, 7, 12}},
	{"log-normal, variance 4", problem{cells: cube(32), fixed: closed, layout: func(n [3]int) []float64 { return lognormal(n, 4, 6, 1) }}, [5]int{27, 25, 10, 10, 11}},
}

// Which points the levels have from the finest on.
func TestPointsOfLevels(t *testing.T) {
	dev := device(t)
	rough := func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }
	for name, c := range map[string]struct {
		problem
		want string
	}{
		"7, even":         {problem{cells: cube(32)}, "7 27 27 27"},
		"7, log-normal":   {problem{cells: cube(32), layout: rough}, "7 7 7 7"},
		"27, even":        {problem{cells: cube(32), stencil: kernels.TwentySevenPoint}, "27 27 27 27"},
		"27, log-normal":  {problem{cells: cube(32), stencil: kernels.TwentySevenPoint, layout: rough}, "27 27 7 7"},
		"27, directions":  {problem{cells: cube(32), stencil: kernels.TwentySevenPoint, layouts: independent}, "27 27 7 7 7 7 7 7"},
		"27, graded":      {problem{cells: cube(32), stencil: kernels.TwentySevenPoint, grading: [3]stencil.Grading{2: narrow(4)}}, "27 27 7 7 7 7"},
		"27, 2-D":         {problem{cells: square(64), stencil: kernels.TwentySevenPoint, layout: rough}, "27 27 7 7"},
		"27, prime cells": {problem{cells: cube(29), stencil: kernels.TwentySevenPoint, layout: rough}, "27 27 7 7"},
		"27, lines":       {problem{cells: cube(32), stencil: kernels.TwentySevenPoint, layout: func(n [3]int) []float64 { return layers(n, 100, 1) }}, "27 27 27 27 27"},
	} {
		s, _, _ := c.solver(t, dev, Options{})
		var got []string
		for _, l := range s.levels {
			got = append(got, map[kernels.Stencil]string{kernels.SevenPoint: "7", kernels.TwentySevenPoint: "27"}[l.op.Stencil()])
			if k := l.op.Elliptic().Cells; l.op.Stencil() == kernels.TwentySevenPoint && c.layout != nil && (k[1] != k[0] || k[2] != k[0]) {
				t.Errorf("%s: elements of one k a cell have three", name)
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		s.Free()
	}
}

var trilinearOptions = [5]Options{
	{Method: Multigrid, Smoother: Jacobi, Pre: 2, Post: 2},
	{Method: Multigrid, Smoother: Chebyshev, Pre: 2, Post: 2},
	{}, // the default
	{Method: ConjugateGradients, Mixed: true},
	{Mixed: true}, // the default: cycles alone in a first solve
}

func TestTrilinearGoldenIterations(t *testing.T) {
	dev, drawn := device(t), devicetest.Draw(t, 3)
	for _, c := range trilinearGolden {
		if !drawn() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.stencil = kernels.TwentySevenPoint
			c.iterate(t, dev, trilinearOptions[:], c.want[:])
		})
	}
}

func TestTrilinearHasNoColours(t *testing.T) {
	o := problem{cells: square(8), stencil: kernels.TwentySevenPoint}.operator(t, device(t))
	for _, s := range []Smoother{RedBlack, RedBlackSymmetric} {
		if _, err := New(o, Options{Smoother: s}); err == nil || !strings.Contains(err.Error(), "27-point") {
			t.Errorf("%s: %v", s, err)
		}
	}
}
