package devicetest

import (
	"fmt"

	"convect/kernels"
)

func checkAddHeights(s *suite) {
	s.each(shapes(), func(b *bench, c setting) {
		before, column := b.noise(kernels.NewBox(c.n, c.flat)), numbers(c.n[2], b.number)
		x := b.put(before)
		args := kernels.AddHeightsArgs{Box: before.Box, X: x.Buffer, Column: b.Floats(column)}
		got := b.call(func() { b.Device.AddHeights(args) }, x)
		b.nodes("X", got[0], before, compute(before.Box, func(n Node) (s sum) {
			s.add(before.At(n))
			s.add(column[n[2]])
			return s
		}), 2)
	})
}

func checkAxisMean(s *suite) {
	for _, c := range shapes() {
		for axis := range 3 {
			if c.flat && axis == kernels.Y {
				continue
			}
			s.one(fmt.Sprintf("%v-axis-%d", c, axis), func(b *bench) {
				from := kernels.NewBox(c.n, c.flat)
				n := c.n
				n[axis] = 1
				of := kernels.NewBox(n, c.flat)
				part := numbers(c.n[axis], func() float64 { return round(b.Elem, b.between(0.5, 1.5)/float64(c.n[axis])) })
				x, spread, before, other := b.noise(from), b.noise(from), b.noise(of), b.noise(of)
				out, square := b.put(before), b.put(other)
				args := kernels.AxisMeanArgs{Box: of, From: from, Axis: axis, Part: b.Floats(part), Nodes: c.n[axis], X: b.put(x).Buffer, Out: out.Buffer}
				mean, squares := axisMean(of, axis, part, x, Field{})
				roundings := float64(c.n[axis] + 8)
				b.nodes("Out", b.call(func() { b.Device.AxisMean(args) }, out)[0], before, mean, roundings)
				args.Square = square.Buffer
				got := b.call(func() { b.Device.AxisMean(args) }, out, square)
				b.nodes("Out with Square", got[0], before, mean, roundings)
				b.nodes("Square", got[1], other, squares, roundings)
				args.Spread = b.put(spread).Buffer
				_, squares = axisMean(of, axis, part, x, spread)
				b.nodes("Square with Spread", b.call(func() { b.Device.AxisMean(args) }, out, square)[1], other, squares, roundings)
			})
		}
	}
}

func checkAccumulate(s *suite) {
	for _, c := range shapes() {
		for level, name := range []string{"mean", "square", "spread"} {
			s.one(fmt.Sprintf("%v-%s", c, name), func(b *bench) {
				box := kernels.NewBox(c.n, c.flat)
				x, before, mean := b.noise(box), b.noise(box), b.noise(box)
				var square, spread, spreadBefore Field
				own := []*array{b.put(before.Clone()), b.put(mean.Clone())}
				args := kernels.AccumulateArgs{Box: box, X: b.put(x).Buffer, Before: own[0].Buffer, Mean: own[1].Buffer, Dt: 0.25, Part: 0.125, Rest: 0.875}
				if level > 0 {
					square = b.noise(box)
					own = append(own, b.put(square.Clone()))
					args.Square = own[2].Buffer
				}
				if level > 1 {
					spread, spreadBefore = b.noise(box), b.noise(box)
					own = append(own, b.put(spreadBefore.Clone()))
					args.Spread, args.SpreadBefore = b.put(spread).Buffer, own[3].Buffer
				}
				const roundings = 12
				newMean, newSquare := accumulate(&args, x, before, mean, square, spread, spreadBefore)
				got := b.call(func() { b.Device.Accumulate(args) }, own...)
				same := func(f Field) result { return compute(box, func(n Node) sum { return exact(f.At(n)) }) }
				b.nodes("Before", got[0], before, same(x), 0)
				b.nodes("Mean", got[1], mean, newMean, roundings)
				if level > 0 {
					b.nodes("Square", got[2], square, newSquare, roundings)
				}
				if level > 1 {
					b.nodes("SpreadBefore", got[3], spreadBefore, same(spread), 0)
				}
			})
		}
	}
}

func checkNodeFlux(s *suite) {
	for _, lengths := range [][2]float64{{}, {0.3, 0.1}, {0, 0.2}} {
		for _, c := range operators() {
			s.one(fmt.Sprintf("%v-lengths-%v", c, lengths), func(b *bench) {
				o := b.operator(c)
				t, q, before := b.field(o.Grid), b.flow(o.Grid), b.noise(o.Box)
				_, qs := b.putFlow(q)
				out := b.put(before)
				for axis := range qs {
					if !o.present(axis) {
						continue
					}
					args := kernels.NodeFluxArgs{A: o.Upload(&b.Memory), Axis: axis, Q: qs, T: b.put(t).Buffer, Longitudinal: lengths[0], Transverse: lengths[1],
						Periodic: c.periodic, Out: out.Buffer}
					got := b.call(func() { b.Device.NodeFlux(args) }, out)
					b.nodes("flux along "+"xyz"[axis:axis+1], got[0], before, o.nodeFlux(axis, q, t, lengths[0], lengths[1]), darcyRoundings)
				}
			})
		}
	}
}
