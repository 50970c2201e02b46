package casefile

// decodeBuoyancy reads b as an expression in T and S.
func (c *Case) decodeBuoyancy(v value) {
	if !v.given() {
		return
	}
	if c.si {
		v.refuse("physics.dimensional.expansivity and haline_contraction", "an expression of the buoyancy is a multiple of the reference, which a case in SI units does not take")
		return
	}
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
	case len(e.uses) == 0:
		v.refuse(words, "a buoyancy that depends on nothing moves nothing")
	default:
		c.plan.buoyancy, c.Parameters.Buoyancy = e, c.law(e)
	}
}

// checkBuoyancy refuses a buoyancy that is no number at the values of walls at the start, as far as they are known without solving anything.
func (c *Case) checkBuoyancy() {
	if e := c.plan.buoyancy; e != nil {
		c.checkLaw(e, c.buoyancyValue(), "finite numbers at all values of walls and in between", func(float64) bool { return true })
	}
}

// buoyancyValue is the key with the expression.
func (c *Case) buoyancyValue() value {
	s, _ := c.root.get("physics").section()
	return s.get("buoyancy")
}
