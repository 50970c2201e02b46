package physics

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// wide is a layer of so many heights, 64 cells high.
func wide(size float64, periodic bool) stencil.Extent {
	return stencil.Extent{Cells: [3]int{max(32, int(8*size)), 0, 64}, Size: [3]float64{size, 0, 1}, Periodic: [3]bool{periodic}}
}

// outlookOf returns the outlook of a case.
func outlookOf(t *testing.T, p Parameters, end float64) Outlook {
	t.Helper()
	o, err := simulate(t, openDevice(t, 1), p, Controls{End: end, Courant: 0.5}).Outlook()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The Rayleigh number from which a layer convects, for walls that conduct or not and let fluid pass or not (Nield & Bejan, Convection in Porous Media, table 6.1), for boxes (Beck 1972)
// and an anisotropic medium (π²(1 + (k_z/k_x)^½)² where all wave numbers are there).
func TestCriticalRayleighNumber(t *testing.T) {
	held, flux := Wall{Heat: FixedTemperature, HeatValue: Constant(1)}, Wall{HeatValue: Constant(1)}
	cold, drain := Wall{Heat: FixedTemperature}, Wall{HeatValue: Constant(-1)}
	open := cold
	open.Flow = Open
	for name, c := range map[string]struct {
		e           stencil.Extent
		bottom, top Wall
		kx          float64
		want        float64
	}{
		"isothermal":             {wide(1, false), held, cold, 1, 4 * math.Pi * math.Pi},
		"isothermal, periodic":   {wide(2, true), held, cold, 1, 4 * math.Pi * math.Pi},
		"flux below":             {wide(1.350526, false), flux, cold, 1, 27.097628},
		"flux below and above":   {wide(40, false), flux, drain, 1, 12},
		"open above":             {wide(1.350526, false), held, open, 1, 27.097628},
		"flux below, open above": {wide(math.Pi/1.75, false), flux, open, 1, 17.65},
		"half as wide as high":   {wide(0.5, false), held, cold, 1, math.Pow(math.Pi*2.5, 2)},
		"permeability 4 along x": {wide(math.Sqrt2, false), held, cold, 4, 22.20661},
		"cube":                   {stencil.Extent{Cells: [3]int{16, 16, 64}, Size: [3]float64{1, 1, 1}}, held, cold, 1, 4 * math.Pi * math.Pi},
		"square of a third":      {stencil.Extent{Cells: [3]int{16, 16, 64}, Size: [3]float64{1. / 3, 1. / 3, 1}}, held, cold, 1, math.Pow(math.Pi*(3+1./3), 2)},
		"graded":                 {graded(wide(1, false)), held, cold, 1, 4 * math.Pi * math.Pi},
		"twice as high":          {stencil.Extent{Cells: [3]int{32, 0, 64}, Size: [3]float64{2, 0, 2}}, held, cold, 1, 2 * math.Pi * math.Pi},
	} {
		t.Run(name, func(t *testing.T) {
			p := heated(c.e, 10)
			p.Walls[kernels.Bottom], p.Walls[kernels.Top] = c.bottom, c.top
			p.Permeability = Material{Constant: [3]float64{c.kx, 1, 1}}
			o := outlookOf(t, p, 1)
			if !o.Rest || o.Disturbed || o.Uniform || o.Patchy || !math.IsInf(o.Opposite, 1) {
				t.Errorf("%+v", o)
			}
			within(t, "critical Rayleigh number", o.Critical, c.want, 1e-2)
			p.Rayleigh, p.Initial.Noise = -10, 1e-6
			o = outlookOf(t, p, 1)
			if !o.Rest || !o.Disturbed || !math.IsInf(o.Critical, 1) {
				t.Errorf("stable and disturbed: %+v", o)
			}
			within(t, "critical number of the other sign", o.Opposite, c.want, 1e-2)
		})
	}
}

// A layer that is not unstable at first may become so while heat spreads: with the depth δ of what has been heated, Ra δ passes the critical number of a deep
// layer some time. In a medium of layers the critical number is that of the medium, here of a lower half that hardly lets fluid pass and an upper half that is a layer of
// half the height and difference of temperature by itself, closed below and nearly of fixed temperature there.
func TestOutlookOverTime(t *testing.T) {
	p := heated(wide(1, false), 200)
	p.Initial = Initial{Temperature: Constant(0)}
	if o := outlookOf(t, p, 1); !o.Rest || o.Critical > 41 {
		t.Errorf("heated from below: %+v", o)
	}
	if o := outlookOf(t, p, 1e-4); !o.Rest || o.Critical < 200 {
		t.Errorf("hardly begun to be heated from below: %+v", o)
	}
	p.Initial.Conduction = true
	p.Permeability = isotropicCells(p.Extent, func(x [3]float64) float64 {
		if x[2] < 0.5 {
			return 1e-9
		}
		return 1
	})
	// The temperature of the lower half follows that of the upper: between 4 (27.1, flux) and 4 (39.5, isothermal).
	if o := outlookOf(t, p, 1); !o.Rest || o.Patchy || o.Critical < 4*27.1 || o.Critical > 4*39.5 {
		t.Errorf("over a tight half: %+v", o)
	}
}

// What moves the fluid by itself is not judged.
func TestOutlookOfMovedFluids(t *testing.T) {
	for name, change := range map[string]func(p *Parameters){
		"hot side":    func(p *Parameters) { p.Walls[kernels.Left] = Wall{Heat: FixedTemperature, HeatValue: Constant(1)} },
		"heated side": func(p *Parameters) { p.Walls[kernels.Left] = Wall{HeatValue: Constant(1)} },
		"patch": func(p *Parameters) {
			p.Patches = []Patch{{Side: kernels.Bottom, Range: [3][2]float64{{0, 0.5}, {}, {}}, Heat: true, Wall: Wall{Heat: FixedTemperature, HeatValue: Constant(2)}}}
		},
		"wall that varies along x": func(p *Parameters) {
			p.Walls[kernels.Bottom].HeatValue = func(x, _, _, _ float64) float64 { return 1 + x }
		},
		"wall that varies in time":   func(p *Parameters) { p.Walls[kernels.Bottom].Varies = true },
		"source that varies along x": func(p *Parameters) { p.HeatSource = func(x, _, _, _ float64) float64 { return x } },
		"through-flow": func(p *Parameters) {
			p.Walls[kernels.Bottom].Flow, p.Walls[kernels.Bottom].FlowValue, p.Walls[kernels.Top].Flow = FixedVelocity, Constant(1), Open
		},
		"open below and above": func(p *Parameters) { p.Walls[kernels.Bottom].Flow, p.Walls[kernels.Top].Flow = Open, Open },
		"open side":            func(p *Parameters) { p.Walls[kernels.Left].Flow = Open },
		"diffusivity that varies along x": func(p *Parameters) {
			p.Diffusivity = isotropicCells(p.Extent, func(x [3]float64) float64 { return 1 + x[0] })
		},
		"initial temperature that varies along x": func(p *Parameters) {
			p.Initial = Initial{Temperature: func(x, _, z, _ float64) float64 { return 1 - z + 0.1*x }}
		},
		"no buoyancy":            func(p *Parameters) { p.Rayleigh = 0 },
		"periodic along gravity": func(p *Parameters) { p.Extent.Periodic[kernels.Z], p.Walls = true, [6]Wall{} },
	} {
		p := heated(plane(8), 100)
		change(&p)
		if o := outlookOf(t, p, 1); o != (Outlook{}) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	p := heated(plane(8), 100)
	p.Permeability = isotropicCells(p.Extent, func(x [3]float64) float64 { return 1 + x[0] })
	if o := outlookOf(t, p, 1); !o.Rest || !o.Patchy {
		t.Errorf("permeability that varies along x, which moves nothing at rest: %+v", o)
	}
	p.Walls = [6]Wall{}
	p.Initial = Initial{Temperature: Constant(0.5), Noise: 0.1}
	if o := outlookOf(t, p, 1); !o.Rest || !o.Uniform {
		t.Errorf("one temperature everywhere: %+v", o)
	}
}
