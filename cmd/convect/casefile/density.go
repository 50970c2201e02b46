package casefile

import (
	"math"

	"convect/physics"
)

// lightness is an expression in T and S of what makes the fluid move, in the units of the case: physics.buoyancy, or in SI units physics.density too.
type lightness struct {
	expression *expression // nil: the buoyancy is linear in T and S
	value      value
	density    bool
}

// lightnessKeys are the keys of physics that give one.
func lightnessKeys() []string { return []string{"buoyancy", "density"} }

// decodeLightness reads b, or the density, as an expression in T and S.
func (c *Case) decodeLightness(s section) {
	c.plan.lightness = lightness{}
	for _, key := range lightnessKeys() {
		v := s.get(key)
		switch {
		case !v.given():
		case key == "density" && !c.si:
			v.refuse("physics.buoyancy, b of the buoyancy Ra b; or physics.dimensional", "a density is in kg/m³, and a case with a Rayleigh number has no units")
		case c.plan.lightness.value.given():
			v.refuse("one of physics.buoyancy, physics.density", "physics.buoyancy is given too")
		default:
			c.decodeExpressed(v, key == "density")
		}
	}
}

// decodeExpressed reads one of the expressions.
func (c *Case) decodeExpressed(v value, density bool) {
	c.plan.lightness.value, c.plan.lightness.density = v, density
	variables := c.moving()
	words := "an expression in " + joined(variables)
	if v.node.kind != scalar {
		v.wrong(words)
		return
	}
	e, fault := compileExpression(v.node.text, variables)
	switch {
	case fault != nil:
		v.refuseAt(fault.at, words, "%s", fault.message)
		return
	case len(e.uses) == 0 && density:
		v.refuse(words, "a density that depends on nothing moves nothing")
		return
	case len(e.uses) == 0:
		v.refuse(words, "a buoyancy that depends on nothing moves nothing")
		return
	}
	c.plan.lightness.expression, c.Parameters.Buoyancy = e, c.law(e)
	if c.si {
		c.scaleLightness(density)
	}
}

// scaleLightness makes b and its Rayleigh number of an expression in SI units: b is (ρ₀ - ρ)/ρ₀ over its range where T is from 0 to ΔT and S from 0 to ΔS, so that it is of the order of 1. The
// product of both does not depend on the range.
func (c *Case) scaleLightness(density bool) {
	d, law := c.dimensional(), c.Parameters.Buoyancy
	if c.Dimensional == nil {
		return // what is wrong with it is told
	}
	of := law.Of
	if density {
		expressed := of
		of = func(t, s float64) float64 { return (d.Density - expressed(t, s)) / d.Density }
	}
	law.Of = of
	least, most := law.Range(physics.Values{High: [2]float64{1, 1}})
	unit := most - least
	if !(unit > 0) || math.IsInf(unit, 0) {
		unit = 1
	}
	c.Parameters.Rayleigh = d.RayleighOf(unit)
	law.Of = func(t, s float64) float64 { return of(t, s) / unit }
}

// Lightness returns the change of the density of a case in SI units, of itself, that makes b = 1, where an expression gives it; 0 where none does.
func (c *Case) Lightness() float64 {
	if c.Dimensional == nil || c.Parameters.Buoyancy == nil {
		return 0
	}
	return c.Parameters.Rayleigh / c.Dimensional.RayleighOf(1)
}

// expresses tells whether physics gives what moves the fluid as an expression, and by which key.
func expresses(s section) (key string, given bool) {
	for _, key := range lightnessKeys() {
		if s.get(key).given() {
			return key, true
		}
	}
	return "", false
}

// checkLightness refuses a buoyancy that is no number, or a density that is not above 0, at the values of walls at the start, as far as they are known without solving anything.
func (c *Case) checkLightness() {
	l := &c.plan.lightness
	switch {
	case l.expression == nil:
	case l.density:
		c.checkLaw(l.expression, l.value, "finite numbers above 0 (in kg/m³) at all values of walls and in between", func(v float64) bool { return v > 0 })
	default:
		c.checkLaw(l.expression, l.value, "finite numbers at all values of walls and in between", func(float64) bool { return true })
	}
}
