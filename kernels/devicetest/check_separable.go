package devicetest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"convect/kernels"
)

// modesRoundings counts the roundings that a node adds to a column's solution.
const modesRoundings = 16

// separableChecks returns the checks of kernels.Separables.
func separableChecks() []check {
	return []check{{"Transform", checkTransform}, {"FastTransform", checkFastTransform}, {"Modes", checkModes}}
}

// separableShapes are those of boxes, and longer ones, for several blocks of results.
func separableShapes() (all []setting) {
	for _, c := range shapes() {
		if c.ends() == "" {
			all = append(all, c)
		}
	}
	for _, n := range [][3]int{{97, 3, 5}, {193, 2, 2}, {4, 130, 3}, {3, 211, 2}} {
		all = append(all, setting{n: n})
	}
	return append(all, setting{n: [3]int{289, 1, 4}, flat: true})
}

func foldingNames() []string { return []string{"whole", "forth", "back"} }

func checkTransform(s *suite) {
	for number, name := range foldingNames() {
		folding := kernels.Folding(number)
		for _, c := range separableShapes() {
			for axis := range 2 {
				if axis == kernels.Y && c.flat {
					continue
				}
				s.one(fmt.Sprintf("%v-%s-%c", c, name, "xy"[axis]), func(b *bench) {
					g := b.grid(c)
					in, before := b.noise(g.Box), b.noise(g.Box)
					matrix := b.transformMatrix(g.Box.N[axis], folding)
					out := b.put(before)
					args := kernels.TransformArgs{Box: g.Box, Axis: axis, Folding: folding, Matrix: b.Floats(matrix), Entries: len(matrix),
						In: b.put(in).Buffer, Out: out.Buffer}
					got := b.call(func() { b.Device.Transform(args) }, out)
					b.nodes("Out", got[0], before, transform(in, axis, folding, matrix), b.transformRoundings(g.Box.N[axis]))
				})
			}
		}
	}
}

func wavesNames() []string {
	return []string{1: "free", "fixed", "fixed high", "fixed low", "periodic"}
}

// wavesShapes are those of lines with numbers of points that have all small factors, odd numbers of lines, and more lines than a block has.
func wavesShapes() (all []setting) {
	for _, n := range [][3]int{{9, 3, 5}, {17, 2, 2}, {3, 16, 7}, {65, 5, 3}, {5, 33, 5}, {37, 2, 3}, {2, 41, 2}, {71, 3, 2}, {64, 2, 2}, {3, 25, 3}, {2, 127, 2}, {129, 3, 9}, {41, 129, 1 + 1},
		{35, 2, 2}, {2, 45, 3}, {23, 3, 2}, {2, 79, 2}, {144, 2, 3}, {513, 2, 3}, {3, 501, 2}, {1009, 2, 2}, {69, 3, 3}, {2, 153, 3}, {136, 5, 2}, {324, 2, 2}, {3, 323, 3}, {1026, 2, 2}, {801, 2, 2}, {3, 4097, 1 + 1},
		{205, 3, 2}, {3, 205, 5}, {1103, 2, 2}, {2, 2891, 2}, {5, 3, 49}, {33, 2, 91}, {2, 3, 120}} {
		all = append(all, setting{n: n})
	}
	return append(all, setting{n: [3]int{289, 1, 4}, flat: true})
}

// checkFastTransform compares with sums over all waves. Roundings are of the size of the largest sum, since lines share them in pairs.
func checkFastTransform(s *suite) {
	for number, name := range wavesNames() {
		w := kernels.Waves(number)
		if w == kernels.NoWaves {
			continue
		}
		for _, c := range wavesShapes() {
			for axis := range 3 {
				for _, back := range []bool{false, true} {
					if axis != kernels.X && c.flat {
						continue
					}
					s.one(fmt.Sprintf("%v-%s-%c-back %v", c, name, "xyz"[axis], back), func(b *bench) { b.fastTransform(c, axis, w, back) })
				}
			}
		}
	}
}

func (b *bench) fastTransform(c setting, axis int, w kernels.Waves, back bool) {
	d := kernels.Optional{Device: b.Device}
	g := b.grid(c)
	n := g.Box.N[axis]
	in, before, table := b.noise(g.Box), b.noise(g.Box), numbers(kernels.WavesEntries(n, w), b.number)
	points, parts := w.Period(n)
	for t := range points * parts {
		angle := 2 * math.Pi * float64(t) / float64(points*parts)
		table[2*t], table[2*t+1] = round(b.Elem, math.Cos(angle)), round(b.Elem, math.Sin(angle))
	}
	out := b.put(before)
	args := kernels.FastTransformArgs{Box: g.Box, Axis: axis, Waves: w, Back: back, Table: b.Floats(table), Entries: len(table), In: b.put(in).Buffer, Out: out.Buffer}
	if !d.TransformsFast(args) {
		return
	}
	got := b.call(func() { d.FastTransform(args) }, out)
	want := waves(in, axis, w, back, table[2*points*parts:])
	largest := slices.Max(want.size.V)
	for n, size := range want.size.V {
		if size > 0 {
			want.size.V[n] = largest
		}
	}
	b.nodes("Out", got[0], before, want, wavesRoundings)
}

