package devicetest

import "convect/kernels"

// lineRoundings bounds the roundings of an elimination: those of the residual and its conductances, and for each
// node of a column those of its pivot, its two parts and its right side, down and up. With 7 points all terms are positive, so that
// relative errors add up and are never amplified. With 27 a conductance may be negative, but is at
// least minus a third of what the same cells tie beside the column: a pivot is two fifths of its terms or more, and takes over
// a quarter of the error of the one below, so that nothing adds up there.
func lineRoundings(nodes int) float64 { return 2*ellipticRoundings + 16*float64(nodes) }

// lineSettings returns operators, and such whose columns are tied to nothing, or next to nothing, besides.
func lineSettings() []setting {
	all := operators()
	for _, s := range []setting{{n: [3]int{5, 4, 3}}, {n: [3]int{33, 1, 17}, flat: true}, {n: [3]int{3, 2, 16}, periodic: [3]bool{false, false, true}}} {
		for _, cells := range []string{"columns", "loose"} {
			s.cells, s.mass, s.mask = cells, "none", "free"
			all = append(all, s)
		}
	}
	return stencils(all)
}

func checkLineSmooth(s *suite) {
	s.each(lineSettings(), func(b *bench, c setting) {
		o := b.operator(c)
		u, f, before := b.field(o.Grid), b.noise(o.Box), b.noise(o.Box)
		a, us, fs, out := o.Upload(&b.Memory), b.put(u), b.put(f), b.put(before)
		const omega = 0.8
		smooth := func(out, u kernels.Buffer) func() {
			return func() {
				b.Device.LineSmooth(kernels.LineSmoothArgs{
					A: a, Out: out, U: u, F: fs.Buffer, Omega: omega, Periodic: c.periodic[kernels.Z],
				})
			}
		}
		roundings, want := lineRoundings(c.n[2]), o.lineSmooth(u, f, omega)
		b.nodes("Out", b.call(smooth(out.Buffer, us.Buffer), out)[0], before, want, roundings)
		b.nodes("Out in place of F", b.call(smooth(fs.Buffer, us.Buffer), fs, out)[0], f, want, roundings)
		zero := o.lineSmooth(NewField(o.Box), f, omega)
		b.nodes("Out from zero", b.call(smooth(out.Buffer, nil), out, fs)[0], before, zero, roundings)
	})
}
