package casefile

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/physics"
)

// permeability is what the case says about K; one of the forms is set.
type permeability struct {
	value     value
	direction bool     // given by direction
	fields    [3]field // number or expression for each direction
	property  property
	layers    []layer
	lognormal *physics.LogNormal
}

type layer struct {
	top, value value
	physics.Layer
}

// decodePermeability reads K: a number, an expression, one for each axis, or a section.
func (c *Case) decodePermeability(v value) {
	k := &c.plan.permeability
	k.value, k.property = v, c.permeabilityProperty()
	if !v.given() || v.node.kind != mapping {
		k.fields, k.direction = c.directions(v, k.property, "permeabilities")
		return
	}
	s, ok := v.section()
	forms := s.holds("file", "layers", "lognormal")
	switch {
	case !ok:
		return
	case len(forms) != 1:
		v.refuse("one of {file: …}, {layers: …}, {lognormal: …}", "%s", clash(forms, "file", "layers", "lognormal"))
		return
	}
	if others := s.holds(fieldFileKeys()[1:]...); len(others) > 0 && forms[0] != "file" {
		s.get(others[0]).refuse(others[0]+" with file", "there is no file to look in")
		return
	}
	switch forms[0] {
	case "file":
		k.fields, k.direction = c.directions(v, k.property, "permeabilities")
	case "layers":
		c.decodeLayers(s.get("layers"))
	case "lognormal":
		c.decodeLogNormal(s.get("lognormal"))
	}
}

// decodeLayers reads layers from the bottom up.
func (c *Case) decodeLayers(v value) {
	const accepted = "a list of {top: height, value: permeability} from the bottom up, the last top at the height of the domain"
	items, ok := v.list(accepted)
	if !ok {
		return
	}
	height := c.Parameters.Extent.Size[kernels.Z]
	below := 0.0
	before := len(c.d.errors)
	var layers []layer
	for _, item := range items {
		s, ok := item.section()
		if !ok {
			continue
		}
		l := layer{top: s.get("top"), value: s.get("value")}
		if !l.top.given() {
			l.top.missing("a height above that of the layer below")
			continue
		}
		top, ok := l.top.number(positive())
		l.Top = top / c.Scales.Length
		if ok && l.Top <= below {
			l.top.refuse("heights that increase from layer to layer", "%g is not above the layer below", top)
		}
		below = l.Top
		c.decodeLayerValue(&l)
		layers = append(layers, l)
	}
	if len(c.d.errors) > before || height <= 0 {
		return
	}
	if len(layers) == 0 || below < height*(1-1e-9) {
		v.refuse(accepted, "the layers end at %g, below the top of the domain at %g", below*c.Scales.Length, height*c.Scales.Length)
		return
	}
	c.plan.permeability.layers = layers
}

func (c *Case) decodeLayerValue(l *layer) {
	limit, absent := c.plan.permeability.property.limit, 1.0
	accepted := limit.words + ", or one for each axis"
	switch {
	case !l.value.given():
		l.value.missing(accepted)
	case l.value.node.kind == sequence:
		items, _ := c.vector(l.value, "permeabilities")
		for d, item := range items {
			l.Value[d] = item.numberOr(limit, absent)
			if c.si && d == kernels.X { // in a vertical section the reference must not matter
				absent = l.Value[d]
			}
		}
	default:
		k, _ := l.value.number(limit)
		l.Value = [3]float64{k, k, k}
	}
}

// decodeLogNormal reads the statistics of a random medium.
func (c *Case) decodeLogNormal(v value) {
	s, ok := v.section()
	if !ok {
		return
	}
	l := &physics.LogNormal{
		MeanLog:  s.get("mean_log").numberOr(c.meanLogLimit()),
		Variance: s.get("variance").numberOr(notNegative(), 1),
		Seed:     s.get("seed").integerOr(0, maxSeed, 1),
	}
	correlation := s.get("correlation")
	switch {
	case !correlation.given():
		correlation.missing("correlation lengths [x, y, z], or one number")
	case correlation.node.kind == sequence:
		items, _ := c.vector(correlation, "correlation lengths")
		for d, item := range items {
			l.Correlation[d] = item.numberOr(notNegative(), 0) / c.Scales.Length
		}
	default:
		length, _ := correlation.number(notNegative())
		for d := range l.Correlation {
			l.Correlation[d] = length / c.Scales.Length
		}
	}
	c.plan.permeability.lognormal = l
}

// meanLogLimit returns the limit of the mean of ln k, k in the unit of the case, and its default, that of the reference.
func (c *Case) meanLogLimit() (l limit, otherwise float64) {
	p := c.plan.permeability.property
	if l = anyNumber(); c.si {
		l = limit{func(v float64) bool { return v <= math.Log(mostPermeable) },
			fmt.Sprintf("the mean of ln(k/m²), at most %.3g, as -32.2 for 1e-14 m²; by default that of the reference", math.Log(mostPermeable))}
	}
	return l, math.Log(p.reference)
}

// buildPermeability evaluates K relative to the reference, in which the viscosity is not yet.
func (c *Case) buildPermeability() (physics.Material, error) {
	k := &c.plan.permeability
	m, err := c.permeabilityCells()
	if err != nil || len(c.d.errors) > 0 {
		return m, err
	}
	if k.direction {
		return c.relative(k.property, m, k.fields[0].value, k.fields[1].value, k.fields[2].value), nil
	}
	return c.relative(k.property, m, k.value), nil
}

// permeabilityCells evaluates the permeability in the unit of the case.
func (c *Case) permeabilityCells() (physics.Material, error) {
	k, e := &c.plan.permeability, c.Parameters.Extent
	switch {
	case k.layers != nil:
		layers := make([]physics.Layer, len(k.layers))
		for i, l := range k.layers {
			layers[i] = l.Layer
		}
		m, err := physics.Layered(e, layers)
		if err != nil {
			k.value.refuse("", "%v", err)
		}
		return m, nil
	case k.lognormal != nil:
		m, err := k.lognormal.Generate(e)
		if err != nil {
			k.value.refuse("", "%v", err)
		}
		return m, nil
	}
	return c.evaluate(k.property, k.fields, k.direction)
}
