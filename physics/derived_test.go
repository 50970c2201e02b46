package physics

import (
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// components downloads a quantity and takes it apart.
func components(t *testing.T, s *Simulation, name string) [][]float64 {
	t.Helper()
	var f Frozen
	defer f.Release()
	if err := s.Freeze(name, &f); err != nil {
		t.Fatal(err)
	}
	values, err := f.Values()
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]float64, len(values))
	for c := range values {
		out[c] = slices.Clone(values[c])
	}
	return out
}

// Heat that layers of any conductivity conduct is the same at all heights, on graded cells, in 2-D and 3-D, along any axis.
func TestHeatFluxThroughLayers(t *testing.T) {
	dev := openDevice(t, 0)
	for _, e := range []stencil.Extent{plane(12), cube(6), graded(cube(12)), graded(plane(15)), {Cells: [3]int{2, 0, 1}, Size: [3]float64{1, 0, 1}}} {
		for _, axis := range []int{kernels.X, kernels.Z} {
			p := heated(e, 0)
			x := e.Coordinates(axis)
			conductivity := func(x float64) float64 { return 1 + 3*math.Floor(2.99*x) }
			p.Diffusivity = isotropicCells(e, func(x [3]float64) float64 { return conductivity(x[axis]) })
			if axis == kernels.X {
				for _, side := range []kernels.Side{kernels.Bottom, kernels.Top} {
					p.Walls[side] = Wall{}
				}
				p.Walls[kernels.Left] = Wall{Heat: FixedTemperature, HeatValue: Constant(1)}
				p.Walls[kernels.Right] = Wall{Heat: FixedTemperature}
			}
			resistance := 0.0
			for i := range len(x) - 1 {
				resistance += (x[i+1] - x[i]) / conductivity((x[i]+x[i+1])/2)
			}
			s := simulate(t, dev, p, Controls{End: 1e-3, Courant: 0.5})
			for d, q := range components(t, s, HeatFluxName) {
				want := 0.0
				if d == axis {
					want = 1 / resistance
				}
				for n, v := range q {
					if math.Abs(v-want) > 1e-7 {
						t.Fatalf("%v along %s: component %d of node %d is %g, want %g", e.Cells, stencil.AxisName(axis), d, n, v, want)
					}
				}
			}
		}
	}
}

// The mean of the vertical heat flux over the volume is the Nusselt number of the volume, with dispersion and on graded cells too, to second order.
func TestHeatFluxCarries(t *testing.T) {
	dev := openDevice(t, 0)
	for _, dispersive := range []Dispersion{{}, {Longitudinal: 0.05, Transverse: 0.005}} {
		var errors [2]float64
		for level, n := range []int{16, 32} {
			p := heated(graded(plane(n)), 80)
			p.Dispersion = dispersive
			p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.2
			s := simulate(t, dev, p, Controls{End: 0.02, Courant: 0.5})
			run(t, s)
			g, q, sum := s.Grid(), components(t, s, HeatFluxName), 0.0
			eachNode(g, func(n int, ijk [3]int) { sum += nodeVolume(g, ijk) * q[2][n] })
			errors[level] = math.Abs(sum/s.Sample().Heat().Volume - 1)
		}
		if errors[1] > 0.02 || errors[0] < 2*errors[1] {
			t.Errorf("%+v: the mean heat flux is off by %g and %g of Nu", dispersive, errors[0], errors[1])
		}
	}
}

// The velocity is the curl of the stream function, whose greatest value is that of the sample.
func TestStreamfunctionField(t *testing.T) {
	dev := openDevice(t, 0)
	p := heated(plane(32), 100)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.2
	s := simulate(t, dev, p, Controls{End: 1e-3, Courant: 0.5})
	run(t, s)
	psi, u := components(t, s, StreamfunctionName)[0], components(t, s, "velocity")
	most := 0.0
	n := s.Grid().Box.N
	for k := 1; k < n[2]-1; k++ {
		for i := 1; i < n[0]-1; i++ {
			at := i + n[0]*k
			most = math.Max(most, math.Abs(psi[at]))
			scale := s.Sample().SpeedMax
			if v := (psi[at+1] - psi[at-1]) * 16; math.Abs(v-u[2][at]) > 0.02*scale {
				t.Fatalf("∂ψ/∂x = %g where w = %g", v, u[2][at])
			}
			if v := -(psi[at+n[0]] - psi[at-n[0]]) * 16; math.Abs(v-u[0][at]) > 0.02*scale {
				t.Fatalf("-∂ψ/∂z = %g where u = %g", v, u[0][at])
			}
		}
	}
	within(t, "largest ψ", most, s.Sample().Streamfunction, 1e-12)
	if _, err := simulate(t, dev, heated(cube(4), 1), Controls{End: 1, Courant: 0.5}).Download(StreamfunctionName); err == nil {
		t.Error("a stream function in 3-D")
	}
}

