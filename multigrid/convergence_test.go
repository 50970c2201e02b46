package multigrid

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// asymptoticFactor is the geometric mean of the reduction of the residual over the last 5 of 14 cycles, with a
// random start and a zero right side.
func asymptoticFactor(t testing.TB, p problem, dev kernels.Device, opt Options) float64 {
	t.Helper()
	const cycles, last = 14, 5
	opt.Method = Multigrid
	s, u, f := p.solver(t, dev, opt)
	o := s.op
	random(t, o, u, 42)
	r := newField(t, o)
	for _, field := range []*stencil.Field{u, f, r} {
		defer field.Free()
	}
	norms := make([]float64, cycles+1)
	for n := range norms {
		o.Residual(r, f, u)
		norms[n] = must[float64](t)(norm(r))
		// A linear iteration may be scaled at will, so that rounding sets no floor to the factor.
		u.Combine(stencil.Sum{C: 1 / norms[n], X: u})
		if n > 0 {
			norms[n] *= norms[n-1]
		}
		s.Cycle(u, f)
		if o.Singular() {
			u.RemoveMean(false)
		}
	}
	return math.Pow(norms[cycles]/norms[cycles-last], 1.0/last)
}

func TestAsymptoticFactors(t *testing.T) {
	dev, drawn := device(t), devicetest.Draw(t, 4)
	kinds := []struct {
		name  string
		fixed []kernels.Side
	}{{"mixed", mixed}, {"dirichlet", dirichlet}, {"closed", closed}}
	for _, c := range []struct {
		smoother Smoother
		most     float64
	}{{Jacobi, 0.26}, {Chebyshev, 0.065}, {RedBlackSymmetric, 0.16}, {RedBlack, 0.07}} {
		check := func(name string, p problem) {
			if !drawn() {
				return
			}
			t.Run(fmt.Sprintf("%s/%s/%d/float32=%v", c.smoother, name, p.cells[0]+1, p.float32), func(t *testing.T) {
				got := asymptoticFactor(t, p, dev, Options{Smoother: c.smoother, Pre: 2, Post: 2})
				t.Logf("%.4f", got)
				if !(got <= c.most) {
					t.Errorf("factor %.4f, at most %.2f allowed", got, c.most)
				}
			})
		}
		for _, kind := range kinds {
			check(kind.name, problem{cells: cube(32), fixed: kind.fixed})
			check(kind.name, problem{cells: cube(32), fixed: kind.fixed, float32: true})
			check(kind.name, problem{cells: cube(64), fixed: kind.fixed})
		}
		if testing.Short() {
			continue
		}
		for _, kind := range kinds {
			check(kind.name, problem{cells: cube(128), fixed: kind.fixed})
		}
	}
}

// V(2,2) with cubical cells converges by 0.15 a cycle or less whatever the numbers of cells: they are drawn at random, from 9 to 200 along each axis
// (48 in short tests), in 3-D and 2-D, with all kinds of walls and both stencils.
func TestFactorsOfAnySize(t *testing.T) {
	dev, rng := device(t), rand.New(rand.NewPCG(devicetest.Seed(t), 0))
	draws, most, nodes := 40, 200, 600_000
	if testing.Short() {
		draws, most, nodes = 10, 48, 40_000
	}
	walls := []problem{{fixed: mixed}, {fixed: dirichlet}, {fixed: closed}, {periodic: [3]bool{true, true, false}, fixed: mixed}, {periodic: [3]bool{true, true, true}},
		{periodic: [3]bool{false, true, false}}, {fixed: []kernels.Side{kernels.Left}}, {fixed: []kernels.Side{kernels.Front, kernels.Top}}}
	for n := 0; n < draws; {
		p := walls[n%len(walls)]
		p.stencil = []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint}[n/2%2]
		product := 1
		for d := range p.cells {
			p.cells[d] = 9 + rng.IntN(most-8)
			product *= p.cells[d]
		}
		if product > nodes && n%5 != 4 {
			continue // drawn again
		}
		if n%5 == 4 {
			p.cells[kernels.Y], p.fixed = 0, mixed
			p.periodic[kernels.Y] = false
		}
		for d, c := range p.cells {
			p.size[d] = float64(c)
		}
		n++
		t.Run(fmt.Sprintf("%dx%dx%d-%v-%v-%d", p.cells[0], p.cells[1], p.cells[2], p.fixed, p.periodic, p.stencil), func(t *testing.T) {
			got := asymptoticFactor(t, p, dev, Options{Smoother: Chebyshev, Pre: 2, Post: 2})
			t.Logf("%.4f", got)
			if !(got <= 0.15) {
				t.Errorf("factor %.4f, at most 0.15 allowed", got)
			}
		})
	}
}
