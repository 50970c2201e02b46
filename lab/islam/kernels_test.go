package islam_test

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/lab/islam"
	"convect/lab/labtest"
)

// Roundings of a mean of four neighbours and f, four additions and a product, and of six.
const (
	planeRoundings = 5
	cubeRoundings  = 8
)

func on(t testing.TB, d kernels.Device) islam.Kernels {
	k, ok := islam.On(d)
	if !ok {
		t.Fatal("the device has no kernels")
	}
	return k
}

// guest is the suite of the kernels.
func guest(t testing.TB) devicetest.Guest {
	return devicetest.Guest{
		Checks: []devicetest.GuestCheck{
			{Kernel: "HierarchicalJacobi", Run: func(one func(string, func(*devicetest.Bench))) { checkPlane(t, one) }},
			{Kernel: "HierarchicalCube", Run: func(one func(string, func(*devicetest.Bench))) { checkCube(t, one) }},
			{Kernel: "HierarchicalSmooth", Run: func(one func(string, func(*devicetest.Bench))) { checkSmooth(t, one) }},
		},
		Samples: []devicetest.GuestSample{{Kernel: "HierarchicalJacobi", Paths: []string{"Out", "U", "F"},
			Args: func(b *devicetest.Bench) any {
				box := kernels.NewBox([3]int{5, 1, 3}, true)
				x := func() kernels.Buffer { return b.Put(b.Noise(box).V).Buffer }
				return islam.HierarchicalJacobiArgs{Box: box, Out: x(), U: x(), F: x(), Tile: [2]int{2, 2}, Sweeps: 2}
			},
			Call: func(d kernels.Device, args any) { on(t, d).HierarchicalJacobi(args.(islam.HierarchicalJacobiArgs)) },
		}, {Kernel: "HierarchicalCube", Paths: []string{"Out", "U", "F"},
			Args: func(b *devicetest.Bench) any {
				box := kernels.NewBox([3]int{5, 4, 3}, false)
				x := func() kernels.Buffer { return b.Put(b.Noise(box).V).Buffer }
				return islam.HierarchicalCubeArgs{Box: box, Out: x(), U: x(), F: x(), Tile: [3]int{2, 2, 2}, Sweeps: 2}
			},
			Call: func(d kernels.Device, args any) { on(t, d).HierarchicalCube(args.(islam.HierarchicalCubeArgs)) },
		}, {Kernel: "HierarchicalSmooth", Paths: devicetest.OperatorPaths("Out", "U", "F"),
			Args: func(b *devicetest.Bench) any {
				a := b.SampleOperator()
				x := func() kernels.Buffer { return b.Put(b.Noise(a.Box).V).Buffer }
				return islam.HierarchicalSmoothArgs{A: a, Out: x(), U: x(), F: x(), Sweeps: 2, Tile: [2]int{2, 2}}
			},
			Call: func(d kernels.Device, args any) { on(t, d).HierarchicalSmooth(args.(islam.HierarchicalSmoothArgs)) },
		}},
	}
}

func checkPlane(t testing.TB, one func(string, func(*devicetest.Bench))) {
	for _, n := range [][2]int{{3, 3}, {9, 16}, {18, 18}, {35, 20}, {66, 34}, {71, 19}} {
		box := kernels.NewBox([3]int{n[0], 1, n[1]}, true)
		for _, c := range []struct{ wide, high, overlap, sweeps int }{
			{1, 1, 0, 2}, {16, 4, 0, 1}, {16, 16, 0, 3}, {16, 16, 4, 4}, {8, 8, 6, 5}, {5, 7, 2, 2}, {33, 9, 8, 9}, {200, 200, 2, 6}, {7, 3, 2, 1},
		} {
			for _, lines := range []bool{true, false} {
				name := fmt.Sprintf("%dx%d-%dx%d-overlap-%d-%d-sweeps-lines=%v", n[0], n[1], c.wide, c.high, c.overlap, c.sweeps, lines)
				one(name, func(b *devicetest.Bench) {
					u, f, before := b.Noise(box), b.Noise(box), b.Noise(box)
					us, fs, out := b.Put(u.V), b.Put(f.V), b.Put(before.V)
					a := islam.HierarchicalJacobiArgs{Box: box, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Lines: lines,
						Tile: [2]int{c.wide, c.high}, Overlap: c.overlap, Sweeps: c.sweeps}
					got := b.Call(func() { on(t, b.Device).HierarchicalJacobi(a) }, out)
					want, size := relaxed(blocksOf(a), u, f)
					b.Nodes("Out", got[0], before, want, size, float64(planeRoundings*c.sweeps))
				})
			}
		}
	}
}

