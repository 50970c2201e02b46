package devicetest

import "convect/kernels"

// checkConjugate takes every operator that the device knows.
func checkConjugate(s *suite) {
	known := 0
	s.each(sweepable(), func(b *bench, c setting) {
		o := b.operator(c)
		a, d := o.Upload(&b.Memory), b.Device.(kernels.Conjugator)
		if !d.Conjugates(a) {
			return
		}
		known++
		x, p := b.freeField(o), b.freeField(o)
		before := b.noise(o.Box)
		out := b.put(before)
		args := kernels.ConjugateArgs{A: a, Out: out.Buffer, X: b.put(x).Buffer, P: b.put(p).Buffer, Scale: 0.7, Slot: 13}
		by, factor := b.ratio()
		args.By = by
		scale := args.Scale * factor
		want := compute(o.Box, func(n Node) (s sum) {
			s.add(x.At(n))
			s.add(scale * p.At(n))
			return s
		})
		got := b.call(func() { d.Conjugate(args) }, out)
		b.nodes("Out", got[0], before, want, 4)
		out.host = got[0]
		made := x.Clone()
		for n, v := range p.V {
			made.V[n] += scale * v
		}
		slots := b.callSlots(args.Slot, 1, func() { d.Conjugate(args) })
		b.values("Σ Out A Out", slots, []sum{o.energy(made)}, ellipticRoundings+8+b.inFloat64(o.Box))
	})
	s.found(known, "the device knows no operator")
}

// freeField draws a field that is zero at fixed nodes and at what repeats them.
func (b *bench) freeField(o *Operator) Field {
	x := b.field(o.Grid)
	EachNode(o.Box, func(n Node) { x.Set(n, o.Mask.At(n)*x.At(n)) })
	o.wrapHalo(x)
	return x
}

// conjugateSamples are those of kernels.Conjugator.
func conjugateSamples() []sample {
	return []sample{{"Conjugate", []string{"Out", "X", "P"}, 1, func(b *bench) any {
		a := b.operator(setting{n: [3]int{5, 4, 3}, even: true, cells: "shared", mass: "none", mask: "free"}).Upload(&b.Memory)
		return kernels.ConjugateArgs{A: a, Out: b.x(), X: b.x(), P: b.x(), Scale: 1}
	}}}
}
