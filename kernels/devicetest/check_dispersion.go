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
				out, held := b.put(before), b.noise(g.Box)
				for kind, t := range b.temperatures(g) {
					args := kernels.DisperseArgs{Box: g.Box, H: b.Axes(g.H), RH: b.Axes(g.RH), Q: qs, T: b.put(t).Buffer,
						Longitudinal: l.longitudinal, Transverse: l.transverse, Form: form, Axis: axis, Out: out.Buffer, Slot: 9}
					holding := b.holding(&args, g, q, held, i)
					gain, carried, dissipated := g.disperse(q, t, form, l, axis)
					want := compute(g.Box, func(n Node) (s sum) {
						s.add(before.At(n))
						s.addScaled(1, sum{gain.value.At(n), gain.size.At(n)})
						return s
					})
					slots := b.slots()
					got := b.call(func() { b.Device.Disperse(args) }, append([]*array{out}, holding.out...)...)
					b.nodes("Out of "+kind+" T", got[0], before, want, dispersionRoundings)
					if args.Held != nil {
						b.cellValues("Held", g, got[1], held, holding.want, dispersionRoundings)
						holding.out[0].host = got[1]
					}
					after := b.slots()
					b.values("flux and dissipation of "+kind+" T:", after[9:12], []sum{carried, dissipated, holding.most}, dispersionRoundings+b.inFloat64(g.Box))
					if !sameBits(slots[:9], after[:9]) || !sameBits(slots[12:], after[12:]) {
						b.fail("other slots were modified")
					}
				}
			})
		}
	}
}

// holding is what Disperse is to hold: where it goes, what it becomes, and the largest that is added.
type holding struct {
	out  []*array
	want result
	most sum
}

// holding asks every third kernel for nothing, and the others for what they hold beside a number and beside one in each cell.
func (b *bench) holding(a *kernels.DisperseArgs, g *Grid, q flow, before Field, kind int) (h holding) {
	if kind%3 == 0 {
		return h
	}
	a.HeldK, a.HeldLength = 1.7, round(b.Elem, 0.53)
	k := func(Node) float64 { return round(b.Elem, 1.7) }
	if kind%3 == 2 {
		cells := b.cells(g, 0)
		a.HeldCells, k = b.put(*cells).Buffer, cells.At
	}
	h.out = []*array{b.put(before)}
	a.Held = h.out[0].Buffer
	h.want, h.most = g.dispersivity(q, k, a.HeldLength)
	return h
}
