package casefile

import (
	"math"

	"convect/physics"
)

// decodePhysicalScales reads rayleigh or dimensional, from which the scales of everything else follow.
func (c *Case) decodePhysicalScales(v value) {
	c.Scales = physics.Nondimensional()
	before := len(c.d.errors)
	s, _ := v.section()
	c.d.errors = c.d.errors[:before] // decodePhysics reports them
	rayleigh, dimensional := s.get("rayleigh"), s.get("dimensional")
	c.si = dimensional.given()
	switch {
	case c.Parameters.Isothermal && rayleigh.given():
		rayleigh.refuse("physics.solute.rayleigh", "without a temperature there is no Rayleigh number of it")
	case c.Parameters.Isothermal && !dimensional.given():
		c.decodeSoluteRayleigh(s)
	case rayleigh.given() && dimensional.given():
		dimensional.refuse("one of rayleigh, dimensional", "rayleigh is given too")
	case rayleigh.given():
		c.Parameters.Rayleigh, _ = rayleigh.number(anyNumber())
	case dimensional.given():
		c.decodeDimensional(dimensional)
	default:
		rayleigh.missing("rayleigh: a number, or dimensional: a section in SI units")
	}
}

// reference is a value of physics.dimensional.
type reference struct {
	key   string
	to    *float64
	limit limit
	must  bool
	not   string // why it is not accepted in this case; "": it is
}

// references lists the values of physics.dimensional for a case with heat, a solute, or both.
func (c *Case) references(d *physics.Dimensional) []reference {
	permeability := within(0, mostPermeable)
	permeability.words += " m²"
	contraction := anyNumber()
	contraction.words += ", above 0 for what makes the fluid denser"
	heat, solute := "", ""
	if c.Parameters.Isothermal {
		heat = "there is no heat equation in this case (physics.temperature: none)"
	}
	if len(c.plan.solutes) == 0 {
		solute = "there is no solute in this case: it needs physics.solute"
	}
	buoyant, tracers := solute, solute
	if solute == "" && !c.hasSolute() {
		buoyant = "tracers do not move the fluid: it needs physics.solute"
	}
	withHeat, withSolute := heat == "", buoyant == ""
	return []reference{
		{"permeability", &d.Permeability, permeability, true, ""}, {"viscosity", &d.Viscosity, positive(), true, ""},
		{"density", &d.Density, positive(), true, ""}, {"expansivity", &d.Expansivity, notZero(), withHeat, heat},
		{"temperature_difference", &d.TemperatureDifference, positive(), withHeat, heat}, {"height", &d.Height, positive(), true, ""},
		{"conductivity", &d.Conductivity, positive(), withHeat, heat}, {"heat_capacity", &d.HeatCapacity, positive(), withHeat, heat},
		{"porosity", &d.Porosity, fraction(), false, ""}, {"gravity", &d.Gravity, positive(), false, ""},
		{"rock_density", &d.RockDensity, positive(), false, heat}, {"rock_heat_capacity", &d.RockHeatCapacity, positive(), false, heat},
		{"haline_contraction", &d.HalineContraction, contraction, withSolute, buoyant}, {"solute_difference", &d.SoluteDifference, positive(), withSolute, tracers},
		{"solute_diffusivity", &d.SoluteDiffusivity, positive(), withSolute, tracers},
	}
}

// decodeSoluteRayleigh reads the Rayleigh number of a case without a temperature.
func (c *Case) decodeSoluteRayleigh(s section) {
	solute := s.get("solute")
	if !solute.given() {
		solute.missing("a section with rayleigh and lewis, where physics.temperature is none")
		return
	}
	before := len(c.d.errors)
	keys, ok := solute.section()
	c.d.errors = c.d.errors[:before] // decodeSolute reports them
	switch k := keys.get("rayleigh"); {
	case !ok:
	case k.given():
		c.Parameters.Rayleigh, _ = k.number(anyNumber())
	default:
		k.missing("a number: k Δρ g H/(μ κ) with κ of time, below 0 for what makes the fluid heavier, as salt and CO₂ do")
	}
}

// decodeDimensional reads the material values in SI units.
func (c *Case) decodeDimensional(v value) {
	s, ok := v.section()
	if !ok {
		return
	}
	d := physics.Dimensional{Porosity: 1, Gravity: 9.81, Isothermal: c.Parameters.Isothermal}
	before := len(c.d.errors)
	for _, q := range c.references(&d) {
		k := s.get(q.key)
		switch {
		case k.given() && q.not != "":
			k.refuse("no such key", "%s", q.not)
		case k.given():
			*q.to, _ = k.number(q.limit)
		case q.must:
			k.missing(q.limit.words + ", in SI units")
		}
	}
	if len(c.d.errors) > before {
		return
	}
	scales, rayleigh := d.Scales(), d.Rayleigh()
	if d.Isothermal {
		rayleigh, scales.Temperature, scales.HeatFlux = d.SoluteRayleigh(), 1, 1
	}
	for _, v := range []float64{scales.Length, scales.Time, scales.Temperature, scales.Velocity, scales.Pressure, scales.HeatFlux, scales.Concentration} {
		if !(v > 0) || math.IsInf(v, 0) || math.IsNaN(rayleigh) || math.IsInf(rayleigh, 0) {
			s.refuse("values of the order of a real material", "the scales or the Rayleigh number are beyond all numbers")
			return
		}
	}
	c.Dimensional, c.Scales, c.Parameters.Rayleigh = &d, scales, rayleigh
}
