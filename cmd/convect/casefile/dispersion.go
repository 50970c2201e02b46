package casefile

import (
	"slices"

	"convect/physics"
)

// dispersionLengths lists how a case writes lengths of dispersion.
func dispersionLengths(l *physics.Dispersion) []struct {
	key  string
	into *float64
} {
	return []struct {
		key  string
		into *float64
	}{{"longitudinal", &l.Longitudinal}, {"transverse", &l.Transverse}}
}

// addDispersion adds the section of a scalar's lengths to a schema.
func addDispersion(schema map[string][]string, path string) {
	for _, of := range dispersionLengths(&physics.Dispersion{}) {
		schema[path] = append(schema[path], of.key)
	}
}

// addHeat adds what the heat equation has beside the medium.
func addHeat(schema map[string][]string) {
	addTerms(schema)
	schema["physics"] = append(schema["physics"], "dispersion")
	addDispersion(schema, "physics.dispersion")
}

// addDispersions adds the sections of single scalars.
func addDispersions(schema map[string][]string, tracers []string) {
	names := tracers
	for n, of := range allCarried() {
		names = slices.Insert(slices.Clone(names), n, of.name)
	}
	for _, name := range names {
		if path := "physics.dispersion." + name; schema[path] == nil && !slices.Contains(schema["physics.dispersion"], name) {
			schema["physics.dispersion"] = append(schema["physics.dispersion"], name)
			addDispersion(schema, path)
		}
	}
}

// decodeDispersions reads the lengths of all scalars, or those of each that is named.
func (c *Case) decodeDispersions(v value) {
	p := &c.Parameters
	if !v.given() {
		return
	}
	s, ok := v.section()
	if !ok {
		return
	}
	each := false
	var all []*physics.Dispersion
	for _, of := range c.carried() {
		own := s.get(of.name)
		each = each || own.given()
		if of.refused(c, own) {
			continue
		}
		l := &physics.Dispersion{}
		all = append(all, l)
		if own.given() {
			c.decodeDispersion(own, l)
		}
	}
	if !each {
		c.decodeDispersion(v, &p.Dispersion)
		return
	}
	for _, of := range dispersionLengths(&physics.Dispersion{}) {
		if k := s.get(of.key); k.given() {
			k.refuse("longitudinal and transverse for all that is carried, or a section for each", "a section of one is given too")
		}
	}
	if !p.Isothermal {
		p.Dispersion, all = *all[0], all[1:]
	}
	for n := range p.Solutes {
		p.Solutes[n].Dispersion = all[n]
	}
}

// decodeDispersion reads the lengths of a scalar.
func (c *Case) decodeDispersion(v value, l *physics.Dispersion) {
	if !v.given() {
		return
	}
	s, ok := v.section()
	whole := ok
	for _, of := range dispersionLengths(l) {
		switch k := s.get(of.key); {
		case k.given():
			length, right := k.number(notNegative())
			*of.into, whole = length/c.Scales.Length, whole && right
		case ok:
			k.missing(notNegative().words)
			whole = false
		}
	}
	if whole && l.Transverse > l.Longitudinal {
		s.get("transverse").refuse("a number from 0 to longitudinal", "%g is more than longitudinal: a flow spreads less across it than along it", l.Transverse*c.Scales.Length)
	}
}
