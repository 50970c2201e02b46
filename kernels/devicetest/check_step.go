package devicetest

import (
	"fmt"

	"convect/kernels"
)

func checkAdvectMeasured(s *suite) {
	for i, c := range stencils(operators()) {
		number := (i / 2) % len(schemeNames())
		s.one(fmt.Sprintf("%v-%s", c, schemeNames()[number]), func(b *bench) {
			o := b.operator(c)
			q, before := b.flow(o.Grid), b.noise(o.Box)
			_, qs := b.putFlow(q)
			out := b.put(before)
			args := kernels.AdvectMeasuredArgs{A: o.Upload(&b.Memory), Enclosed: i%4 != 3, Slot: 13}
			args.AdvectArgs = kernels.AdvectArgs{Box: o.Box, W: args.A.W, Q: qs, Periodic: c.periodic, Scheme: kernels.Scheme(number),
				Out: out.Buffer}
			var inflow wallArrays
			for m, side := range o.walls() {
				if (i+m)%3 == 0 {
					inflow[side] = numbers(o.Box.WallNodes(side), b.number)
					args.Inflow[side] = b.Floats(inflow[side])
				}
			}
			args.Axis = []int{kernels.Z, kernels.X, kernels.Z, kernels.Y}[i%4]
			if !o.present(args.Axis) {
				args.Axis = kernels.Z
			}
			names := []string{"Σ V |u|²", "max |u|", "Courant rate", "max |Σ ± A Q|/V", "Σ ± A Q", "Σ |Σ ± A Q|", "Σ Out", "Σ m T",
				"heat flux", "dissipation"}
			if !args.Enclosed {
				names = names[:kernels.MeasuredDissipation]
			}
			for kind, t := range b.temperatures(o.Grid) {
				args.T = b.put(t).Buffer
				want := o.advect(args.Scheme, q, t, inflow)
				got := b.call(func() { b.Device.AdvectMeasured(args) }, out)
				b.nodes("Out of "+kind+" T", got[0], before, want, darcyRoundings)
				out.host = got[0]
				slots := b.callSlots(args.Slot, len(names), func() { b.Device.AdvectMeasured(args) })
				sums := o.advectMeasured(args.Scheme, args.Axis, q, t, want)
				for n, name := range names {
					b.values(name+" of "+kind+" T", slots[n:n+1], sums[n:n+1], darcyRoundings+b.inFloat64(o.Box))
				}
			}
		})
	}
}

// closedSettings gives diffusivities for AdvectMeasured with a flow: mostly those that a device may compute on its way, in boxes of all shapes, one of
// which has long columns.
func closedSettings() (all []setting) {
	for i, s := range append(shapes(), setting{n: [3]int{9, 6, 150}}) {
		s.cells, s.mass, s.mask = "const", []string{"none", "volume", "buffer"}[i%3], "free"
		if i%4 == 3 {
			s.cells = "shared"
		}
		if i%7 == 6 {
			s.stencil = kernels.TwentySevenPoint
		}
		all = append(all, s)
	}
	return append(all, evenElements()...)
}

// closedFlow returns face velocities, random but on the faces of walls, where they are zero.
func (b *bench) closedFlow(g *Grid) flow {
	q := b.flow(g)
	for d := range q {
		if g.present(d) && !g.Periodic[d] {
			close := func(n Node) {
				if n[d] == -1 || n[d] == g.Box.N[d]-1 {
					q[d].Set(n, 0)
				}
			}
			EachNode(g.Box, close)
			eachHaloNode(g.Box, close)
		}
	}
	return q
}

