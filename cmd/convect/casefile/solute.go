package casefile

import (
	"math"

	"convect/physics"
)

// solute is what the case says about what is dissolved in the fluid.
type solute struct {
	value                   value // physics.solute; not given: there is none
	ratio, lewis, retention float64
	source, decay           field
	initial                 field
}

// concentrationCarried is how a case writes the concentration.
func concentrationCarried() carried {
	return carried{
		start: "concentration", decodeStart: (*Case).decodeConcentration, decode: (*Case).decodeSolute, build: (*Case).buildSolute, schema: addSolute,
		perturbation: "concentration_perturbation", initial: func(c *Case) *physics.Initial { return &c.solute().Initial },
		absent: func(c *Case) string {
			if c.plan.solute.value.given() {
				return ""
			}
			return "physics.solute, a section with buoyancy_ratio and lewis"
		},
		kinds: soluteKinds(), kind: func(w *physics.Wall) *physics.HeatKind { return &w.Of(0).Kind },
		inflow: "inflow_concentration",
		brings: wallValue{limit: anyNumber(), unit: concentrationUnit, into: func(w *physics.Wall) *physics.Func { return &w.Of(0).Inflow }},
		replaces: func(p *physics.Patch) {
			if len(p.Beside) == 0 {
				p.Beside = append(p.Beside, false)
			}
			p.Beside[0] = true
		},
	}
}

// soluteKinds lists what a wall does to the concentration.
func soluteKinds() []wallKind[physics.HeatKind] {
	value := func(w *physics.Wall) *physics.Func { return &w.Of(0).Value }
	return []wallKind[physics.HeatKind]{
		{key: "concentration", kind: physics.FixedTemperature, held: "concentration",
			values: []wallValue{{limit: anyNumber(), unit: concentrationUnit, into: value}}},
		{key: "solute_flux", kind: physics.HeatFlux, values: []wallValue{{limit: anyNumber(), unit: concentrationUnit, into: value, sparse: true}}},
		{key: "solute_transfer", kind: physics.HeatTransfer, values: []wallValue{
			{key: "ambient", limit: anyNumber(), unit: concentrationUnit, into: value},
			{key: "coefficient", limit: notNegative(), unit: concentrationUnit,
				into: func(w *physics.Wall) *physics.Func { return &w.Of(0).Coefficient }, sparse: true}}},
	}
}

// concentrationUnit is 1: a solute has no units yet, nor has what makes it flow.
func concentrationUnit(*physics.Scales) float64 { return 1 }

// addSolute adds the section of the solute to a schema.
func addSolute(schema map[string][]string) {
	schema["physics"] = append(schema["physics"], "solute")
	schema["physics.solute"] = []string{"buoyancy_ratio", "lewis", "retardation", "decay", "source"}
	schema["initial.concentration_perturbation"] = schema["initial.perturbation"]
}

// solute returns what the model is told of the solute, to be written to.
func (c *Case) solute() *physics.Solute {
	if c.Parameters.Solute == nil {
		c.Parameters.Solute = &physics.Solute{}
	}
	return c.Parameters.Solute
}

// decodeSolute reads the solute.
func (c *Case) decodeSolute(s section) {
	p := &c.plan.solute
	v := s.get("solute")
	if p.value = v; !v.given() {
		return
	}
	p.source, p.decay = field{limit: anyNumber()}, field{limit: notNegative()}
	if c.si {
		v.refuse("rayleigh in place of dimensional", "a solute has no SI units yet: give the case without units")
		return
	}
	keys, ok := v.section()
	if !ok {
		return
	}
	number := func(key string, l limit, missing string) float64 {
		k := keys.get(key)
		if !k.given() {
			k.missing(missing)
			return 1
		}
		n, _ := k.number(l)
		return n
	}
	p.ratio = number("buoyancy_ratio", anyNumber(), "N of the buoyancy T + N S: below 0 for what makes the fluid heavier, as salt and CO₂ do; 0 where it only drifts along")
	p.lewis = number("lewis", positive(), "a number above 0, the diffusivity of heat over that of the solute")
	p.retention = 1
	if r := keys.get("retardation"); r.given() {
		p.retention, _ = r.number(positive())
	}
	for key, f := range map[string]*field{"source": &p.source, "decay": &p.decay} {
		if k := keys.get(key); k.given() {
			*f = c.variable(k, f.limit)
		}
	}
	c.solute()
}