// The divergence is that of the sample, with wells and in 3-D too, and to look at it changes nothing.
func TestDivergenceField(t *testing.T) {
	dev := openDevice(t, 0)
	for name, p := range map[string]Parameters{"closed": heated(cube(8), 100), "wells": heated(plane(16), 100), "27 points": withPoints27(heated(plane(16), 100))} {
		p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.2
		if name == "wells" {
			p.Wells = []Well{{Name: "in", At: [3]float64{0.25, 0, 0.5}, Rate: Constant(5), Brings: []Func{Constant(1)}}, {Name: "out", At: [3]float64{0.75, 0, 0.5}, Rate: Constant(-5)}}
		}
		c := Controls{End: 5e-3, Courant: 0.5}
		s, alone := simulate(t, dev, p, c), simulate(t, dev, p, c)
		looked := 0
		run(t, s, observe(func(s *Simulation, _ Event) error {
			most := 0.0
			for _, v := range components(t, s, DivergenceName)[0] {
				most = math.Max(most, math.Abs(v))
			}
			if want := s.Sample().Divergence; math.Abs(most-want) > 1e-9*s.Sample().SpeedMax {
				t.Errorf("%s: the greatest divergence is %g, want %g", name, most, want)
			}
			looked++
			for _, q := range s.Quantities() {
				if _, err := s.Download(q.Name); err != nil {
					t.Fatal(err)
				}
			}
			return nil
		}))
		run(t, alone)
		if looked < 3 || !slices.Equal(download(t, s, "temperature"), download(t, alone, "temperature")) {
			t.Errorf("%s: after %d looks the temperature differs", name, looked)
		}
	}
}

// The permeability has one component where it is the same along all axes, else three, and is that of the cells.
func TestPermeabilityField(t *testing.T) {
	dev := openDevice(t, 0)
	e := stencil.Extent{Cells: [3]int{4, 0, 3}, Size: [3]float64{1, 0, 1}}
	k := func(x [3]float64) float64 { return 1 + x[0] + 10*x[2] }
	twice := func(x [3]float64) float64 { return 2 * k(x) }
	for name, c := range map[string]struct {
		of         Material
		components int
	}{
		"constant": {Uniform(2), 1}, "constant of axes": {Material{Constant: [3]float64{2, 9, 3}}, 3}, "y alone": {Material{Constant: [3]float64{2, 9, 2}}, 1},
		"cells": {isotropicCells(e, k), 1}, "cells of axes": {cells(e, [3]func([3]float64) float64{k, k, twice}), 3},
	} {
		p := heated(e, 1)
		p.Permeability = c.of
		s := simulate(t, dev, p, Controls{End: 1, Courant: 0.5})
		all := components(t, s, PermeabilityName)
		if len(all) != c.components {
			t.Fatalf("%s: %d components", name, len(all))
		}
		for d, values := range all {
			if len(values) != 12 {
				t.Fatalf("%s: %d values", name, len(values))
			}
			want := c.of.Constant[d]
			if c.of.Varies() {
				want = c.of.Cells[d][7]
			}
			if d == kernels.Y {
				want = 0
			}
			if values[7] != want {
				t.Errorf("%s: component %d of cell 7 is %g, want %g", name, d, values[7], want)
			}
		}
	}
}

// Blocks of all quantities are parts of the whole.
func TestBlocks(t *testing.T) {
	dev := openDevice(t, 0)
	e := graded(cube(6))
	e.Cells[1], e.Periodic[1] = 5, true
	p := heated(e, 100)
	p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 2, 1}, 0.2
	s := simulate(t, dev, p, Controls{End: 1e-3, Courant: 0.5})
	run(t, s)
	n := s.Grid().Box.N
	blocks := []Block{{[3]int{1, 2, 3}, [3]int{2, 3, 2}}, {[3]int{6, 0, 0}, [3]int{1, 5, 7}}, {[3]int{0, 4, 6}, [3]int{7, 1, 1}}}
	for _, q := range s.Quantities() {
		if q.Cells {
			continue
		}
		whole := components(t, s, q.Name)
		parts, err := s.DownloadBlocks(q.Name, blocks)
		if err != nil {
			t.Fatal(err)
		}
		for b, block := range blocks {
			for c := range whole {
				for at, v := range parts[b][c] {
					i, j, k := block.Low[0]+at%block.N[0], block.Low[1]+at/block.N[0]%block.N[1], block.Low[2]+at/(block.N[0]*block.N[1])
					if want := whole[c][i+n[0]*(j+n[1]*k)]; v != want {
						t.Fatalf("%s: block %d has %g at %d %d %d, want %g", q.Name, b, v, i, j, k, want)
					}
				}
			}
		}
	}
}
