package devicetest

import (
	"math"

	"convect/kernels"
)

// faceTemperature returns T_f on the inner face between n and its high neighbour along d.
//
// Central: (T + T_(+))/2. TVD: T_C + ψ(r)/2 (T_D - T_C), and ψ = 1 where the next node upwind lies beyond a wall.
func (g *Grid) faceTemperature(scheme kernels.Scheme, d int, n Node, q, t Field) (s sum) {
	c, down, up := n, shift(n, d, 1), shift(n, d, -1)
	if q.At(n) < 0 {
		c, down, up = shift(n, d, 1), n, shift(n, d, 2)
	}
	if beyond := !g.Periodic[d] && (up[d] < 0 || up[d] >= g.Box.N[d]); scheme == kernels.Central || beyond {
		s.add(t.At(c) / 2)
		s.add(t.At(down) / 2)
		return s
	}
	s.add(t.At(c))
	s.add(limited(t.At(c)-t.At(up), t.At(down)-t.At(c)) / 2)
	s.size += (math.Abs(t.At(down)) + math.Abs(t.At(up))) / 2
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
