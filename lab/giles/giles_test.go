package giles_test

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/lab/giles"
	"convect/lab/labtest"
)

// meanRoundings counts those of a mean of six neighbours: five additions, the sixth of six rounded, one product.
const meanRoundings = 8

func on(t testing.TB, d kernels.Device) giles.Kernels {
	k, ok := giles.On(d)
	if !ok {
		t.Fatal("the device has no kernels")
	}
	return k
}

// meanAgain takes the mean of the neighbours so many times; no mean is larger than the largest value.
func meanAgain(u devicetest.Field, times int) (value, size devicetest.Field) {
	if times == 1 {
		return labtest.Mean(u, nil)
	}
	largest := 0.0
	devicetest.EachNode(u.Box, func(n devicetest.Node) { largest = math.Max(largest, math.Abs(u.At(n))) })
	value, size = u, devicetest.NewField(u.Box)
	for range times {
		value, _ = labtest.Mean(value, nil)
	}
	devicetest.EachNode(u.Box, func(n devicetest.Node) { size.Set(n, largest) })
	return value, size
}

// guest is the suite of the kernels.
func guest(t testing.TB) devicetest.Guest {
	return devicetest.Guest{
		Checks: []devicetest.GuestCheck{{Kernel: "LaplaceJacobi", Run: func(one func(string, func(*devicetest.Bench))) { checkTiles(t, one); checkForms(t, one) }}},
		Samples: []devicetest.GuestSample{{Kernel: "LaplaceJacobi", Paths: []string{"Out", "U"},
			Args: func(b *devicetest.Bench) any {
				box := kernels.NewBox([3]int{5, 4, 3}, false)
				x := func() kernels.Buffer { return b.Put(b.Noise(box).V).Buffer }
				return giles.LaplaceJacobiArgs{Box: box, Out: x(), U: x()}
			},
			Call: func(d kernels.Device, args any) { on(t, d).LaplaceJacobi(args.(giles.LaplaceJacobiArgs)) },
		}},
	}
}

func checkTiles(t testing.TB, one func(string, func(*devicetest.Bench))) {
	for _, n := range [][3]int{{3, 3, 3}, {5, 4, 3}, {16, 7, 5}, {17, 6, 4}, {2, 3, 4}, {33, 9, 8}, {64, 5, 6}, {131, 13, 11}} {
		box := kernels.NewBox(n, false)
		for _, tile := range [][3]int{{}, {1, 1, 1}, {16, 4, 0}, {5, 3, 2}, {0, 2, 3}, {48, 0, 1}, {1000, 1000, 1000}} {
			one(fmt.Sprintf("%dx%dx%d-tile-%dx%dx%d", n[0], n[1], n[2], tile[0], tile[1], tile[2]), func(b *devicetest.Bench) {
				sweeps(t, b, giles.LaplaceJacobiArgs{Box: box, Tile: tile})
			})
		}
	}
}

func checkForms(t testing.TB, one func(string, func(*devicetest.Bench))) {
	for _, n := range [][3]int{{3, 3, 3}, {17, 6, 4}, {2, 3, 4}, {33, 9, 8}, {64, 30, 6}, {264, 41, 9}, {131, 13, 31}, {515, 3, 3}} {
		box := kernels.NewBox(n, false)
		for form := giles.PlanesInShared; form <= giles.NodesInRegisters; form++ {
			for count := 1; count <= 6; count++ {
				if form == giles.PlanesInShared && count > 3 {
					continue // as three
				}
				one(fmt.Sprintf("%dx%dx%d-%v-%d-sweeps", n[0], n[1], n[2], form, count), func(b *devicetest.Bench) {
					sweeps(t, b, giles.LaplaceJacobiArgs{Box: box, Tile: [3]int{32, 4, 0}, Form: form, Sweeps: count})
				})
			}
		}
	}
}

// sweeps compares sweeps with as many means of neighbours.
func sweeps(t testing.TB, b *devicetest.Bench, a giles.LaplaceJacobiArgs) {
	u, before := b.Noise(a.Box), b.Noise(a.Box)
	us, out := b.Put(u.V), b.Put(before.V)
	a.U, a.Out = us.Buffer, out.Buffer
	written := []*devicetest.Array{out}
	if a.Sweeps > 1 {
		work := b.Put(b.Noise(a.Box).V)
		a.Work, written = work.Buffer, append(written, work)
	}
	got := b.Call(func() { on(t, b.Device).LaplaceJacobi(a) }, written...)
	want, size := meanAgain(u, max(a.Sweeps, 1))
	b.Nodes("Out", got[0], before, want, size, float64(meanRoundings*max(a.Sweeps, 1)))
}

