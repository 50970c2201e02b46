package devicetest

import (
	"fmt"

	"convect/kernels"
)

// tilings returns settings of operators with tiles, margins and numbers of sweeps in turn.
func tilings() (all []blocks) {
	for _, b := range []blocks{{tile: [2]int{2, 3}, margin: 1}, {tile: [2]int{4, 2}, margin: 2}, {tile: [2]int{3, 5}}, {tile: [2]int{100, 4}, margin: 1},
		{tile: [2]int{8, 100}, margin: 5}} {
		b.omega = weights[:]
		all = append(all, b)
	}
	return all
}

func checkHierarchicalSmooth(s *suite) {
	for i, c := range operators() {
		if i%4 == 3 && !c.large() { // the reference is slow
			c.stencil = kernels.TwentySevenPoint
		}
		tiles := tilings()[i%5]
		tiles.omega = tiles.omega[:1+(i+i/5)%len(tiles.omega)]
		s.one(fmt.Sprintf("%v-tiles-%dx%d-margin-%d-%d-sweeps", c, tiles.tile[0], tiles.tile[1], tiles.margin, len(tiles.omega)), func(b *bench) {
			o := b.operator(c)
			u, f, before := b.noise(o.Box), b.noise(o.Box), b.noise(o.Box)
			us, fs, out := b.put(u), b.put(f), b.put(before)
			args := kernels.HierarchicalSmoothArgs{A: o.Upload(&b.Memory), Periodic: c.periodic, Out: out.Buffer, U: us.Buffer, F: fs.Buffer,
				Sweeps: len(tiles.omega), Tile: tiles.tile, Margin: tiles.margin}
			copy(args.Omega[:], tiles.omega)
			roundings := cycleRoundings(len(tiles.omega))
			smooth := func() { b.Device.HierarchicalSmooth(args) }
			b.nodes("Out", b.call(smooth, out)[0], before, o.hierarchicalSmooth(u, f, tiles), roundings)
			if c.large() {
				return
			}
			args.U = nil
			b.nodes("Out from zero", b.call(smooth, out)[0], before, o.hierarchicalSmooth(NewField(o.Box), f, tiles), roundings)
		})
	}
}
