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
	d := physics.Dimensional{Porosity: 1, Gravity: 9.81}
	permeability := within(0, mostPermeable)
	permeability.words += " m²"
	before := len(c.d.errors)
	for _, q := range []struct {
		key   string
		to    *float64
		limit limit
		must  bool
	}{
		{"permeability", &d.Permeability, permeability, true}, {"viscosity", &d.Viscosity, positive(), true},
		{"density", &d.Density, positive(), true}, {"expansivity", &d.Expansivity, notZero(), true},
		{"temperature_difference", &d.TemperatureDifference, positive(), true}, {"height", &d.Height, positive(), true},
		{"conductivity", &d.Conductivity, positive(), true}, {"heat_capacity", &d.HeatCapacity, positive(), true},
		{"porosity", &d.Porosity, fraction(), false}, {"gravity", &d.Gravity, positive(), false},
		{"rock_density", &d.RockDensity, positive(), false}, {"rock_heat_capacity", &d.RockHeatCapacity, positive(), false},
	} {
		k := s.get(q.key)
		switch {
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
	for _, v := range []float64{scales.Length, scales.Time, scales.Temperature, scales.Velocity, scales.Pressure, scales.HeatFlux} {
		if !(v > 0) || math.IsInf(v, 0) || math.IsNaN(rayleigh) || math.IsInf(rayleigh, 0) {
			s.refuse("values of the order of a real material", "the scales or the Rayleigh number are beyond all numbers")
			return
		}
	}
	c.Dimensional, c.Scales, c.Parameters.Rayleigh = &d, scales, rayleigh
}
