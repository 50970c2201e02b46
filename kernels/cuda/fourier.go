package cuda

import (
	"slices"
	"unsafe"

	"convect/kernels"
)

// waveRadices are the numbers of points that a thread transforms by itself.
var waveRadices = [...]int{16, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2}

// leastWaves is the number of points of a period below which products with matrices take no longer; it takes two passes.
const leastWaves = waveMost + 1

// How many times a prime beyond waveMost a period has at least: a pass takes as many operations a point as the prime has, of mirrored lines half as many, and a product
// with folded matrices a quarter of the period.
const (
	leastOfPrime    = 40
	leastOfMirrored = 20
)

// radicesOf returns radices whose product is n: the primes beyond waveMost, the largest first, and of as few as it takes those with the least sum, the largest
// first; nothing if a prime is too large for a word of them.
func radicesOf(n int) (primes, small []int) {
	rest := n
	for p, left := 2, n; left > 1; p++ {
		for ; left%p == 0; left /= p {
			if p <= waveMost {
				continue
			}
			if p >= 1<<waveBits {
				return nil, nil
			}
			primes, rest = append([]int{p}, primes...), rest/p
		}
	}
	return primes, smallRadices(rest)
}

// smallRadices does that for a number without such primes.
func smallRadices(n int) (best []int) {
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

// waves is how lines are transformed: the radices of their period, and how many pairs of lines a block has, with so many threads and bytes of shared memory.
type waves struct {
	radices                []int
	pairs, threads, shared int
	mirrored               bool // by the kernel that knows half the period from the other
}

// reservedBytes is the shared memory that each block takes besides its own.
const reservedBytes = 1024

// waveLines are lines along an axis of so many nodes.
type waveLines struct {
	kind               kernels.Waves
	axis, nodes, lines int
	elem               kernels.Elem
}

// wavesOf returns how so many lines of so many nodes are transformed, and false where they are not. What takes some microseconds to find is kept.
func (d *Device) wavesOf(kind kernels.Waves, axis, nodes, lines int, e kernels.Elem) (waves, bool) {
	of := waveLines{kind, axis, nodes, lines, e}
	w, known := d.waves[of]
	if !known {
		if found, ok := d.findWaves(of); ok {
			w = found
		}
		if d.waves == nil {
			d.waves = map[waveLines]waves{}
		}
		d.waves[of] = w
	}
	return w, w.pairs > 0
}

// findWaves is wavesOf.
func (d *Device) findWaves(of waveLines) (w waves, ok bool) {
	kind, axis, nodes, lines, e := of.kind, of.axis, of.nodes, of.lines, of.elem
	points, _ := kind.Period(nodes)
	primes, small := radicesOf(points)
	least := leastOfPrime
	if w.mirrored = (kind == kernels.Cosines || kind == kernels.Sines) && len(small) > 1; w.mirrored {
		least = leastOfMirrored
	}
	if len(small) == 0 || len(primes) > 0 && primes[0]*least > points {
		return w, false
	}
	if w.mirrored {
		w.radices = slices.Concat(small[:1], primes, small[1:])
		return w, d.mirror(&w, axis, points, lines, e)
	}
	w.radices = append(primes, small...)
	return w, d.wave(&w, points, lines, e)
}

// wave chooses the pairs of so many lines that a block has, fewer where each block has a multiprocessor for itself, and its threads, more where a multiprocessor has one block. It
// returns false where shared memory has no room for a pair.
func (d *Device) wave(w *waves, points, lines int, e kernels.Elem) bool {
	room, resident := d.info.SharedBytes()+reservedBytes, waveBlocks(e)*waveThreads
	for _, least := range [][2]int{{3, 16}, {3, 8}, {2, 8}, {2, 4}, {1, 4}, {1, 2}, {1, 1}} { // blocks of a multiprocessor, and pairs
		w.pairs = least[1]
		for w.pairs > 1 && over(lines, 2*w.pairs) < d.info.Multiprocessors {
			w.pairs /= 2
		}
		w.shared = (2*points*w.pairs+points)*2*e.Size() + 2*w.pairs*4
		if least[0]*(w.shared+reservedBytes) > room {
			continue
		}
		w.threads = waveThreads
		if 2*(w.shared+reservedBytes) > room || over(lines, 2*w.pairs) <= d.info.Multiprocessors {
			w.threads = resident
		}
		return true
	}
	return false
}

// waveBlocks is wave_blocks of fourier.cuh.
func waveBlocks(e kernels.Elem) int {
	if e == kernels.Float64 {
		return 2
	}
	return 3
}

// TransformsFast tells whether the lines, of float32 where there is no Out, have a number of points of small factors, as many as shared memory has room for.
func (d *Device) TransformsFast(a kernels.FastTransformArgs) bool {
	if a.Waves == kernels.NoWaves || a.Axis == kernels.Z && a.Box.Flat() {
		return false
	}
	e := kernels.Float32
	if a.Out != nil {
		e = a.Out.Elem()
	}
	nodes := a.Box.N[a.Axis]
	if points, _ := a.Waves.Period(nodes); points < leastWaves {
		return false
	}
	_, ok := d.wavesOf(a.Waves, min(a.Axis, kernels.Y), nodes, a.Box.Nodes()/nodes, e)
	return ok
}

// FastTransform transforms lines of nodes to sines and cosines, or back.
func (d *Device) FastTransform(a kernels.FastTransformArgs) {
	c := d.begin("FastTransform", a.Out)
	s := c.FastTransform(a)
	if !c.OK() {
		return
	}
	nodes := c.Box.N[a.Axis]
	if a.Axis == kernels.Z { // as along y
		s.Axis = kernels.Y
		s.Box.Turn()
	}
	w, ok := d.wavesOf(a.Waves, int(s.Axis), nodes, c.Box.Nodes()/nodes, c.Elem)
	if !ok {
		c.Fail("lines of %d nodes are not transformed fast", nodes)
		return
	}
	s.Pairs = int64(w.pairs)
	for n, r := range w.radices {
		s.Radices |= int64(r) << (n * waveBits)
	}
	name := "fast_transform"
	if w.mirrored {
		name = "fast_mirrored"
	}
	g := geometry{grid: [3]int{over(c.Box.Nodes()/nodes, 2*w.pairs), 1, 1}, block: [3]int{w.threads, 1, 1}, shared: w.shared}
	d.launch(&c, name, g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}
