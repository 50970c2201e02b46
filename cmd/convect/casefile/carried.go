package casefile

import (
	"slices"

	"convect/physics"
)

// carried is how a case writes one scalar that the flow carries: what walls do to it, its medium and terms, and its start.
type carried struct {
	start       string // the key of its values at the start
	decodeStart func(c *Case, v value)
	decode      func(c *Case, physics section)
	build       func(c *Case) error // evaluates what decode has read
	schema      func(schema map[string][]string)

	kinds    []wallKind[physics.HeatKind]
	kind     func(w *physics.Wall) *physics.HeatKind
	inflow   string // the key of what entering fluid brings
	brings   wallValue
	replaces func(p *physics.Patch) // makes a patch replace the condition
}

// allCarried lists the scalars, the temperature first.
func allCarried() []carried {
	return []carried{{
		start: "temperature", decodeStart: (*Case).decodeTemperature, decode: (*Case).decodeHeat, build: (*Case).buildHeat, schema: addHeat,
		kinds: heatKinds(), kind: func(w *physics.Wall) *physics.HeatKind { return &w.Heat },
		inflow:   "inflow_temperature",
		brings:   wallValue{limit: anyNumber(), unit: temperatureUnit, into: func(w *physics.Wall) *physics.Func { return &w.Inflow }},
		replaces: func(p *physics.Patch) { p.Heat = true },
	}}
}

// scalarHalf is what a wall does to one scalar. Its zero value is not given.
type scalarHalf struct {
	half[physics.HeatKind]
	carried carried
	inflow  field // of what entering fluid brings
}

// heat is what the wall does to the temperature.
func (w *wall) heat() *scalarHalf {
	if len(w.scalars) == 0 {
		return &scalarHalf{}
	}
	return &w.scalars[0]
}

// decodeScalars reads what a wall or patch does to each scalar.
func (c *Case) decodeScalars(s section) []scalarHalf {
	var all []scalarHalf
	for _, of := range allCarried() {
		h := scalarHalf{carried: of}
		for _, kind := range of.kinds {
			v := s.get(kind.key)
			switch {
			case !v.given():
			case h.given:
				v.refuse("one of "+joined(kindKeys(of.kinds, false)), "%s is given too", h.of.key)
			default:
				h.half = takeHalf(c, kind, v)
			}
		}
		if inflow := s.get(of.inflow); inflow.given() {
			h.inflow = c.variable(inflow, of.brings.limit)
		}
		all = append(all, h)
	}
	return all
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

// build writes what is said of the scalar into a wall.
func (h *scalarHalf) build(out *physics.Wall, s *physics.Scales) {
	*h.carried.kind(out) = h.of.kind
	h.half.build(out, s)
	if h.inflow.value.given() {
		h.carried.brings.build(&h.inflow, out, s)
	}
}

// addCarried adds the keys of the scalars to a schema.
func addCarried(schema map[string][]string) {
	for _, of := range allCarried() {
		schema["initial"] = append(schema["initial"], of.start)
		of.schema(schema)
	}
	schema["initial"] = append(schema["initial"], "perturbation")
}

// scalarKeys lists the keys of walls by scalar: first the conditions of all, then what entering fluid brings.
func scalarKeys() (conditions, inflows []string) {
	for _, of := range allCarried() {
		conditions, inflows = append(conditions, kindKeys(of.kinds, false)...), append(inflows, of.inflow)
	}
	return conditions, inflows
}
