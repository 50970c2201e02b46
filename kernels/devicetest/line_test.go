package devicetest

import (
	"math"
	"testing"

	"convect/kernels"
)

// T times what a sweep of lines adds is the residual it began with, node by node, however loosely the columns are
// tied; isolated columns take up all of it but what their topmost node had.
func TestLineSmooth(t *testing.T) {
	b := newBed(t)
	for _, s := range lineSettings() {
		if s.large() {
			continue
		}
		o := b.operator(s)
		u, f := b.field(o.Grid), b.noise(o.Box)
		const omega = 0.5
		got := o.lineSmooth(u, f, omega)
		x := NewField(o.Box)
		EachNode(o.Box, func(n Node) { x.Set(n, (got.value.At(n)-u.At(n))/omega) })
		last := s.n[2] - 1
		EachNode(o.Box, func(n Node) {
			if o.Mask.At(n) == 0 || o.diagonal(n) == 0 || (s.cells == "columns" && n[2] == last) {
				return
			}
			low, high := n[2]-1, n[2]+1
			if s.periodic[2] {
				low, high = wrap(low, s.n[2]), wrap(high, s.n[2])
			}
			var tx sum
			tx.add(o.diagonal(n) * x.At(n))
			if low >= 0 {
				tx.add(o.entryAbove(shift(n, 2, -1)) * x.At(Node{n[0], n[1], low}))
			}
			if high <= last {
				tx.add(o.entryAbove(n) * x.At(Node{n[0], n[1], high}))
			}
			r := o.residualAt(n, f, u)
			near(t, s.String()+": T x", tx.value, r.value, 1e-12*(tx.size+r.size+math.Abs(u.At(n))*o.diagonal(n)))
		})
	}
}

// entryAbove returns the entry of A between a node and the one above it.
func (o *Operator) entryAbove(n Node) (a float64) {
	if o.Stencil == kernels.SevenPoint {
		return -o.conductance(kernels.Z, n)
	}
	o.edges(kernels.Z, n, func(e *element, corner int) {
		e.terms(n, func(to Node, c float64) {
			if to == shift(n, 2, 1) {
				a += c
			}
		})
	})
	return a
}
