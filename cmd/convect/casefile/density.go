package casefile

import (
	"math"

	"convect/physics"
)

// decodeBuoyancy reads b as an expression in T and S.
func (c *Case) decodeBuoyancy(v value) {
	if !v.given() {
		return
	}
	if c.si {
		v.refuse("physics.dimensional.expansivity and haline_contraction", "an expression of the buoyancy is a multiple of the reference, which a case in SI units does not take")
		return
	}
	var variables []string
	if !c.Parameters.Isothermal {
		variables = append(variables, "T")
	}
	if c.hasSolute() {
		variables = append(variables, "S")
	}
	words := "an expression in " + joined(variables)
	if v.node.kind != scalar {
		v.wrong(words)
		return
	}
	e, fault := compileExpression(v.node.text, variables)
	switch {
	case fault != nil:
		v.refuseAt(fault.at, words, "%s", fault.message)
	case len(e.uses) == 0:
		v.refuse(words, "a buoyancy that depends on nothing moves nothing")
	default:
		of := e.value
		c.Parameters.Buoyancy = &physics.Buoyancy{Of: func(t, s float64) float64 { return of(s, 0, 0, t) }, OfTemperature: e.uses["T"], OfConcentration: e.uses["S"]}
	}
}

// checkBuoyancy refuses a buoyancy that is no number at the values of walls at the start, as far as they are known without solving anything.
func (c *Case) checkBuoyancy() {
	b := c.Parameters.Buoyancy
	if b == nil {
		return
	}
	const points = 40
	var low, high [2]float64
	for n := range low {
		if low[n], high[n] = c.wallValues(n); low[n] > high[n] {
			low[n], high[n] = 0, 0
		}
	}
	for i := range (points + 1) * (points + 1) {
		t := low[0] + (high[0]-low[0])*float64(i%(points+1))/points
		s := low[1] + (high[1]-low[1])*float64(i/(points+1))/points
		if v := b.Of(t, s); math.IsNaN(v) || math.IsInf(v, 0) {
			c.buoyancyValue().refuse("finite numbers at all values of walls and in between", "is %g at T = %.6g, S = %.6g", v, t, s)
			return
		}
	}
}

// buoyancyValue is the key with the expression.
func (c *Case) buoyancyValue() value {
	s, _ := c.root.get("physics").section()
	return s.get("buoyancy")
}
