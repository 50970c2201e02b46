package devicetest

import "convect/kernels"

// moments returns Σ V U, Σ V U², Σ F and Σ F² over free nodes.
func (o *Operator) moments(u, f Field) []sum {
	return []sum{reduce(kernels.VolumeSum, o.Grid, u, Field{}, 0, o.Mask), reduce(kernels.VolumeDot, o.Grid, u, u, 0, o.Mask),
		reduce(kernels.Sum, o.Grid, f, Field{}, 0, o.Mask), reduce(kernels.Dot, o.Grid, f, f, 0, o.Mask)}
}

// checkCorrect takes every operator that the device knows.
func checkCorrect(s *suite) {
	known := 0
	s.each(sweepable(), func(b *bench, c setting) {
		o := b.operator(c)
		a, d := o.Upload(&b.Memory), b.Device.(kernels.Corrector)
		if !d.Corrects(a) {
			return
		}
		known++
		u, f := b.field(o.Grid), b.noise(o.Box)
		args := kernels.CorrectArgs{A: a, U: b.put(u).Buffer, F: b.put(f).Buffer, Scale: 0.3, Inverse: 1e3, Slot: 11}
		zero := Field{o.Box, make([]float64, o.Box.Len)}
		from := args
		from.U = nil
		if b.Elem == kernels.Float32 {
			b.measured(o, d, args, u, f)
			b.measured(o, d, from, zero, f)
			return
		}
		b.corrected(o, d, args, u, f)
		b.corrected(o, d, from, zero, f)
	})
	s.found(known, "the device corrects no operator")
}

// measured checks Correct in float32.
func (b *bench) measured(o *Operator, d kernels.Corrector, args kernels.CorrectArgs, u, f Field) {
	left := o.residual(f, u)
	slots := b.callSlots(args.Slot, kernels.CorrectSlots, func() { d.Correct(args) })
	b.values("Σ (F - A U)²", slots, []sum{total(o.Box, func(n Node) sum {
		v, size := left.value.At(n), left.size.At(n)
		return sum{v * v, 2 * size * size}
	})}, 2*ellipticRoundings)
	b.values("Σ V U, Σ V U², Σ F, Σ F²", slots[1:], o.moments(u, f), 8)
}

// corrected checks Correct in float64, without and with a correction.
func (b *bench) corrected(o *Operator, d kernels.Corrector, args kernels.CorrectArgs, u, f Field) {
	e, before := b.field(o.Grid), b.noise(o.Box)
	for n, v := range e.V {
		e.V[n] = round(kernels.Float32, v)
	}
	r, out := b.arrayOf(kernels.Float32, make([]float64, len(e.V))), b.put(before)
	args.R = r.Buffer
	by, factor := b.ratio()
	args.By = by
	scale := args.Scale * factor
	var sums result
	for _, what := range []string{"", " of the correction"} {
		written := []*array{r}
		if what != "" {
			args.E, args.Out, args.Shift = b.arrayOf(kernels.Float32, e.V).Buffer, out.Buffer, 0.7
			written = append(written, out)
			first := u
			u = u.Clone()
			for n, v := range e.V {
				u.V[n] += scale*v + args.Shift
			}
			sums = compute(o.Box, func(n Node) (s sum) {
				s.add(first.At(n))
				s.add(scale * e.At(n))
				s.add(args.Shift)
				return s
			})
		}
		got := b.call(func() { d.Correct(args) }, written...)
		left := scaled(args.Inverse, o.residual(f, u))
		b.nodes("R in float32"+what, got[0], Field{o.Box, r.host}, roundedAll(ellipticRoundings, left), 2*ellipticRoundings)
		r.host = got[0]
		if what != "" {
			b.nodes("Out", got[1], before, sums, 4)
			out.host = got[1]
		}
		slots := b.callSlots(args.Slot, kernels.CorrectSlots, func() { d.Correct(args) })
		rounded := Field{o.Box, got[0]}
		b.values("Σ R²"+what, slots, []sum{reduce(kernels.Dot, o.Grid, rounded, rounded, 0, nil)}, b.inFloat64(o.Box))
		b.values("Σ V Out, Σ V Out², Σ F, Σ F²"+what, slots[1:], o.moments(u, f), 8+b.inFloat64(o.Box))
	}
}

// correctSamples are those of kernels.Corrector.
func correctSamples() []sample {
	return []sample{{"Correct", []string{"U", "F"}, kernels.CorrectSlots, func(b *bench) any {
		args := kernels.CorrectArgs{A: b.operator(setting{n: [3]int{5, 4, 3}, even: true, cells: "const", mass: "none", mask: "free"}).Upload(&b.Memory),
			U: b.x(), F: b.x(), Inverse: 1}
		if b.Elem == kernels.Float64 {
			args.R = b.arrayOf(kernels.Float32, make([]float64, b.sampleGrid().Box.Len)).Buffer
		}
		return args
	}}}
}