// decodeConcentration reads the starting concentration, by default 0.
func (c *Case) decodeConcentration(v value) {
	p := &c.plan.solute
	if !v.given() || !p.value.given() {
		return
	}
	const accepted = "diffusion, a number, or an expression in x, y, z"
	switch {
	case v.node.kind == scalar && v.node.text == "diffusion":
		c.solute().Initial.Conduction = true
		p.initial.value = v
	case v.node.kind == scalar && Nearest(v.node.text, []string{"diffusion"}) != "":
		v.noneOf([]string{"diffusion"}, accepted)
	case v.node.kind == scalar:
		p.initial = v.field(limit{anyNumber().ok, "diffusion, a finite number"}, c.variables()...)
		c.solute().Initial.Temperature = p.initial.nondimensional(c.Scales, 1)
	default:
		v.wrong(accepted)
	}
}

// buildSolute evaluates what the equation of the solute has.
func (c *Case) buildSolute() error {
	p := &c.plan.solute
	if !p.value.given() {
		return nil
	}
	s := c.solute()
	s.BuoyancyRatio, s.Diffusivity = p.ratio, physics.Uniform(1/p.lewis)
	held, err := c.evaluate(c.plan.storage.porosity, [3]field{c.plan.storage.phi, c.plan.storage.phi, c.plan.storage.phi}, false)
	if err != nil {
		return err
	}
	if !(held.Min() > 0) {
		c.plan.storage.phi.value.refuse("a number above 0, at most 1, where there is a solute", "where the porosity is 0 nothing can be dissolved")
		return nil
	}
	s.Porosity = scaled(held, p.retention)
	s.Source, s.Decay = physics.Term{}, physics.Term{}
	for f, t := range map[*field]*physics.Term{&p.source: &s.Source, &p.decay: &s.Decay} {
		if !f.varies() && f.constant == 0 {
			continue
		}
		if value := f.nondimensional(c.Scales, 1); t == &s.Source {
			t.Gain = value
		} else {
			t.Rate = value
		}
		t.Varies, t.Course = f.inTime, course(c.Scales, f)
		c.checkNodes(f)
	}
	return nil
}

// buildConcentration evaluates the starting concentration.
func (c *Case) buildConcentration() {
	if p := &c.plan.solute; p.initial.varies() {
		c.checkNodes(&p.initial)
	}
}

// takesSolute tells whether a wall takes whatever solute there is.
func (w *wall) takesSolute() bool {
	if len(w.scalars) < 2 {
		return false
	}
	return w.scalars[1].takes()
}

// checkSolute refuses a steady state of the solute (asked for, or of diffusion at the start) that cannot be, since it is neither held anywhere nor decays.
func (c *Case) checkSolute(restart bool) {
	p := &c.plan.solute
	if !p.value.given() || c.Parameters.Solute.Decay.Rate != nil || c.prescribes(func(w *wall) bool { return w.takesSolute() }) {
		return
	}
	net, gross := c.amount(prescribedSolute, c.Parameters.Solute.Source.Gain, 0)
	if math.Abs(net) <= balanceTolerance*gross {
		return
	}
	const accepted = "solute fluxes and a source that add up to nothing, decay, or a wall with a concentration"
	switch {
	case p.initial.value.given() && c.Parameters.Solute.Initial.Conduction && !restart:
		c.refuseAt("initial", "concentration", accepted+", or another start",
			"no steady diffusion exists: solute comes in at a net rate of %.6g and no wall has a concentration", net)
	case c.Controls.Steady > 0 && !c.prescribes(func(w *wall) bool { return w.flow.of.kind.Rule().Passes }):
		c.refuseAt("time", "steady", accepted, "no steady state exists: solute comes in at a net rate of %.6g and no wall has a concentration", net)
	}
}

func prescribedSolute(w *wall) (*field, bool) {
	if len(w.scalars) < 2 {
		return nil, false
	}
	return w.scalars[1].prescribed()
}
