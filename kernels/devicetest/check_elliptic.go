package devicetest

import (
	"math"

	"convect/kernels"
)

// ellipticRoundings counts the roundings from an input of A u or D^-1 to the result: at most 3 in a width or its
// reciprocal, 4 products and 4 sums in a conductance, 14 sums over the faces, 1 each for s m, omega, 1/D and the
// update, D itself having as many as A u. Trilinear elements have 6 in a coefficient and 3 sums over 9 rows.
const ellipticRoundings = 48

// ellipticChecks returns the checks of kernels.Solvers.
func ellipticChecks() []check {
	return []check{
		{"Apply", checkApply},
		{"Residual", checkResidual},
		{"Smooth", checkSmooth},
		{"RedBlack", checkRedBlack},
		{"LineSmooth", checkLineSmooth},
		{"MassUpdate", checkMassUpdate},
		{"SolveCoarse", checkSolveCoarse},
		{"SolveFactored", checkSolveFactored},
		{"Correct", checkCorrect},
		{"Energy", checkEnergy},
		{"Conjugate", checkConjugate},
	}
}

func checkApply(s *suite) {
	s.each(sweepable(), func(b *bench, c setting) {
		o := b.operator(c)
		x, before := b.field(o.Grid), b.noise(o.Box)
		a, xs, y := b.sweepOperator(o), b.put(x), b.put(before)
		got := b.call(func() { b.Device.Apply(kernels.ApplyArgs{A: a, Y: y.Buffer, X: xs.Buffer}) }, y)
		b.nodes("Y", got[0], before, o.apply(x), ellipticRoundings)
	})
}

func checkResidual(s *suite) {
	s.each(sweepable(), func(b *bench, c setting) {
		o := b.operator(c)
		u, f, before := b.field(o.Grid), b.noise(o.Box), b.noise(o.Box)
		a, us, fs, r := b.sweepOperator(o), b.put(u), b.put(f), b.put(before)
		want := o.residual(f, u)
		got := b.call(func() {
			b.Device.Residual(kernels.ResidualArgs{A: a, R: r.Buffer, F: fs.Buffer, U: us.Buffer})
		}, r)
		b.nodes("R", got[0], before, want, ellipticRoundings)
		r.host = got[0]
		if b.Elem == kernels.Float64 {
			b.singleResidual(o, a, us, fs, want)
		}
		inPlace := b.call(func() {
			b.Device.Residual(kernels.ResidualArgs{A: a, R: fs.Buffer, F: fs.Buffer, U: us.Buffer})
		}, fs)
		b.nodes("R in place of F", inPlace[0], f, want, ellipticRoundings)
	})
}

// singleResidual checks the residual that is scaled and rounded to float32.
func (b *bench) singleResidual(o *Operator, a *kernels.Elliptic, u, f *array, want result) {
	b.Helper()
	const scale = 1e3
	before := b.noise(o.Box)
	for e, v := range before.V {
		before.V[e] = round(kernels.Float32, v)
	}
	r := b.arrayOf(kernels.Float32, before.V)
	got := b.call(func() {
		b.Device.Residual(kernels.ResidualArgs{A: a, R: r.Buffer, F: f.Buffer, U: u.Buffer, Scale: scale})
	}, r)
	r.host = got[0]
	b.nodes("R in float32", got[0], before, roundedAll(ellipticRoundings, scaled(scale, want)), ellipticRoundings)
}

func checkSmooth(s *suite) {
	s.each(sweepable(), func(b *bench, c setting) {
		o := b.operator(c)
		u, f, before := b.field(o.Grid), b.noise(o.Box), b.noise(o.Box)
		a, us, fs, out := b.sweepOperator(o), b.put(u), b.put(f), b.put(before)
		const omega = 6. / 7
		smooth := func(u kernels.Buffer) []float64 {
			return b.call(func() {
				b.Device.Smooth(kernels.SmoothArgs{A: a, Out: out.Buffer, U: u, F: fs.Buffer, Omega: omega})
			}, out)[0]
		}
		b.nodes("Out", smooth(us.Buffer), before, o.smooth(u, f, omega), ellipticRoundings)
		b.nodes("Out from zero", smooth(nil), before, o.smooth(NewField(o.Box), f, omega), ellipticRoundings)
	})
}

