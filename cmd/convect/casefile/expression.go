package casefile

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// maxExpression is the longest expression in bytes.
const maxExpression = 10_000

// number is a compiled expression: its value at a point and time in the units of the case. Where the variable T
// (temperature) is known, time is not, and T takes its place. S (concentration) takes that of x, which no factor has beside it.
type number func(x, y, z, t float64) float64

// condition is a compiled comparison.
type condition func(x, y, z, t float64) bool

// expression is a number that depends on the variables used.
type expression struct {
	value number
	uses  map[string]bool
	turns []number // the sides of its comparisons that depend on t, and what min, max and abs compare: it is smooth in time where none changes its sign
}

// expressionError is a fault at a character of an expression, counted from 0.
type expressionError struct {
	at      int
	message string
}

func (e *expressionError) Error() string { return e.message }

// compileExpression parses an expression in the given variables (of x, y, z, t) and turns it into closures, which
// neither allocate nor share state. The language is the arithmetic, comparisons and conditionals of
// github.com/expr-lang/expr with the functions below; everything has to be a number, or a truth value where a
// condition is due.
func compileExpression(text string, variables []string) (*expression, *expressionError) {
	if len(text) > maxExpression {
		return nil, &expressionError{0, fmt.Sprintf("an expression of %d bytes is too long (at most %d)", len(text), maxExpression)}
	}
	if fault := misspelt(text); fault != nil {
		return nil, fault
	}
	tree, err := parser.Parse(text)
	if err != nil {
		at := 0
		var fault *file.Error
		if errors.As(err, &fault) {
			at = max(fault.Column, 0)
		}
		return nil, &expressionError{at, "the expression makes no sense from here on"}
	}
	return compileNode(tree.Node, variables)
}

// compileNode compiles a tree.
func compileNode(n ast.Node, variables []string) (*expression, *expressionError) {
	c := &compiler{variables: variables, uses: map[string]bool{}}
	value, fault := c.number(n)
	if fault != nil {
		return nil, fault
	}
	return &expression{value: value, uses: c.uses, turns: c.turns}, nil
}

type compiler struct {
	variables []string
	uses      map[string]bool
	turns     []number
}

func fault(n ast.Node, format string, args ...any) *expressionError {
	return &expressionError{n.Location().From, fmt.Sprintf(format, args...)}
}

// number compiles a node that must be a number.
func (c *compiler) number(n ast.Node) (number, *expressionError) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(float64(n.Value)), nil
	case *ast.FloatNode:
		return constant(n.Value), nil
	case *ast.IdentifierNode:
		return c.variable(n)
	case *ast.UnaryNode:
		return c.sign(n)
	case *ast.BinaryNode:
		return c.arithmetic(n)
	case *ast.ConditionalNode:
		return c.choice(n)
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.call(n, name.Value, n.Arguments)
		}
	case *ast.BuiltinNode:
		return c.call(n, n.Name, n.Arguments)
	case *ast.BoolNode:
		return nil, fault(n, "a truth value where a number is needed")
	case *ast.StringNode:
		return nil, fault(n, "a text where a number is needed")
	}
	return nil, fault(n, "this is not a number")
}

func constant(v float64) number { return func(_, _, _, _ float64) float64 { return v } }

func (c *compiler) variable(n *ast.IdentifierNode) (number, *expressionError) {
	if n.Value == "pi" {
		return constant(math.Pi), nil
	}
	if !slices.Contains(c.variables, n.Value) {
		known := strings.Join(append(slices.Clone(c.variables), "pi"), ", ")
		if n.Value == "t" {
			return nil, fault(n, "t (time) is known on walls and in the heat source only; known here: %s", known)
		}
		if n.Value == "T" {
			return nil, fault(n, "T (temperature) is known in viscosity, buoyancy and density only, where there is a temperature; known here: %s", known)
		}
		if n.Value == "S" {
			return nil, fault(n, "S (concentration) is known in viscosity, buoyancy and density only, where there is a physics.solute; known here: %s", known)
		}
		if functions()[n.Value].of != nil {
			return nil, fault(n, "%s is a function and needs its argument in parentheses", n.Value)
		}
		return nil, fault(n, "unknown name %s; known: %s", n.Value, known)
	}
	c.uses[n.Value] = true
	switch n.Value {
	case "x", "S": // no value is asked for of an expression with both
		return func(x, _, _, _ float64) float64 { return x }, nil
	case "y":
		return func(_, y, _, _ float64) float64 { return y }, nil
	case "z":
		return func(_, _, z, _ float64) float64 { return z }, nil
	}
	return func(_, _, _, t float64) float64 { return t }, nil
}

func (c *compiler) sign(n *ast.UnaryNode) (number, *expressionError) {
	a, err := c.number(n.Node)
	switch {
	case err != nil:
		return nil, err
	case n.Operator == "-":
		return func(x, y, z, t float64) float64 { return -a(x, y, z, t) }, nil
	case n.Operator == "+":
		return a, nil
	}
	return nil, fault(n, "%s is not an operation on a number", n.Operator)
}

