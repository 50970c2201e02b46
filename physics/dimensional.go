package physics

import (
	"fmt"
	"math"
)

// Dimensional holds the material of a case in SI units. Its scales are the height and the diffusive time:
//
//	κ = λ / (ρ c),   Ra = k ρ g α ΔT H / (μ κ)
//
// (Nield & Bejan, Convection in Porous Media, section 6.1).
type Dimensional struct {
	Permeability          float64 // k, m²
	Viscosity             float64 // μ, dynamic, Pa s
	Density               float64 // ρ, kg/m³
	Expansivity           float64 // α, 1/K; negative: the fluid is denser where it is warmer; 0, as of HalineContraction, where the density is given as an expression
	TemperatureDifference float64 // ΔT, K
	Height                float64 // H, m
	Conductivity          float64 // λ of fluid and matrix, W/(m K)
	HeatCapacity          float64 // c of the fluid, J/(kg K)
	Porosity              float64 // φ, from 0 to 1
	RockDensity           float64 // ρ_r of the grains, kg/m³; 0: not known
	RockHeatCapacity      float64 // c_r of the grains, J/(kg K); 0: not known
	Gravity               float64 // g, m/s²

	HalineContraction float64 // β: the density grows by ρ β for one unit of concentration; below 0 it falls
	SoluteDifference  float64 // ΔS, in the unit of concentrations; 0: there is no solute
	SoluteDiffusivity float64 // D_S of fluid and matrix, m²/s
	Isothermal        bool    // κ is D_S, and what is of heat is not given
}

// Check names the first value that is not positive; the expansivity may have any sign, the porosity is from 0 to 1, and what is
// known of the grains not negative.
func (d Dimensional) Check() error {
	type named struct {
		name  string
		value float64
	}
	all := []named{{"permeability", d.Permeability}, {"viscosity", d.Viscosity}, {"density", d.Density}, {"height", d.Height}, {"gravity", d.Gravity}}
	if !d.Isothermal {
		all = append(all, named{"expansivity", math.Abs(d.Expansivity)}, named{"temperature_difference", d.TemperatureDifference},
			named{"conductivity", d.Conductivity}, named{"heat_capacity", d.HeatCapacity})
	}
	if d.SoluteDifference != 0 || d.Isothermal {
		all = append(all, named{"solute_difference", d.SoluteDifference}, named{"solute_diffusivity", d.SoluteDiffusivity})
	}
	for _, v := range all {
		if !(v.value > 0) || math.IsInf(v.value, 0) {
			return fmt.Errorf("%s = %g is not a positive number", v.name, v.value)
		}
	}
	if !(d.Porosity >= 0 && d.Porosity <= 1) {
		return fmt.Errorf("porosity = %g is not from 0 to 1", d.Porosity)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"rock_density", d.RockDensity}, {"rock_heat_capacity", d.RockHeatCapacity}} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return fmt.Errorf("%s = %g is not a number, 0 or above", v.name, v.value)
		}
	}
	return nil
}

// HeatCapacityRatio returns σ = φ + (1 - φ) ρ_r c_r / (ρ c), the heat capacity of fluid and grains over that of as much fluid,
// where the porosity is φ (Nield & Bejan, section 2.1).
func (d Dimensional) HeatCapacityRatio(porosity float64) float64 {
	return porosity + (1-porosity)*(d.RockDensity*d.RockHeatCapacity)/(d.Density*d.HeatCapacity)
}

// Diffusivity returns κ = λ / (ρ c), m²/s, or where there is no temperature D_S.
func (d Dimensional) Diffusivity() float64 {
	if d.Isothermal {
		return d.SoluteDiffusivity
	}
	return d.Conductivity / (d.Density * d.HeatCapacity)
}

// SoluteRayleigh returns the factor of the concentration in the buoyancy, -k ρ g β ΔS H / (μ κ): below 0 where the solute makes the fluid denser.
func (d Dimensional) SoluteRayleigh() float64 {
	velocity := d.Permeability * d.Density * d.Gravity * d.HalineContraction * d.SoluteDifference / d.Viscosity
	return 0 - velocity*d.Height/d.Diffusivity() // 0 without a sign where the contraction is 0
}

// Rayleigh returns Ra = k ρ g α ΔT H / (μ κ).
func (d Dimensional) Rayleigh() float64 {
	velocity := d.Permeability * d.Density * d.Gravity * d.Expansivity * d.TemperatureDifference / d.Viscosity
	return velocity * d.Height / d.Diffusivity()
}

// RayleighOf returns k ρ g H / (μ κ) times a change of the density, of itself.
func (d Dimensional) RayleighOf(change float64) float64 {
	return d.Permeability * d.Density * d.Gravity * change / d.Viscosity * d.Height / d.Diffusivity()
}

// Scales returns what turns nondimensional results into SI units: length H, time H²/κ, velocity κ/H, temperature ΔT,
// pressure μκ/k, heat flux λΔT/H, concentration ΔS.
func (d Dimensional) Scales() Scales {
	kappa := d.Diffusivity()
	solute := d.SoluteDifference
	if solute == 0 {
		solute = 1
	}
	return Scales{
		Concentration: solute, Permeability: d.Permeability,
		Length: d.Height, LengthUnit: "m",
		Time: d.Height * d.Height / kappa, TimeUnit: "s",
		Temperature: d.TemperatureDifference, TemperatureUnit: "K",
		Velocity: kappa / d.Height, VelocityUnit: "m/s",
		Pressure: d.Viscosity * kappa / d.Permeability, PressureUnit: "Pa",
		HeatFlux: d.Conductivity * d.TemperatureDifference / d.Height, HeatFluxUnit: "W/m2",
	}
}
