package physics

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// Beyond walls, in halos and padding, the fields of a run stay zero, whichever trade places: extrapolations in time let anything else there
// grow, to infinity in some thousand steps, and zero times that is not zero.
func TestNothingBeyondWalls(t *testing.T) {
	t.Parallel()
	box := stencil.Extent{Cells: [3]int{8, 8, 4}, Size: [3]float64{2, 2, 1}}
	flat := stencil.Extent{Cells: [3]int{8, 0, 4}, Size: [3]float64{2, 0, 1}}
	viscous := func(p Parameters) Parameters {
		p.Viscosity = exponential(1)
		return p
	}
	for name, p := range map[string]Parameters{
		"3-D":                heated(box, 300),
		"2-D":                heated(flat, 300),
		"27 points":          withPoints27(heated(box, 300)),
		"viscosity":          viscous(heated(box, 100)),
		"viscosity of both":  withBoth(salted(heated(box, 100), -0.5, 2)),
		"viscosity, 2-D":     viscous(heated(flat, 100)),
		"viscosity, float32": single(viscous(heated(box, 100))),
	} {
		if name != "viscosity, float32" {
			p = mixed(p)
		}
		p.Transport, p.Initial.Noise, p.Initial.Seed = kernels.TVD, 0.01, 1
		t.Run(name+", processor", func(t *testing.T) { nothingBeyond(t, openDevice(t, 1), p) })
		t.Run(name+", GPU", func(t *testing.T) {
			if testing.Short() && name != "3-D" {
				t.Skip("long in emulation")
			}
			gpu, err := cuda.New(emulation.New(emulation.Options{}))
			if err != nil {
				t.Fatal(err)
			}
			defer gpu.Close()
			nothingBeyond(t, gpu, p)
		})
	}
}

// nothingBeyond makes some steps without periodic axes and fails where a field is not zero beyond its nodes.
func nothingBeyond(t *testing.T, dev kernels.Device, p Parameters) {
	t.Helper()
	s, err := New(dev, p, Controls{End: 1, Courant: 0.5, Steady: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	for range guardSteps + 3 {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.watchSteady(); err != nil {
			t.Fatal(err)
		}
	}
	m := s.model
	for name, f := range map[string]*stencil.Field{
		"temperature": m.temperature().now, "temperature before": m.temperature().before, "temperature before that": m.temperature().older,
		"pressure": m.flow.pressure, "pressure before": m.flow.pressurePrev, "pressure before that": m.flow.pressureOlder,
		"advection": m.temperature().advection, "advection before": m.temperature().advectionPrev, "scratch 0": m.scratch.own[0], "scratch 1": m.scratch.own[1], "scratch 2": m.scratch.own[2],
	} {
		v := make([]float64, f.Buffer.Len())
		if err := m.dev.Download(v, f.Buffer); err != nil {
			t.Fatal(err)
		}
		b := m.grid.Box
		for k := range b.N[2] {
			for j := range b.N[1] {
				clear(v[b.Index(0, j, k):b.Index(b.N[0], j, k)])
			}
		}
		for at, x := range v {
			if x != 0 {
				t.Errorf("%s: element %d, beyond the nodes, is %g", name, at, x)
				break
			}
		}
	}
}
