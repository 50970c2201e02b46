package casefile

import "convect/physics"

// volumeTerm is how a case writes what heat gains and loses all over the volume beside transport: a section of values.
type volumeTerm struct {
	key    string
	of     func(p *physics.Parameters) *physics.Term
	values []termValue
}

// termValue is a value of a term, of which a model knows the nondimensional form.
type termValue struct {
	key   string
	limit limit
	unit  func(s *physics.Scales) float64
	into  func(t *physics.Term) *physics.Func
}

// volumeTerms lists the terms.
func volumeTerms() []volumeTerm {
	return []volumeTerm{
		{key: "heat_loss", of: func(p *physics.Parameters) *physics.Term { return &p.HeatLoss }, values: []termValue{
			{"coefficient", notNegative(), func(s *physics.Scales) float64 { return s.HeatFlux / (s.Length * s.Temperature) },
				func(t *physics.Term) *physics.Func { return &t.Rate }},
			{"ambient", anyNumber(), temperatureUnit, func(t *physics.Term) *physics.Func { return &t.Toward }},
		}},
	}
}

// givenTerm is what a case says of a term.
type givenTerm struct {
	volumeTerm
	fields []field
}

// addTerms adds the sections of terms to a schema.
func addTerms(schema map[string][]string) {
	for _, of := range volumeTerms() {
		schema["physics"] = append(schema["physics"], of.key)
		for _, v := range of.values {
			schema["physics."+of.key] = append(schema["physics."+of.key], v.key)
		}
	}
}

// decodeTerms reads the terms that are given.
func (c *Case) decodeTerms(s section) {
	for _, of := range volumeTerms() {
		v := s.get(of.key)
		if !v.given() {
			continue
		}
		section, ok := v.section()
		given := givenTerm{of, make([]field, len(of.values))}
		for i, value := range of.values {
			switch v := section.get(value.key); {
			case v.given():
				given.fields[i] = c.variable(v, value.limit)
			case ok:
				v.missing(value.limit.words)
			}
		}
		c.plan.terms = append(c.plan.terms, given)
	}
}

// buildTerms evaluates the terms, less those whose values are all zero, which are as good as none.
func (c *Case) buildTerms() {
	for _, given := range c.plan.terms {
		t, all := given.of(&c.Parameters), []*field{}
		*t = physics.Term{}
		for i, value := range given.values {
			f := &given.fields[i]
			all, t.Varies = append(all, f), t.Varies || f.inTime
			if f.varies() || f.constant != 0 {
				*value.into(t) = f.nondimensional(c.Scales, value.unit(&c.Scales))
			}
			c.checkNodes(f)
		}
		t.Course = course(c.Scales, all...)
	}
}

// loses tells whether a term takes whatever heat there is.
func (c *Case) loses() bool {
	for _, given := range c.plan.terms {
		if t := given.of(&c.Parameters); t.Rate != nil {
			return true
		}
	}
	return false
}