func (c *compiler) arithmetic(n *ast.BinaryNode) (number, *expressionError) {
	switch n.Operator {
	case "+", "-", "*", "/", "^", "**":
	default:
		return nil, fault(n, "%s does not give a number", n.Operator)
	}
	a, b, err := c.pair(n)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "+":
		return func(x, y, z, t float64) float64 { return a(x, y, z, t) + b(x, y, z, t) }, nil
	case "-":
		return func(x, y, z, t float64) float64 { return a(x, y, z, t) - b(x, y, z, t) }, nil
	case "*":
		return func(x, y, z, t float64) float64 { return a(x, y, z, t) * b(x, y, z, t) }, nil
	case "/":
		return func(x, y, z, t float64) float64 { return a(x, y, z, t) / b(x, y, z, t) }, nil
	}
	return func(x, y, z, t float64) float64 { return math.Pow(a(x, y, z, t), b(x, y, z, t)) }, nil
}

// pair compiles both sides of an operation as numbers.
func (c *compiler) pair(n *ast.BinaryNode) (a, b number, err *expressionError) {
	if a, err = c.number(n.Left); err != nil {
		return nil, nil, err
	}
	b, err = c.number(n.Right)
	return a, b, err
}

func (c *compiler) choice(n *ast.ConditionalNode) (number, *expressionError) {
	is, err := c.condition(n.Cond)
	if err != nil {
		return nil, err
	}
	yes, err := c.number(n.Exp1)
	if err != nil {
		return nil, err
	}
	no, err := c.number(n.Exp2)
	if err != nil {
		return nil, err
	}
	return func(x, y, z, t float64) float64 {
		if is(x, y, z, t) {
			return yes(x, y, z, t)
		}
		return no(x, y, z, t)
	}, nil
}

// condition compiles a node that must be a truth value.
func (c *compiler) condition(n ast.Node) (condition, *expressionError) {
	switch n := n.(type) {
	case *ast.BoolNode:
		return func(_, _, _, _ float64) bool { return n.Value }, nil
	case *ast.UnaryNode:
		if n.Operator != "!" && n.Operator != "not" {
			break
		}
		a, err := c.condition(n.Node)
		return func(x, y, z, t float64) bool { return !a(x, y, z, t) }, err
	case *ast.BinaryNode:
		switch n.Operator {
		case "&&", "and", "||", "or":
			return c.logic(n)
		case "<", "<=", ">", ">=", "==", "!=":
			return c.comparison(n)
		}
	}
	return nil, fault(n, "a condition is needed here, as x < 0.5")
}

func (c *compiler) logic(n *ast.BinaryNode) (condition, *expressionError) {
	a, err := c.condition(n.Left)
	if err != nil {
		return nil, err
	}
	b, err := c.condition(n.Right)
	if err != nil {
		return nil, err
	}
	if n.Operator == "&&" || n.Operator == "and" {
		return func(x, y, z, t float64) bool { return a(x, y, z, t) && b(x, y, z, t) }, nil
	}
	return func(x, y, z, t float64) bool { return a(x, y, z, t) || b(x, y, z, t) }, nil
}

func (c *compiler) comparison(n *ast.BinaryNode) (condition, *expressionError) {
	a, b, err := c.compared(n)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "<":
		return func(x, y, z, t float64) bool { return a(x, y, z, t) < b(x, y, z, t) }, nil
	case "<=":
		return func(x, y, z, t float64) bool { return a(x, y, z, t) <= b(x, y, z, t) }, nil
	case ">":
		return func(x, y, z, t float64) bool { return a(x, y, z, t) > b(x, y, z, t) }, nil
	case ">=":
		return func(x, y, z, t float64) bool { return a(x, y, z, t) >= b(x, y, z, t) }, nil
	case "==":
		return func(x, y, z, t float64) bool { return a(x, y, z, t) == b(x, y, z, t) }, nil
	}
	return func(x, y, z, t float64) bool { return a(x, y, z, t) != b(x, y, z, t) }, nil
}

// function is a function of an expression: of one argument, or of two.
type function struct {
	of  any // func(float64) float64 or func(a, b float64) float64
	two bool
}

// functions are the functions of an expression.
func functions() map[string]function {
	return map[string]function{
		"sin": {of: math.Sin}, "cos": {of: math.Cos}, "tan": {of: math.Tan}, "tanh": {of: math.Tanh},
		"exp": {of: math.Exp}, "log": {of: math.Log}, "sqrt": {of: math.Sqrt}, "abs": {of: math.Abs},
		"erf": {of: math.Erf}, "erfc": {of: math.Erfc}, // 1 - erf loses all digits where erfc is small
		"min": {of: math.Min, two: true}, "max": {of: math.Max, two: true}, "pow": {of: math.Pow, two: true},
	}
}

func (c *compiler) call(n ast.Node, name string, arguments []ast.Node) (number, *expressionError) {
	f, ok := functions()[name]
	if !ok {
		known := slices.Sorted(maps.Keys(functions()))
		return nil, fault(n, "unknown function %s; known: %s", name, strings.Join(known, ", "))
	}
	want := 1
	if f.two {
		want = 2
	}
	if len(arguments) != want {
		return nil, fault(n, "%s takes %d argument(s), not %d", name, want, len(arguments))
	}
	a, b, err := c.arguments(name, arguments)
	if err != nil {
		return nil, err
	}
	if f.two {
		of := f.of.(func(a, b float64) float64)
		return func(x, y, z, t float64) float64 { return of(a(x, y, z, t), b(x, y, z, t)) }, nil
	}
	of := f.of.(func(float64) float64)
	return func(x, y, z, t float64) float64 { return of(a(x, y, z, t)) }, nil
}
