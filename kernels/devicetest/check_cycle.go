package devicetest

import (
	"fmt"
	"slices"

	"convect/kernels"
)

// cycleChecks returns the checks of the kernels that make a level of a cycle in one pass.
func cycleChecks() []check {
	return []check{{"Descend", checkDescend}, {"Ascend", checkAscend}}
}

// cycleRoundings counts the roundings of so many sweeps, a residual and a transfer.
func cycleRoundings(sweeps int) float64 {
	return float64((sweeps+1)*ellipticRoundings + transferRoundings)
}

// weights are those of the sweeps.
var weights = [kernels.MaxSweeps]float64{0.57, 1.2, 0.9, 0.75}

// eachLevel runs a case for every transfer, with all numbers of sweeps, kinds of conductivity and of mass in turn; every third
// with 27 points, whose reference is slow.
func (s *suite) eachLevel(run func(b *bench, t transfer, sweeps int)) {
	cells, mass := []string{"const", "shared", "three", "holes"}, []string{"none", "volume", "buffer"}
	for i, t := range append(slices.DeleteFunc(transfers(), transfer.between), largeTransfer()) {
		t.fine.cells, t.fine.mass = cells[i%4], mass[i/4%3]
		if i%3 == 2 {
			t.fine.stencil = kernels.TwentySevenPoint
		}
		sweeps := (i+i/4)%kernels.MaxSweeps + 1
		s.one(fmt.Sprintf("%v-to-%dx%dx%d-%d-sweeps", t.fine, t.coarse.n[0], t.coarse.n[1], t.coarse.n[2], sweeps),
			func(b *bench) { run(b, t, sweeps) })
	}
	for i, t := range evenTransfers() {
		for n := range 3 {
			sweeps := 1 + n%2
			if n == 2 {
				sweeps, t.fine.stencil = 1+(i+i/3)%2, kernels.TwentySevenPoint
			}
			t.fine.mass = mass[(i+sweeps)%2]
			s.one(fmt.Sprintf("%v-%d-sweeps", t.fine, sweeps), func(b *bench) { run(b, t, sweeps) })
		}
		if t.fine.periodic != [3]bool{} {
			continue
		}
		t.fine.stencil, t.fine.cells = kernels.SevenPoint, []string{"shared", "three", "holes", "shared holes"}[i/3%4]
		for n, sweeps := range []int{1 + i/3%3, kernels.MaxSweeps} {
			t.fine.mass, t.fine.even = mass[(i/3+n)%3], n == 0
			s.one(fmt.Sprintf("%v-%d-sweeps", t.fine, sweeps), func(b *bench) { run(b, t, sweeps) })
		}
	}
	for i, t := range turningTransfers() {
		t.fine.cells, t.fine.mass = []string{"shared", "three", "holes"}[i%3], mass[i/3%3]
		sweeps := i%kernels.MaxSweeps + 1
		s.one(fmt.Sprintf("%v-%d-sweeps", t.fine, sweeps), func(b *bench) { run(b, t, sweeps) })
	}
}

// turningTransfers halve all axes of grids of any widths, periodic along x, y or both, and of planes: with rows that are whole vectors and others, of one tile
// and of several.
func turningTransfers() (all []transfer) {
	for i, coarse := range [][3]int{{4, 3, 4}, {33, 5, 7}, {64, 6, 5}, {9, 9, 9}, {301, 4, 3}, {17, 1, 30}, {33, 1, 5}, {1100, 1, 4}} {
		for j, periodic := range [][3]bool{{}, {true, false, false}, {false, true, false}, {true, true, false}} {
			flat := coarse[kernels.Y] == 1
			if flat && periodic[kernels.Y] || !flat && periodic == [3]bool{} {
				continue
			}
			c := setting{n: coarse, periodic: periodic, flat: flat, mask: []string{"free", "walls"}[(i+j)%2]}
			fine, factor := c, [3]int{2, 2, 2}
			for d := range fine.n {
				switch {
				case flat && d == kernels.Y:
					factor[d] = 1
				case periodic[d]:
					fine.n[d] = 2 * c.n[d]
				default:
					fine.n[d] = 2*c.n[d] - 1
				}
			}
			all = append(all, transfer{c, fine, factor})
		}
	}
	return all
}

