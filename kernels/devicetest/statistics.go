package devicetest

import (
	"math"

	"convect/kernels"
)

// flowStatistics returns Σ V |u|², max |u|, the Courant rate max Σ_d max(|Q_low|,|Q_high|)/w_d, max |Σ ± A Q|/V,
// Σ ± A Q and Σ |Σ ± A Q|.
func (g *Grid) flowStatistics(q flow) []sum {
	square := func(n Node) (s sum) {
		for d := range n {
			if g.present(d) {
				u := g.nodeVelocity(d, q[d], n)
				s.value += u.value * u.value
				s.size += u.size * u.size
			}
		}
		return s
	}
	courant := func(n Node) (s sum) {
		for d := range n {
			if g.present(d) {
				fastest := math.Max(math.Abs(q[d].At(shift(n, d, -1))), math.Abs(q[d].At(n)))
				s.add(fastest / g.W[d].At(n[d]))
			}
		}
		return s
	}
	absolute := func(n Node, scale float64) sum {
		s := g.imbalance(q, n)
		return sum{math.Abs(s.value) * scale, s.size * scale}
	}
	speed := largest(g.Box, square)
	return []sum{
		total(g.Box, func(n Node) (s sum) { s.addScaled(g.volume(n), square(n)); return s }),
		{math.Sqrt(speed.value), math.Sqrt(speed.size)},
		largest(g.Box, courant),
		largest(g.Box, func(n Node) sum { return absolute(n, 1/g.volume(n)) }),
		total(g.Box, func(n Node) sum { return g.imbalance(q, n) }),
		total(g.Box, func(n Node) sum { return absolute(n, 1) }),
	}
}

// streamfunction returns ψ on the nodes of a flat grid, max |ψ| over the nodes, and ψ at a place.
func (g *Grid) streamfunction(q flow, c centre) (nodal result, max, there sum) {
	psi := g.cornerStreamfunction(q)
	nodal = compute(g.Box, func(n Node) sum {
		var s sum
		corners := g.corners(n)
		for _, c := range corners {
			s.addScaled(1/float64(len(corners)), psi[c])
		}
		return s
	})
	at := func(n Node) sum { return sum{nodal.value.At(n), nodal.size.At(n)} }
	max = largest(g.Box, func(n Node) sum { s := at(n); return sum{math.Abs(s.value), s.size} })
	return nodal, max, c.interpolate(at)
}

// cornerStreamfunction returns ψ at the corners of the dual volumes, corner (a,b) being the low corner of that of
// node (a,b): ψ = 0 at (0,0); along the bottom u_z = ∂ψ/∂x with Q_z[k=-1]; upwards u_x = -∂ψ/∂z.
func (g *Grid) cornerStreamfunction(q flow) map[Node]sum {
	const x, z = kernels.X, kernels.Z
	psi := map[Node]sum{}
	var s sum
	for a := 0; a <= g.Box.N[x]; a++ {
		psi[Node{a, 0, 0}] = s
		s.add(g.W[x].At(a) * q[z].At(Node{a, 0, -1}))
	}
	for a := 0; a <= g.Box.N[x]; a++ {
		s = psi[Node{a, 0, 0}]
		for b := 0; b < g.Box.N[z]; b++ {
			s.add(-g.W[z].At(b) * q[x].At(Node{a - 1, 0, b}))
			psi[Node{a, 0, b + 1}] = s
		}
	}
	return psi
}

// corners returns the dual corners around a node: four, or those that lie on its wall (two, one in a corner).
func (g *Grid) corners(n Node) (cs []Node) {
	cs = []Node{n}
	for _, d := range []int{kernels.X, kernels.Z} {
		atLow, atHigh := !g.inner(d, shift(n, d, -1)), !g.inner(d, n)
		var next []Node
		for _, c := range cs {
			if !atHigh {
				next = append(next, c)
			}
			if !atLow {
				next = append(next, shift(c, d, 1))
			}
		}
		cs = next
	}
	return cs
}

// centre is a place: part of the way from a node to the next along each axis.
type centre struct {
	node Node
	part [3]float64
}

// interpolate returns point at the centre, linearly from the nodes around.
func (c centre) interpolate(point func(n Node) sum) (s sum) {
	next := c.node
	for d, p := range c.part {
		if p > 0 {
			next[d]++
		}
	}
	eachWithin(c.node, shift(shift(shift(next, 0, 1), 1, 1), 2, 1), func(n Node) {
		weight := 1.0
		for d, p := range c.part {
			if n[d] == c.node[d] {
				p = 1 - p
			}
			weight *= p
		}
		s.addScaled(weight, point(n))
	})
	return s
}
