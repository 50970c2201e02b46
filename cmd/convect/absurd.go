package main

import (
	"fmt"
	"math"
	"strings"

	"convect/cmd/convect/casefile"
)

// sensible is the range in which a property of a real medium lies, with what stands at its ends.
type sensible struct {
	low, high float64
	ends      string
}

// sensibleProperties are the ranges of what varies in space, in SI units.
func sensibleProperties() map[string]sensible {
	return map[string]sensible{
		"permeability":        {1e-22, 1e-7, "from rock salt to coarse gravel"},
		"viscosity":           {1e-6, 1e3, "from gas to bitumen"},
		"conductivity":        {0.01, 100, "from foam to metal"},
		"heat_capacity_ratio": {1e-3, 1e4, "from a dissolved substance in tight rock to gas in rock"},
	}
}

// sensibleReferences are those of the values of physics.dimensional that do not vary.
func sensibleReferences(c *casefile.Case) []struct {
	key, unit string
	value     float64
	sensible
} {
	type reference = struct {
		key, unit string
		value     float64
		sensible
	}
	d := c.Dimensional
	all := []reference{
		{"density", "kg/m³", d.Density, sensible{0.01, 2e4, "from gas to mercury"}},
		{"gravity", "m/s²", d.Gravity, sensible{1e-3, 1e4, "from an asteroid to a centrifuge"}},
	}
	if !d.Isothermal {
		if c.Parameters.Buoyancy == nil {
			all = append(all, reference{"expansivity", "1/K", math.Abs(d.Expansivity), sensible{1e-7, 0.05, "from water near 4 °C to gas"}})
		}
		all = append(all, reference{"heat_capacity", "J/(kg K)", d.HeatCapacity, sensible{100, 2e4, "from mercury to hydrogen"}})
	}
	if d.RockDensity > 0 {
		all = append(all, reference{"rock_density", "kg/m³", d.RockDensity, sensible{500, 1e4, "from wood to metal"}},
			reference{"rock_heat_capacity", "J/(kg K)", d.RockHeatCapacity, sensible{100, 5e3, "from lead to wet soil"}})
	}
	return all
}

// absurdities says what of a case in SI units no real medium has: most likely a value in another unit.
func absurdities(c *casefile.Case, m *medium) []string {
	if c.Dimensional == nil {
		return nil
	}
	var out []string
	for _, r := range m.ranges {
		s, ok := sensibleProperties()[r.Name]
		if !ok && strings.HasSuffix(r.Name, casefile.SoluteDiffusivity) {
			s, ok = sensible{1e-15, 1e-4, "from tight clay to gas"}, true
		}
		if ok && (r.Low < s.low || r.High > s.high) {
			out = append(out, fmt.Sprintf("physics.%s is %s: real media have %g to %g%s, %s", r.Name, r, s.low, s.high, unitSuffix(r.Unit), s.ends))
		}
	}
	for _, r := range sensibleReferences(c) {
		if r.value < r.low || r.value > r.high {
			out = append(out, fmt.Sprintf("physics.dimensional.%s is %g %s: real ones are %g to %g, %s", r.key, r.value, r.unit, r.low, r.high, r.ends))
		}
	}
	return append(append(out, m.multiples(c)...), m.beyondDarcy(c)...)
}

// multiples warns of a viscosity far off its reference, as it is where it is a multiple of it, and of a porosity that none but peat,
// wool and foam have.
func (m *medium) multiples(c *casefile.Case) []string {
	const far = 100
	var out []string
	for _, r := range m.ranges {
		switch {
		case r.Name == "viscosity" && (r.Low > far*r.Reference || r.High*far < r.Reference):
			out = append(out, fmt.Sprintf("physics.viscosity is %s, and its reference %g Pa s: is it a multiple of the reference, as in earlier versions? It is in Pa s",
				r, r.Reference))
		case r.Name == "porosity" && r.High > 0.9 && c.Dimensional.Density > 100:
			out = append(out, fmt.Sprintf("physics.porosity is up to %.3g: with a liquid in it there is hardly a medium left", r.High))
		}
	}
	return out
}

// beyondDarcy warns of temperatures that cannot be meant and of what Darcy's law with the Boussinesq approximation is not made for.
func (m *medium) beyondDarcy(c *casefile.Case) []string {
	const (
		coldest, hottest = -573, 1500 // K: absolute zero, counted from 300 °C; rock that melts
		absolute         = 250        // K
		scorched         = 1e4        // K, by conduction alone: a flow may carry some of that away
		contrast         = 0.5
		inertia          = 10 // of the pores' Reynolds number, where Darcy's law ends (Bear, Dynamics of Fluids in Porous Media, section 5.3)
	)
	var out []string
	t, d := m.temperature, c.Dimensional
	switch {
	case t.low < coldest || t.high > hottest:
		out = append(out, fmt.Sprintf("temperatures are %s K: below absolute zero, or above the melting point of rock", t))
	case t.low >= absolute && c.Parameters.Buoyancy == nil:
		out = append(out, fmt.Sprintf("temperatures are %s K, as if they were absolute: they count from that at which the fluid has the given density", t))
	}
	if m.byFlux > scorched {
		out = append(out, fmt.Sprintf("the heat flux of a wall would make a temperature difference of %.2g K over the domain by conduction: heat_flux is in W/m², not in mW/m²", m.byFlux))
	}
	if m.bySource > scorched {
		out = append(out, fmt.Sprintf("physics.heat_source would make a temperature difference of %.2g K over the domain by conduction: it is in W/m³ (rock has some 1e-6)", m.bySource))
	}
	if change := math.Abs(d.HalineContraction) * d.SoluteDifference; change > contrast {
		out = append(out, fmt.Sprintf("the solute changes the density of the fluid by %.2g of itself: the Boussinesq approximation is for small changes; haline_contraction is per unit of solute_difference", change))
	}
	if change := math.Abs(d.Expansivity) * math.Max(math.Abs(t.low), math.Abs(t.high)); change > contrast {
		out = append(out, fmt.Sprintf("the density of the fluid changes by %.2g of itself: the Boussinesq approximation is for small changes", change))
	}
	out = append(out, lightnessWarnings(c, m.fluid)...)
	least, most := d.Viscosity, 0.0
	for _, r := range m.ranges {
		switch r.Name {
		case "viscosity":
			least = r.Low
		case "permeability":
			most = r.High
		}
	}
	if re := d.Density * m.speed.high * math.Sqrt(most) / least; re > inertia {
		out = append(out, fmt.Sprintf("the fluid may move at %s, with a Reynolds number of the pores of %.2g: Darcy's law holds up to about %d",
			speedText(m.speed.high), re, inertia))
	}
	return out
}

// warnOfAbsurdities logs what no real medium has, before the first step of a case in SI units.
func (s *session) warnOfAbsurdities() {
	if s.c.Dimensional == nil {
		return
	}
	flux, source := s.simulation.LargestHeating()
	for _, text := range absurdities(s.c, newMedium(s.c, s.simulation.Foreseen(), s.simulation.DriveBeside()).heated(s.c, flux, source)) {
		s.log.Warn().Msg(text)
	}
}
