package devicetest

import (
	"fmt"

	"convect/kernels"
)

// measurable calls a check for every operator that the device conserves and measures, with fixed sides or none.
func (s *suite) measurable(run func(b *bench, o *Operator, a *kernels.Elliptic, c setting, number int)) {
	known := 0
	all := append(closedSettings(), setting{n: [3]int{37, 7, 9}}, setting{n: [3]int{65, 6, 5}, even: true})
	for _, c := range all {
		for _, stencil := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			c.cells, c.even, c.stencil = "shared", true, stencil
			all = append(all, c)
		}
	}
	for i, c := range all {
		if c.mask = "free"; c.cells != "shared" {
			c.cells = "const"
		}
		if c.mass == "none" || c.mass == "" {
			c.mass = "volume"
		}
		s.one(fmt.Sprint(c), func(b *bench) {
			o := b.operator(c)
			if i%4 != 3 {
				b.fix(o, true)
			}
			if a := o.Upload(&b.Memory); b.Device.(kernels.MeasuredConserver).ConservesMeasured(a) {
				known++
				run(b, o, a, c, i)
			}
		})
	}
	s.found(known, "the device conserves and measures nothing")
}

func checkConserveMeasured(s *suite) {
	s.measurable(func(b *bench, o *Operator, a *kernels.Elliptic, _ setting, number int) {
		x, e, f, before := b.noise(o.Box), b.field(o.Grid), b.noise(o.Box), b.noise(o.Box)
		for n, v := range e.V {
			e.V[n] = round(kernels.Float32, v)
		}
		EachNode(o.Box, func(n Node) { e.Set(n, o.Mask.At(n)*e.At(n)) })
		o.wrapHalo(e)
		outs, rs := b.put(before), b.put(b.noise(o.Box))
		args := kernels.ConserveMeasuredArgs{A: a, Out: outs.Buffer, X: b.put(x).Buffer, E: b.arrayOf(kernels.Float32, e.V).Buffer, F: b.put(f).Buffer,
			R: rs.Buffer, Scale: 0.25, Slot: 17}
		if number%3 == 1 { // in place
			args.X, x = args.Out, before
		}
		u := e.Clone()
		for n := range u.V {
			u.V[n] *= args.Scale
		}
		settled, r := o.settle(x, u, f)
		slots := b.slots()
		got := b.call(func() { b.Device.(kernels.MeasuredConserver).ConserveMeasured(args) }, outs, rs)
		after := b.slots()
		b.nodes("Out", got[0], before, settled, ellipticRoundings+8)
		left := Field{o.Box, rs.host}
		b.nodes("R", got[1], left, compute(o.Box, func(n Node) sum {
			if o.Mask.At(n) != 0 { // R is not written
				return exact(left.At(n))
			}
			return sum{r.value.At(n), r.size.At(n)}
		}), ellipticRoundings)
		b.values("Σ R²", after[args.Slot:], []sum{total(o.Box, func(n Node) sum {
			v, size := r.value.At(n), r.size.At(n)
			return o.masked(n, sum{v * v, 2 * size * size})
		})}, 2*ellipticRoundings+b.inFloat64(o.Box))
		if !sameBits(slots[:args.Slot], after[:args.Slot]) || !sameBits(slots[args.Slot+1:], after[args.Slot+1:]) {
			b.fail("other slots were modified")
		}
	})
}

// checkPredictSingle compares Single with F.
func checkPredictSingle(s *suite) {
	if s.elem != kernels.Float64 {
		return
	}
	s.measurable(func(b *bench, o *Operator, a *kernels.Elliptic, c setting, _ int) {
		if !(kernels.Optional{Device: b.Device}).PredictsSingle(a) {
			return
		}
		before := b.noise(o.Box)
		for n, v := range before.V {
			before.V[n] = round(kernels.Float32, v)
		}
		gs, fs, work, single := b.put(b.noise(o.Box)), b.put(b.noise(o.Box)), b.put(b.noise(o.Box)), b.arrayOf(kernels.Float32, before.V)
		args := kernels.PredictArgs{A: a, T: b.put(b.field(o.Grid)).Buffer, TPrev: b.put(b.field(o.Grid)).Buffer, N: b.put(b.noise(o.Box)).Buffer,
			NPrev: b.put(b.noise(o.Box)).Buffer, Omega: 0.7, A0: 1.4, A2: 0.3, E1: 1.6, E2: -0.6, Periodic: c.periodic, G: gs.Buffer, F: fs.Buffer,
			Work: work.Buffer, Single: single.Buffer, Inverse: 0x1p-9}
		got := b.call(func() { b.Device.Predict(args) }, gs, fs, work, single)
		f := Field{o.Box, got[1]}
		b.nodes("Single", got[3], before, compute(o.Box, func(n Node) sum {
			if o.Mask.At(n) == 0 {
				return exact(0)
			}
			return exact(round(kernels.Float32, args.Inverse*f.At(n)))
		}), 0)
	})
}

// conserveMeasuredSamples are those of kernels.MeasuredConserver.
func conserveMeasuredSamples() []sample {
	return []sample{{"ConserveMeasured", []string{"Out", "X", "F", "R"}, 1, func(b *bench) any {
		a := b.operator(setting{n: [3]int{5, 4, 3}, cells: "const", mass: "volume", mask: "free"}).Upload(&b.Memory)
		e := b.arrayOf(kernels.Float32, make([]float64, b.sampleGrid().Box.Len)).Buffer
		return kernels.ConserveMeasuredArgs{A: a, Out: b.x(), X: b.x(), E: e, F: b.x(), R: b.x(), Scale: 1}
	}}}
}
