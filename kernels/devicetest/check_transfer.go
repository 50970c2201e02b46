package devicetest

import (
	"fmt"

	"convect/kernels"
)

// transferChecks returns the checks of kernels.Transfers.
func transferChecks() []check {
	return []check{{"Restrict", checkRestrict}, {"Prolong", checkProlong}, {"ProlongCubic", checkProlongCubic}, {"Inject", checkInject}}
}

// transferRoundings counts the roundings of a sum of 27 terms with exact weights, and one more addition.
const transferRoundings = 28

// transfer is a pair of boxes.
type transfer struct {
	coarse, fine setting
	factor       [3]int
}

// ratio returns the cells of the two grids.
func (t transfer) ratio() ratio {
	return ratioOf(kernels.NewBox(t.fine.n, t.fine.flat), kernels.NewBox(t.coarse.n, t.coarse.flat), t.fine.periodic)
}

// between tells whether coarse nodes lie between fine ones.
func (t transfer) between() bool { return kernels.AnyBetween(t.factor) }

// rounds returns how many roundings a transfer has, of so many where all weights are exact.
func (t transfer) rounds(exact float64) float64 {
	if t.between() {
		return exact + betweenRoundings
	}
	return exact
}

// betweenRoundings counts the roundings of more terms, 64 for 27, and of the weights of three axes.
const betweenRoundings = 64 - 27 + 6

// transfers returns coarse boxes with every useful choice of coarsened axes.
func transfers() (all []transfer) {
	factors := [][3]int{{2, 2, 2}, {2, 2, 1}, {0, 0, 0}, {1, 1, 2}, {2, 1, 2}, {1, 2, 2}, {0, 1, 0}, {2, 1, 1}, {1, 2, 1}, {0, 2, 1}, {2, 0, 0}, {1, 1, 1}}
	masks := []string{"free", "walls", "patches"}
	for i, coarse := range append(shapes(), setting{n: [3]int{18, 16, 14}}, setting{n: [3]int{129, 1, 65}, flat: true}) {
		for j, factor := range factors {
			if (coarse.flat && factor[1] != 1) || (i+j)%2 == 1 || coarse.large() {
				continue
			}
			fine := coarse
			for d := range fine.n {
				walls := 1
				if coarse.periodic[d] {
					walls = 0
				}
				switch cells := coarse.n[d] - walls; {
				case factor[d] == 2:
					fine.n[d] = 2*cells + walls
				case factor[d] == kernels.Between && cells > 1: // nearly twice as many, or half as many more
					fine.n[d] = []int{2*cells - 1, cells + (cells+1)/2}[(i+j+d)/2%2] + walls
				}
			}
			coarse.mask, fine.mask = masks[(i+j)/2%3], masks[(i+j)/2%3]
			all = append(all, transfer{coarse, fine, factor})
		}
	}
	return all
}

// eachTransfer runs a case for every transfer.
func (s *suite) eachTransfer(run func(b *bench, t transfer)) {
	for _, t := range transfers() {
		s.one(fmt.Sprintf("%v-to-%dx%dx%d", t.fine, t.coarse.n[0], t.coarse.n[1], t.coarse.n[2]), func(b *bench) {
			run(b, t)
		})
	}
}

// zeroBeyondWalls sets the halo to zero beyond walls and fills it at periodic ends.
func (g *Grid) zeroBeyondWalls(f Field) {
	eachHaloNode(f.Box, func(n Node) {
		if !inside(f.Box, n) {
			f.Set(n, 0)
		}
	})
	g.wrapHalo(f)
}

func checkRestrict(s *suite) {
	s.eachTransfer(func(b *bench, t transfer) {
		fine, coarse := b.grid(t.fine), b.grid(t.coarse)
		mask := b.mask(t.coarse)
		x, before := b.noise(fine.Box), b.noise(coarse.Box)
		fine.zeroBeyondWalls(x)
		xs, out := b.put(x), b.put(before)
		args := kernels.TransferArgs{
			Fine: fine.Box, Coarse: coarse.Box, Factor: t.factor, Periodic: t.fine.periodic,
			FineX: xs.Buffer, CoarseX: out.Buffer, Mask: mask.Upload(&b.Memory),
		}
		got := b.call(func() { b.Device.Restrict(args) }, out)
		b.nodes("CoarseX", got[0], before, restrict(coarse.Box, t.ratio(), x, mask), t.rounds(transferRoundings))
	})
}

func checkProlong(s *suite) {
	s.eachTransfer(func(b *bench, t transfer) {
		fine, coarse := b.grid(t.fine), b.grid(t.coarse)
		mask := b.mask(t.fine)
		before, x := b.noise(fine.Box), b.field(coarse)
		out, xs := b.put(before), b.put(x)
		args := kernels.TransferArgs{
			Fine: fine.Box, Coarse: coarse.Box, Factor: t.factor, Periodic: t.fine.periodic,
			FineX: out.Buffer, CoarseX: xs.Buffer, Mask: mask.Upload(&b.Memory),
		}
		got := b.call(func() { b.Device.Prolong(args) }, out)
		b.nodes("FineX", got[0], before, prolong(t.ratio(), before, x, mask), t.rounds(transferRoundings))
	})
}

// cubicRoundings counts those of a sum of 64 terms, whose weights take two more, and one more addition.
const cubicRoundings = 68

func checkProlongCubic(s *suite) {
	s.eachTransfer(func(b *bench, t transfer) {
		fine, coarse := b.grid(t.fine), b.grid(t.coarse)
		mask := b.mask(t.fine)
		before, x := b.noise(fine.Box), b.noise(coarse.Box)
		out, xs := b.put(before), b.put(x)
		args := kernels.TransferArgs{
			Fine: fine.Box, Coarse: coarse.Box, Factor: t.factor, Periodic: t.fine.periodic,
			FineX: out.Buffer, CoarseX: xs.Buffer, Mask: mask.Upload(&b.Memory),
		}
		got := b.call(func() { b.Device.ProlongCubic(args) }, out)
		b.nodes("FineX", got[0], before, prolongCubic(t.ratio(), t.fine.periodic, before, x, mask, false), t.rounds(cubicRoundings))
		args.Replaces = true
		got = b.call(func() { b.Device.ProlongCubic(args) }, out)
		b.nodes("FineX in place of what was there", got[0], before, prolongCubic(t.ratio(), t.fine.periodic, before, x, mask, true), t.rounds(cubicRoundings))
	})
}

func checkInject(s *suite) {
	s.eachTransfer(func(b *bench, t transfer) {
		fine, coarse := b.grid(t.fine), b.grid(t.coarse)
		x, before := b.noise(fine.Box), b.noise(coarse.Box)
		xs, out := b.put(x), b.put(before)
		args := kernels.TransferArgs{Fine: fine.Box, Coarse: coarse.Box, Factor: t.factor, Periodic: t.fine.periodic, FineX: xs.Buffer, CoarseX: out.Buffer}
		got := b.call(func() { b.Device.Inject(args) }, out)
		b.nodes("CoarseX", got[0], before, inject(coarse.Box, t.ratio(), t.fine.periodic, x), t.rounds(0))
	})
}
