package devicetest

import (
	"fmt"
	"math"
	"strings"

	"convect/kernels"
)

// setting names what varies between the cases of a kernel.
type setting struct {
	n        [3]int
	flat     bool
	periodic [3]bool
	cells    string // const, shared, shared holes, three, holes: see bench.operator
	mass     string // none, volume, buffer
	mask     string // free, walls, patches
	stencil  kernels.Stencil
	even     bool // equal widths along each axis
}

// String returns the name of the case.
func (s setting) String() string {
	name := fmt.Sprintf("%dx%dx%d", s.n[0], s.n[1], s.n[2])
	if s.flat {
		name += "-flat"
	}
	if ends := s.ends(); ends != "" {
		name += "-periodic-" + ends
	}
	for _, option := range []string{s.cells, s.mass, s.mask} {
		if option != "" {
			name += "-" + option
		}
	}
	if s.stencil == kernels.TwentySevenPoint {
		name += "-27"
	}
	if s.even {
		name += "-even"
	}
	return name
}

// ends returns the names of the periodic axes.
func (s setting) ends() string {
	var ends strings.Builder
	for d, p := range s.periodic {
		if p {
			ends.WriteByte("xyz"[d])
		}
	}
	return ends.String()
}

// shapes returns boxes and periodic axes: odd, even, prime, one cell thin, longer than a vector, flat, and two that
// are large enough to be shared by threads.
func shapes() (all []setting) {
	axes := func(names string) (p [3]bool) {
		for d := range p {
			p[d] = strings.Contains(names, "xyz"[d:d+1])
		}
		return p
	}
	for _, n := range [][3]int{{5, 4, 3}, {9, 9, 9}, {17, 3, 2}, {33, 6, 7}, {2, 2, 2}, {3, 2, 16}, {67, 5, 9}} {
		for _, names := range []string{"", "x", "z", "xy", "xyz"} {
			all = append(all, setting{n: n, periodic: axes(names)})
		}
	}
	for _, n := range [][3]int{{9, 1, 9}, {33, 1, 17}, {2, 1, 5}, {131, 1, 3}} {
		for _, names := range []string{"", "x", "z", "xz"} {
			all = append(all, setting{n: n, flat: true, periodic: axes(names)})
		}
	}
	return append(all, setting{n: [3]int{35, 31, 23}, periodic: axes("y")}, setting{n: [3]int{257, 1, 97}, flat: true})
}

// walled returns the shapes without periodic axes.
func walled() (all []setting) {
	for _, s := range shapes() {
		if s.ends() == "" {
			all = append(all, s)
		}
	}
	return all
}

// large tells whether the reference takes long on the box.
func (s setting) large() bool { return s.n[0]*s.n[1]*s.n[2] > 20000 }

// operators gives every shape two of the combinations of conductivity, mass and mask (large ones one), so that each
// combination occurs with several shapes.
func operators() (all []setting) {
	cells := []string{"const", "shared", "three", "holes"}
	mass := []string{"none", "volume", "buffer"}
	mask := []string{"free", "walls", "patches"}
	for i, s := range shapes() {
		for c := 2 * i; c < 2*i+2; c++ {
			s.cells, s.mass, s.mask = cells[c%4], mass[c/4%3], mask[c/12%3]
			if !s.large() || c%2 == 0 {
				all = append(all, s)
			}
		}
	}
	return all
}

// sweepable gives the settings of sweeps: all operators with both stencils, and even grids.
func sweepable() []setting { return append(stencils(operators()), even()...) }

// even gives operators on grids of equal widths, which backends may treat by themselves: rows of 2^k + 1 nodes and others, with both stencils, of
// constant conductivity and of one field for all axes.
func even() (all []setting) {
	for i, n := range [][3]int{{129, 5, 4}, {130, 9, 7}, {65, 3, 5}, {257, 4, 3}, {35, 31, 23}, {2, 3, 2}, {64, 7, 5}, {96, 4, 6}, {48, 5, 9}, {24, 8, 12}} {
		for j, periodic := range [][3]bool{{}, {true, false, false}, {false, true, true}} {
			s := setting{n: n, periodic: periodic, even: true, cells: "const", mass: []string{"none", "volume"}[(i+j)%2],
				mask: []string{"free", "walls", "patches"}[(i+j)%3]}
			if j == 2 || i%2 == 0 {
				s.stencil = kernels.TwentySevenPoint
			}
			all = append(all, s)
			s.cells, s.mass, s.mask = "shared", []string{"none", "volume"}[(i/2+j)%2], []string{"free", "walls"}[(i+j)%2]
			if i%2 == 0 {
				s.stencil = kernels.SevenPoint
			} else {
				s.stencil = kernels.TwentySevenPoint
			}
			all = append(all, s)
		}
	}
	return all
}

