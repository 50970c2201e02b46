package devicetest

import (
	"fmt"

	"convect/kernels"
)

// dispersionRoundings counts the roundings from an input to the result: 8 in a speed, 12 in slopes, 8 in products and 32 in sums.
const dispersionRoundings = 64

// dispersionChecks returns the checks of kernels.Dispersion.
func dispersionChecks() []check {
	return []check{{"Dispersivity", checkDispersivity}, {"Disperse", checkDisperse}}
}

func checkDispersivity(s *suite) {
	for i, c := range shapes() {
		constant, still := i%2 == 0, i%7 == 3
		s.one(fmt.Sprintf("%v-constant-%v-still-%v", c, constant, still), func(b *bench) {
			g := b.grid(c)
			q, before := b.flowOr(g, still), b.noise(g.Box)
			_, qs := b.putFlow(q)
			length := round(b.Elem, 0.37)
			args := kernels.DispersivityArgs{Box: g.Box, Periodic: c.periodic, Q: qs, K: 1.7, Length: length, Slot: 5}
			k := func(Node) float64 { return round(b.Elem, 1.7) }
			if !constant {
				cells := b.cells(g, 0)
				args.Cells, k = b.put(*cells).Buffer, cells.At
			}
			out := b.put(before)
			args.Out = out.Buffer
			want, most := g.dispersivity(q, k, length)
			got := b.call(func() { b.Device.Dispersivity(args) }, out)
			b.cellValues("Out", g, got[0], before, want, dispersionRoundings)
			out.host = got[0]
			b.values("largest", b.callSlots(args.Slot, 1, func() { b.Device.Dispersivity(args) }), []sum{most}, dispersionRoundings)
		})
	}
}

// flowOr returns a random flow, or one that rests.
func (b *bench) flowOr(g *Grid, still bool) flow {
	q := b.flow(g)
	for d := range q {
		for e := range q[d].V {
			if still {
				q[d].V[e] = 0
			}
		}
	}
	return q
}

// spreadingNames names the forms of the fluxes.
func spreadingNames() []string { return []string{"edges", "trilinear", "limited"} }

func checkDisperse(s *suite) {
	for number, name := range spreadingNames() {
		form := kernels.Spreading(number)
		for i, c := range shapes() {
			s.one(fmt.Sprintf("%v-%s", c, name), func(b *bench) {
				g := b.grid(c)
				q, before := b.flowOr(g, i%7 == 3), b.noise(g.Box)
				_, qs := b.putFlow(q)
				axis := i % 3
				if !g.present(axis) {
					axis = kernels.Z
				}
				l := dispersivities{round(b.Elem, 0.37), round(b.Elem, 0.041)}
				out := b.put(before)
				for kind, t := range b.temperatures(g) {
					args := kernels.DisperseArgs{Box: g.Box, H: b.Axes(g.H), RH: b.Axes(g.RH), Q: qs, T: b.put(t).Buffer,
						Longitudinal: l.longitudinal, Transverse: l.transverse, Form: form, Axis: axis, Out: out.Buffer, Slot: 9}
					gain, carried, dissipated := g.disperse(q, t, form, l, axis)
					want := compute(g.Box, func(n Node) (s sum) {
						s.add(before.At(n))
						s.addScaled(1, sum{gain.value.At(n), gain.size.At(n)})
						return s
					})
					slots := b.slots()
					got := b.call(func() { b.Device.Disperse(args) }, out)
					b.nodes("Out of "+kind+" T", got[0], before, want, dispersionRoundings)
					after := b.slots()
					b.values("flux and dissipation of "+kind+" T:", after[9:11], []sum{carried, dissipated}, dispersionRoundings+b.inFloat64(g.Box))
					if !sameBits(slots[:9], after[:9]) || !sameBits(slots[11:], after[11:]) {
						b.fail("other slots were modified")
					}
				}
			})
		}
	}
}
