package casefile

import "convect/physics"

// storage is what the case says about the heat that the medium holds.
type storage struct {
	porosity property
	phi      field            // of porosity
	known    bool             // a porosity is given, here or as the reference
	held     physics.Material // the porosity as built
	ratio    field            // σ, where it is given
	rock     bool             // σ follows from the porosity and the grains
}

// decodePorosity reads the porosity.
func (c *Case) decodePorosity(given value) {
	p := &c.plan.storage
	p.porosity, p.known = c.porosityProperty(), given.given()
	p.phi = c.propertyField(given, p.porosity)
}

// buildPorosity evaluates the porosity.
func (c *Case) buildPorosity() (err error) {
	p := &c.plan.storage
	if p.held, err = c.evaluate(p.porosity, [3]field{p.phi, p.phi, p.phi}, false); err == nil && p.known {
		c.relative(property{name: p.porosity.name, reference: 1, limit: p.porosity.limit}, p.held, p.phi.value)
	}
	return err
}

// decodeStorage reads heat_capacity_ratio beside the porosity, and takes care that one of them says what the heat capacity is.
func (c *Case) decodeStorage(s section) {
	p := &c.plan.storage
	given, ratio := s.get("porosity"), s.get("heat_capacity_ratio")
	if ratio.given() {
		p.ratio = c.propertyField(ratio, multiple("heat_capacity_ratio"))
	}
	switch {
	case c.si:
		before := len(c.d.errors)
		grains, ok := s.get("dimensional").section()
		c.d.errors = c.d.errors[:before] // they are reported already
		if ok {
			c.decodeRock(given, ratio, grains)
		}
	case given.given() && !ratio.given() && len(c.plan.solutes) == 0:
		given.refuse(ratioWords, "%s", porosityAlone)
	}
}

const (
	porosityAlone = "the porosity alone does not say how much heat the medium holds (what earlier versions called porosity is heat_capacity_ratio)"
	ratioWords    = "physics.heat_capacity_ratio, (ρc) of the medium over (ρc) of the fluid; for a dissolved substance it is the porosity"
)

// decodeRock finds out where a dimensional case has its heat capacity from.
func (c *Case) decodeRock(given, ratio value, material section) {
	p := &c.plan.storage
	reference, density, capacity := material.get("porosity"), material.get("rock_density"), material.get("rock_heat_capacity")
	p.known = given.given() || reference.given()
	if !given.given() && reference.given() {
		given = reference
	}
	const accepted = "rock_density and rock_heat_capacity in physics.dimensional, or " + ratioWords
	switch {
	case density.given() != capacity.given():
		material.refuse("rock_density and rock_heat_capacity together", "rock_density and rock_heat_capacity need each other")
	case density.given() && ratio.given():
		ratio.refuse("one of them", "the heat-capacity ratio follows from rock_density and rock_heat_capacity, which are given too")
	case density.given() && !p.known:
		given.missing("a number from 0 to 1, or an expression, as rock_density and rock_heat_capacity are given")
	case density.given():
		p.rock = true
	case p.known && !ratio.given():
		given.refuse(accepted, "%s", porosityAlone)
	}
}

// buildStorage evaluates σ, by default 1.
func (c *Case) buildStorage() error {
	p := &c.plan.storage
	phi := p.held
	var err error
	sigma := physics.Uniform(1)
	switch {
	case p.ratio.value.given():
		if sigma, err = c.evaluate(multiple("heat_capacity_ratio"), [3]field{p.ratio, p.ratio, p.ratio}, false); err != nil {
			return err
		}
	case p.rock:
		of := c.Dimensional.HeatCapacityRatio
		sigma = mapCells(phi, physics.Uniform(of(phi.Constant[0])), func(_ int, v float64) float64 { return of(v) })
	}
	c.Parameters.HeatCapacityRatio = c.relative(multiple("heat_capacity_ratio"), sigma, p.ratio.value)
	return nil
}
