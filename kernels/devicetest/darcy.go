package devicetest

import "convect/kernels"

// flow is a set of face velocities: the face between n and its high neighbour along d is Q[d] at n.
type flow [3]Field

// outflow returns the outward velocity through a face.
func (q flow) outflow(f face) float64 { return f.sign * q[f.axis].At(f.at) }

// buoyancy returns θ_f of the z-face above node n, θ = T - TMean[k] with the mean wrapped in z if periodic.
func (g *Grid) buoyancy(n Node, t Field, mean []float64) (s sum) {
	for step := 0; step <= 1; step++ {
		at := shift(n, kernels.Z, step)
		s.add(t.At(at) / 2)
		s.add(-mean[wrap(at[kernels.Z], len(mean))] / 2)
	}
	return s
}

// buoyancySource returns F_n = -Σ_z-faces ± A_f k_f Ra θ_f - Σ_wall-faces ± A_f Q_f. walls tells for which axes Q
// is given. Trilinear elements have their own first sum.
func (o *Operator) buoyancySource(t Field, mean []float64, rayleigh float64, q flow, walls [3]bool) result {
	trilinear := o.Stencil == kernels.TwentySevenPoint
	return compute(o.Box, func(n Node) (s sum) {
		if trilinear {
			s = o.trilinearSource(n, t, mean, rayleigh)
		}
		for _, f := range o.faces(n) {
			switch {
			case f.wall && walls[f.axis]:
				s.add(-f.area * q.outflow(f))
			case !trilinear && !f.wall && f.axis == kernels.Z:
				s.addScaled(-f.sign*o.section(kernels.Z, f.at)*rayleigh, o.buoyancy(f.at, t, mean))
			}
		}
		return s
	})
}

// darcyFlux returns the velocity of axis d on its inner faces, -k_f ((P_(+) - P)/h - Ra θ_f), θ_f in z only, or the
// conservative fluxes of trilinear elements.
func (o *Operator) darcyFlux(d int, p, t Field, mean []float64, rayleigh float64) result {
	return compute(o.Box, func(n Node) (s sum) {
		if !o.inner(d, n) {
			return s
		}
		if o.Stencil == kernels.TwentySevenPoint {
			s.addScaled(1/o.area(d, n), o.trilinearFlux(d, n, p, t, mean, rayleigh))
			return s
		}
		k := o.section(d, n) / o.area(d, n)
		s.add(-k * p.At(shift(n, d, 1)) / o.H[d].At(n[d]))
		s.add(k * p.At(n) / o.H[d].At(n[d]))
		if d == kernels.Z {
			s.addScaled(k*rayleigh, o.buoyancy(n, t, mean))
		}
		return s
	})
}

// shares holds, for each side, the part of a node's imbalance that leaves through it; nil: no pressure wall.
type shares [6][]float64

// of returns the share of a face of node n, zero on inner faces.
func (w shares) of(box kernels.Box, f face, n Node) float64 {
	if !f.wall || w[f.side] == nil {
		return 0
	}
	return w[f.side][wallIndex(box, f.side, n)]
}

// wallFlux returns the velocities through walls of fixed pressure: share * outflow / A_f along the outward normal,
// where the outflow is minus the balance of the node's faces that have no share. Faces without a share hold q.
func (g *Grid) wallFlux(q flow, share shares) (out [3]result) {
	for d := range out {
		if g.present(d) {
			out[d] = result{q[d].Clone(), NewField(g.Box)}
		}
	}
	EachNode(g.Box, func(n Node) {
		var outflow sum
		for _, f := range g.faces(n) {
			if share.of(g.Box, f, n) == 0 {
				outflow.add(-f.area * q.outflow(f))
			}
		}
		for _, f := range g.faces(n) {
			if part := share.of(g.Box, f, n); part != 0 {
				out[f.axis].value.Set(f.at, f.sign*part*outflow.value/f.area)
				out[f.axis].size.Set(f.at, part*outflow.size/f.area)
			}
		}
	})
	return out
}

// imbalance returns Σ_faces ± A_f Q_f of a node.
func (g *Grid) imbalance(q flow, n Node) (s sum) {
	for _, f := range g.faces(n) {
		s.add(f.area * q.outflow(f))
	}
	return s
}

// nodeVelocity returns the velocity of axis d at a node: the mean of both faces, on a wall the wall face itself.
func (g *Grid) nodeVelocity(d int, q Field, n Node) (s sum) {
	low, high := shift(n, d, -1), n
	switch {
	case !g.inner(d, low):
		s.add(q.At(low))
	case !g.inner(d, high):
		s.add(q.At(high))
	default:
		s.add(q.At(low) / 2)
		s.add(q.At(high) / 2)
	}
	return s
}