func checkRedBlack(s *suite) {
	s.each(operators(), func(b *bench, c setting) {
		o := b.operator(c)
		u, f := b.field(o.Grid), b.noise(o.Box)
		a, us, fs := o.Upload(&b.Memory), b.put(u), b.put(f)
		const omega = 1.15
		for colour := range 2 {
			got := b.call(func() {
				b.Device.RedBlack(kernels.RedBlackArgs{A: a, U: us.Buffer, F: fs.Buffer, Omega: omega, Colour: colour})
			}, us)
			what := []string{"U after colour 0", "U after colour 1"}[colour]
			b.nodes(what, got[0], u, o.redBlack(u, f, omega, colour), ellipticRoundings)
		}
	})
}

func checkMassUpdate(s *suite) {
	settings := operators()
	for i := range settings {
		if settings[i].mass == "none" {
			settings[i].mass = "volume"
		}
	}
	s.each(settings, func(b *bench, c setting) {
		o := b.operator(c)
		u, r := b.noise(o.Box), b.noise(o.Box)
		a, us, rs := o.Upload(&b.Memory), b.put(u), b.put(r)
		got := b.call(func() {
			b.Device.MassUpdate(kernels.MassUpdateArgs{A: a, U: us.Buffer, R: rs.Buffer})
		}, us)
		b.nodes("U", got[0], u, o.massUpdate(u, r), 8)
	})
}

// energy returns Σ X (A X) of an X that is zero at fixed nodes.
func (o *Operator) energy(x Field) sum {
	image := o.apply(x)
	return total(o.Box, func(n Node) sum {
		return sum{x.At(n) * image.value.At(n), math.Abs(x.At(n)) * image.size.At(n)}
	})
}

func checkEnergy(s *suite) {
	s.each(sweepable(), func(b *bench, c setting) {
		o := b.operator(c)
		x := b.freeField(o)
		args := kernels.EnergyArgs{A: b.sweepOperator(o), X: b.put(x).Buffer, Slot: 9}
		got := b.callSlots(args.Slot, 1, func() { b.Device.Energy(args) })
		b.values("Σ X A X", got, []sum{o.energy(x)}, ellipticRoundings+b.inFloat64(o.Box))
		before := b.noise(o.Box)
		image := b.put(before)
		args.Image = image.Buffer
		b.nodes("Image", b.call(func() { b.Device.Energy(args) }, image)[0], before, o.apply(x), ellipticRoundings)
		b.values("Σ X A X beside it", b.slots()[args.Slot:args.Slot+1], []sum{o.energy(x)}, ellipticRoundings+b.inFloat64(o.Box))
	})
}

// coarseSettings returns small operators without holes; masks fix at least one node unless a mass makes the
// operator regular or the case is singular.
func coarseSettings() (all []setting) {
	for _, s := range operators() {
		if s.n[0]*s.n[1]*s.n[2] > 729 || s.cells == "holes" {
			continue
		}
		if s.mass == "none" && s.mask == "patches" {
			s.mask = "walls"
		}
		all = append(all, s)
	}
	// Cubes, of which backends that keep all arrays at hand can keep some only just.
	for _, n := range [][3]int{{4, 4, 4}, {5, 5, 5}, {6, 6, 6}, {7, 7, 7}} {
		all = append(all, setting{n: n, cells: "three", mass: "none", mask: "free"})
	}
	return append(stencils(all), evenCoarse()...)
}

