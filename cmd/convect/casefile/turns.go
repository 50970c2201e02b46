package casefile

import (
	"maps"

	"github.com/expr-lang/expr/ast"
)

// compared compiles both sides of a comparison as numbers, and notes where they are equal if they depend on t.
func (c *compiler) compared(n *ast.BinaryNode) (a, b number, err *expressionError) {
	err = c.turning(func() (number, *expressionError) {
		var fault *expressionError
		if a, b, fault = c.pair(n); fault != nil {
			return nil, fault
		}
		return func(x, y, z, t float64) float64 { return a(x, y, z, t) - b(x, y, z, t) }, nil
	})
	return a, b, err
}

// turning notes what compile returns as a turn if it depends on t.
func (c *compiler) turning(compile func() (number, *expressionError)) *expressionError {
	outer := c.uses
	c.uses = map[string]bool{}
	turn, err := compile()
	if err == nil && turn != nil && c.uses["t"] {
		c.turns = append(c.turns, turn)
	}
	maps.Copy(outer, c.uses)
	c.uses = outer
	return err
}

// arguments compiles the one or two arguments of a function, and notes where min, max and abs bend.
func (c *compiler) arguments(name string, nodes []ast.Node) (a, b number, err *expressionError) {
	err = c.turning(func() (number, *expressionError) {
		var fault *expressionError
		if a, fault = c.number(nodes[0]); fault == nil && len(nodes) == 2 {
			b, fault = c.number(nodes[1])
		}
		switch {
		case fault != nil:
			return nil, fault
		case name == "abs":
			return a, nil
		case name == "min", name == "max":
			return func(x, y, z, t float64) float64 { return a(x, y, z, t) - b(x, y, z, t) }, nil
		}
		return nil, nil
	})
	return a, b, err
}
