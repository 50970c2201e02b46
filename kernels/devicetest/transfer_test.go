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
		dot := func(g *Grid, x, y Field) sum { return reduce(kernels.Dot, g, x, y, 0, nil) }
		pc := prolong(s.ratio(), NewField(fine.Box), c, nil).value
		up := dot(fine, pc, r)
		down := dot(coarse, c, restrict(coarse.Box, s.ratio(), r, nil).value)
		near(t, s.fine.String()+": <P c, r> - <c, R r>", up.value, down.value, 1e-13*up.size)

		all := reduce(kernels.Sum, fine, r, Field{}, 0, nil)
		kept := reduce(kernels.Sum, coarse, restrict(coarse.Box, s.ratio(), r, nil).value, Field{}, 0, nil)
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
		near(t, "U + P c", prolong(ratioOf(fine.Box, coarse, [3]bool{}), fine, c, mask).value.At(n), want, 1e-13)
	})
}

// Cubic interpolation is exact on cubic functions of the index, up to the walls and over them where the axis is periodic.
func TestProlongCubicIsCubic(t *testing.T) {
	factor := [3]int{2, 1, 2}
	coarse := NewField(kernels.NewBox([3]int{5, 2, 4}, false))
	fine := NewField(kernels.NewBox([3]int{9, 2, 7}, false))
	cubic := func(n Node, factor [3]int) float64 {
		x, y, z := float64(factor[0]*n[0])/2, float64(n[1]), float64(factor[2]*n[2])/2
		return (1 + x - 2*x*x + 0.5*x*x*x) * (2 - y) * (z*z*z - 3*z)
	}
	EachNode(coarse.Box, func(n Node) { coarse.Set(n, cubic(n, factor)) })
	got := prolongCubic(ratioOf(fine.Box, coarse.Box, [3]bool{}), [3]bool{}, fine, coarse, nil, false).value
	EachNode(fine.Box, func(n Node) { near(t, "P₃ c", got.At(n), cubic(n, [3]int{1, 1, 1}), 1e-12) })

	ring, around := NewField(kernels.NewBox([3]int{4, 1, 2}, true)), NewField(kernels.NewBox([3]int{8, 1, 2}, true))
	ring.Set(Node{0, 0, 0}, 16)
	for i, want := range []float64{16, 9, 0, -1, 0, -1, 0, 9} {
		got := prolongCubic(ratioOf(around.Box, ring.Box, [3]bool{true}), [3]bool{true}, around, ring, nil, false).value
		near(t, "around a ring", got.At(Node{i, 0, 0}), want, 1e-14)
	}
}

// A unit residual spreads with weights 1/2 and 1/4 to the coarse nodes around it, and not to fixed ones.
func TestRestrictWeights(t *testing.T) {
	fine, coarse := NewField(kernels.NewBox([3]int{5, 1, 5}, true)), kernels.NewBox([3]int{3, 1, 3}, true)
	fine.Set(Node{1, 0, 2}, 8)
	fine.Set(Node{3, 0, 3}, 16)
	mask := NewMask(coarse, func(n Node) bool { return n != Node{2, 0, 2} })
	got := restrict(coarse, ratioOf(fine.Box, coarse, [3]bool{}), fine, mask).value
	for n, want := range map[Node]float64{
		{0, 0, 1}: 4, {1, 0, 1}: 4 + 4, {2, 0, 1}: 4, {1, 0, 2}: 4, {2, 0, 2}: 0, {0, 0, 0}: 0,
	} {
		near(t, "R r", got.At(n), want, 0)
	}
}
