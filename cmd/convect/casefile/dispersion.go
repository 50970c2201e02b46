package casefile

import "convect/physics"

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
