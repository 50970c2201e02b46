package devicetest

import (
	"fmt"
	"math"

	"convect/kernels"
)

// vectorChecks returns the checks of kernels.Vectors.
func vectorChecks() []check {
	return []check{
		{"Fill", checkFill},
		{"Copy", checkCopy},
		{"Combine", checkCombine},
		{"Halo", checkHalo},
		{"SetWall", checkSetWall},
		{"Reduce", checkReduce},
		{"RemoveMean", checkRemoveMean},
		{"HorizontalMean", checkHorizontalMean},
		{"AddHeights", checkAddHeights},
		{"AxisMean", checkAxisMean},
		{"Accumulate", checkAccumulate},
	}
}

// lengths returns lengths of whole buffers: one, shorter and longer than a vector, no multiple of one.
func lengths() []int { return []int{1, 7, 16, 31, 64, 1000, 4099} }

func checkFill(s *suite) {
	for _, n := range lengths() {
		s.one(fmt.Sprint(n), func(b *bench) {
			x := b.array(numbers(n, b.number))
			got := b.call(func() { b.Device.Fill(kernels.FillArgs{X: x.Buffer, Value: math.Pi}) }, x)
			if !sameBits(got[0], Uniform(n, round(b.Elem, math.Pi))) {
				b.fail("X is not filled with π")
			}
		})
	}
}

func checkCopy(s *suite) {
	for _, n := range lengths() {
		for _, to := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			s.one(fmt.Sprintf("%d-to-%v", n, to), func(b *bench) {
				src := b.array(numbers(n, b.number))
				dst := b.Alloc(to, n)
				b.call(func() { b.Device.Copy(kernels.CopyArgs{Dst: dst, Src: src.Buffer}) })
				if !sameBits(b.read(dst), roundAll(to, src.host)) {
					b.fail("Dst is not Src rounded to %v", to)
				}
			})
		}
	}
}

func checkCombine(s *suite) {
	c := [4]float64{0.3, -1.7, 1, -1. / 3}
	for _, n := range lengths() {
		for used := range 1 << 4 {
			s.one(fmt.Sprintf("%d-terms-%04b", n, used), func(b *bench) {
				args := kernels.CombineArgs{C: c}
				var terms [4][]float64
				var last *array
				for m := range terms {
					if used>>m&1 == 1 {
						terms[m] = numbers(n, b.number)
						last = b.array(terms[m])
						args.X[m] = last.Buffer
					}
				}
				of := c
				by, factor := b.ratio()
				for m := 0; m < 4; m += 1 + b.rng.IntN(2) {
					args.By[m], of[m] = by, of[m]*factor
				}
				want := combine(of, terms)
				if want == nil {
					want = make([]sum, n)
				}
				out := b.array(numbers(n, b.number))
				args.Out = out.Buffer
				b.values("Out", b.call(func() { b.Device.Combine(args) }, out)[0], want, 8)
				if last != nil {
					args.Out = last.Buffer
					got := b.call(func() { b.Device.Combine(args) }, last, out)
					b.values("Out in place of X", got[0], want, 8)
				}
			})
		}
		for double := 1; double < 1<<5-1 && s.elem == kernels.Float64; double++ {
			s.one(fmt.Sprintf("%d-double-%05b", n, double), func(b *bench) { b.combineMixed(n, double) })
		}
	}
}

