package stencil

import (
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

// TestShape compares what an operator says of its axis arrays with what they hold.
func TestShape(t *testing.T) {
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	graded := Grading{Ratio: 3, Cluster: ClusterBoth}
	for name, e := range map[string]Extent{
		"even":            {Cells: [3]int{10, 6, 7}, Size: [3]float64{1, 0.6, 0.3}},
		"flat":            {Cells: [3]int{10, 0, 7}, Size: [3]float64{1, 0, 0.3}, Periodic: [3]bool{true, false, false}},
		"graded":          {Cells: [3]int{10, 6, 12}, Size: [3]float64{1, 1, 1}, Grading: [3]Grading{2: graded}},
		"graded periodic": {Cells: [3]int{12, 6, 7}, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{true, true, false}, Grading: [3]Grading{0: graded}},
		"barely graded": {Cells: [3]int{12, 6, 7}, Size: [3]float64{1, 1, 1}, // in float64 only
			Grading: [3]Grading{0: {Ratio: 1 + 1e-9, Cluster: ClusterLow}}},
	} {
		for _, elem := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			g, err := NewGrid(dev, elem, e)
			if err != nil {
				t.Fatal(err)
			}
			for d, n := range g.Box.N {
				v := make([]float64, n+2*kernels.HaloWidth)
				if err := dev.Download(v, g.h[d]); err != nil {
					t.Fatal(err)
				}
				h := v[kernels.HaloWidth:]
				width := h[0]
				for _, w := range h[:max(g.Cells[d], 1)] {
					if w != h[0] {
						width = 0
					}
				}
				periodic := g.Cells[d] > 0 && h[n-1] != 0
				if got := g.shape; got.Width[d] != width || got.Periodic[d] != periodic {
					t.Errorf("%s in %v along %s: width %g, periodic %t; the array has %g, %t",
						name, elem, AxisName(d), got.Width[d], got.Periodic[d], width, periodic)
				}
			}
			g.Free()
		}
	}
}

// TestFixedSides compares the sides that a boundary says are fixed with its nodes one by one, for sides that are fixed whole, in part, or
// at nodes that other sides fix.
func TestFixedSides(t *testing.T) {
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	rng := rand.New(rand.NewPCG(5, 8))
	wholes := 0
	for _, cells := range [][3]int{{5, 4, 3}, {1, 2, 1}, {6, 0, 4}} {
		for range 60 {
			e := Extent{Cells: cells, Size: [3]float64{1, 1, 1}, Periodic: [3]bool{1: cells[1] > 1 && rng.IntN(2) == 0}}
			g, err := NewGrid(dev, kernels.Float64, e)
			if err != nil {
				t.Fatal(err)
			}
			var walls [6][]bool
			any := false
			for s := range walls {
				side := kernels.Side(s)
				if kind := rng.IntN(4); g.Wall(side) && kind > 0 {
					walls[s] = make([]bool, g.Box.WallNodes(side))
					for n := range walls[s] {
						walls[s][n] = kind == 1 || kind == 2 && rng.IntN(9) == 0
						any = any || walls[s][n]
					}
				}
			}
			if bottom := walls[kernels.Bottom]; bottom != nil && walls[kernels.Left] != nil { // the edge alone
				clear(walls[kernels.Left])
				for j := range g.Box.N[1] {
					walls[kernels.Left][j] = bottom[j*g.Box.N[0]]
				}
			}
			b, err := NewBoundary(g, walls)
			if err != nil {
				t.Fatal(err)
			}
			mask := devicetest.NewMask(g.Box, func(n devicetest.Node) bool {
				for s, w := range walls {
					if m, on := g.onWall(kernels.Side(s), n[0], n[1], n[2]); on && w != nil && w[m] {
						return false
					}
				}
				return true
			})
			fixed, whole := b.Mask.Sides()
			wantFixed, wantWhole := mask.Sides()
			for s := range wantFixed { // the ends of absent and periodic axes are no walls
				wantFixed[s] = wantFixed[s] && g.Wall(kernels.Side(s))
			}
			if fixed != wantFixed || whole != wantWhole {
				t.Errorf("%v cells, periodic %v: sides %v, whole %t; the nodes say %v, %t", cells, e.Periodic, fixed, whole, wantFixed, wantWhole)
			}
			if whole && any {
				wholes++
			}
			b.Free()
			g.Free()
		}
	}
	if wholes < 20 {
		t.Errorf("only %d boundaries of whole sides", wholes)
	}
}
