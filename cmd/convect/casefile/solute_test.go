package casefile

import (
	"math"
	"testing"

	"convect/kernels"
)

// salty is a case in SI units: κ = 2.5e-6 m²/s, a time unit of 4e7 s, Ra = 9.81 and N = -7.6e-4·35/(8e-4·25) = -1.33.
const salty = `physics:
  dimensional: {permeability: 1.25e-11, viscosity: 1e-3, density: 1000, expansivity: 8e-4, temperature_difference: 25, height: 10, conductivity: 10.5, heat_capacity: 4200,
    haline_contraction: 7.6e-4, solute_difference: 35, solute_diffusivity: 2.5e-7, porosity: 0.2}
  heat_capacity_ratio: 1
  porosity: "z < 5 ? 0.1 : 0.3"
  solute: {decay: 1e-8, source: 1e-7, retardation: 2}
  tracers: {dye: {diffusivity: [5e-7, 1e-6]}}
boundaries:
  bottom: {temperature: 25, concentration: 35, tracers: {dye: {solute_flux: 1e-6}}}
  top: {temperature: 0, solute_transfer: {coefficient: 5e-7, ambient: 7}}
  left: {flow: open, inflow_concentration: 14}
grid: {cells: [8, 4], size: [20, 10]}
initial: {concentration: 3.5*z, concentration_perturbation: {noise: 0.35}}
`

// A solute in SI units: N from the contraction, Le from the diffusivities, Da = ε λ H²/κ with the porosity of each place, S over ΔS, fluxes over κ ΔS/H.
func TestSoluteInSI(t *testing.T) {
	c := load(t, salty)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s: %.15g, want %.15g", what, got, want)
		}
	}
	p := &c.Parameters
	ra := 1.25e-11 * 1000 * 9.81 * 8e-4 * 25 * 10 / (1e-3 * 2.5e-6)
	s, dye := &p.Solutes[0], &p.Solutes[1]
	near("Ra", p.Rayleigh, ra)
	near("N Ra", s.Rayleigh, -ra*7.6e-4*35/(8e-4*25))
	near("1/Le", s.Diffusivity.Constant[0], 0.1)
	near("1/Le of the dye along x", dye.Diffusivity.Constant[0], 0.2)
	near("1/Le of the dye along z", dye.Diffusivity.Constant[2], 0.4)
	near("ε low", s.Porosity.Cells[0][0], 0.2)
	near("ε high", s.Porosity.Cells[0][31], 0.6)
	time := 100 / 2.5e-6
	near("Da low", s.Decay.Rate(1, 0, 0.25, 0), 0.1*1e-8*time)
	near("Da in the middle", s.Decay.Rate(1, 0, 0.5, 0), 0.2*1e-8*time)
	near("Da high", s.Decay.Rate(0, 0, 1, 0), 0.3*1e-8*time)
	near("source", s.Source.Gain(0, 0, 0, 0), 1e-7*time/35)
	bottom, top, left := p.Walls[kernels.Bottom], p.Walls[kernels.Top], p.Walls[kernels.Left]
	near("concentration", bottom.Of(0).Value(0, 0, 0, 0), 1)
	near("flux of the dye", bottom.Of(1).Value(0, 0, 0, 0), 1e-6*10/(2.5e-6*35))
	near("coefficient", top.Of(0).Coefficient(0, 0, 0, 0), 5e-7*10/2.5e-6)
	near("ambient", top.Of(0).Value(0, 0, 0, 0), 0.2)
	near("inflow", left.Of(0).Inflow(0, 0, 0, 0), 0.4)
	near("start", s.Initial.Temperature(0, 0, 0.5, 0), 0.5)
	near("noise", s.Initial.Noise, 0.01)
	c = load(t, "physics:\n  temperature: none\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, height: 10, haline_contraction: 1e-3, solute_difference: 20, solute_diffusivity: 1e-9}\n"+
		"  solute: {}\nboundaries: {top: {concentration: 20}, bottom: {concentration: 0}}\ninitial: {concentration: 1}\n")
	p = &c.Parameters
	near("Ra of the solute alone", p.Solutes[0].Rayleigh, -1e-12*1000*9.81*1e-3*20*10/(1e-3*1e-9))
	near("its diffusivity", p.Solutes[0].Diffusivity.Constant[0], 1)
	near("its time", c.Scales.Time, 1e11)
}

// A buoyancy in T and S takes each by its name, with heat and without, and says what it depends on.
func TestBuoyancyInTAndS(t *testing.T) {
	b := load(t, "physics: {rayleigh: 100, buoyancy: \"(T - 0.25)^2 - 2*S\", solute: {lewis: 2}}\n").Parameters.Buoyancy
	if got := b.Of(1.25, 0.5); got != 0 || !b.OfTemperature || !b.OfConcentration {
		t.Errorf("b(1.25, 0.5) = %g, of T %v, of S %v", got, b.OfTemperature, b.OfConcentration)
	}
	c := load(t, "physics: {temperature: none, buoyancy: S^2, solute: {rayleigh: -70}}\nboundaries: {top: {concentration: 1}}\n")
	b = c.Parameters.Buoyancy
	if got := b.Of(7, 3); got != 9 || b.OfTemperature || !b.OfConcentration || c.Parameters.Rayleigh != -70 {
		t.Errorf("b(3) = %g, of T %v, of S %v, Ra %g", got, b.OfTemperature, b.OfConcentration, c.Parameters.Rayleigh)
	}
}
