package casefile

import (
	"sort"

	"convect/physics"
)

// solute is what the case says about something dissolved in the fluid: the solute, or a tracer.
type solute struct {
	name          string // of a tracer; "": physics.solute
	value         value
	rayleigh      float64 // N Ra
	lewis         value   // not given: diffusion says it
	over          float64 // 1/Le
	diffusion     directional
	retardation   float64
	source, decay field
	start         start
}

// called is what its field is called.
func (p *solute) called() string {
	if p.name == "" {
		return "concentration"
	}
	return p.name
}

// findSolutes finds out which solutes there are, so that everything else of the case may ask.
func (c *Case) findSolutes(v value) {
	if v.node == nil || v.node.kind != mapping {
		return
	}
	s := section{v}
	if none := s.get("temperature"); none.given() && none.node.text == "none" {
		c.Parameters.Isothermal = true
	}
	if v := s.get("solute"); v.given() {
		c.plan.solutes = append(c.plan.solutes, &solute{value: v})
	}
	if tracers := s.get("tracers"); tracers.given() && tracers.node.kind == mapping {
		for _, e := range tracers.node.entries {
			if e.value.kind != empty {
				c.plan.solutes = append(c.plan.solutes, &solute{name: e.key, value: section{tracers}.get(e.key)})
			}
		}
	}
	for _, p := range c.plan.solutes {
		c.Parameters.Solutes = append(c.Parameters.Solutes, physics.Solute{Name: p.name})
	}
}

// hasSolute tells whether physics.solute is given; it is the first of the solutes then.
func (c *Case) hasSolute() bool { return len(c.plan.solutes) > 0 && c.plan.solutes[0].name == "" }

// soluteCarried is how a case writes the n-th solute, which is a tracer where it has a name.
func soluteCarried(n int, name string) carried {
	of := carried{
		name: "concentration", tracer: name != "",
		perturbation: "concentration_perturbation", steady: "diffusion", property: (*Case).concentrationProperty,
		decode:  func(c *Case, _ section) { c.decodeSolute(n) },
		build:   func(c *Case) error { return c.buildSolute(n) },
		start:   func(c *Case) *start { return &c.plan.solutes[n].start },
		initial: func(c *Case) *physics.Initial { return &c.Parameters.Solutes[n].Initial },
		absent: func(c *Case) string {
			if name != "" || c.hasSolute() {
				return ""
			}
			return "physics.solute, a section with buoyancy_ratio and lewis"
		},
		kinds: soluteKinds(n), kind: func(w *physics.Wall) *physics.HeatKind { return &w.Of(n).Kind },
		inflow: "inflow_concentration",
		brings: wallValue{limit: anyNumber(), unit: concentrationUnit, into: func(w *physics.Wall) *physics.Func { return &w.Of(n).Inflow }},
		replaces: func(p *physics.Patch) {
			for len(p.Beside) <= n {
				p.Beside = append(p.Beside, false)
			}
			p.Beside[n] = true
		},
	}
	if of.tracer {
		of.name, of.perturbation, of.kinds[0].held = name, "", name
	}
	return of
}

// soluteKinds lists what a wall does to the n-th solute.
func soluteKinds(n int) []wallKind[physics.HeatKind] {
	value := func(w *physics.Wall) *physics.Func { return &w.Of(n).Value }
	return []wallKind[physics.HeatKind]{
		{key: "concentration", kind: physics.FixedTemperature, held: "concentration",
			values: []wallValue{{limit: anyNumber(), unit: concentrationUnit, into: value}}},
		{key: "solute_flux", kind: physics.HeatFlux, values: []wallValue{{limit: anyNumber(), unit: soluteFluxUnit, into: value, sparse: true}}},
		{key: "solute_transfer", kind: physics.HeatTransfer, values: []wallValue{
			{key: "ambient", limit: anyNumber(), unit: concentrationUnit, into: value},
			{key: "coefficient", limit: notNegative(), unit: func(s *physics.Scales) float64 { return s.Velocity },
				into: func(w *physics.Wall) *physics.Func { return &w.Of(n).Coefficient }, sparse: true}}},
	}
}

