package devicetest

import (
	"fmt"
	"math"

	"convect/kernels"
)

// relaxedCubes returns what a cycle of HierarchicalCube hands on, block after block, each from u.
func relaxedCubes(a kernels.HierarchicalCubeArgs, u, f Field) result {
	out := compute(u.Box, func(n Node) sum { return exact(u.At(n)) })
	largest, source := 0.0, 0.0
	EachNode(u.Box, func(n Node) {
		largest, source = math.Max(largest, math.Abs(u.At(n))), math.Max(source, math.Abs(f.At(n)))
	})
	size := largest + float64(a.Sweeps)*source/6 // no sweep makes more of it
	count, now := a.Blocks(), u.Clone()
	eachWithin(Node{}, Node(count), func(block Node) {
		var first, end, own, ownEnd Node
		for d := range block {
			p := ownedBy(block[d], count[d], a.Tile[d], a.Overlap, 1, u.Box.N[d]-1)
			first[d], end[d], own[d], ownEnd[d] = p.first, p.end, p.own, p.ownEnd
		}
		for range a.Sweeps {
			var next []float64
			eachWithin(first, end, func(n Node) {
				mean := f.At(n)
				for d := range n {
					mean += now.At(shift(n, d, -1)) + now.At(shift(n, d, 1))
				}
				next = append(next, mean/6)
			})
			eachWithin(first, end, func(n Node) {
				now.Set(n, next[0])
				next = next[1:]
			})
		}
		eachWithin(own, ownEnd, func(n Node) {
			out.value.Set(n, now.At(n))
			out.size.Set(n, size)
		})
		eachWithin(first, end, func(n Node) { now.Set(n, u.At(n)) })
	})
	return out
}

func checkHierarchicalCube(s *suite) {
	for _, n := range [][3]int{{3, 3, 3}, {9, 5, 7}, {18, 18, 18}, {20, 19, 35}, {35, 20, 6}} {
		box := kernels.NewBox(n, false)
		for _, c := range []struct {
			tile            [3]int
			overlap, sweeps int
		}{
			{[3]int{1, 1, 1}, 0, 2}, {[3]int{16, 4, 8}, 0, 1}, {[3]int{16, 16, 16}, 0, 3}, {[3]int{16, 16, 16}, 4, 4}, {[3]int{8, 8, 8}, 6, 3}, {[3]int{7, 5, 9}, 2, 2},
			{[3]int{33, 9, 10}, 8, 5}, {[3]int{200, 200, 200}, 2, 4},
		} {
			s.one(fmt.Sprintf("%dx%dx%d-%dx%dx%d-overlap-%d-%d-sweeps", n[0], n[1], n[2], c.tile[0], c.tile[1], c.tile[2], c.overlap, c.sweeps), func(b *bench) {
				u, f, before := b.noise(box), b.noise(box), b.noise(box)
				us, fs, out := b.put(u), b.put(f), b.put(before)
				a := kernels.HierarchicalCubeArgs{Box: box, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Tile: c.tile, Overlap: c.overlap, Sweeps: c.sweeps}
				got := b.call(func() { b.Device.(kernels.Benchmarks).HierarchicalCube(a) }, out)
				b.nodes("Out", got[0], before, relaxedCubes(a, u, f), float64(meanRoundings*c.sweeps))
			})
		}
	}
}