// evenElements gives trilinear elements of constant conductivity on small grids of equal widths, for what backends compute from them by averages along
// the axes.
func evenElements() (all []setting) {
	for i, n := range [][3]int{{5, 4, 3}, {7, 9, 8}, {17, 3, 2}, {33, 6, 5}, {2, 2, 2}, {3, 2, 16}, {67, 5, 4}, {5, 3, 130}, {130, 5, 3}} {
		for j, periodic := range [][3]bool{{}, {true, false, false}, {false, true, false}, {false, false, true}, {true, true, true}} {
			if n[0]*n[1]*n[2] < 1000 || (i+j)%3 == 0 || j == 0 { /* the reference is slow */
				all = append(all, setting{n: n, periodic: periodic, even: true, cells: "const", mass: []string{"none", "volume", "buffer"}[(i+j)%3],
					mask: "free", stencil: kernels.TwentySevenPoint})
			}
		}
	}
	return all
}

// stencils returns every setting with the 7-point stencil and every third with the 27-point one, whose reference is
// slow.
func stencils(settings []setting) []setting {
	all := settings
	for i, s := range settings {
		if i%3 == 0 {
			s.stencil = kernels.TwentySevenPoint
			all = append(all, s)
		}
	}
	return all
}

// grid builds the grid of a setting: random widths, or even ones, flat cells.
func (b *bench) grid(s setting) *Grid {
	var widths [3][]float64
	for d, height := range []float64{0.1, 0.15, 0.04} {
		cells := s.n[d] - 1
		if s.periodic[d] {
			cells = s.n[d]
		}
		draw := func() float64 { return b.between(0.6*height, 1.4*height) }
		if s.even {
			draw = func() float64 { return round(b.Elem, height) }
		}
		if d != kernels.Y || !s.flat {
			widths[d] = numbers(cells, draw)
		}
	}
	return NewGrid(b.Elem, widths, s.periodic)
}

// operator builds the operator of a setting. Conductivities: const is one anisotropic number per axis, shared one
// log-normal field for all axes, three a field for each, holes the same with K = 0 in half of the domain.
func (b *bench) operator(s setting) *Operator {
	o := &Operator{Grid: b.grid(s), Stencil: s.stencil, Mask: b.mask(s)}
	switch s.cells {
	case "const":
		o.K = [3]float64{1.3, 0.7, 0.02}
	case "columns":
		o.K = [3]float64{0, 0, 2}
	case "loose":
		o.K = [3]float64{1e-6, 1e-6, 2}
	case "shared", "shared holes":
		holes := 0
		if s.cells == "shared holes" {
			holes = s.n[0] / 2
		}
		k := b.cells(o.Grid, holes)
		o.Cells = [3]*Field{k, k, k}
	default:
		holes := 0
		if s.cells == "holes" {
			holes = s.n[0] / 2
		}
		o.Cells = [3]*Field{b.cells(o.Grid, holes), b.cells(o.Grid, holes), b.cells(o.Grid, holes)}
	}
	if s.mass == "volume" || s.mass == "buffer" {
		o.MassScale = 2.5
	}
	if s.mass == "buffer" {
		m := b.noise(o.Box)
		EachNode(o.Box, func(n Node) { m.Set(n, round(b.Elem, o.volume(n)*b.between(0.2, 1))) })
		o.Mass = &m
	}
	return o
}

// cells returns log-normal values of variance 4 on cells, zero in the first holes cells in x and beyond walls.
func (b *bench) cells(g *Grid, holes int) *Field {
	f := NewField(g.Box)
	EachNode(g.Box, func(n Node) {
		for d := range n {
			if g.present(d) && !g.inner(d, n) {
				return
			}
		}
		if n[0] >= holes {
			f.Set(n, round(b.Elem, math.Exp(2*b.rng.NormFloat64())))
		}
	})
	g.wrapHalo(f)
	return &f
}

// mask fixes nodes: walls the bottom, the top and the left, patches a random half of some rows.
func (b *bench) mask(s setting) *Mask {
	box := kernels.NewBox(s.n, s.flat)
	switch s.mask {
	case "walls":
		return NewMask(box, func(n Node) bool {
			return n[0] > 0 && n[2] > 0 && n[2] < s.n[2]-1
		})
	case "ends":
		return NewMask(box, func(n Node) bool {
			return n[0] < s.n[0]-1 && (n[2] > 0 || s.n[1] == 1) && (n[1] > 0 || s.periodic[1])
		})
	case "patches":
		pattern := numbers(4*s.n[0], func() float64 { return float64(b.rng.IntN(2)) })
		kind := numbers(s.n[1]*s.n[2], func() float64 { return float64(b.rng.IntN(6)) })
		return NewMask(box, func(n Node) bool {
			row := int(kind[n[1]+n[2]*s.n[1]])
			return row == 5 || (row < 4 && pattern[n[0]+row*s.n[0]] == 1)
		})
	}
	return nil
}
