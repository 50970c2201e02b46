package multigrid

import (
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

func TestNames(t *testing.T) {
	for _, m := range []Method{Multigrid, ConjugateGradients} {
		if got, err := ParseMethod(m.String()); err != nil || got != m {
			t.Errorf("method %s: %v, %v", m, got, err)
		}
	}
	for _, s := range []Smoother{Jacobi, Chebyshev, RedBlack, RedBlackSymmetric, Line} {
		if got, err := ParseSmoother(s.String()); err != nil || got != s {
			t.Errorf("smoother %s: %v, %v", s, got, err)
		}
	}
	if _, err := ParseMethod("gmres"); err == nil || !strings.Contains(err.Error(), "multigrid, cg") {
		t.Errorf("gmres: %v", err)
	}
	if _, err := ParseSmoother(""); err == nil || !strings.Contains(err.Error(), "red-black-symmetric") {
		t.Errorf("empty smoother: %v", err)
	}
}

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		hard      bool
		got, want Options
	}{
		{false, Options{}, Options{Method: ConjugateGradients, Smoother: Chebyshev, Pre: 2, Post: 2, Tolerance: 1e-8, MaxIterations: 200, Inner: DefaultInner}},
		{true, Options{}, Options{Method: ConjugateGradients, Smoother: Chebyshev, Pre: 4, Post: 4, Tolerance: 1e-8, MaxIterations: 200, Inner: DefaultInner}},
		{false, Options{Smoother: RedBlack}, Options{Method: Multigrid, Smoother: RedBlack, Pre: 1, Post: 1, Tolerance: 1e-8, MaxIterations: 200, Inner: DefaultInner}},
		{false, Options{Method: Multigrid}, Options{Method: Multigrid, Smoother: Chebyshev, Pre: 2, Post: 2, Tolerance: 1e-8, MaxIterations: 200, Inner: DefaultInner}},
		{true, Options{Smoother: RedBlackSymmetric}, Options{Method: ConjugateGradients, Smoother: RedBlackSymmetric, Pre: 2, Post: 2, Tolerance: 1e-8, MaxIterations: 200, Inner: DefaultInner}},
		{true, Options{Smoother: Line}, Options{Method: ConjugateGradients, Smoother: Line, Pre: 2, Post: 2, Tolerance: 1e-8, MaxIterations: 200, Inner: DefaultInner}},
		{false, Options{Method: Multigrid, Post: 3, Tolerance: 1e-5, MaxIterations: 7}, Options{Method: Multigrid, Smoother: Chebyshev, Pre: 0, Post: 3, Tolerance: 1e-5, MaxIterations: 7, Inner: DefaultInner}},
	} {
		if got := c.got.withDefaults(c.hard); got != c.want {
			t.Errorf("%+v (hard %v) became %+v, want %+v", c.got, c.hard, got, c.want)
		}
	}
	if (Options{}).WithDefaults() != Recommended(false) {
		t.Error("WithDefaults is not what is recommended")
	}
}

func TestNewRefuses(t *testing.T) {
	o := problem{cells: square(8)}.operator(t, device(t))
	for part, opt := range map[string]Options{
		"neither may be negative": {Pre: -1, Post: 2},
		"tolerance":               {Tolerance: -1e-8},
		"is not positive":         {Tolerance: math.Inf(1)},
		"iterations":              {MaxIterations: -1},
		"not red-black":           {Method: ConjugateGradients, Smoother: RedBlack},
		"as many sweeps":          {Method: ConjugateGradients, Pre: 1, Post: 2},
		"unknown method":          {Method: 9},
		"unknown cycle":           {Cycle: 9},
		"not F":                   {Method: ConjugateGradients, Cycle: FCycle},
		"not W either":            {Method: LineGradients, Cycle: WCycle},
		"unknown smoother":        {Smoother: 9},
	} {
		if _, err := New(o, opt); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%+v: %v, want something about %q", opt, err, part)
		}
	}
}

func TestWeights(t *testing.T) {
	// The values of a cube and a square that the literature gives.
	three := spectrumOf([3]float64{1, 1, 1}, 0, [3]int{2, 2, 2})
	two := spectrumOf([3]float64{1, 0, 1}, 0, [3]int{2, 1, 2})
	w := make([]float64, 2)
	three.chebyshev(w)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"damping 3-D", three.damping(), 6.0 / 7}, {"damping 2-D", two.damping(), 0.8},
		{"relaxation 3-D", three.relaxation(), 1.1459}, {"relaxation 2-D", two.relaxation(), 1.0718},
		{"Chebyshev 1", w[0], 0.5695}, {"Chebyshev 2", w[1], 1.7319},
		{"mass only", spectrumOf([3]float64{1, 1, 1}, 1e12, [3]int{2, 2, 2}).relaxation(), 1},
		{"semi-coarsening", spectrumOf([3]float64{1, 1, 2}, 0, [3]int{1, 1, 2}).low, 0.5},
	} {
		if math.Abs(c.got-c.want) > 1e-4 {
			t.Errorf("%s: %.5f, want %.5f", c.name, c.got, c.want)
		}
	}
}

// In single precision cycles alone are the default where neither the coefficient nor the widths vary, and no wall is fixed in part, and elsewhere they are tried.
func TestMethodByDefault(t *testing.T) {
	dev := device(t)
	patch := func(s kernels.Side, x, _, _ float64) bool { return s == kernels.Top && x > 0.5 }
	for name, c := range map[string]struct {
		problem
		options Options
		want    Method
	}{
		"even":               {problem{cells: cube(16), fixed: mixed}, Options{Mixed: true}, Multigrid},
		"even, 27 points":    {problem{cells: cube(16), stencil: kernels.TwentySevenPoint}, Options{Mixed: true}, Multigrid},
		"flat cells":         {problem{cells: cube(16), size: [3]float64{10, 10, 1}}, Options{Mixed: true}, Multigrid},
		"graded":             {problem{cells: cube(16), grading: [3]stencil.Grading{{Cluster: stencil.ClusterBoth, Ratio: 2}}}, Options{Mixed: true}, Adaptive},
		"float64":            {problem{cells: cube(16), fixed: mixed}, Options{}, ConjugateGradients},
		"lines":              {problem{cells: cube(16), fixed: mixed}, Options{Mixed: true, Smoother: Line}, Adaptive},
		"fixed in part":      {problem{cells: square(16), patch: patch}, Options{Mixed: true}, Adaptive},
		"log-normal":         {problem{cells: cube(16), layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}, Options{Mixed: true}, Adaptive},
		"float32":            {problem{cells: cube(16), float32: true, layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}, Options{Tolerance: 1e-4}, Adaptive},
		"full multigrid":     {problem{cells: cube(16), layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}, Options{Mixed: true, Cycle: FullMultigrid}, ConjugateGradients},
		"asked for":          {problem{cells: cube(16), fixed: mixed}, Options{Mixed: true, Method: ConjugateGradients}, ConjugateGradients},
		"red–black, float64": {problem{cells: cube(16), fixed: mixed}, Options{Smoother: RedBlack}, Multigrid},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := New(c.operator(t, dev), c.options)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Free()
			if got := s.Options().Method; got != c.want {
				t.Errorf("method %v, want %v", got, c.want)
			}
		})
	}
}
