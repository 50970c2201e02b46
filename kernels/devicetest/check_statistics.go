package devicetest

import (
	"fmt"

	"convect/kernels"
)

func checkFlowStatistics(s *suite) {
	s.each(shapes(), func(b *bench, c setting) {
		g := b.grid(c)
		q := b.flow(g)
		_, qs := b.putFlow(q)
		args := kernels.FlowStatisticsArgs{Box: g.Box, W: b.Axes(g.W), Q: qs, Periodic: c.periodic, Slot: 7}
		got := b.callSlots(args.Slot, 6, func() { b.Device.FlowStatistics(args) })
		want := g.flowStatistics(q)
		names := []string{"Σ V |u|²", "max |u|", "Courant rate", "max |Σ ± A Q|/V", "Σ ± A Q", "Σ |Σ ± A Q|"}
		for i, name := range names {
			b.values(name, got[i:i+1], want[i:i+1], darcyRoundings+b.inFloat64(g.Box))
		}
	})
}

func checkHeatFlux(s *suite) {
	for i, c := range stencils(operators()) {
		number := i / 2 % len(schemeNames())
		s.one(fmt.Sprintf("%v-%s", c, schemeNames()[number]), func(b *bench) {
			o := b.operator(c)
			q := b.flow(o.Grid)
			_, qs := b.putFlow(q)
			args := kernels.HeatFluxArgs{
				A: o.Upload(&b.Memory), Periodic: c.periodic, Scheme: kernels.Scheme(number), Slot: 11,
			}
			for kind, t := range b.temperatures(o.Grid) {
				args.T = b.put(t).Buffer
				for axis := range qs {
					if !o.present(axis) {
						continue
					}
					args.Axis, args.Q = axis, qs[axis]
					got := b.callSlots(args.Slot, 1, func() { b.Device.HeatFlux(args) })
					want := []sum{o.heatFlux(args.Scheme, axis, q[axis], t)}
					b.values(fmt.Sprintf("heat of %s T along axis %d:", kind, axis), got, want,
						darcyRoundings+b.inFloat64(o.Box))
				}
			}
		})
	}
}

func checkDissipation(s *suite) {
	s.each(stencils(operators()), func(b *bench, c setting) {
		o := b.operator(c)
		t := b.field(o.Grid)
		args := kernels.DissipationArgs{
			A: o.Upload(&b.Memory), T: b.put(t).Buffer, Periodic: c.periodic, Slot: kernels.Slots - 1,
		}
		got := b.callSlots(args.Slot, 1, func() { b.Device.Dissipation(args) })
		b.values("dissipation", got, []sum{o.dissipation(t)}, darcyRoundings+b.inFloat64(o.Box))
	})
}

func checkWallSum(s *suite) {
	for _, c := range walled() {
		for side := kernels.Left; side <= kernels.Top; side++ {
			if !present(kernels.NewBox(c.n, c.flat), side.Axis()) {
				continue
			}
			s.one(fmt.Sprintf("%v-%v", c, side), func(b *bench) {
				x := b.noise(kernels.NewBox(c.n, c.flat))
				weight := numbers(x.Box.WallNodes(side), b.number)
				args := kernels.WallSumArgs{
					Box: x.Box, X: b.put(x).Buffer, Side: side, Weight: b.Floats(weight), Slot: 0,
				}
				got := b.callSlots(0, 1, func() { b.Device.WallSum(args) })
				b.values("sum", got, []sum{wallSum(x, side, weight)}, 2+b.inFloat64(x.Box))
			})
		}
	}
}

func checkWallThrough(s *suite) {
	for i, c := range walled() {
		for side := kernels.Left; side <= kernels.Top; side++ {
			if !present(kernels.NewBox(c.n, c.flat), side.Axis()) {
				continue
			}
			s.one(fmt.Sprintf("%v-%v", c, side), func(b *bench) {
				g := b.grid(c)
				q, t := b.field(g), b.noise(g.Box)
				weight := numbers(g.Box.WallNodes(side), b.number)
				args := kernels.WallThroughArgs{Box: g.Box, Q: b.put(q).Buffer, T: b.put(t).Buffer, Side: side, Weight: b.Floats(weight), Slot: 9}
				var inflow []float64
				if (i+int(side))%3 != 0 {
					inflow = numbers(g.Box.WallNodes(side), b.number)
					args.Inflow = b.Floats(inflow)
				}
				got := b.callSlots(args.Slot, 2, func() { b.Device.WallThrough(args) })
				flow, carried := wallThrough(q, t, side, inflow, weight)
				b.values("flow, carried:", got, []sum{flow, carried}, 3+b.inFloat64(g.Box))
			})
		}
	}
}

func checkStreamfunction(s *suite) {
	for _, c := range shapes() {
		if !c.flat {
			continue
		}
		s.one(c.String(), func(b *bench) {
			g := b.grid(c)
			q, before := b.flow(g), b.noise(g.Box)
			_, qs := b.putFlow(q)
			out := b.put(before)
			args := kernels.StreamfunctionArgs{
				Box: g.Box, W: b.Axes(g.W), Q: qs, Out: out.Buffer, Slot: 20, Periodic: c.periodic,
			}
			at := b.place(g)
			args.Centre, args.Part = at.node, at.part
			nodal, max, centre := g.streamfunction(q, at)
			roundings := float64(c.n[0] + c.n[2] + 8)
			got := b.call(func() { b.Device.Streamfunction(args) }, out)
			b.nodes("ψ", got[0], before, nodal, roundings)
			out.host = got[0]
			slots := b.callSlots(args.Slot, 2, func() { b.Device.Streamfunction(args) })
			b.values("max |ψ|, ψ at the centre:", slots, []sum{max, centre}, roundings)
		})
	}
}

// place returns a random place among the nodes of a grid.
func (b *bench) place(g *Grid) (c centre) {
	for d, n := range g.Box.N {
		c.node[d] = b.rng.IntN(n)
		if c.node[d] < n-1 && b.rng.IntN(3) > 0 {
			c.part[d] = b.rng.Float64()
		}
	}
	return c
}