// combineMixed checks sums of arrays of both types: the X m where bit m of double is set in float64, Out where bit 4 is.
func (b *bench) combineMixed(n, double int) {
	b.Helper()
	typeOf := func(m int) kernels.Elem { return kernels.Elem(double >> m & 1) }
	args := kernels.CombineArgs{C: [4]float64{0.3, -1.7, 1, -1. / 3}}
	var terms [4][]float64
	for m := range terms {
		terms[m] = roundAll(typeOf(m), numbers(n, b.rng.NormFloat64))
		args.X[m] = b.arrayOf(typeOf(m), terms[m]).Buffer
	}
	const roundings = 8
	by, factor := b.ratio()
	of := args.C
	args.By[2], of[2] = by, of[2]*factor
	want := combine(of, terms)
	if typeOf(4) == kernels.Float32 {
		for e, s := range want {
			want[e] = rounded(roundings, s)
		}
	}
	out := b.arrayOf(typeOf(4), roundAll(typeOf(4), numbers(n, b.number)))
	args.Out = out.Buffer
	b.values("Out of both types", b.call(func() { b.Device.Combine(args) }, out)[0], want, roundings)
}

func checkHalo(s *suite) {
	for _, c := range shapes() {
		for width := 1; width <= kernels.HaloWidth; width++ {
			s.one(fmt.Sprintf("%v-width-%d", c, width), func(b *bench) {
				before := b.noise(kernels.NewBox(c.n, c.flat))
				x := b.put(before)
				got := b.call(func() {
					b.Device.Halo(kernels.HaloArgs{Box: before.Box, X: x.Buffer, Periodic: c.periodic, Width: width})
				}, x)
				b.haloFilled(Field{before.Box, got[0]}, before, c.periodic, width)
			})
		}
	}
}

// haloFilled checks that exactly the halo layers of periodic axes hold the nodes that they repeat. Where a halo
// node also lies beyond a wall or beyond the width, it may hold its image there or what it held before.
func (b *bench) haloFilled(got, before Field, periodic [3]bool, width int) {
	b.Helper()
	left := before.Clone()
	eachHaloNode(before.Box, func(n Node) {
		from := image(before.Box, n, periodic, width)
		value := got.At(n)
		ghost := b.ghosts() && (n[1] < 0 || n[1] >= before.Box.N[1]) && !inside(before.Box, from)
		if want := before.At(from); !ghost && value != want && (inside(before.Box, from) || value != before.At(n)) {
			b.fail("X at %v is %v, want %v as at %v", n, value, want, from)
		}
		left.Set(n, value)
	})
	b.leaveGhosts(left, got.V)
	if !sameBits(left.V, got.V) {
		b.fail("padding was modified")
	}
}

func checkSetWall(s *suite) {
	for _, c := range walled() {
		for side := kernels.Left; side <= kernels.Top; side++ {
			if !present(kernels.NewBox(c.n, c.flat), side.Axis()) {
				continue
			}
			for _, face := range []bool{false, true} {
				s.one(fmt.Sprintf("%v-%v-face-%v", c, side, face), func(b *bench) { b.setWall(c, side, face) })
			}
		}
	}
}

// setWall checks that the nodes of a side, or its wall faces, take their values where they should.
func (b *bench) setWall(c setting, side kernels.Side, face bool) {
	before := b.noise(kernels.NewBox(c.n, c.flat))
	box, x := before.Box, b.put(before)
	where := b.array(numbers(box.WallNodes(side), func() float64 { return float64(b.rng.IntN(3) - 1) }))
	value := b.array(numbers(box.WallNodes(side), b.number))
	got := b.call(func() {
		b.Device.SetWall(kernels.SetWallArgs{
			Box: box, X: x.Buffer, Side: side, Face: face, Where: where.Buffer, Value: value.Buffer,
		})
	}, x)
	want := before.Clone()
	EachNode(box, func(n Node) {
		at := wallIndex(box, side, n)
		if !onSide(box, side, n) || where.host[at] == 0 {
			return
		}
		if face && !side.High() {
			n = shift(n, side.Axis(), -1)
		}
		want.Set(n, value.host[at])
	})
	if !sameBits(got[0], want.V) {
		b.fail("X is not as it was with the values of the wall in place")
	}
}

// reductionNames names the kinds of Reduce.
func reductionNames() []string {
	return []string{"Dot", "VolumeSum", "VolumeDot", "MaxAbs", "MaxDiff", "Sum", "Finite"}
}

