package jaugey_test

import (
	"fmt"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/lab/jaugey"
	"convect/lab/labtest"
)

// meanRoundings counts those of a mean of four neighbours and f, and some more: four additions, one product.
const meanRoundings = 8

// guest is the suite of the kernels.
func guest(t testing.TB) devicetest.Guest {
	on := func(d kernels.Device) jaugey.Kernels {
		k, ok := jaugey.On(d)
		if !ok {
			t.Fatal("the device has no kernels")
		}
		return k
	}
	return devicetest.Guest{
		Checks: []devicetest.GuestCheck{{Kernel: "Poisson2D", Run: func(one func(string, func(*devicetest.Bench))) {
			for _, n := range [][2]int{{3, 3}, {2, 5}, {9, 16}, {17, 12}, {33, 20}, {150, 131}} {
				box := kernels.NewBox([3]int{n[0], 1, n[1]}, true)
				for layout := jaugey.RowThreads; layout <= jaugey.StagedTiles; layout++ {
					for _, tile := range []int{1, 2, 7, 16, 200} {
						one(fmt.Sprintf("%dx%d-%v-%d", n[0], n[1], layout, tile), func(b *devicetest.Bench) {
							u, f, before := b.Noise(box), b.Noise(box), b.Noise(box)
							us, fs, out := b.Put(u.V), b.Put(f.V), b.Put(before.V)
							a := jaugey.Poisson2DArgs{Box: box, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Layout: layout, Tile: tile}
							got := b.Call(func() { on(b.Device).Poisson2D(a) }, out)
							want, size := labtest.Mean(u, &f)
							b.Nodes("Out", got[0], before, want, size, meanRoundings)
						})
					}
				}
			}
		}}},
		Samples: []devicetest.GuestSample{{Kernel: "Poisson2D", Paths: []string{"Out", "U", "F"},
			Args: func(b *devicetest.Bench) any {
				box := kernels.NewBox([3]int{5, 1, 3}, true)
				x := func() kernels.Buffer { return b.Put(b.Noise(box).V).Buffer }
				return jaugey.Poisson2DArgs{Box: box, Out: x(), U: x(), F: x(), Tile: 2}
			},
			Call: func(d kernels.Device, args any) { on(d).Poisson2D(args.(jaugey.Poisson2DArgs)) },
		}},
	}
}

func TestConformance(t *testing.T) { labtest.Run(t, guest(t)) }

// reference is a device on which the suite must find nothing but the defect that it has.
type reference struct {
	*cpu.Device
	defect string
}

func (d reference) Poisson2D(a jaugey.Poisson2DArgs) {
	k, _ := jaugey.On(d.Device)
	k.Poisson2D(jaugey.Poisson2DArgs{Box: a.Box, Out: a.Out, U: a.U, F: a.F, Tile: 1}) // which checks the arguments
	if d.Sync() != nil {
		return
	}
	f := labtest.Read(d, a.Box, a.F)
	if d.defect == "Poisson2D/forgets the right side of staged tiles" && a.Layout == jaugey.StagedTiles {
		f = devicetest.NewField(a.Box)
	}
	want, _ := labtest.Mean(labtest.Read(d, a.Box, a.U), &f)
	out := labtest.Read(d, a.Box, a.Out)
	devicetest.EachNode(a.Box, func(n devicetest.Node) { out.Set(n, want.At(n)) })
	d.Upload(a.Out, out.V)
}

func TestSuiteFindsDefects(t *testing.T) {
	labtest.FindsDefects(t, guest(t), []string{"Poisson2D/forgets the right side of staged tiles"},
		func(d *cpu.Device, defect string) kernels.Device { return reference{d, defect} })
}

func TestSameBits(t *testing.T) {
	labtest.SameBits(t, kernels.NewBox([3]int{157, 1, 131}, true), func(d kernels.Device, box kernels.Box, x [4]kernels.Buffer) {
		k, _ := jaugey.On(d)
		for layout := jaugey.RowThreads; layout <= jaugey.StagedTiles; layout++ {
			k.Poisson2D(jaugey.Poisson2DArgs{Box: box, Out: x[(layout+1)%3], U: x[layout%3], F: x[3], Layout: layout, Tile: 16})
		}
	})
}

// The number of blocks is the paper's: ceil((N-1)/n) + 1.
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ nodes, tile, blocks int }{{4096, 1, 4096}, {4096, 1024, 5}, {9, 4, 3}, {10, 4, 4}} {
		if got := (jaugey.Poisson2DArgs{Tile: c.tile}).Blocks(c.nodes); got != c.blocks {
			t.Errorf("%d nodes, tile %d: %d blocks, want %d", c.nodes, c.tile, got, c.blocks)
		}
	}
}

// Arguments that contradict each other are refused, not followed.
func TestArgumentsAreRefused(t *testing.T) {
	box := kernels.NewBox([3]int{9, 1, 9}, true)
	for want, change := range map[string]func(a *jaugey.Poisson2DArgs){
		"Out is U or F":       func(a *jaugey.Poisson2DArgs) { a.F = a.Out },
		"the box is not flat": func(a *jaugey.Poisson2DArgs) { a.Box = kernels.NewBox([3]int{3, 3, 3}, false) },
		"a tile of 0 nodes":   func(a *jaugey.Poisson2DArgs) { a.Tile = 0 },
		"unknown layout 4":    func(a *jaugey.Poisson2DArgs) { a.Layout = 4 },
	} {
		d := labtest.Processor(t, cpu.Options{})
		m := devicetest.Memory{TB: t, Device: d, Elem: kernels.Float32}
		x := func() kernels.Buffer { return m.Alloc(m.Elem, 5000) }
		a := jaugey.Poisson2DArgs{Box: box, Out: x(), U: x(), F: x(), Tile: 4}
		change(&a)
		k, _ := jaugey.On(d)
		k.Poisson2D(a)
		if err := d.Sync(); err == nil || err.Error() != "cpu: Poisson2D: "+want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