func checkCube(t testing.TB, one func(string, func(*devicetest.Bench))) {
	for _, n := range [][3]int{{3, 3, 3}, {9, 5, 7}, {18, 18, 18}, {20, 19, 35}, {35, 20, 6}} {
		box := kernels.NewBox(n, false)
		for _, c := range []struct {
			tile            [3]int
			overlap, sweeps int
		}{
			{[3]int{1, 1, 1}, 0, 2}, {[3]int{16, 4, 8}, 0, 1}, {[3]int{16, 16, 16}, 0, 3}, {[3]int{16, 16, 16}, 4, 4}, {[3]int{8, 8, 8}, 6, 3}, {[3]int{7, 5, 9}, 2, 2},
			{[3]int{33, 9, 10}, 8, 5}, {[3]int{200, 200, 200}, 2, 4},
		} {
			one(fmt.Sprintf("%dx%dx%d-%dx%dx%d-overlap-%d-%d-sweeps", n[0], n[1], n[2], c.tile[0], c.tile[1], c.tile[2], c.overlap, c.sweeps), func(b *devicetest.Bench) {
				u, f, before := b.Noise(box), b.Noise(box), b.Noise(box)
				us, fs, out := b.Put(u.V), b.Put(f.V), b.Put(before.V)
				a := islam.HierarchicalCubeArgs{Box: box, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Tile: c.tile, Overlap: c.overlap, Sweeps: c.sweeps}
				got := b.Call(func() { on(t, b.Device).HierarchicalCube(a) }, out)
				want, size := relaxed(cubesOf(a), u, f)
				b.Nodes("Out", got[0], before, want, size, float64(cubeRoundings*c.sweeps))
			})
		}
	}
}

// owned is the range of unknowns of a block along an axis, and the part that it hands on.
type owned struct{ first, end, own, ownEnd int }

// cycle is what a cycle does: the axes along which it takes means, its sweeps, and the parts of each axis.
type cycle struct {
	axes   []int
	sweeps int
	parts  [3][]owned
}

// partsOf cuts the unknowns low..high-1 of an axis.
func partsOf(blocks, tile, overlap, low, high int) (all []owned) {
	for b := range blocks {
		p := owned{first: low + b*(tile-overlap)}
		p.end = min(p.first+tile, high)
		p.own, p.ownEnd = p.first, p.end
		if b > 0 {
			p.own += overlap / 2
		}
		if b < blocks-1 {
			p.ownEnd -= overlap / 2
		}
		all = append(all, p)
	}
	return all
}

func blocksOf(a islam.HierarchicalJacobiArgs) cycle {
	n, blocks := a.Box.N, a.Blocks()
	c := cycle{axes: []int{kernels.X, kernels.Z}, sweeps: a.Sweeps}
	c.parts = [3][]owned{partsOf(blocks[0], a.Tile[0], a.Overlap, 1, n[0]-1), {{0, 1, 0, 1}}, partsOf(blocks[1], a.Tile[1], a.Overlap, 1, n[2]-1)}
	if a.Lines {
		c.axes, c.parts[2] = c.axes[:1], partsOf(blocks[1], a.Tile[1], 0, 0, n[2])
	}
	return c
}

func cubesOf(a islam.HierarchicalCubeArgs) cycle {
	c, blocks := cycle{axes: []int{kernels.X, kernels.Y, kernels.Z}, sweeps: a.Sweeps}, a.Blocks()
	for d := range c.parts {
		c.parts[d] = partsOf(blocks[d], a.Tile[d], a.Overlap, 1, a.Box.N[d]-1)
	}
	return c
}

// relaxed returns what a cycle hands on, block after block, each from u, and a bound of all that it computes.
func relaxed(c cycle, u, f devicetest.Field) (out, size devicetest.Field) {
	out, size = devicetest.NewField(u.Box), devicetest.NewField(u.Box)
	largest, source := 0.0, 0.0
	devicetest.EachNode(u.Box, func(n devicetest.Node) {
		out.Set(n, u.At(n))
		largest, source = math.Max(largest, math.Abs(u.At(n))), math.Max(source, math.Abs(f.At(n)))
	})
	bound := largest + float64(c.sweeps)*source/float64(2*len(c.axes)) // no sweep makes more of it
	now := u.Clone()
	for _, z := range c.parts[2] {
		for _, y := range c.parts[1] {
			for _, x := range c.parts[0] {
				first, end := devicetest.Node{x.first, y.first, z.first}, devicetest.Node{x.end, y.end, z.end}
				for range c.sweeps {
					sweep(c.axes, first, end, now, f)
				}
				each(devicetest.Node{x.own, y.own, z.own}, devicetest.Node{x.ownEnd, y.ownEnd, z.ownEnd}, func(n devicetest.Node) {
					out.Set(n, now.At(n))
					size.Set(n, bound)
				})
				each(first, end, func(n devicetest.Node) { now.Set(n, u.At(n)) })
			}
		}
	}
	return out, size
}