func concentrationUnit(s *physics.Scales) float64 { return s.Concentration }

func soluteFluxUnit(s *physics.Scales) float64 { return s.Concentration * s.Velocity }

// soluteKeys are the keys of a tracer; the solute has those of its buoyancy too.
func soluteKeys() []string { return []string{"lewis", "diffusivity", "retardation", "decay", "source"} }

// addSolute adds the section of the solute to a schema.
func addSolute(schema map[string][]string) {
	schema["physics"] = append(schema["physics"], "solute", "tracers")
	schema["physics.solute"] = append([]string{"buoyancy_ratio", "rayleigh"}, soluteKeys()...)
	schema["physics.solute.diffusivity"], schema["physics.solute.diffusivity[]"] = fieldFileKeys(), fieldFileKeys()
}

// decodeSolute reads the n-th solute.
func (c *Case) decodeSolute(n int) {
	p := c.plan.solutes[n]
	p.source, p.decay, p.retardation, p.over = field{limit: anyNumber()}, field{limit: notNegative()}, 1, 1
	keys, ok := p.value.section()
	if !ok {
		return
	}
	if p.name == "" {
		c.decodeSoluteBuoyancy(keys, p)
	}
	c.decodeSoluteDiffusion(keys, p)
	if r := keys.get("retardation"); r.given() {
		p.retardation, _ = r.number(positive())
	}
	for key, f := range map[string]*field{"source": &p.source, "decay": &p.decay} {
		if k := keys.get(key); k.given() {
			*f = c.variable(k, f.limit)
		}
	}
}

// decodeSoluteBuoyancy reads how the solute moves the fluid.
func (c *Case) decodeSoluteBuoyancy(keys section, p *solute) {
	k, rayleigh := keys.get("buoyancy_ratio"), keys.get("rayleigh")
	if c.si {
		for _, v := range []value{k, rayleigh} {
			if v.given() {
				v.refuse("physics.dimensional.haline_contraction, above 0 for what makes the fluid denser", "a case in SI units has its buoyancy from haline_contraction and solute_difference")
			}
		}
		p.rayleigh = c.dimensional().SoluteRayleigh()
		return
	}
	if c.Parameters.Isothermal {
		p.rayleigh = c.Parameters.Rayleigh
		if k.given() {
			k.refuse("rayleigh, the Rayleigh number of the solute", "there is no temperature whose buoyancy it could be a multiple of")
		}
		return
	}
	if rayleigh.given() {
		rayleigh.refuse("buoyancy_ratio, which physics.rayleigh is multiplied by; or physics.temperature: none", "the Rayleigh number of the case is that of the temperature")
	}
	if c.plan.lightness.value.given() {
		if k.given() {
			k.refuse("one of physics.buoyancy, physics.solute.buoyancy_ratio", "physics.buoyancy is given too, which says what S does to the density")
		}
		return
	}
	if !k.given() {
		k.missing("N of the buoyancy T + N S: below 0 for what makes the fluid heavier, as salt and CO₂ do; 0 where it only drifts along")
		return
	}
	ratio, _ := k.number(anyNumber())
	p.rayleigh = ratio * c.Parameters.Rayleigh
}

// decodeSoluteDiffusion reads the Lewis number or the diffusivity.
func (c *Case) decodeSoluteDiffusion(keys section, p *solute) {
	lewis, diffusivity := keys.get("lewis"), keys.get("diffusivity")
	p.lewis = lewis
	p.diffusion.property = c.soluteDiffusionProperty(p)
	p.diffusion.fields, p.diffusion.direction = c.directions(diffusivity, p.diffusion.property, "values by axis")
	switch {
	case lewis.given() && c.si:
		lewis.refuse("physics.dimensional.solute_diffusivity, or diffusivity, in m²/s", "a Lewis number is a multiple of the reference, which a case in SI units does not take")
	case c.si:
		if p.lewis = (value{}); !diffusivity.given() && c.Dimensional != nil && p.diffusion.property.reference == 0 {
			diffusivity.missing("a number above 0 (in m²/s), or an expression; or physics.dimensional.solute_diffusivity for all")
		}
	case lewis.given() && diffusivity.given():
		diffusivity.refuse("one of lewis, diffusivity", "lewis is given too, which is 1 over the diffusivity")
	case lewis.given():
		if le, ok := lewis.number(positive()); ok {
			p.over = 1 / le
		}
	case !diffusivity.given() && !(c.Parameters.Isothermal && p.name == ""):
		lewis.missing("lewis: a number above 0, the diffusivity of heat over that of the solute; or diffusivity: 1 over it, which may vary")
	}
}