// checkAdvectMeasuredFlow compares AdvectMeasured where it makes the velocities itself, from T or from another field, with the reference for those that
// DarcyFlux and Halo make, or with 27 points, where a device may add up their terms otherwise, for those of the reference.
func checkAdvectMeasuredFlow(s *suite) {
	for i, c := range closedSettings() {
		number := []int{1, 0, 1, 1, 2}[i%5]
		s.one(fmt.Sprintf("%v-%s", c, schemeNames()[number]), func(b *bench) {
			o := b.operator(c)
			mobility := *o
			mobility.Mass, mobility.MassScale = nil, 0
			if o.Cells[0] == nil {
				mobility.K = [3]float64{0.8, 1.7, 0.3}
			}
			q, p, means, before := b.closedFlow(o.Grid), b.field(o.Grid), b.means(o.Grid), b.noise(o.Box)
			arrays, qs := b.putFlow(q)
			out := b.put(before)
			args := kernels.AdvectMeasuredArgs{A: o.Upload(&b.Memory), Axis: kernels.Z, Enclosed: i%3 != 2, Slot: 7}
			args.AdvectArgs = kernels.AdvectArgs{Box: o.Box, W: args.A.W, Q: qs, Periodic: c.periodic, Scheme: kernels.Scheme(number),
				Out: out.Buffer}
			if i%6 == 5 {
				args.Axis = kernels.X
			}
			args.Flow = kernels.DarcyFluxArgs{A: mobility.Upload(&b.Memory), P: b.put(p).Buffer, TMean: b.Floats(means),
				Rayleigh: rayleigh, Q: qs, Periodic: c.periodic}
			written := []*array{out}
			for _, a := range arrays {
				if a != nil {
					written = append(written, a)
				}
			}
			for kind, t := range b.temperatures(o.Grid) {
				args.T = b.put(t).Buffer
				drives := t
				if args.Flow.T = args.T; i%2 == 1 { // another field drives the flow
					drives = b.field(o.Grid)
					args.Flow.T = b.put(drives).Buffer
				}
				var want result
				var sums []sum
				if c.stencil == kernels.TwentySevenPoint {
					velocities, terms := mobility.closedFlow(p, drives, means)
					want, sums = o.trilinearAdvectMeasured(args, velocities, terms, t)
				} else {
					want, sums = b.closedAdvectMeasured(o, args, t)
				}
				got := b.call(func() { b.Device.AdvectMeasured(args) }, written...)
				b.nodes("Out of "+kind+" T", got[0], before, want, darcyRoundings)
				for n, a := range written {
					a.host = got[n]
				}
				slots := b.callSlots(args.Slot, len(sums), func() { b.Device.AdvectMeasured(args) })
				for n := range sums {
					b.values(fmt.Sprintf("sum %d of %s T", n, kind), slots[n:n+1], sums[n:n+1], darcyRoundings+b.inFloat64(o.Box))
				}
			}
		})
	}
}

// closedFlow returns the velocities of a flow that goes through no wall, and the sums of the magnitudes of their terms.
func (o *Operator) closedFlow(p, t Field, mean []float64) (q, terms flow) {
	for d := range q {
		if o.present(d) {
			r := o.darcyFlux(d, p, t, mean, rayleigh)
			q[d], terms[d] = r.value, r.size
			o.wrapHalo(q[d])
			o.wrapHalo(terms[d])
		}
	}
	return q, terms
}

// trilinearAdvectMeasured returns what AdvectMeasured with the velocities q should give, bounded by the terms of the velocities instead of these.
func (o *Operator) trilinearAdvectMeasured(args kernels.AdvectMeasuredArgs, q, terms flow, t Field) (out result, sums []sum) {
	out = o.advect(args.Scheme, q, t, wallArrays{})
	sums = o.advectMeasured(args.Scheme, args.Axis, q, t, out)
	for _, sign := range []float64{1, -1} {
		var up flow
		for d := range up {
			up[d] = terms[d].Clone()
			for e := range up[d].V {
				up[d].V[e] *= sign
			}
		}
		bound := o.advect(args.Scheme, up, t, wallArrays{})
		for e, v := range bound.size.V {
			out.size.V[e] += v
		}
		for n, v := range o.advectMeasured(args.Scheme, args.Axis, up, t, bound) {
			sums[n].size += v.size
		}
	}
	if !args.Enclosed {
		sums = sums[:kernels.MeasuredDissipation]
	}
	return out, sums
}

// closedAdvectMeasured returns what AdvectMeasured should then give, from the velocities of the device's own DarcyFlux.
func (b *bench) closedAdvectMeasured(o *Operator, args kernels.AdvectMeasuredArgs, t Field) (out result, sums []sum) {
	var q flow
	b.Device.DarcyFlux(args.Flow)
	for d, buffer := range args.Q {
		if buffer != nil {
			b.Device.Halo(kernels.HaloArgs{Box: o.Box, X: buffer, Periodic: args.Periodic, Width: 1})
			q[d] = Field{o.Box, b.read(buffer)}
		}
	}
	b.sync()
	out = o.advect(args.Scheme, q, t, wallArrays{})
	sums = o.advectMeasured(args.Scheme, args.Axis, q, t, out)
	if !args.Enclosed {
		sums = sums[:kernels.MeasuredDissipation]
	}
	return out, sums
}

// stepSettings gives operators with a mass.
func stepSettings() []setting {
	settings := stencils(operators())
	for i := range settings {
		if settings[i].mass == "none" {
			settings[i].mass = "volume"
		}
	}
	return settings
}