// sweep makes a sweep on the unknowns of a block.
func sweep(axes []int, first, end devicetest.Node, now, f devicetest.Field) {
	var next []float64
	each(first, end, func(n devicetest.Node) {
		sum := f.At(n)
		for _, d := range axes {
			low, high := n, n
			low[d], high[d] = n[d]-1, n[d]+1
			sum += now.At(low) + now.At(high)
		}
		next = append(next, sum/float64(2*len(axes)))
	})
	each(first, end, func(n devicetest.Node) {
		now.Set(n, next[0])
		next = next[1:]
	})
}

// each calls visit for all low <= n < high.
func each(low, high devicetest.Node, visit func(n devicetest.Node)) {
	for k := low[2]; k < high[2]; k++ {
		for j := low[1]; j < high[1]; j++ {
			for i := low[0]; i < high[0]; i++ {
				visit(devicetest.Node{i, j, k})
			}
		}
	}
}

func TestConformance(t *testing.T) { labtest.Run(t, guest(t)) }

// reference is a device on which the suite must find nothing but the defect that it has.
type reference struct {
	*cpu.Device
	defect string
}

// nearer is the defect of handing on what is nearer to the rim.
const nearer = "/hands on what is nearer to the rim"

func (d reference) HierarchicalJacobi(a islam.HierarchicalJacobiArgs) {
	k, _ := islam.On(d.Device)
	if k.HierarchicalJacobi(a); d.Sync() != nil {
		return
	}
	if d.defect == "HierarchicalJacobi"+nearer && a.Overlap > 0 && a.Sweeps > 1 {
		a.Overlap, a.Tile = 0, [2]int{a.Tile[0] - a.Overlap, max(a.Tile[1]-a.Overlap, 1)}
	}
	d.write(a.Box, a.Out, a.U, a.F, blocksOf(a))
}

func (d reference) HierarchicalCube(a islam.HierarchicalCubeArgs) {
	k, _ := islam.On(d.Device)
	if k.HierarchicalCube(a); d.Sync() != nil {
		return
	}
	if d.defect == "HierarchicalCube"+nearer && a.Overlap > 0 && a.Sweeps > 1 {
		for axis := range a.Tile {
			a.Tile[axis] -= a.Overlap
		}
		a.Overlap = 0
	}
	d.write(a.Box, a.Out, a.U, a.F, cubesOf(a))
}

func (d reference) HierarchicalSmooth(a islam.HierarchicalSmoothArgs) {
	switch d.defect {
	case "HierarchicalSmooth/forgets the margin":
		a.Margin = 0
	case "HierarchicalSmooth/sweeps all nodes":
		a.Margin = a.Sweeps
	}
	k, _ := islam.On(d.Device)
	k.HierarchicalSmooth(a)
}

func (d reference) write(box kernels.Box, out, u, f kernels.Buffer, c cycle) {
	want, _ := relaxed(c, labtest.Read(d, box, u), labtest.Read(d, box, f))
	all := labtest.Read(d, box, out)
	devicetest.EachNode(box, func(n devicetest.Node) { all.Set(n, want.At(n)) })
	d.Upload(out, all.V)
}

func TestSuiteFindsDefects(t *testing.T) {
	defects := []string{"HierarchicalJacobi" + nearer, "HierarchicalCube" + nearer, "HierarchicalSmooth/forgets the margin", "HierarchicalSmooth/sweeps all nodes"}
	labtest.FindsDefects(t, guest(t), defects,
		func(d *cpu.Device, defect string) kernels.Device { return reference{d, defect} })
}

