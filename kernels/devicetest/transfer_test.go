package devicetest

import (
	"testing"

	"convect/kernels"
)

// <P c, r> = <c, Pᵀ r>, with and without masks, which then belong to both.
func TestTransposition(t *testing.T) {
	for _, s := range transfers() {
		b := newBed(t)
		fine, coarse := b.grid(s.fine), b.grid(s.coarse)
		c, r := b.field(coarse), b.noise(fine.Box)
		fine.zeroBeyondWalls(r)
		dot := func(g *Grid, x, y Field) sum { return reduce(kernels.Dot, g, x, y, nil) }
		pc := prolong(s.factor, NewField(fine.Box), c, nil).value
		up := dot(fine, pc, r)
		down := dot(coarse, c, restrict(coarse.Box, s.factor, r, nil).value)
		near(t, s.fine.String()+": <P c, r> - <c, R r>", up.value, down.value, 1e-13*up.size)

		all := reduce(kernels.Sum, fine, r, Field{}, nil)
		kept := reduce(kernels.Sum, coarse, restrict(coarse.Box, s.factor, r, nil).value, Field{}, nil)
		near(t, s.fine.String()+": Σ R r", kept.value, all.value, 1e-13*all.size)
	}
}

// Prolongation is exact on linear functions of the index, adds to what is there, and leaves fixed nodes.
func TestProlongLinear(t *testing.T) {
	factor := [3]int{2, 1, 2}
	coarse := kernels.NewBox([3]int{3, 4, 3}, false)
	fine := NewField(kernels.NewBox([3]int{5, 4, 5}, false))
	plane := func(n Node, factor [3]int) float64 {
		return float64(factor[0]*n[0] - 3*factor[1]*n[1] + 7*factor[2]*n[2])
	}
	c := NewField(coarse)
	EachNode(coarse, func(n Node) { c.Set(n, plane(n, factor)) })
	EachNode(fine.Box, func(n Node) { fine.Set(n, 100) })
	mask := NewMask(fine.Box, func(n Node) bool { return n[0] != 2 })
	EachNode(fine.Box, func(n Node) {
		want := 100 + mask.At(n)*plane(n, [3]int{1, 1, 1})
		near(t, "U + P c", prolong(factor, fine, c, mask).value.At(n), want, 1e-13)
	})
}

// A unit residual spreads with weights 1/2 and 1/4 to the coarse nodes around it, and not to fixed ones.
func TestRestrictWeights(t *testing.T) {
	fine, coarse := NewField(kernels.NewBox([3]int{5, 1, 5}, true)), kernels.NewBox([3]int{3, 1, 3}, true)
	fine.Set(Node{1, 0, 2}, 8)
	fine.Set(Node{3, 0, 3}, 16)
	mask := NewMask(coarse, func(n Node) bool { return n != Node{2, 0, 2} })
	got := restrict(coarse, [3]int{2, 1, 2}, fine, mask).value
	for n, want := range map[Node]float64{
		{0, 0, 1}: 4, {1, 0, 1}: 4 + 4, {2, 0, 1}: 4, {1, 0, 2}: 4, {2, 0, 2}: 0, {0, 0, 0}: 0,
	} {
		near(t, "R r", got.At(n), want, 0)
	}
}
