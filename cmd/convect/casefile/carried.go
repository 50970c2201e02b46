package casefile

import (
	"slices"

	"convect/physics"
)

// carried is how a case writes one of the scalars that the fluid carries: its keys, and where the model has what they say.
type carried struct {
	name   string // in messages, files and sections of tracers
	tracer bool   // its keys stand in the section of the tracer, not beside those of others

	decode func(c *Case, s section) // what stands in the physics section
	build  func(c *Case) error      // evaluates what decode has read

	perturbation string // the key of that of its start; "": none
	steady       string // the word for a start from the steady state without flow
	property     func(c *Case) property
	start        func(c *Case) *start
	initial      func(c *Case) *physics.Initial
	absent       func(c *Case) string // what the case would have to say for the scalar to be there; "": it is there

	kinds    []wallKind[physics.HeatKind]
	kind     func(w *physics.Wall) *physics.HeatKind
	inflow   string // the key of what entering fluid brings
	brings   wallValue
	replaces func(p *physics.Patch) // notes that a patch replaces the condition on it
}

// allCarried lists the scalars whose keys every case knows, the temperature first.
func allCarried() []carried { return []carried{temperatureCarried(), soluteCarried(0, "")} }

// carried lists the scalars of the case, with those of [allCarried] that it does not have: see absent.
func (c *Case) carried() []carried {
	all := allCarried()
	for n, of := range c.plan.solutes {
		if of.name != "" {
			all = append(all, soluteCarried(n, of.name))
		}
	}
	return all
}

// temperatureCarried is how a case writes the temperature.
func temperatureCarried() carried {
	return carried{
		name: "temperature", decode: (*Case).decodeHeat, build: (*Case).buildHeat,
		perturbation: "perturbation", steady: "conduction", property: (*Case).temperatureProperty,
		start:   func(c *Case) *start { return &c.plan.temperature },
		initial: func(c *Case) *physics.Initial { return &c.Parameters.Initial }, absent: func(c *Case) string {
			if c.Parameters.Isothermal {
				return "a case without physics.temperature: none"
			}
			return ""
		},
		kinds: heatKinds(), kind: func(w *physics.Wall) *physics.HeatKind { return &w.Heat },
		inflow:   "inflow_temperature",
		brings:   wallValue{limit: anyNumber(), unit: temperatureUnit, into: func(w *physics.Wall) *physics.Func { return &w.Inflow }},
		replaces: func(p *physics.Patch) { p.Heat = true },
	}
}

// unit is that of its values.
func (of *carried) unit(s *physics.Scales) float64 { return of.brings.unit(s) }

// refused reports a value that is given for a scalar which is not there, and tells whether it did.
func (of *carried) refused(c *Case, v value) bool {
	absent := of.absent(c)
	if absent != "" && v.given() {
		v.refuse(absent, "there is no %s in this case", of.name)
	}
	return absent != ""
}

// scalarHalf is what a wall does to one scalar. Its zero value is not given.
type scalarHalf struct {
	half[physics.HeatKind]
	carried carried
	inflow  field // of what entering fluid brings
}

// scalar is what the wall does to the n-th of the scalars of [Case.carried].
func (w *wall) scalar(n int) *scalarHalf {
	if len(w.scalars) <= n {
		return &scalarHalf{}
	}
	return &w.scalars[n]
}

// heat is what the wall does to the temperature.
func (w *wall) heat() *scalarHalf { return w.scalar(0) }

// decodeScalars reads what a wall or patch does to each scalar.
func (c *Case) decodeScalars(s section) []scalarHalf {
	var all []scalarHalf
	tracers := c.tracerSections(s)
	for _, of := range c.carried() {
		own := s
		if of.tracer {
			own, _ = tracers.get(of.name).section()
		}
		all = append(all, c.decodeScalar(own, of))
	}
	return all
}

// decodeScalar reads what a section of a wall does to one scalar.
func (c *Case) decodeScalar(s section, of carried) scalarHalf {
	h := scalarHalf{carried: of}
	for _, kind := range of.kinds {
		v := s.get(kind.key)
		switch {
		case of.refused(c, v) || !v.given():
		case h.given:
			v.refuse("one of "+joined(kindKeys(of.kinds, false)), "%s is given too", h.of.key)
		default:
			h.half = takeHalf(c, kind, v)
		}
	}
	if inflow := s.get(of.inflow); !of.refused(c, inflow) && inflow.given() {
		h.inflow = c.variable(inflow, of.brings.limit)
	}
	return h
}

// refuseInflows refuses what is carried by fluid that cannot enter.
func (w *wall) refuseInflows() {
	for i := range w.scalars {
		if h := &w.scalars[i]; h.inflow.value.given() {
			h.inflow.value.refuse(h.carried.inflow+" where flow is open, {pressure: …} or {velocity: …}", "no fluid enters a closed wall")
		}
	}
}

// saysOfScalars tells whether something is said of a scalar.
func (w *wall) saysOfScalars() bool {
	return slices.ContainsFunc(w.scalars, func(h scalarHalf) bool { return h.given || h.inflow.value.given() })
}

// takes tells whether the wall takes whatever there is of the scalar.
func (h *scalarHalf) takes() bool {
	rule := h.of.kind.Rule()
	return rule.Holds || rule.Ties && slices.ContainsFunc(h.values[1:], func(f field) bool { return f.varies() || f.constant > 0 })
}

// prescribed is the half as [prescribed] has it.
func (h *scalarHalf) prescribed() (*field, bool) {
	if h.of.kind.Rule().Gives {
		return h.value(), h.given
	}
	return nil, h.given
}

// build writes what is said of the scalar into a wall.
func (h *scalarHalf) build(out *physics.Wall, s *physics.Scales) {
	if !h.given && !h.inflow.value.given() {
		return
	}
	*h.carried.kind(out) = h.of.kind
	h.half.build(out, s)
	if h.inflow.value.given() {
		h.carried.brings.build(&h.inflow, out, s)
	}
}

// addCarried adds the keys of the scalars' starts, and their sections in physics, to a schema.
func addCarried(schema map[string][]string) {
	addHeat(schema)
	addSolute(schema)
	for _, of := range allCarried() {
		schema["initial"] = append(schema["initial"], of.name)
		schema["initial."+of.name] = fieldFileKeys()
	}
	for _, of := range allCarried() {
		schema["initial"] = append(schema["initial"], of.perturbation)
		schema["initial."+of.perturbation] = []string{"mode", "amplitude", "noise", "seed"}
	}
}

// scalarKeys lists the keys of walls by scalar: first the conditions of all, then what entering fluid brings.
func scalarKeys() (conditions, inflows []string) {
	for _, of := range allCarried() {
		conditions, inflows = append(conditions, kindKeys(of.kinds, false)...), append(inflows, of.inflow)
	}
	return conditions, inflows
}
