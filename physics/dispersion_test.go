package physics

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
)

// dispersing returns the parameters with lengths of dispersion.
func dispersing(p Parameters, longitudinal, transverse float64) Parameters {
	p.Dispersion = Dispersion{longitudinal, transverse}
	return p
}

// Steady cells in a square at Ra 100, heated from below and from the side (a spectral-element code of others).
var dispersiveCells = []struct {
	name    string
	side    bool // heated from
	lengths Dispersion
	nusselt float64
}{
	{"from below", false, Dispersion{0.02, 0.002}, 2.58661},
	{"from below, the same along and across", false, Dispersion{0.02, 0.02}, 2.96855},
	{"from the side", true, Dispersion{0.1, 0.01}, 3.44021},
}

// steadyDispersion runs a cell to its steady state.
func steadyDispersion(t *testing.T, dev kernels.Device, n int, side bool, l Dispersion, scheme kernels.Scheme, points kernels.Stencil) *Simulation {
	t.Helper()
	p := dispersing(heated(plane(n), 100), l.Longitudinal, l.Transverse)
	p.Stencil, p.Transport = points, scheme
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.2
	if side {
		p.Walls = [6]Wall{kernels.Left: p.Walls[kernels.Bottom], kernels.Right: p.Walls[kernels.Top]}
		p.Initial = Initial{Conduction: true}
	}
	s := simulate(t, dev, p, Controls{End: 20, Courant: 0.5, Steady: 1e-7})
	if run(t, s) != Steady {
		t.Fatalf("no steady state at t = %g", s.Time())
	}
	return s
}

// limitOfEven returns c of c + a h² + b h⁴ through three values on so many cells.
func limitOfEven(cells []int, values []float64) (c float64) {
	for i := range 3 {
		weight := 1.0
		for j := range 3 {
			if j != i {
				x, y := 1/float64(cells[i]*cells[i]), 1/float64(cells[j]*cells[j])
				weight *= y / (y - x)
			}
		}
		c += weight * values[i]
	}
	return c
}

// Nusselt numbers with dispersion converge with second order to published ones, with both stencils.
func TestNusseltWithDispersion(t *testing.T) {
	t.Parallel()
	drawn := devicetest.Draw(t, 2*len(dispersiveCells))
	for _, c := range dispersiveCells {
		for _, points := range bothStencils {
			for _, scheme := range []kernels.Scheme{kernels.Central, kernels.TVD} {
				if testing.Short() && scheme != kernels.Central || !drawn() {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, scheme %d", c.name, stencilName(points), scheme), func(t *testing.T) {
					t.Parallel()
					dev := openDevice(t, 1)
					cells := []int{32, 64}
					opposed := c.side && points == kernels.TwentySevenPoint && scheme == kernels.Central
					if opposed {
						cells = []int{32, 64, 48}
					}
					off := make([]float64, len(cells))
					for i, n := range cells {
						s := steadyDispersion(t, dev, n, c.side, c.lengths, scheme, points)
						h := s.Sample().Heat()
						off[i] = h.Transfer()/c.nusselt - 1
						t.Logf("%d: Nu %.6f, by volume %.6f, by dissipation %.6f, %d steps", n, h.Transfer(), h.Volume, h.Dissipation, s.Step())
						if scheme == kernels.Central {
							within(t, "Nu by volume", h.Volume, h.Transfer(), 1e-5)
							within(t, "Nu by dissipation", h.Dissipation, h.Transfer(), 1e-5)
						}
					}
					if opposed { // the terms of h² and of h⁴ have opposite signs, and the order rises from 1.0 to 1.7 at 128 cells: both are taken off
						limit := limitOfEven(cells, off)
						t.Logf("off by %.2g, and by %.2g without terms of h² and h⁴", off, limit)
						if !(math.Abs(off[1]) < 0.0005) || !(math.Abs(limit) < 0.00005) { // a term of h would leave 0.0001
							t.Errorf("off by %.4f %%, and by %.4f %% without terms of h² and h⁴", 100*off[1], 100*limit)
						}
						return
					}
					order := math.Log2(off[0] / off[1])
					t.Logf("off by %.3f and %.3f %%, order %.2f", 100*off[0], 100*off[1], order)
					if !(math.Abs(off[1]) < 0.005) || !(order > 1.8) {
						t.Errorf("off by %.3f and %.3f %%, order %.2f", 100*off[0], 100*off[1], order)
					}
				})
			}
		}
	}
}
