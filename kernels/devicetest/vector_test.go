package devicetest

import (
	"testing"

	"convect/kernels"
)

// On a 2x2 grid that is periodic in both axes every halo node repeats the node of the same parity.
func TestHalo(t *testing.T) {
	x := NewField(kernels.NewBox([3]int{2, 1, 2}, true))
	EachNode(x.Box, func(n Node) { x.Set(n, float64(1+n[0]+2*n[2])) })
	halo(x, [3]bool{true, false, true}, 2)
	for n, want := range map[Node]float64{
		{-1, 0, 0}: 2, {-2, 0, 0}: 1, {2, 0, 1}: 3, {-1, 0, -1}: 4, {3, 0, 2}: 2, {-3, 0, 0}: 0, {0, 0, 4}: 0,
	} {
		near(t, "halo", x.At(n), want, 0)
	}
}

func TestHaloOfWalls(t *testing.T) {
	b := newBed(t)
	before := b.noise(kernels.NewBox([3]int{4, 3, 3}, false))
	x := before.Clone()
	halo(x, [3]bool{false, true, false}, 1)
	near(t, "halo beyond a wall", x.At(Node{-1, 0, 0}), before.At(Node{-1, 0, 0}), 0)
	near(t, "periodic halo", x.At(Node{2, -1, 1}), before.At(Node{2, 2, 1}), 0)
	near(t, "second layer", x.At(Node{2, -2, 1}), before.At(Node{2, -2, 1}), 0)
}

func TestReduce(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{2}, nil, {4, 6}}, [3]bool{})
	x, y := NewField(g.Box), NewField(g.Box)
	for n, v := range map[Node]float64{{0, 0, 0}: 1, {1, 0, 0}: -2, {0, 0, 1}: 3, {1, 0, 1}: 4, {0, 0, 2}: -7, {1, 0, 2}: 6} {
		x.Set(n, v)
		y.Set(n, 1+v)
	}
	mask := NewMask(g.Box, func(n Node) bool { return n != Node{0, 0, 2} })
	for _, c := range []struct {
		kind                kernels.Reduction
		value, all, allFree float64
	}{
		{kernels.Dot, 0, 115 + 5, 66 + 12},
		{kernels.VolumeSum, 0, 2*(1-2) + 5*(3+4) + 3*(-7+6), -2 + 35 + 18},
		{kernels.VolumeDot, 0, 2*(2+2) + 5*(12+20) + 3*(42+42), 8 + 160 + 126},
		{kernels.MaxAbs, 0, 7, 6},
		{kernels.MaxAbs, 3, 10, 5},
		{kernels.MaxDiff, 0, 1, 1},
		{kernels.Sum, 0, 5, 12},
		{kernels.Finite, 0, 0, 0},
	} {
		near(t, reductionNames()[c.kind], reduce(c.kind, g, x, y, c.value, nil).value, c.all, 0)
		near(t, reductionNames()[c.kind]+" masked", reduce(c.kind, g, x, y, c.value, mask).value, c.allFree, 0)
	}
}

func TestRemoveMean(t *testing.T) {
	for _, s := range shapes() {
		b := newBed(t)
		g := b.grid(s)
		x := b.noise(g.Box)
		solution := reduce(kernels.VolumeSum, g, removeMean(g, x, false).value, Field{}, 0, nil)
		near(t, "Σ V X", solution.value, 0, 1e-13*solution.size)
		residual := reduce(kernels.Sum, g, removeMean(g, x, true).value, Field{}, 0, nil)
		near(t, "Σ X", residual.value, 0, 1e-13*residual.size)
	}
	g := NewGrid(kernels.Float64, [3][]float64{{1, 1}, nil, {1}}, [3]bool{})
	x := NewField(g.Box)
	x.Set(Node{1, 0, 1}, 8)
	near(t, "X - mean", removeMean(g, x, false).value.At(Node{}), -2, 0)
	near(t, "X - V Σ X / Σ V", removeMean(g, x, true).value.At(Node{}), -1, 0)
	near(t, "X - V Σ X / Σ V in the middle", removeMean(g, x, true).value.At(Node{1, 0, 0}), -2, 0)
}

func TestHorizontalMean(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{2, 4}, {1}, {1}}, [3]bool{})
	x := evaluate(g, func(x [3]float64) float64 { return x[0] + 10*x[2] })
	for k, want := range []float64{3, 13} {
		near(t, "mean", horizontalMean(g, x)[k].value, want, 1e-14)
	}
}

func TestWallSum(t *testing.T) {
	x := NewField(kernels.NewBox([3]int{2, 3, 2}, false))
	EachNode(x.Box, func(n Node) { x.Set(n, float64(n[0]+10*n[1]+100*n[2])) })
	near(t, "right", wallSum(x, kernels.Right, []float64{1, 0, 0, 0, 0, 1000}).value, 1+1000*121, 0)
	near(t, "front", wallSum(x, kernels.Front, []float64{0, 1, 7, 0}).value, 1+700, 0)
	near(t, "top", wallSum(x, kernels.Top, []float64{0, 0, 0, 2, 0, 0}).value, 2*111, 0)
}

func TestWallThrough(t *testing.T) {
	box := kernels.NewBox([3]int{2, 3, 2}, false)
	x, q := NewField(box), NewField(box)
	EachNode(box, func(n Node) { x.Set(n, float64(n[0]+10*n[1]+100*n[2])) })
	q.Set(Node{-1, 1, 0}, 3)  // enters on the left
	q.Set(Node{-1, 2, 1}, -2) // leaves
	q.Set(Node{1, 0, 1}, 5)   // leaves on the right
	flow, carried := wallThrough(q, x, kernels.Left, []float64{7, 7, 7, 7, 7, 7}, []float64{1, 1, 1, 1, 1, 4})
	near(t, "left", flow.value, 3-8, 0)
	near(t, "carried left", carried.value, 3*7-8*120, 0)
	_, carried = wallThrough(q, x, kernels.Left, nil, []float64{1, 1, 1, 1, 1, 4})
	near(t, "carried left without inflow", carried.value, 3*10-8*120, 0)
	flow, carried = wallThrough(q, x, kernels.Right, []float64{7, 7, 7, 7, 7, 7}, []float64{1, 1, 1, 2, 1, 1})
	near(t, "right", flow.value, -10, 0)
	near(t, "carried right", carried.value, -10*101, 0)
}

func TestCombine(t *testing.T) {
	s := combine([4]float64{2, 9, 0.5, -1}, [4][]float64{{1, 2}, nil, {4, 4}, {1, -3}})
	near(t, "combination", s[0].value, 3, 0)
	near(t, "combination", s[1].value, 9, 0)
	near(t, "size", s[1].size, 9, 0)
}