// evenTransfers are those of grids of even widths: with rows of 2^k + 1 nodes and others, short and long, more rows and planes
// than a tile holds, periodic, fixed at walls or not.
func evenTransfers() (all []transfer) {
	for i, coarse := range [][3]int{{33, 5, 7}, {65, 4, 5}, {129, 5, 7}, {151, 4, 3}, {201, 3, 3}, {18, 15, 12}, {9, 9, 9}, {30, 4, 5}} {
		for j, periodic := range [][3]bool{{}, {true, false, false}, {false, true, true}} {
			c := setting{n: coarse, periodic: periodic, even: true, cells: "const", mask: []string{"free", "walls"}[(i+j)%2]}
			fine := c
			for d := range fine.n {
				fine.n[d] = 2*c.n[d] - 1
				if periodic[d] {
					fine.n[d]++
				}
			}
			all = append(all, transfer{c, fine, [3]int{2, 2, 2}})
		}
	}
	return all
}

// largeTransfer has a fine grid that is shared by threads.
func largeTransfer() transfer {
	fine := setting{n: [3]int{36, 30, 23}, periodic: [3]bool{true, true, false}, mask: "walls"}
	coarse := fine
	coarse.n = [3]int{18, 15, 12}
	return transfer{coarse, fine, [3]int{2, 2, 2}}
}

func checkDescend(s *suite) {
	s.eachLevel(func(b *bench, t transfer, sweeps int) {
		o, coarse, mask := b.operator(t.fine), b.grid(t.coarse).Box, b.mask(t.coarse)
		first, f, u, x := b.noise(o.Box), b.noise(o.Box), b.noise(o.Box), b.noise(coarse)
		firsts, fs, us, xs := b.put(first), b.put(f), b.put(u), b.put(x)
		args := kernels.CycleArgs{
			A: o.Upload(&b.Memory), Periodic: t.fine.periodic, Out: us.Buffer, F: fs.Buffer, Omega: weights, Sweeps: sweeps,
			Coarse: coarse, Factor: t.factor, CoarseX: xs.Buffer, CoarseMask: mask.Upload(&b.Memory),
		}
		b.keepFaces(o, args.A)
		check := func(from string, first Field) {
			got := b.call(func() { b.Device.Descend(args) }, us, xs)
			wantU, wantX := o.descend(first, f, weights[:sweeps], coarse, t.factor, mask)
			b.nodes("Out"+from, got[0], u, wantU, cycleRoundings(sweeps))
			b.nodes("CoarseX"+from, got[1], x, wantX, cycleRoundings(sweeps))
		}
		check(" from zero", NewField(o.Box))
		args.U = firsts.Buffer
		check("", first)
	})
}

func checkAscend(s *suite) {
	s.eachLevel(func(b *bench, t transfer, sweeps int) {
		o, coarse := b.operator(t.fine), b.grid(t.coarse)
		u, f, before, x := b.noise(o.Box), b.noise(o.Box), b.noise(o.Box), b.field(coarse)
		us, fs, out, xs := b.put(u), b.put(f), b.put(before), b.put(x)
		sweeps-- // none is allowed
		args := kernels.CycleArgs{
			A: o.Upload(&b.Memory), Periodic: t.fine.periodic, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Omega: weights,
			Sweeps: sweeps, Coarse: coarse.Box, Factor: t.factor, CoarseX: xs.Buffer,
		}
		b.keepFaces(o, args.A)
		want := o.ascend(u, f, x, weights[:sweeps], t.factor)
		got := b.call(func() { b.Device.Ascend(args) }, out)
		b.nodes("Out", got[0], before, want, cycleRoundings(sweeps))
		if !(kernels.Optional{Device: b.Device}).MeasuresCycles() {
			return
		}
		out.host = got[0]
		args.Measures, args.Slot = true, 19
		slots := b.callSlots(args.Slot, 1, func() { b.Device.Ascend(args) })
		b.values("Σ F Out", slots, []sum{reduce(kernels.Dot, o.Grid, f, Field{o.Box, got[0]}, 0, nil)}, 8+b.inFloat64(o.Box))
	})
}