// evenCoarse gives operators of constant conductivity on grids of equal widths, which backends may solve directly: all that may lie at the ends of
// an axis, and none of it.
func evenCoarse() (all []setting) {
	for i, n := range [][3]int{{9, 9, 9}, {17, 6, 3}, {33, 5, 12}, {2, 2, 2}, {65, 3, 4}} {
		for j, mask := range []string{"free", "walls", "ends"} {
			for k, mass := range []string{"none", "volume"} {
				s := setting{n: n, even: true, cells: "const", mass: mass, mask: mask}
				if (i+j+k)%2 == 0 {
					s.stencil = kernels.TwentySevenPoint
				}
				all = append(all, s)
				s.periodic[kernels.Y] = true
				s.periodic[kernels.X], s.periodic[kernels.Z] = mask == "free", mask == "free" && mass == "none"
				if n[1] > 2 {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

func checkSolveCoarse(s *suite) {
	s.each(coarseSettings(), func(b *bench, c setting) {
		o := b.operator(c)
		f, before := b.noise(o.Box), b.noise(o.Box)
		args := kernels.SolveCoarseArgs{
			A: o.Upload(&b.Memory), Singular: c.mass == "none" && c.mask == "free", Periodic: c.periodic,
		}
		us, fs := b.put(before), b.put(f)
		args.U, args.F = us.Buffer, fs.Buffer
		written := []*array{us, fs}
		for i := range args.Work {
			w := b.put(b.noise(o.Box))
			args.Work[i] = w.Buffer
			written = append(written, w)
		}
		got := b.call(func() { b.Device.SolveCoarse(args) }, written...)
		if args.Singular {
			f = consistent(o.Grid, f)
		} else {
			left := f.Clone()
			if b.leaveGhosts(left, got[1]); !sameBits(got[1], left.V) {
				b.fail("F was modified")
			}
		}
		b.solved(o, Field{o.Box, got[0]}, f, args.Singular)
	})
}

// checkSolveFactored solves twice with the factors that the first call makes, then another operator with them, and with none.
func checkSolveFactored(s *suite) {
	s.each(coarseSettings(), func(b *bench, c setting) {
		o := b.operator(c)
		along, entries := kernels.CoarseFactors(o.Box.N, c.periodic)
		d := kernels.Optional{Device: b.Device}
		if entries == 0 || !d.FactorsCoarse(o.Upload(&b.Memory)) {
			return
		}
		kept, err := b.Device.Alloc(kernels.Float64, entries)
		if err != nil {
			b.Fatal(err)
		}
		defer b.Device.Free(kept)
		var written []*array
		for n, renew := range []bool{true, false, true, true} {
			factors := kept
			if n == 2 {
				o = b.operator(c)
			} else if n == 3 {
				factors = nil
			}
			f := b.noise(o.Box)
			us, fs := b.put(b.noise(o.Box)), b.put(f)
			args := kernels.SolveFactoredArgs{A: o.Upload(&b.Memory), U: us.Buffer, F: fs.Buffer, Factors: factors, Entries: entries, Along: along, Renew: renew,
				Singular: c.mass == "none" && c.mask == "free", Periodic: c.periodic}
			written = append([]*array{us, fs}, written...)
			got := b.call(func() { d.SolveFactored(args) }, written...)
			if args.Singular {
				f = consistent(o.Grid, f)
			}
			b.solved(o, Field{o.Box, got[0]}, f, args.Singular)
		}
	})
}

// solved checks that A U = F up to the rounding of U: |F - A U| in the Euclidean norm at most a small multiple of
// ε | |F| + |A| |U| |, which no solver in that element type can much undercut; that fixed nodes are zero; and that
// the mean of a singular solution is zero.
func (b *bench) solved(o *Operator, u, f Field, singular bool) {
	b.Helper()
	EachNode(o.Box, func(n Node) {
		if o.Mask.At(n) == 0 && u.At(n) != 0 {
			b.fail("fixed node %v is %v, want 0", n, u.At(n))
		}
	})
	o.wrapHalo(u)
	var residual, size float64
	EachNode(o.Box, func(n Node) {
		r := o.masked(n, o.residualAt(n, f, u))
		residual += r.value * r.value
		size += r.size * r.size
	})
	const roundings = 16
	if bound := roundings * b.Elem.Epsilon() * math.Sqrt(size); !(math.Sqrt(residual) <= bound) {
		b.fail("|F - A U| is %.3g, want at most %.3g", math.Sqrt(residual), bound)
	}
	mean := reduce(kernels.VolumeSum, o.Grid, u, Field{}, 0, nil)
	if singular && !within(mean.value, sum{0, mean.size}, roundings*b.Elem.Epsilon()) {
		b.fail("Σ V U is %.3g, want 0 ± %.2g", mean.value, roundings*b.Elem.Epsilon()*mean.size)
	}
}
