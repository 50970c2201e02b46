package devicetest

import (
	"math"

	"convect/kernels"
)

// faceTemperature returns T_f on the inner face between n and its high neighbour along d.
//
// Central: (T + T_(+))/2. TVD: T_C + ψ(r)/2 (T_D - T_C), and ψ = 1 where the next node upwind lies beyond a wall. WENO5 as
// in kernels.AdvectArgs, TVD where one of its nodes lies beyond a wall.
func (g *Grid) faceTemperature(scheme kernels.Scheme, d int, n Node, q, t Field) (s sum) {
	c, down, up := n, shift(n, d, 1), shift(n, d, -1)
	if q.At(n) < 0 {
		c, down, up = shift(n, d, 1), n, shift(n, d, 2)
	}
	step := down[d] - c[d]
	beyond := func(steps int) bool {
		at := c[d] + steps*step
		return !g.Periodic[d] && (at < 0 || at >= g.Box.N[d])
	}
	if scheme == kernels.WENO5 && !beyond(-2) && !beyond(-1) && !beyond(2) {
		var five [5]float64
		for m := range five {
			five[m] = t.At(shift(c, d, (m-2)*step))
		}
		return weno(five)
	}
	if scheme == kernels.Central || beyond(-1) {
		s.add(t.At(c) / 2)
		s.add(t.At(down) / 2)
		return s
	}
	s.add(t.At(c))
	s.add(limited(t.At(c)-t.At(up), t.At(down)-t.At(c)) / 2)
	s.size += (math.Abs(t.At(down)) + math.Abs(t.At(up))) / 2
	return s
}

// weno returns T_f from the five nodes around the upwind one, in the order of the flow. A device computes the smoothness β of each
// parabola to some roundings of its own size. A weight γ (1 + (τ/β)²) then errs by 2 γ (|τ| (β_0 + β_2) + τ²)/β² of them, which is far more
// than its own size where β_0 and β_2 are nearly the same and β is small. An error of a weight moves T_f as far as its parabola is away.
func weno(t [5]float64) (s sum) {
	square := func(v float64) float64 { return v * v }
	q := [3]float64{(2*t[0] - 7*t[1] + 11*t[2]) / 6, (-t[1] + 5*t[2] + 2*t[3]) / 6, (2*t[2] + 5*t[3] - t[4]) / 6}
	var smoothness [3]float64
	for k, first := range []float64{t[0] - 4*t[1] + 3*t[2], t[1] - t[3], 3*t[2] - 4*t[3] + t[4]} {
		smoothness[k] = 13./12*square(t[k]-2*t[k+1]+t[k+2]) + square(first)/4
	}
	all := math.Max(smoothness[0]+smoothness[1]+smoothness[2], 1e-30)
	var weight, uncertain [3]float64
	tau := math.Abs(smoothness[0] - smoothness[2])
	for k, gamma := range []float64{0.1, 0.6, 0.3} {
		beta := smoothness[k] + 1e-6*all
		weight[k] = gamma * (1 + square(tau/beta))
		uncertain[k] = 2 * gamma * tau * (smoothness[0] + smoothness[2] + tau) / square(beta)
	}
	total := weight[0] + weight[1] + weight[2]
	for k, w := range weight {
		s.value += w / total * q[k]
		for _, v := range t[k : k+3] {
			s.size += 4 * w / total * math.Abs(v)
		}
	}
	for k, u := range uncertain {
		s.size += u / total * math.Abs(q[k]-s.value)
	}
	return s
}

// limited returns ψ(r) ahead with r = behind/ahead and van Leer's ψ(r) = (r + |r|)/(1 + |r|); its limit, zero,
// where ahead is zero.
func limited(behind, ahead float64) float64 {
	if ahead == 0 {
		return 0
	}
	r := behind / ahead
	return (r + math.Abs(r)) / (1 + math.Abs(r)) * ahead
}

// wallArrays holds an array for each side; nil where it has none.
type wallArrays [6][]float64

// advect returns Out_n = -Σ_faces ± A_f Q_f T_f. On a wall T_f is the node's T where fluid leaves and inflow (nil:
// the node's T) where it enters.
func (g *Grid) advect(scheme kernels.Scheme, q flow, t Field, inflow wallArrays) result {
	return compute(g.Box, func(n Node) (s sum) {
		for _, f := range g.faces(n) {
			out := q.outflow(f)
			var tf sum
			switch {
			case !f.wall:
				tf = g.faceTemperature(scheme, f.axis, f.at, q[f.axis], t)
			case out < 0 && inflow[f.side] != nil:
				tf.add(inflow[f.side][wallIndex(g.Box, f.side, n)])
			default:
				tf.add(t.At(n))
			}
			s.addScaled(-f.area*out, tf)
		}
		return s
	})
}

// heatFlux returns Σ_faces(axis) A_f h (Q_f T_f - k_f (T_(+) - T)/h) over the inner faces; o holds the diffusivity.
func (o *Operator) heatFlux(scheme kernels.Scheme, d int, q, t Field) sum {
	return total(o.Box, func(n Node) (s sum) {
		if !o.inner(d, n) {
			return s
		}
		h := o.H[d].At(n[d])
		s.addScaled(o.area(d, n)*h*q.At(n), o.faceTemperature(scheme, d, n, q, t))
		if o.Stencil == kernels.TwentySevenPoint {
			s.addScaled(h, o.conducted(d, n, t))
			return s
		}
		s.add(-o.section(d, n) * t.At(shift(n, d, 1)))
		s.add(o.section(d, n) * t.At(n))
		return s
	})
}

// dissipation returns Σ_faces g_f (T_(+) - T)², or Σ_faces (T_(+) - T) times the flux of trilinear elements.
func (o *Operator) dissipation(t Field) sum {
	return total(o.Box, func(n Node) (s sum) {
		for d := range n {
			if !o.inner(d, n) {
				continue
			}
			step := t.At(shift(n, d, 1)) - t.At(n)
			if o.Stencil == kernels.TwentySevenPoint {
				s.addScaled(-step, o.conducted(d, n, t))
				continue
			}
			s.add(o.conductance(d, n) * step * step)
		}
		return s
	})
}