// buildSolute evaluates what the equation of the n-th solute has.
func (c *Case) buildSolute(n int) error {
	p, s := c.plan.solutes[n], &c.Parameters.Solutes[n]
	s.Rayleigh, s.Diffusivity = p.rayleigh, physics.Uniform(p.over)
	if d := &p.diffusion; d.fields[0].value.given() || d.direction || c.si {
		diffusion, err := c.evaluate(d.property, d.fields, d.direction)
		if err != nil {
			return err
		}
		own := d.property
		if c.si {
			own.reference = c.dimensional().Diffusivity()
		}
		s.Diffusivity = c.relative(own, diffusion, d.fields[0].value, d.fields[1].value, d.fields[2].value)
	}
	phi := &c.plan.storage
	held := phi.held
	if !(held.Min() > 0) {
		phi.phi.value.refuse("a number above 0, at most 1, where there is a solute", "where the porosity is 0 nothing can be dissolved")
		return nil
	}
	s.Porosity = scaled(held, p.retardation)
	s.Source, s.Decay = physics.Term{}, physics.Term{}
	s.Source.Gain = c.soluteTerm(&p.source, &s.Source, c.Scales.Concentration/c.Scales.Time)
	s.Decay.Rate = c.soluteTerm(&p.decay, &s.Decay, 1/c.Scales.Time)
	if lambda := s.Decay.Rate; lambda != nil && c.si {
		dissolved := c.aroundNodes(held)
		s.Decay.Rate = func(x, y, z, t float64) float64 { return dissolved(x, y, z, t) * lambda(x, y, z, t) }
	}
	return nil
}

// aroundNodes makes a function of a material: at a node the mean of the cells around it.
func (c *Case) aroundNodes(m physics.Material) physics.Func {
	if !m.Varies() {
		return physics.Constant(m.Constant[0])
	}
	var at [3][]float64
	e := c.Extent()
	for d := range at {
		at[d] = e.Coordinates(d)
	}
	cells := func(d int, x float64) (first, last int) { // those that touch a coordinate
		n := e.Cells[d]
		if n == 0 {
			return 0, 0
		}
		slack := 1e-9 * e.Size[d]
		first = min(max(sort.SearchFloat64s(at[d], x-slack)-1, 0), n-1)
		last = min(max(sort.SearchFloat64s(at[d], x+slack)-1, 0), n-1)
		return first, last
	}
	nx, ny := e.Cells[0], max(e.Cells[1], 1)
	return func(x, y, z, _ float64) float64 {
		var low, high [3]int
		for d, v := range [3]float64{x, y, z} {
			low[d], high[d] = cells(d, v)
		}
		sum, n := 0.0, 0
		for k := low[2]; k <= high[2]; k++ {
			for j := low[1]; j <= high[1]; j++ {
				for i := low[0]; i <= high[0]; i++ {
					sum, n = sum+m.Cells[0][i+nx*(j+ny*k)], n+1
				}
			}
		}
		return sum / float64(n)
	}
}

// soluteTerm evaluates a field of a term over a unit, nil where it is 0, and notes how it varies.
func (c *Case) soluteTerm(f *field, t *physics.Term, unit float64) physics.Func {
	if !f.varies() && f.constant == 0 {
		return nil
	}
	c.checkNodes(f)
	t.Varies, t.Course = f.inTime, course(c.Scales, f)
	return f.nondimensional(c.Scales, unit)
}
