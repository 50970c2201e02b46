package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// A graded cell gives the published Nusselt number within 0.5 % with fewer cells than equal ones need.
func TestGradedCellHasPublishedNusselt(t *testing.T) {
	t.Parallel()
	dev := openDevice(t, 0)
	graded := stencil.Grading{Cluster: stencil.ClusterBoth, Ratio: 3}
	off := map[string]float64{}
	for name, c := range map[string]struct {
		grading stencil.Grading
		points  kernels.Stencil
	}{"equal": {points: kernels.SevenPoint}, "graded": {graded, kernels.SevenPoint}, "graded, 27": {graded, kernels.TwentySevenPoint}} {
		p := heated(plane(20), 100)
		p.Stencil = c.points
		grading := c.grading
		p.Extent.Grading[kernels.X], p.Extent.Grading[kernels.Z] = grading, grading
		p.Initial.Mode, p.Initial.Amplitude = [3]int{1, 0, 1}, 0.2
		s := simulate(t, dev, p, Controls{End: 20, Courant: 0.5, Steady: 1e-7})
		if run(t, s) != Steady {
			t.Fatalf("%s: no steady state at t = %g", name, s.Time())
		}
		v := s.Sample()
		off[name] = math.Abs(v.Heat().Transfer()/nusselt100 - 1)
		within(t, name+": Nu of the cold against the hot wall", v.Heat().Cold, v.Heat().Hot, 1e-5)
		within(t, name+": Nu by volume against the hot wall", v.Heat().Volume, v.Heat().Hot, 1e-5)
		t.Logf("%s: Nu off by %.3f %%, ψ by %.3f %%", name, 100*off[name], 100*(v.Streamfunction/streamfunction100-1))
		if c.grading == graded && off[name] > 0.005 || math.Abs(v.Streamfunction/streamfunction100-1) > 0.02 {
			t.Errorf("%s: Nu %g, ψ %g", name, v.Heat().Transfer(), v.Streamfunction)
		}
	}
	if !(off["graded"] < 0.5*off["equal"]) {
		t.Errorf("Nu off by %.3g with a graded grid, %.3g with an equal one", off["graded"], off["equal"])
	}
}

// A constant temperature stays constant whatever flows, to the tolerance of the pressure.
func TestGradedConstantStaysConstant(t *testing.T) {
	dev := openDevice(t, 0)
	for name, e := range map[string]stencil.Extent{"plane": graded(plane(16)), "cube": graded(cube(8))} {
		for _, scheme := range []kernels.Scheme{kernels.TVD, kernels.WENO5} {
			p := rich(e, scheme)
			p.HeatSource, p.Patches = nil, nil
			p.Initial = Initial{Temperature: Constant(2)}
			for side := range p.Walls {
				p.Walls[side].Heat, p.Walls[side].HeatValue, p.Walls[side].Inflow = HeatFlux, nil, Constant(2)
			}
			s := simulate(t, dev, p, Controls{End: 0.02, Courant: 0.5, MaxStep: 1e-3})
			run(t, s)
			for _, v := range download(t, s, "temperature") {
				if math.Abs(v-2) > 1e-8 {
					t.Fatalf("%s, scheme %d: temperature %.12g", name, scheme, v)
				}
			}
		}
	}
}

// The mean of a diffusivity over the volume, not over cells, makes the Nusselt number of conduction one.
func TestGradedConductionHasNusseltOne(t *testing.T) {
	dev := openDevice(t, 0)
	p := heated(graded(plane(16)), 0)
	p.Diffusivity = isotropicCells(p.Extent, func(x [3]float64) float64 { return 1 + 9*x[0]*x[0] })
	s := simulate(t, dev, p, Controls{End: 0.01, Courant: 0.5, MaxStep: 0.001})
	run(t, s)
	v := s.Sample()
	for name, nu := range map[string]float64{"hot": v.Heat().Hot, "cold": v.Heat().Cold, "volume": v.Heat().Volume, "dissipation": v.Heat().Dissipation} {
		within(t, name, nu, 1, 1e-7)
	}
}
