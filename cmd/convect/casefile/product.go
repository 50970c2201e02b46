package casefile

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// factor is one factor of a product, or, inverse, one that it is divided by.
type factor struct {
	node    ast.Node
	inverse bool
}

// factors lists the factors of a product of products and quotients.
func factors(n ast.Node, inverse bool) []factor {
	if b, ok := n.(*ast.BinaryNode); ok && (b.Operator == "*" || b.Operator == "/") {
		return append(factors(b.Left, inverse), factors(b.Right, inverse != (b.Operator == "/"))...)
	}
	return []factor{{n, inverse}}
}

// compileProduct compiles a valid expression in position and what the fluid carries, T and S, as a factor in position, nil where there is none, and a factor in these. It fails where they
// cannot be told apart.
func compileProduct(text string, position, carried []string) (place number, fluid *expression, err *expressionError) {
	tree, fault := parser.Parse(text)
	if fault != nil {
		return nil, nil, &expressionError{0, fault.Error()}
	}
	fluid = &expression{uses: map[string]bool{}}
	for _, f := range factors(tree.Node, false) {
		e, err := compileNode(f.node, append(slices.Clone(position), carried...))
		if err != nil {
			return nil, nil, err
		}
		inFluid := 0
		for _, name := range carried {
			if e.uses[name] {
				fluid.uses[name] = true
				inFluid++
			}
		}
		switch {
		case inFluid > 0 && len(e.uses) > inFluid:
			return nil, nil, &expressionError{f.node.Location().From, strings.Join(carried, " or ") + " and position have to stand in different factors of a product, as in exp(-2*" + carried[0] + ") * (1 + z)"}
		case inFluid > 0 || len(e.uses) == 0:
			fluid.value = times(fluid.value, e.value, f.inverse)
		default:
			place = times(place, e.value, f.inverse)
		}
	}
	return place, fluid, nil
}

// times multiplies a, which nil makes 1, with b or divides it by b.
func times(a, b number, inverse bool) number {
	switch {
	case a == nil && !inverse:
		return b
	case a == nil:
		return func(x, y, z, t float64) float64 { return 1 / b(x, y, z, t) }
	case inverse:
		return func(x, y, z, t float64) float64 { return a(x, y, z, t) / b(x, y, z, t) }
	}
	return func(x, y, z, t float64) float64 { return a(x, y, z, t) * b(x, y, z, t) }
}
