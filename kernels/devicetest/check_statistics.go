package devicetest

import (
	"fmt"

	"convect/kernels"
)

func checkFlowStatistics(s *suite) {
	s.each(shapes(), func(b *bed, c setting) {
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
		s.one(fmt.Sprintf("%v-%s", c, schemeNames()[number]), func(b *bed) {
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
	s.each(stencils(operators()), func(b *bed, c setting) {
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
			s.one(fmt.Sprintf("%v-%v", c, side), func(b *bed) {
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

func checkStreamfunction(s *suite) {
	for _, c := range shapes() {
		if !c.flat {
			continue
		}
		s.one(c.String(), func(b *bed) {
			g := b.symmetricGrid(c)
			q, before := b.flow(g), b.noise(g.Box)
			_, qs := b.putFlow(q)
			out := b.put(before)
			args := kernels.StreamfunctionArgs{
				Box: g.Box, W: b.Axes(g.W), Q: qs, Out: out.Buffer, Slot: 20, Periodic: c.periodic,
			}
			nodal, max, centre := g.streamfunction(q)
			roundings := float64(c.n[0] + c.n[2] + 8)
			got := b.call(func() { b.Device.Streamfunction(args) }, out)
			b.nodes("ψ", got[0], before, nodal, roundings)
			out.host = got[0]
			slots := b.callSlots(args.Slot, 2, func() { b.Device.Streamfunction(args) })
			b.values("max |ψ|, ψ at the centre:", slots, []sum{max, centre}, roundings)
		})
	}
}

// symmetricGrid returns the grid of a setting with widths that mirror each other, so that the nodes nearest to the
// centre are those in the middle of the index space.
func (b *bed) symmetricGrid(c setting) *Grid {
	g := b.grid(c)
	var widths [3][]float64
	for d := range widths {
		if !g.present(d) {
			continue
		}
		cells := g.Box.N[d] - 1
		if c.periodic[d] {
			cells++
		}
		for i := range cells {
			widths[d] = append(widths[d], g.H[d].At(min(i, cells-1-i)))
		}
	}
	return NewGrid(b.Elem, widths, c.periodic)
}