// inFloat64 is the number of roundings, in units of the element type's ε, of a sum of all nodes in float64: at most
// one addition per node of a plane and one per level of the tree over planes, and four products.
func (b *bench) inFloat64(box kernels.Box) float64 {
	return float64(box.N[0]*box.N[1]+64) * kernels.Float64.Epsilon() / b.Elem.Epsilon()
}

func checkReduce(s *suite) {
	for number, name := range reductionNames() {
		kind := kernels.Reduction(number)
		for i, c := range shapes() {
			c.mask = []string{"free", "walls", "patches"}[i%3]
			s.one(name+"-"+c.String(), func(b *bench) {
				g, mask := b.grid(c), b.mask(c)
				x, y := b.noise(g.Box), b.noise(g.Box)
				if kind == kernels.Finite {
					b.spoil(x)
				}
				args := kernels.ReduceArgs{
					Kind: kind, Box: g.Box, X: b.put(x).Buffer, Mask: mask.Upload(&b.Memory), Slot: 60,
				}
				switch kind {
				case kernels.VolumeDot:
					args.Y, args.W = b.put(y).Buffer, b.Axes(g.W)
				case kernels.VolumeSum:
					args.W = b.Axes(g.W)
				case kernels.Dot, kernels.MaxDiff:
					args.Y = b.put(y).Buffer
				case kernels.MaxAbs:
					if i%2 == 1 {
						args.Value = 3. / 7 // rounded to the type
					}
				}
				got := b.callSlots(args.Slot, 1, func() { b.Device.Reduce(args) })
				b.values(name, got, []sum{reduce(kind, g, x, y, round(b.Elem, args.Value), mask)}, b.inFloat64(g.Box))
			})
		}
	}
}

// spoil replaces about a third of the values, halo and padding included, by NaN or infinity.
func (b *bench) spoil(x Field) {
	for i := range x.V {
		if b.rng.IntN(3) == 0 {
			x.V[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[b.rng.IntN(3)]
		}
	}
}

func checkRemoveMean(s *suite) {
	for _, c := range shapes() {
		for _, integrated := range []bool{false, true} {
			s.one(fmt.Sprintf("%v-integrated-%v", c, integrated), func(b *bench) {
				g := b.grid(c)
				before := b.noise(g.Box)
				x := b.put(before)
				args := kernels.RemoveMeanArgs{Box: g.Box, X: x.Buffer, W: b.Axes(g.W), Integrated: integrated}
				got := b.call(func() { b.Device.RemoveMean(args) }, x)
				b.nodes("X", got[0], before, removeMean(g, before, integrated), 6+b.inFloat64(g.Box))
			})
		}
	}
}

func checkHorizontalMean(s *suite) {
	s.each(shapes(), func(b *bench, c setting) {
		g := b.grid(c)
		out := b.array(numbers(c.n[2], b.number))
		w := b.Axes(g.W)
		mean := func(x Field) []float64 {
			args := kernels.HorizontalMeanArgs{Box: g.Box, X: b.put(x.Clone()).Buffer, W: w, Out: out.Buffer}
			return b.call(func() { b.Device.HorizontalMean(args) }, out)[0]
		}
		x := b.noise(g.Box)
		got := mean(x)
		for k, want := range horizontalMean(g, x) {
			bound := b.Elem.Epsilon() * (math.Abs(want.value) + b.inFloat64(g.Box)*want.size)
			if !(math.Abs(got[k]-want.value) <= bound) {
				b.fail("mean of plane %d is %v, want %v ± %.2g", k, got[k], want.value, bound)
			}
		}
		// A stable stratification stays at rest only if the mean of equal values is that value to the bit.
		levels := numbers(c.n[2], b.number)
		EachNode(g.Box, func(n Node) { x.Set(n, levels[n[2]]) })
		if !sameBits(mean(x), levels) {
			b.fail("the mean of equal values is another value")
		}
	})
}
