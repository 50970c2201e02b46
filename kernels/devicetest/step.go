package devicetest

import "convect/kernels"

// advectMeasured returns the sums of AdvectMeasured, Out being what advect returns.
func (o *Operator) advectMeasured(scheme kernels.Scheme, axis int, q flow, t Field, out result) []sum {
	mass := func(n Node) float64 {
		if o.Mass != nil {
			return o.Mass.At(n)
		}
		return o.volume(n)
	}
	return append(o.flowStatistics(q),
		total(o.Box, func(n Node) sum { return sum{out.value.At(n), out.size.At(n)} }),
		total(o.Box, func(n Node) (s sum) { s.add(mass(n) * t.At(n)); return s }),
		o.heatFlux(scheme, axis, q[axis], t), o.dissipation(t))
}

// prediction holds the arguments of Predict on the host.
type prediction struct {
	t, tPrev, tOlder, n, nPrev, source Field // without source or an older temperature its V is nil
	omega, bend, a0, a2, e1, e2        float64
	walls                              []wallValues
}

// wallValues are the nodes of a side where an array is not zero, and their values.
type wallValues struct {
	side         kernels.Side
	where, value []float64
}

// predict returns G, F, and Σ (G - T)² and Σ F² over free nodes.
func (o *Operator) predict(p prediction) (g, f result, norms []sum) {
	g = compute(o.Box, func(n Node) (s sum) {
		s.add(p.t.At(n))
		s.add(p.omega * p.t.At(n))
		s.add(-p.omega * p.tPrev.At(n))
		if p.tOlder.V != nil {
			s.add(p.bend * p.tPrev.At(n))
			s.add(-p.bend * p.tOlder.At(n))
		}
		for _, w := range p.walls {
			end := 0
			if w.side.High() {
				end = o.Box.N[w.side.Axis()] - 1
			}
			if e := wallIndex(o.Box, w.side, n); n[w.side.Axis()] == end && w.where[e] != 0 {
				s = exact(w.value[e])
			}
		}
		return s
	})
	value, size := g.value.Clone(), g.size.Clone()
	EachNode(o.Box, func(n Node) { size.Set(n, size.At(n)+absolute(value.At(n))) })
	o.wrapHalo(value)
	o.wrapHalo(size)
	stiffness := *o
	stiffness.MassScale, stiffness.Mask = 0, nil
	f = compute(o.Box, func(n Node) (s sum) {
		s.add(p.e1 * p.n.At(n))
		s.add(p.e2 * p.nPrev.At(n))
		if p.source.V != nil {
			s.add(p.source.At(n))
		}
		own := sum{value.At(n), size.At(n)}
		s.addScaled(-o.mass(n)*p.a0, own)
		s.add(o.mass(n) * p.a0 * p.t.At(n))
		s.add(o.mass(n) * p.a2 * p.t.At(n))
		s.add(-o.mass(n) * p.a2 * p.tPrev.At(n))
		s.addScaled(-1, sum{stiffness.at(n, value).value, stiffness.at(n, size).size})
		return s
	})
	norm := func(x result, less Field) sum {
		return total(o.Box, func(n Node) sum {
			v, size := x.value.At(n), x.size.At(n)
			if less.V != nil {
				v, size = v-less.At(n), size+absolute(less.At(n))
			}
			return o.masked(n, sum{v * v, size * size})
		})
	}
	return g, f, []sum{norm(g, p.t), norm(f, Field{})}
}

func absolute(v float64) float64 { return max(v, -v) }

// settle returns X + (U + mask (F - A U)/(s m)), and F - A U with A taken without its mask.
func (o *Operator) settle(x, u, f Field) (settled, r result) {
	free := *o
	free.Mask = nil
	r = free.residual(f, u)
	settled = compute(o.Box, func(n Node) (s sum) {
		s.add(x.At(n))
		s.add(u.At(n))
		if o.Mask.At(n) != 0 {
			s.addScaled(1/o.mass(n), sum{r.value.At(n), r.size.At(n)})
		}
		return s
	})
	return settled, r
}
