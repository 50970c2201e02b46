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
		c.decodeDimensional(dimensional, s)
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
	not   refusal
}

// refusal says why a value is not accepted in this case, and what is in its place; its zero value: it is.
type refusal struct{ why, instead string }

// references lists the values of physics.dimensional for a case with heat, a solute, or both, whose section physics is given.
func (c *Case) references(d *physics.Dimensional, s section) []reference {
	permeability := within(0, mostPermeable)
	permeability.words += " m²"
	contraction := anyNumber()
	contraction.words += ", above 0 for what makes the fluid denser"
	var heat, solute, buoyant, none refusal
	if c.Parameters.Isothermal {
		heat = refusal{"there is no heat equation in this case (physics.temperature: none)", "no such key"}
	}
	if len(c.plan.solutes) == 0 {
		solute = refusal{"there is no solute in this case: it needs physics.solute", "no such key"}
	}
	if buoyant = solute; solute == none && !c.hasSolute() {
		buoyant = refusal{"tracers do not move the fluid: it needs physics.solute", "no such key"}
	}
	withHeat, withSolute := heat == none, buoyant == none
	expands, contracts := heat, buoyant
	if key, given := expresses(s); given {
		for _, r := range []*refusal{&expands, &contracts} {
			if *r == none {
				*r = refusal{"physics." + key + " is given too, which says what the density depends on", "one of physics." + key + ", expansivity and haline_contraction"}
			}
		}
	}
	return []reference{
		{"permeability", &d.Permeability, permeability, true, none}, {"viscosity", &d.Viscosity, positive(), true, none},
		{"density", &d.Density, positive(), true, none}, {"expansivity", &d.Expansivity, notZero(), expands == none, expands},
		{"temperature_difference", &d.TemperatureDifference, positive(), withHeat, heat}, {"height", &d.Height, positive(), true, none},
		{"conductivity", &d.Conductivity, positive(), withHeat, heat}, {"heat_capacity", &d.HeatCapacity, positive(), withHeat, heat},
		{"porosity", &d.Porosity, fraction(), false, none}, {"gravity", &d.Gravity, positive(), false, none},
		{"rock_density", &d.RockDensity, positive(), false, heat}, {"rock_heat_capacity", &d.RockHeatCapacity, positive(), false, heat},
		{"haline_contraction", &d.HalineContraction, contraction, contracts == none, contracts}, {"solute_difference", &d.SoluteDifference, positive(), withSolute, solute},
		{"solute_diffusivity", &d.SoluteDiffusivity, positive(), withSolute, solute},
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
func (c *Case) decodeDimensional(v value, top section) {
	s, ok := v.section()
	if !ok {
		return
	}
	d := physics.Dimensional{Porosity: 1, Gravity: 9.81, Isothermal: c.Parameters.Isothermal}
	before := len(c.d.errors)
	for _, q := range c.references(&d, top) {
		k := s.get(q.key)
		switch {
		case k.given() && q.not != (refusal{}):
			k.refuse(q.not.instead, "%s", q.not.why)
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