func TestConformance(t *testing.T) { labtest.Run(t, guest(t)) }

// reference is a device on which the suite must find nothing but the defect that it has.
type reference struct {
	*cpu.Device
	defect string
}

func (d reference) LaplaceJacobi(a giles.LaplaceJacobiArgs) {
	checked := a
	checked.Tile = [3]int{}
	k, _ := giles.On(d.Device)
	if k.LaplaceJacobi(checked); d.Sync() != nil {
		return
	}
	times := max(a.Sweeps, 1)
	if d.defect == "LaplaceJacobi/forgets a sweep" && times > 1 {
		times--
	}
	want, _ := meanAgain(labtest.Read(d, a.Box, a.U), times)
	if d.defect == "LaplaceJacobi/forgets the last tile" && a.Tile[0] > 1 {
		last := devicetest.Node{a.Box.N[0] - 1, a.Box.N[1] - 1, a.Box.N[2] - 1}
		want.Set(last, want.At(last)+1)
	}
	out := labtest.Read(d, a.Box, a.Out)
	devicetest.EachNode(a.Box, func(n devicetest.Node) { out.Set(n, want.At(n)) })
	d.Upload(a.Out, out.V)
}

func TestSuiteFindsDefects(t *testing.T) {
	labtest.FindsDefects(t, guest(t), []string{"LaplaceJacobi/forgets the last tile", "LaplaceJacobi/forgets a sweep"},
		func(d *cpu.Device, defect string) kernels.Device { return reference{d, defect} })
}

func TestSameBits(t *testing.T) {
	labtest.SameBits(t, kernels.NewBox([3]int{67, 35, 33}, false), func(d kernels.Device, box kernels.Box, x [4]kernels.Buffer) {
		on(t, d).LaplaceJacobi(giles.LaplaceJacobiArgs{Box: box, Out: x[0], U: x[1], Tile: [3]int{0, 32, 64}})
		on(t, d).LaplaceJacobi(giles.LaplaceJacobiArgs{Box: box, Out: x[2], U: x[0], Tile: [3]int{16, 4, 0}, Sweeps: 3, Work: x[3]})
	})
}

// The mean of the neighbours of a linear function is the function.
func TestMeanOfLinear(t *testing.T) {
	for _, box := range []kernels.Box{kernels.NewBox([3]int{5, 4, 3}, false), kernels.NewBox([3]int{5, 1, 4}, true)} {
		u := devicetest.NewField(box)
		devicetest.EachNode(box, func(n devicetest.Node) { u.Set(n, float64(3+n[0]-2*n[1]+4*n[2])) })
		got, _ := labtest.Mean(u, nil)
		devicetest.EachNode(box, func(n devicetest.Node) {
			if got.At(n) != u.At(n) {
				t.Errorf("at %v: %v, want %v", n, got.At(n), u.At(n))
			}
		})
	}
}

// Arguments that contradict each other are refused, not followed.
func TestArgumentsAreRefused(t *testing.T) {
	for want, change := range map[string]func(a *giles.LaplaceJacobiArgs){
		"Out is U":           func(a *giles.LaplaceJacobiArgs) { a.U = a.Out },
		"a tile of -1 nodes": func(a *giles.LaplaceJacobiArgs) { a.Tile[1] = -1 },
		"the box is flat":    func(a *giles.LaplaceJacobiArgs) { a.Box = kernels.NewBox([3]int{9, 1, 9}, true) },
		"-1 sweeps":          func(a *giles.LaplaceJacobiArgs) { a.Sweeps = -1 },
		"unknown form 2":     func(a *giles.LaplaceJacobiArgs) { a.Form = 2 },
		"Work is U or Out":   func(a *giles.LaplaceJacobiArgs) { a.Sweeps, a.Work = 2, a.Out },
		"Work is missing":    func(a *giles.LaplaceJacobiArgs) { a.Sweeps = 2 },
	} {
		d := labtest.Processor(t, cpu.Options{})
		m := devicetest.Memory{TB: t, Device: d, Elem: kernels.Float32}
		x := func() kernels.Buffer { return m.Alloc(m.Elem, 5000) }
		a := giles.LaplaceJacobiArgs{Box: kernels.NewBox([3]int{3, 3, 3}, false), Out: x(), U: x()}
		change(&a)
		on(t, d).LaplaceJacobi(a)
		if err := d.Sync(); err == nil || err.Error() != "cpu: LaplaceJacobi: "+want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