// wavesRoundings counts the roundings of a fast transform of up to some thousand points: a number takes part in a few for each factor.
const wavesRoundings = 8

// transformRoundings counts the roundings of a sum of n products: one each, and 4 of folding and of what is stored. Where the tensor cores of a GPU multiply floats
// as pairs of 11 bits, what the lower numbers of both lack is worth 4, the product that is left out 1, folding 1, and 8 terms take three sums that are cut off, each
// worth 2: that is more for few terms.
func (b *bench) transformRoundings(n int) float64 {
	if b.Elem == kernels.Float32 && strings.HasPrefix(b.Device.Info().Instruction, "sm_") {
		return float64(max(n+4, 6+6*((n+7)/8)))
	}
	return float64(n + 4)
}

// transformMatrix returns random matrices, of zeros where they only pad.
func (b *bench) transformMatrix(n int, f kernels.Folding) []float64 {
	rows, pitch := kernels.TransformRows(n, f)
	parts, sizes := 1, [2]int{n, 0}
	if f != kernels.Whole {
		parts, sizes = 2, [2]int{(n + 1) / 2, n / 2}
	}
	m := make([]float64, parts*rows*pitch)
	for p := range parts {
		for i := range sizes[p] {
			for j := range sizes[p] {
				m[(p*rows+i)*pitch+j] = b.number()
			}
		}
	}
	return m
}

// modesShapes are those and longer columns: few of them, one, more than a block has, and so long ones, along z and along y, that neither registers nor shared memory have room for all of them.
func modesShapes() []setting {
	all := separableShapes()
	for _, n := range [][3]int{{5, 3, 17}, {9, 4, 70}, {33, 2, 129}, {41, 23, 67}, {5, 2, 515}, {3, 2, 1100}, {130, 2, 1100}, {3, 2, 1400}, {3, 2700, 2}, {257, 3, 1290}} {
		all = append(all, setting{n: n})
	}
	return append(all, setting{n: [3]int{301, 1, 90}, flat: true}, setting{n: [3]int{1, 1, 300}, flat: true})
}

func checkModes(s *suite) {
	for i, c := range modesShapes() {
		for n, kind := range []string{"plain", "fixed", "singular", "loose", "elements", "plain", "fixed", "singular", "loose", "elements"} {
			turned := n >= 5
			if kind == "fixed" && (c.n[2] < 3 || turned && c.n[1] < 3) || turned && c.flat {
				continue
			}
			name := fmt.Sprintf("%v-%s", c, kind)
			if turned {
				name += "-along y"
			}
			s.one(name, func(b *bench) { b.modes(c, kind, i, turned) })
		}
	}
}

func (b *bench) modes(c setting, kind string, number int, turned bool) {
	g := b.grid(c)
	args := kernels.ModesArgs{Box: g.Box, Turned: turned}
	m := b.tridiagonal(args.Turn(g.Box.N), kind, number)
	m.turned = turned
	before, work := b.noise(g.Box), b.put(b.noise(g.Box))
	x := b.put(before)
	args.X, args.Work, args.Table, args.Entries, args.Mass = x.Buffer, work.Buffer, b.Floats(m.table), len(m.table), m.mass
	args.Low, args.High, args.Singular = m.low, m.high, m.singular
	got := b.call(func() { b.Device.Modes(args) }, x, work)
	b.nodes("X", got[0], before, m.modes(before), modesRoundings*float64(m.n[2]))
}

// tridiagonal returns random systems of a kind: plain; fixed at one end or both; singular; loose, with couplings that differ by a factor of a million and
// next to nothing else; and elements, whose couplings depend on the vectors.
func (b *bench) tridiagonal(n [3]int, kind string, number int) *tridiagonal {
	m := &tridiagonal{n: n, mass: round(b.Elem, 0.7), table: numbers(kernels.ModesEntries(n), func() float64 { return b.between(0.5, 2) })}
	of := m.table[2*n[0]+2*n[1]:]
	row := func(h int) []float64 { return of[h*n[2]:][:n[2]] }
	scale := func(h int, c func(k int) float64) {
		for k := range row(h) {
			row(h)[k] = round(b.Elem, row(h)[k]*c(k))
		}
	}
	none := func(int) float64 { return 0 }
	share := none
	switch kind {
	case "fixed":
		m.low, m.high = number%3 != 0, number%3 != 1
	case "singular":
		m.singular, m.mass = true, 0
		scale(kernels.ModesTie, none)
		m.table[0], m.table[2*n[0]] = 0, 0
	case "loose":
		scale(kernels.ModesUp, func(k int) float64 { return []float64{1, 1e-3, 1e3}[k%3] })
		for _, h := range []int{kernels.ModesFirst, kernels.ModesSecond, kernels.ModesVolume, kernels.ModesTie} {
			scale(h, func(int) float64 { return 1e-7 })
		}
	case "elements":
		share = func(int) float64 { return 0.03 }
	}
	scale(kernels.ModesUpFirst, share)
	scale(kernels.ModesUpSecond, share)
	return m
}
