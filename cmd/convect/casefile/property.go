package casefile

import (
	"math"

	"convect/kernels/parallel"
	"convect/physics"
)

// property tells what the values of a property of the medium mean. In a dimensional case they are in its unit, and the reference
// is what makes 1; else they are multiples of a reference that nobody needs to know.
type property struct {
	name      string
	unit      string  // "" without units
	reference float64 // in the unit; what is left out takes it
	limit     limit   // of each value, in the unit
	conducts  bool    // in parts of a cell, along it in series and beside each other in parallel
}

// multiple is a property of a case without units.
func multiple(name string) property { return property{name: name, reference: 1, limit: positive()} }

// conducting returns a property that conducts.
func (p property) conducting() property {
	p.conducts = true
	return p
}

// mostPermeable is the largest permeability that is taken for one in m², that of gravel of several centimetres; what is above
// is taken for a multiple of the reference, which a dimensional case gave in earlier versions.
const mostPermeable = 1e-6

func (c *Case) permeabilityProperty() property {
	if !c.si {
		return multiple("permeability").conducting()
	}
	l := within(0, mostPermeable)
	l.words += " m² (multiples of the reference, which earlier versions took, are not accepted)"
	return property{"permeability", "m²", c.dimensional().Permeability, l, true}
}

func (c *Case) viscosityProperty() property {
	if !c.si {
		return multiple("viscosity")
	}
	return property{"viscosity", "Pa s", c.dimensional().Viscosity, inUnit(positive(), "Pa s"), false}
}

// diffusionProperty is that of diffusivity, or in a dimensional case of conductivity.
func (c *Case) diffusionProperty() property {
	if !c.si {
		return multiple("diffusivity").conducting()
	}
	return property{"conductivity", "W/(m K)", c.dimensional().Conductivity, inUnit(positive(), "W/(m K)"), true}
}

func (c *Case) porosityProperty() property {
	return property{name: "porosity", reference: c.dimensional().Porosity, limit: fraction()}
}

// sourceProperty and temperatureProperty have no reference.
func (c *Case) sourceProperty() property {
	p := property{name: "heat_source", limit: anyNumber()}
	if c.si {
		p.unit = "W/m³"
	}
	return p
}

func (c *Case) temperatureProperty() property {
	p := property{name: "temperature", limit: anyNumber()}
	if c.si {
		p.unit = "K"
	}
	return p
}

// concentrationProperty has no reference.
func (c *Case) concentrationProperty() property {
	return property{name: "concentration", limit: anyNumber()}
}

// SoluteDiffusivity is how the names of the diffusivities of solutes and tracers end.
const SoluteDiffusivity = "_diffusivity"

// soluteDiffusionProperty is that of the diffusivity of a solute, a multiple of that of heat, or in a dimensional case in m²/s.
func (c *Case) soluteDiffusionProperty(p *solute) property {
	name := "solute" + SoluteDiffusivity
	if p.name != "" {
		name = p.name + SoluteDiffusivity
	}
	if !c.si {
		return multiple(name).conducting()
	}
	return property{name, "m²/s", c.dimensional().SoluteDiffusivity, inUnit(positive(), "m²/s"), true}
}

// dimensional returns the reference values; all are 1 where there are none, or where they are wrong.
func (c *Case) dimensional() physics.Dimensional {
	if c.Dimensional == nil {
		return physics.Dimensional{Permeability: 1, Viscosity: 1, Conductivity: 1, Porosity: 1}
	}
	return *c.Dimensional
}

// inUnit returns a limit that names its unit.
func inUnit(l limit, unit string) limit {
	l.words += " (in " + unit + ")"
	return l
}

// fraction is from 0 to 1.
func fraction() limit {
	return limit{func(v float64) bool { return v >= 0 && v <= 1 }, "a number from 0 to 1"}
}

// relative turns the cells of a property, in the unit of the case and wherever they come from, into multiples of the reference,
// once each of them is within the property's limit. The value given by direction, or for all of them, is blamed.
func (c *Case) relative(p property, m physics.Material, blamed ...value) physics.Material {
	c.note(p, m)
	before := len(c.d.errors)
	for d, cells := range m.Cells {
		if d > 0 && len(cells) > 0 && &cells[0] == &m.Cells[0][0] {
			continue
		}
		if c.checkCells(blamed[d%len(blamed)], cells, p.limit); len(c.d.errors) > before {
			return m
		}
	}
	r := c.ranges[len(c.ranges)-1]
	if p.reference != 1 && (r.Low/p.reference == 0 || math.IsInf(r.High/p.reference, 0)) {
		blamed[0].refuse("values of the order of the reference", "is %s, which is beyond all numbers as a multiple of the reference, %s", r, plain(p.reference))
		return m
	}
	return over(m, p.reference)
}

// checkCells refuses cell values beyond a limit; the first one is named.
func (c *Case) checkCells(v value, cells []float64, l limit) {
	if i := parallel.First(len(cells), func(i int) bool { return !l.ok(cells[i]) || math.IsInf(cells[i], 0) }); i < len(cells) {
		v.refuse(l.words+" in every cell", "is %s %s", plain(cells[i]), c.cellName(i))
	}
}

// over returns a material over a reference.
func over(m physics.Material, reference float64) physics.Material {
	if reference == 1 {
		return m
	}
	out := physics.Material{}
	for d := range 3 {
		out.Constant[d] = m.Constant[d] / reference
	}
	return mapCells(m, out, func(_ int, v float64) float64 { return v / reference })
}
