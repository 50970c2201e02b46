package devicetest

import (
	"fmt"

	"convect/kernels"
)

// darcyRoundings counts the roundings from an input to the result: at most 12 in a conductance, 16 in a face
// temperature, 8 products and 14 sums.
const darcyRoundings = 64

// rayleigh is of the size of the flows of interest.
const rayleigh = 137.5

// darcyChecks returns the checks of kernels.Darcy.
func darcyChecks() []check {
	return []check{
		{"BuoyancySource", checkBuoyancySource},
		{"DarcyFlux", checkDarcyFlux},
		{"WallFlux", checkWallFlux},
		{"Advect", checkAdvect},
		{"AdvectMeasured", checkAdvectMeasured},
		{"AdvectMeasuredFlow", checkAdvectMeasuredFlow},
		{"Predict", checkPredict},
		{"Conserve", checkConserve},
		{"ConserveMeasured", checkConserveMeasured},
		{"PredictSingle", checkPredictSingle},
		{"NodeVelocity", checkNodeVelocity},
		{"NodeFlux", checkNodeFlux},
		{"FlowStatistics", checkFlowStatistics},
		{"HeatFlux", checkHeatFlux},
		{"Dissipation", checkDissipation},
		{"WallSum", checkWallSum},
		{"WallThrough", checkWallThrough},
		{"Streamfunction", checkStreamfunction},
	}
}

// flow returns random face velocities, random in all other elements too, with their periodic halo filled.
func (b *bench) flow(g *Grid) (q flow) {
	for d := range q {
		if g.present(d) {
			q[d] = b.field(g)
		}
	}
	return q
}

// putFlow uploads face velocities; an absent axis has none.
func (b *bench) putFlow(q flow) (arrays [3]*array, buffers [3]kernels.Buffer) {
	for d := range q {
		if q[d].V != nil {
			arrays[d] = b.put(q[d])
			buffers[d] = arrays[d].Buffer
		}
	}
	return arrays, buffers
}

// means returns random horizontal means.
func (b *bench) means(g *Grid) []float64 { return numbers(g.Box.N[2], b.number) }

func checkBuoyancySource(s *suite) {
	for i, c := range append(stencils(operators()), evenElements()...) {
		s.one(c.String(), func(b *bench) {
			o := b.operator(c)
			t, mean, q, before := b.field(o.Grid), b.means(o.Grid), b.flow(o.Grid), b.noise(o.Box)
			walls := [3]bool{i%2 == 0, i%3 == 0, i%4 < 2}
			if c.even {
				walls = [3]bool{}
			}
			_, qs := b.putFlow(q)
			for d := range qs {
				if !walls[d] {
					qs[d] = nil
				}
			}
			f := b.put(before)
			args := kernels.BuoyancySourceArgs{
				A: o.Upload(&b.Memory), T: b.put(t).Buffer, TMean: b.Floats(mean), Rayleigh: rayleigh,
				Q: qs, Periodic: c.periodic, F: f.Buffer,
			}
			got := b.call(func() { b.Device.BuoyancySource(args) }, f)
			b.nodes("F", got[0], before, o.buoyancySource(t, mean, rayleigh, q, walls), darcyRoundings)
		})
	}
}

func checkDarcyFlux(s *suite) {
	s.each(append(stencils(operators()), evenElements()...), func(b *bench, c setting) {
		o := b.operator(c)
		p, t, mean, before := b.field(o.Grid), b.field(o.Grid), b.means(o.Grid), b.flow(o.Grid)
		arrays, qs := b.putFlow(before)
		args := kernels.DarcyFluxArgs{
			A: o.Upload(&b.Memory), P: b.put(p).Buffer, T: b.put(t).Buffer, TMean: b.Floats(mean),
			Rayleigh: rayleigh, Q: qs, Periodic: c.periodic,
		}
		var written []*array
		var axes []int
		for d, a := range arrays {
			if a != nil {
				written, axes = append(written, a), append(axes, d)
			}
		}
		got := b.call(func() { b.Device.DarcyFlux(args) }, written...)
		for m, d := range axes {
			want := o.darcyFlux(d, p, t, mean, rayleigh)
			EachNode(o.Box, func(n Node) {
				if !o.inner(d, n) {
					want.value.Set(n, before[d].At(n))
				}
			})
			b.nodes("Q"+"xyz"[d:d+1], got[m], before[d], want, darcyRoundings)
		}
	})
}

