package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// What a manufactured solution has of a solute: 1/Le, Da and the waves of S.
const (
	manufacturedSpread = 0.6
	manufacturedDecay  = 3
)

// concentrationWaves are the factors of S = 0.4 + X(x) Y(y) Z(z); along periodic axes they have whole periods.
func (m *manufactured) concentrationWaves() [3]wave {
	w := [3]wave{{0, 0.3, 1.7, 0.3}, {1, 0.3, 1.3, 0.5}, {0.2, 1, 2.2, -0.4}}
	for d := range 2 {
		if m.extent.Periodic[d] {
			w[d].k = 2 * math.Pi / m.extent.Size[d]
		}
	}
	if m.extent.Cells[1] == 0 {
		w[1] = one
	}
	return w
}

func (m *manufactured) concentration(x [3]float64) float64 {
	w := m.concentrationWaves()
	return 0.4 + w[0].d(0, x[0])*w[1].d(0, x[1])*w[2].d(0, x[2])
}

// concentrationSlope is a derivative of S along an axis.
func (m *manufactured) concentrationSlope(d, order int, x [3]float64) float64 {
	product := 1.0
	for axis, w := range m.concentrationWaves() {
		if axis == d {
			product *= w.d(order, x[axis])
		} else {
			product *= w.d(0, x[axis])
		}
	}
	return product
}

// gradientOfS is ∂S/∂x_d.
func (m *manufactured) gradientOfS(d int, p place) float64 { return m.concentrationSlope(d, 1, p.x) }

// soluteDiffusion is 1/Le and its derivative along an axis.
func (m *manufactured) soluteDiffusion(d int, x [3]float64) (value, slope float64) {
	value = manufacturedSpread
	if m.saltShape {
		for e := range 3 {
			value *= m.shape[e].d(0, x[e])
		}
		slope = value * m.shape[d].d(1, x[d]) / m.shape[d].d(0, x[d])
	}
	return value, slope
}

// solute makes S the solution: its source is u·∇S - ∇·((1/Le + E) ∇S) + Da (1 + x) S.
func (m *manufactured) solute(e stencil.Extent) Solute {
	rate := func(x [3]float64) float64 { return manufacturedDecay * (1 + x[0]) }
	return Solute{Rayleigh: m.salt * m.rayleigh, Porosity: isotropicCells(e, func(x [3]float64) float64 { return 0.5 + 0.3*x[2] }),
		Diffusivity: constantIfUniform(isotropicCells(e, func(x [3]float64) float64 { value, _ := m.soluteDiffusion(0, x); return value })),
		Decay:       Term{Rate: spatial(rate)}, Initial: Initial{Temperature: spatial(m.concentration)},
		Source: Term{Gain: spatial(func(x [3]float64) float64 {
			u, sum := m.velocity(x), rate(x)*m.concentration(x)
			for d := range 3 {
				if m.extent.Cells[d] == 0 {
					continue
				}
				diffusion, slope := m.soluteDiffusion(d, x)
				sum += (u[d]-slope)*m.concentrationSlope(d, 1, x) - diffusion*m.concentrationSlope(d, 2, x) - m.spreading(m.gradientOfS, d, x)
			}
			return sum
		})}}
}

// soluteAt is the condition on the solute of a wall whose condition on heat is of a kind: of the same kind.
func (m *manufactured) soluteAt(s kernels.Side, kind HeatKind) Condition {
	d, out := s.Axis(), -1.0
	if s.High() {
		out = 1
	}
	inward := func(x [3]float64) float64 {
		diffusion, _ := m.soluteDiffusion(d, x)
		return out * (diffusion*m.concentrationSlope(d, 1, x) + m.spread(m.gradientOfS, d, m.place(x)))
	}
	c := Condition{Kind: kind, Value: spatial(m.concentration), Inflow: spatial(m.concentration)}
	switch kind {
	case HeatFlux:
		c.Value = spatial(inward)
	case HeatTransfer:
		c.Coefficient = Constant(1.5)
		c.Value = spatial(func(x [3]float64) float64 { return m.concentration(x) + inward(x)/1.5 })
	}
	return c
}

// concentrationError is the L2 error of S; 0 where there is none.
func (m *manufactured) concentrationError(t *testing.T, s *Simulation) float64 {
	t.Helper()
	if m.salt == 0 {
		return 0
	}
	values, sum := download(t, s, "concentration"), 0.0
	eachNode(s.Grid(), func(n int, ijk [3]int) {
		off := values[n] - m.concentration(nodePoint(s, ijk))
		sum += nodeVolume(s.Grid(), ijk) / s.Grid().Volume() * off * off
	})
	return math.Sqrt(sum)
}

// TestObservedOrderWithASolute is TestObservedOrder with a solute that is buoyant too, decays, and has a porosity of its own, under the conditions of heat.
func TestObservedOrderWithASolute(t *testing.T) {
	t.Parallel()
	square := stencil.Extent{Cells: [3]int{1, 0, 1}, Size: [3]float64{1, 0, 1}}
	box := stencil.Extent{Cells: [3]int{1, 1, 1}, Size: [3]float64{1, 1, 1}}
	second := solutionErrors{1.9, 1.9, 1.9, 1.9}
	drawn := devicetest.Draw(t, 3)
	for _, points := range bothStencils {
		for _, l := range []convergence{
			{"square, variable K and D", square, 1, kernels.Central, [2]int{24, 48}, second, -0.5},
			{"square, graded", graded(square), 0, kernels.Central, [2]int{24, 48}, second, 2},
			{"cube, graded, variable K and D", graded(box), 0.5, kernels.Central, [2]int{10, 20}, second, -0.5},
		} {
			if testing.Short() && (l.extent.Cells[1] > 0 || points == kernels.TwentySevenPoint && l.varying == 0) || !drawn() {
				continue
			}
			t.Run(l.name+", "+stencilName(points), func(t *testing.T) { l.check(t, points) })
		}
	}
}