// fix fixes nodes of some walls, all or some of their nodes, and returns their values: those of an operator's mask.
func (b *bench) fix(o *Operator, all bool) (walls []wallValues) {
	for _, side := range []kernels.Side{kernels.Right, kernels.Bottom, kernels.Top} {
		if !all && side == kernels.Bottom {
			continue
		}
		n := o.Box.WallNodes(side)
		w := wallValues{side, Uniform(n, 1), numbers(n, b.number)}
		for e := range w.where {
			if !all {
				w.where[e] = float64(b.rng.IntN(2))
			}
		}
		walls = append(walls, w)
	}
	o.Mask = NewMask(o.Box, func(n Node) bool {
		for _, w := range walls {
			end := 0
			if w.side.High() {
				end = o.Box.N[w.side.Axis()] - 1
			}
			if n[w.side.Axis()] == end && w.where[wallIndex(o.Box, w.side, n)] != 0 {
				return false
			}
		}
		return true
	})
	return walls
}

// inside compares the nodes of an output with the reference; halo and padding may have changed.
func (b *bench) inside(what string, got []float64, want result, roundings float64) {
	b.Helper()
	b.nodes(what, got, Field{want.value.Box, got}, want, roundings)
}

func checkPredict(s *suite) {
	for i, c := range stepSettings() {
		s.one(fmt.Sprint(c), func(b *bench) {
			mask := c.mask
			c.mask = "free"
			o := b.operator(c)
			p := prediction{t: b.field(o.Grid), tPrev: b.field(o.Grid), n: b.noise(o.Box), nPrev: b.noise(o.Box), omega: 0.7, a0: 1.4, a2: 0.3,
				e1: 1.6, e2: -0.6}
			if i%5 == 4 {
				p.tPrev = p.t.Clone()
			}
			if i%3 != 2 {
				p.tOlder, p.bend = b.field(o.Grid), -0.4
			}
			if mask != "free" {
				p.walls = b.fix(o, mask == "walls")
			}
			gs, fs, work := b.put(b.noise(o.Box)), b.put(b.noise(o.Box)), b.put(b.noise(o.Box))
			args := kernels.PredictArgs{A: o.Upload(&b.Memory), T: b.put(p.t).Buffer, TPrev: b.put(p.tPrev).Buffer, N: b.put(p.n).Buffer,
				NPrev: b.put(p.nPrev).Buffer, Omega: p.omega, A0: p.a0, A2: p.a2, E1: p.e1, E2: p.e2, Periodic: c.periodic,
				G: gs.Buffer, F: fs.Buffer, Work: work.Buffer, Slot: 21}
			if i%2 == 0 {
				p.source = b.noise(o.Box)
				args.Source = b.put(p.source).Buffer
			}
			for n, w := range p.walls {
				args.Walls[2*n] = kernels.SetWallArgs{Box: o.Box, X: gs.Buffer, Side: w.side, Where: b.Floats(w.where), Value: b.Floats(w.value)}
			}
			if p.tOlder.V != nil {
				args.TOlder, args.Bend = b.put(p.tOlder).Buffer, p.bend
			}
			g, f, norms := o.predict(p)
			got := b.call(func() { b.Device.Predict(args) }, gs, fs, work)
			b.inside("G", got[0], g, 4)
			b.inside("F", got[1], f, ellipticRoundings)
			gs.host, fs.host, work.host = got[0], got[1], got[2]
			before := b.slots()
			args.Norms = true
			b.call(func() { b.Device.Predict(args) }, gs, fs, work)
			after := b.slots()
			if !sameBits(before[:args.Slot], after[:args.Slot]) || !sameBits(before[args.Slot+2:], after[args.Slot+2:]) {
				b.fail("other slots were modified")
			}
			b.values("norm", after[args.Slot:args.Slot+2], norms, 4*ellipticRoundings+b.inFloat64(o.Box))
		})
	}
}

func checkConserve(s *suite) {
	s.each(stepSettings(), func(b *bench, c setting) {
		o := b.operator(c)
		x, u, f := b.noise(o.Box), b.field(o.Grid), b.noise(o.Box)
		xs, us, rs := b.put(x), b.put(u), b.put(b.noise(o.Box))
		args := kernels.ConserveArgs{A: o.Upload(&b.Memory), X: xs.Buffer, U: us.Buffer, F: b.put(f).Buffer, R: rs.Buffer}
		settled, r := o.settle(x, u, f)
		got := b.call(func() { b.Device.Conserve(args) }, xs, us, rs)
		b.inside("X", got[0], settled, ellipticRoundings+8)
		EachNode(o.Box, func(n Node) {
			if o.Mask.At(n) != 0 { // R is lost
				e := o.Box.Index(n[0], n[1], n[2])
				got[2][e] = r.value.At(n)
			}
		})
		b.inside("R", got[2], r, ellipticRoundings)
	})
}
