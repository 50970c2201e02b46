package casefile

import (
	"convect/kernels"
	"convect/physics"
)

// permeability is what the case says about K; one of the forms is set.
type permeability struct {
	value     value
	direction bool     // given by direction
	fields    [3]field // number or expression for each direction
	file      value    // path of an HDF5 file
	dataset   string
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
	k.value = v
	if !v.given() || v.node.kind != mapping {
		k.fields, k.direction = c.directions(v, "permeabilities")
		return
	}
	s, ok := v.section()
	forms := s.holds("file", "layers", "lognormal")
	switch {
	case !ok:
		return
	case len(forms) == 1 && s.get("dataset").given() && forms[0] != "file":
		s.get("dataset").refuse("dataset with file", "there is no file to look in")
		return
	case len(forms) != 1:
		v.refuse("one of {file: …, dataset: …}, {layers: …}, {lognormal: …}", "%s", clash(forms, "file", "layers", "lognormal"))
		return
	}
	switch forms[0] {
	case "file":
		k.file = s.get("file")
		k.dataset = "/k"
		if k.file.text() == "" {
			k.file.refuse("the path of an HDF5 file", "there is no path")
		}
		if name := s.get("dataset"); name.given() {
			k.dataset = name.text()
		}
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
	const accepted = "a number above 0, or one for each axis"
	switch {
	case !l.value.given():
		l.value.missing(accepted)
	case l.value.node.kind == sequence:
		items, _ := c.vector(l.value, "permeabilities")
		for d, item := range items {
			l.Value[d] = item.numberOr(positive(), 1)
		}
	default:
		k, _ := l.value.number(positive())
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
		MeanLog:  s.get("mean_log").numberOr(anyNumber(), 0),
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

// buildPermeability evaluates K, in which the viscosity is not yet.
func (c *Case) buildPermeability() (physics.Material, error) {
	k, e := &c.plan.permeability, c.Parameters.Extent
	switch {
	case k.file.given():
		return c.readPermeability()
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
		c.checkCells(k.value, m)
		return m, nil
	}
	return c.evaluate(k.fields, k.direction, e), nil
}