func TestSameBits(t *testing.T) {
	labtest.SameBits(t, kernels.NewBox([3]int{157, 1, 131}, true), func(d kernels.Device, box kernels.Box, x [4]kernels.Buffer) {
		for _, lines := range []bool{true, false} {
			on(t, d).HierarchicalJacobi(islam.HierarchicalJacobiArgs{Box: box, Out: x[0], U: x[1], F: x[2], Lines: lines, Tile: [2]int{32, 32}, Overlap: 4, Sweeps: 16})
			x[0], x[1] = x[1], x[0]
		}
	})
	labtest.SameBits(t, kernels.NewBox([3]int{43, 37, 29}, false), func(d kernels.Device, box kernels.Box, x [4]kernels.Buffer) {
		on(t, d).HierarchicalCube(islam.HierarchicalCubeArgs{Box: box, Out: x[0], U: x[1], F: x[2], Tile: [3]int{16, 16, 16}, Overlap: 2, Sweeps: 4})
		on(t, d).HierarchicalCube(islam.HierarchicalCubeArgs{Box: box, Out: x[3], U: x[0], F: x[2], Tile: [3]int{43, 16, 16}, Sweeps: 1})
	})
	labtest.SameBits(t, kernels.NewBox([3]int{43, 37, 29}, false), func(d kernels.Device, box kernels.Box, x [4]kernels.Buffer) {
		var width [3][]float64
		for axis, n := range box.N {
			width[axis] = devicetest.Uniform(n-1, 1/float64(n-1))
		}
		o := devicetest.Operator{Grid: devicetest.NewGrid(x[0].Elem(), width, [3]bool{}), K: [3]float64{1, 2, 3}, MassScale: 1}
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			o.Stencil = points
			a := *o.Upload(&devicetest.Memory{TB: t, Device: d, Elem: x[0].Elem()})
			for _, k := range [][3]kernels.Buffer{{}, {x[3], x[3], x[3]}, {x[3], x[2], x[3]}} {
				a.Cells = k
				s := islam.HierarchicalSmoothArgs{A: &a, Out: x[0], U: x[1], F: x[2], Sweeps: len(smoothWeights), Tile: [2]int{7, 9}, Margin: 2}
				copy(s.Omega[:], smoothWeights)
				on(t, d).HierarchicalSmooth(s)
				x[0], x[1] = x[1], x[0]
			}
		}
	})
}

// A cycle of one sweep is plain Jacobi, and blocks as large as the box make as many sweeps as are asked for.
func TestReferenceOfPlainJacobi(t *testing.T) {
	for _, box := range []kernels.Box{kernels.NewBox([3]int{9, 1, 7}, true), kernels.NewBox([3]int{6, 5, 7}, false)} {
		u, f := devicetest.NewField(box), devicetest.NewField(box)
		devicetest.EachNode(box, func(n devicetest.Node) {
			u.Set(n, float64(n[0]*n[0]-3*n[2]+n[1]*n[2]))
			f.Set(n, float64(n[0]+n[2]*n[2]-n[1]))
		})
		once, _ := labtest.Mean(u, &f)
		twice, _ := labtest.Mean(once, &f)
		small := blocksOf(islam.HierarchicalJacobiArgs{Box: box, Tile: [2]int{3, 2}, Sweeps: 1})
		large := blocksOf(islam.HierarchicalJacobiArgs{Box: box, Tile: [2]int{99, 99}, Sweeps: 2})
		if !box.Flat() {
			small = cubesOf(islam.HierarchicalCubeArgs{Box: box, Tile: [3]int{3, 2, 1}, Sweeps: 1})
			large = cubesOf(islam.HierarchicalCubeArgs{Box: box, Tile: [3]int{99, 99, 99}, Sweeps: 2})
		}
		got, _ := relaxed(small, u, f)
		whole, _ := relaxed(large, u, f)
		devicetest.EachNode(box, func(n devicetest.Node) {
			if math.Abs(got.At(n)-once.At(n)) > 1e-13 || math.Abs(whole.At(n)-twice.At(n)) > 1e-13 {
				t.Errorf("at %v: %v and %v, want %v and %v", n, got.At(n), whole.At(n), once.At(n), twice.At(n))
			}
		})
	}
}

// Blocks cover all unknowns: the paper's 1 + ceil((N - B) / (B - overlap)).
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ unknowns, tile, overlap, blocks int }{{1024, 32, 0, 32}, {1024, 32, 4, 37}, {30, 32, 2, 1}, {33, 32, 30, 2}} {
		a := islam.HierarchicalJacobiArgs{Box: kernels.NewBox([3]int{c.unknowns + 2, 1, c.unknowns + 2}, true),
			Tile: [2]int{c.tile, c.tile}, Overlap: c.overlap, Sweeps: 1}
		if got := a.Blocks(); got != [2]int{c.blocks, c.blocks} {
			t.Errorf("%+v: blocks %v", c, got)
		}
	}
}

// An overlap that is not even is refused, not rounded.
func TestOddOverlapIsRefused(t *testing.T) {
	d := labtest.Processor(t, cpu.Options{})
	m := devicetest.Memory{TB: t, Device: d, Elem: kernels.Float32}
	box := kernels.NewBox([3]int{9, 1, 9}, true)
	x := func() kernels.Buffer { return m.Alloc(m.Elem, box.Len) }
	on(t, d).HierarchicalJacobi(islam.HierarchicalJacobiArgs{Box: box, Out: x(), U: x(), F: x(), Tile: [2]int{4, 4}, Sweeps: 1, Overlap: 3})
	const want = "cpu: HierarchicalJacobi: an overlap of 3 unknowns of 4 x 4 is not even and smaller"
	if err := d.Sync(); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
