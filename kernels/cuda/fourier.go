package cuda

import (
	"unsafe"

	"convect/kernels"
)

// waveRadices are the numbers of points that a thread transforms by itself.
var waveRadices = [...]int{16, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2}

// leastWaves is the number of points of a period below which products with matrices take no longer; it takes two passes.
const leastWaves = waveMost + 1

// radicesOf returns radices whose product is n: of as few as it takes those with the least sum, the largest first; nil if there are none.
func radicesOf(n int) (best []int) {
	sum := func(r []int) (s int) {
		for _, v := range r {
			s += v
		}
		return s
	}
	var try func(n, most int, so []int)
	try = func(n, most int, so []int) {
		if n == 1 {
			if best == nil || len(so) < len(best) || len(so) == len(best) && sum(so) < sum(best) {
				best = append([]int(nil), so...)
			}
			return
		}
		if best != nil && len(so) >= len(best) {
			return
		}
		for _, r := range waveRadices {
			if r <= most && n%r == 0 {
				try(n/r, r, append(so, r))
			}
		}
	}
	try(n, waveMost, nil)
	return best
}

// wavesShared returns the bytes of shared memory of a block with so many pairs of lines.
func wavesShared(points, pairs int, e kernels.Elem) int {
	return (2*points*pairs+points)*2*e.Size() + 2*pairs*4
}

// wavePairs returns how many pairs of lines a block transforms: as many as leave room for three blocks, or, where those would be few, for two or one; 0 if there is
// no room for one pair.
func (d *Device) wavePairs(points int, e kernels.Elem) int {
	const reserved = 1024 // bytes of shared memory that each block takes besides
	room := d.info.SharedBytes() + reserved
	for _, least := range [][2]int{{3, 8}, {2, 4}, {1, 1}} {
		for pairs := 16; pairs >= least[1]; pairs /= 2 {
			if least[0]*(wavesShared(points, pairs, e)+reserved) <= room {
				return pairs
			}
		}
	}
	return 0
}

// TransformsFast tells whether the lines, of float32 where there is no Out, have a number of points of small factors, as many as shared memory has room for.
func (d *Device) TransformsFast(a kernels.FastTransformArgs) bool {
	if a.Axis > kernels.Y || a.Waves == kernels.NoWaves {
		return false
	}
	e := kernels.Float32
	if a.Out != nil {
		e = a.Out.Elem()
	}
	points, _ := a.Waves.Period(a.Box.N[a.Axis])
	return points >= leastWaves && radicesOf(points) != nil && d.wavePairs(points, e) > 0
}

// FastTransform transforms lines of nodes to sines and cosines, or back.
func (d *Device) FastTransform(a kernels.FastTransformArgs) {
	c := d.begin("FastTransform", a.Out)
	s := c.FastTransform(a)
	if !c.OK() {
		return
	}
	points, _ := a.Waves.Period(c.Box.N[a.Axis])
	s.Pairs = int64(d.wavePairs(points, c.Elem))
	radices := radicesOf(points)
	if radices == nil || s.Pairs == 0 {
		c.Fail("lines of %d points are not transformed fast", points)
		return
	}
	for n, r := range radices {
		s.Radices |= int64(r) << (n * waveBits)
	}
	lines := c.Box.Nodes() / c.Box.N[a.Axis]
	g := geometry{grid: [3]int{over(lines, 2*int(s.Pairs)), 1, 1}, block: [3]int{waveThreads, 1, 1}, shared: wavesShared(points, int(s.Pairs), c.Elem)}
	d.launch(&c, "fast_transform", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}