func checkWallFlux(s *suite) {
	for i, c := range shapes() {
		s.one(c.String(), func(b *bench) {
			g := b.grid(c)
			q := b.flow(g)
			arrays, qs := b.putFlow(q)
			args := kernels.WallFluxArgs{Box: g.Box, W: b.Axes(g.W), Q: qs}
			share := b.shares(g, i)
			for side, values := range share {
				if values != nil {
					args.Share[side] = b.Floats(values)
				}
			}
			var written []*array
			for _, a := range arrays {
				if a != nil {
					written = append(written, a)
				}
			}
			got := b.call(func() { b.Device.WallFlux(args) }, written...)
			next := 0
			for d, want := range g.wallFlux(q, share) {
				if g.present(d) {
					b.wallFaces("Q"+"xyz"[d:d+1], Field{g.Box, got[next]}, want)
					next++
				}
			}
		})
	}
}

// shares returns random shares for some of the walls: some zero; where a node lies on several of the walls they
// add up to one.
func (b *bench) shares(g *Grid, pick int) (share shares) {
	for i, side := range g.walls() {
		if (pick+i)%3 < 2 {
			share[side] = numbers(g.Box.WallNodes(side), func() float64 { return b.between(0, 1) })
		}
	}
	EachNode(g.Box, func(n Node) {
		var all float64
		closed := b.rng.IntN(4) == 0
		for _, f := range g.faces(n) {
			all += share.of(g.Box, f, n)
		}
		for _, f := range g.faces(n) {
			if part := share.of(g.Box, f, n); part != 0 {
				part = round(b.Elem, part/all)
				if closed {
					part = 0
				}
				share[f.side][wallIndex(g.Box, f.side, n)] = part
			}
		}
	})
	return share
}

// wallFaces compares all elements of a face array with the reference; those of size zero must agree exactly.
func (b *bench) wallFaces(what string, got Field, want result) {
	b.Helper()
	for e, v := range got.V {
		w := sum{want.value.V[e], want.size.V[e]}
		if !within(v, w, darcyRoundings*b.Elem.Epsilon()) {
			b.fail("%s element %d is %v, want %v ± %.2g", what, e, v, w.value, darcyRoundings*b.Elem.Epsilon()*w.size)
			return
		}
	}
}

// schemeNames names the transport schemes.
func schemeNames() []string { return []string{"central", "tvd", "weno5"} }

// temperatures returns two kinds of temperature by name: random, and with many equal neighbours.
func (b *bench) temperatures(g *Grid) map[string]Field {
	return map[string]Field{"random": b.field(g), "steps": b.steps(g)}
}

func checkAdvect(s *suite) {
	for number, name := range schemeNames() {
		scheme := kernels.Scheme(number)
		for i, c := range shapes() {
			s.one(fmt.Sprintf("%v-%s", c, name), func(b *bench) {
				g := b.grid(c)
				q, before := b.flow(g), b.noise(g.Box)
				_, qs := b.putFlow(q)
				out := b.put(before)
				args := kernels.AdvectArgs{
					Box: g.Box, W: b.Axes(g.W), Q: qs, Periodic: c.periodic, Scheme: scheme, Out: out.Buffer,
				}
				var inflow wallArrays
				for m, side := range g.walls() {
					if (i+m)%2 == 0 {
						inflow[side] = numbers(g.Box.WallNodes(side), b.number)
						args.Inflow[side] = b.Floats(inflow[side])
					}
				}
				for kind, t := range b.temperatures(g) {
					args.T = b.put(t).Buffer
					got := b.call(func() { b.Device.Advect(args) }, out)
					b.nodes("Out of "+kind+" T", got[0], before, g.advect(scheme, q, t, inflow), darcyRoundings)
				}
			})
		}
	}
}

func checkNodeVelocity(s *suite) {
	s.each(shapes(), func(b *bench, c setting) {
		g := b.grid(c)
		q, before := b.flow(g), b.noise(g.Box)
		_, qs := b.putFlow(q)
		out := b.put(before)
		for axis := range qs {
			if !g.present(axis) {
				continue
			}
			args := kernels.NodeVelocityArgs{
				Box: g.Box, Q: qs[axis], Axis: axis, Periodic: c.periodic[axis], Out: out.Buffer,
			}
			got := b.call(func() { b.Device.NodeVelocity(args) }, out)
			want := compute(g.Box, func(n Node) sum { return g.nodeVelocity(axis, q[axis], n) })
			b.nodes("u"+"xyz"[axis:axis+1], got[0], before, want, 4)
		}
	})
}
