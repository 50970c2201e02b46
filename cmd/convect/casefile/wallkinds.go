package casefile

import (
	"slices"
	"strings"

	"convect/physics"
)

// wallKind is how a case writes one condition of a wall: a key with its value, or a word.
type wallKind[K any] struct {
	key    string
	kind   K
	values []wallValue
	held   string // what holds on nodes alone, in warnings; "": nothing does
}

// wallValue is a value that a condition takes, of which a model knows the nondimensional form.
type wallValue struct {
	key   string // in the section of the condition; "": the condition's own key holds the value
	limit limit
	unit  func(s *physics.Scales) float64
	into  func(w *physics.Wall) *physics.Func
	// sparse tells that 0 is as good as none.
	sparse bool
}

// heatKinds lists the thermal conditions. A key takes the value of its condition, or a section of values; the first one is that of the rule.
func heatKinds() []wallKind[physics.HeatKind] {
	value := func(w *physics.Wall) *physics.Func { return &w.HeatValue }
	return []wallKind[physics.HeatKind]{
		{key: "temperature", kind: physics.FixedTemperature, held: "temperature",
			values: []wallValue{{limit: anyNumber(), unit: temperatureUnit, into: value}}},
		{key: "heat_flux", kind: physics.HeatFlux, values: []wallValue{{limit: anyNumber(), unit: heatFluxUnit, into: value, sparse: true}}},
		{key: "heat_transfer", kind: physics.HeatTransfer, values: []wallValue{
			{key: "ambient", limit: anyNumber(), unit: temperatureUnit, into: value},
			{key: "coefficient", limit: notNegative(), unit: func(s *physics.Scales) float64 { return s.HeatFlux / s.Temperature },
				into: func(w *physics.Wall) *physics.Func { return &w.HeatCoefficient }, sparse: true}}},
	}
}

// flowKinds lists the hydraulic conditions. Those without values are words.
func flowKinds() []wallKind[physics.FlowKind] {
	value := func(w *physics.Wall) *physics.Func { return &w.FlowValue }
	return []wallKind[physics.FlowKind]{
		{key: "closed", kind: physics.Closed},
		{key: "open", kind: physics.Open, held: "flow"},
		{key: "pressure", kind: physics.FixedPressure, held: "flow",
			values: []wallValue{{limit: anyNumber(), unit: func(s *physics.Scales) float64 { return s.Pressure }, into: value}}},
		{key: "velocity", kind: physics.FixedVelocity,
			values: []wallValue{{limit: anyNumber(), unit: func(s *physics.Scales) float64 { return s.Velocity }, into: value}}},
	}
}

func temperatureUnit(s *physics.Scales) float64 { return s.Temperature }

func heatFluxUnit(s *physics.Scales) float64 { return s.HeatFlux }

// kindKeys lists the keys of conditions: those that take values, or the words.
func kindKeys[K any](kinds []wallKind[K], words bool) []string {
	var keys []string
	for _, k := range kinds {
		if words == (len(k.values) == 0) {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// keys lists the keys of a condition's section; none where its key takes the value.
func (k *wallKind[K]) keys() []string {
	var keys []string
	for _, v := range k.values {
		if v.key != "" {
			keys = append(keys, v.key)
		}
	}
	return keys
}

// addSections adds the sections of conditions to a schema, for the wall with a path.
func addSections(schema map[string][]string, path string) {
	for _, of := range allCarried() {
		addKinds(schema, path, of.kinds)
	}
}

// addKinds adds the sections of the conditions on one scalar, for the section that they stand in.
func addKinds(schema map[string][]string, path string, kinds []wallKind[physics.HeatKind]) {
	for _, kind := range kinds {
		if keys := kind.keys(); len(keys) > 0 {
			schema[path+"."+kind.key] = keys
		}
	}
}

// eitherScalar names the keys of walls, the conditions of one scalar as alternatives; before stands before the last.
func eitherScalar(before string) string {
	var said []string
	for _, of := range allCarried() {
		keys := kindKeys(of.kinds, false)
		last := len(keys) - 1
		said = append(said, strings.Join(keys[:last], ", ")+" or "+keys[last])
	}
	_, inflows := scalarKeys()
	said = append(append(said, "flow"), inflows...)
	last := len(said) - 1
	return strings.Join(said[:last], ", ") + before + said[last]
}

// wallKeys lists the keys that walls and patches share.
func wallKeys() []string {
	conditions, inflows := scalarKeys()
	return slices.Concat(conditions, []string{"flow"}, inflows, []string{"tracers"})
}

// half is one half of a wall's condition, thermal or hydraulic. Its zero value is not given.
type half[K any] struct {
	of     wallKind[K]
	given  bool
	values []field
}

// value is the first of the values; nil: none is given.
func (h *half[K]) value() *field {
	if len(h.values) == 0 {
		return nil
	}
	return &h.values[0]
}

// inTime tells whether a value varies in time.
func (h *half[K]) inTime() bool {
	return slices.ContainsFunc(h.values, func(f field) bool { return f.inTime })
}

// build writes the values into a wall.
func (h *half[K]) build(out *physics.Wall, s *physics.Scales) {
	for i, v := range h.of.values {
		v.build(&h.values[i], out, s)
	}
}

// build writes one value into a wall.
func (v wallValue) build(f *field, out *physics.Wall, s *physics.Scales) {
	if !v.sparse || f.varies() || f.constant != 0 {
		*v.into(out) = f.nondimensional(*s, v.unit(s))
	}
}

// fields lists all that a wall prescribes.
func (w *wall) fields() []*field {
	var all []*field
	add := func(values []field) {
		for i := range values {
			all = append(all, &values[i])
		}
	}
	for i := range w.scalars {
		add(w.scalars[i].values)
	}
	add(w.flow.values)
	for i := range w.scalars {
		all = append(all, &w.scalars[i].inflow)
	}
	return all
}
