package casefile

import (
	"math"
	"testing"
)

func TestExpression(t *testing.T) {
	const x, y, z, time = 0.3, -1.2, 0.7, 2.5
	for text, want := range map[string]float64{
		"1": 1, "-1.5e-3": -1.5e-3, "x": x, "y + z": y + z, "t": time, "1/2": 0.5, "2^3": 8, "2**3": 8, "-x^2": -x * x,
		"2*x - 3*y/z":                     2*x - 3*y/z,
		"sin(pi*x) * cos(2*pi*z)":         math.Sin(math.Pi*x) * math.Cos(2*math.Pi*z),
		"tan(x) + tanh(y) + exp(z)":       math.Tan(x) + math.Tanh(y) + math.Exp(z),
		"log(t) + sqrt(x) + abs(y)":       math.Log(time) + math.Sqrt(x) + math.Abs(y),
		"min(x, y) + max(x, z)":           y + z,
		"pow(z, 3)":                       math.Pow(z, 3),
		"x < 0.5 ? 1 : 2":                 1,
		"x < 0.5 && z > 1 ? 1 : 2":        2,
		"x < 0.5 and not (z > 1) ? 1 : 2": 1,
		"x >= 0.3 || y == 7 ? 1 : 2":      1,
		"x != 0.3 or y <= -2 ? 1 : 2":     2,
		"true ? +3 : 4":                   3,
		"((x))":                           x,
		"1 - x - z":                       1 - x - z,
		"2^3^2":                           512,
	} {
		e, fault := compileExpression(text, []string{"x", "y", "z", "t"})
		if fault != nil {
			t.Errorf("%s: %v", text, fault)
			continue
		}
		if got := e.value(x, y, z, time); math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

func TestExpressionUses(t *testing.T) {
	e, fault := compileExpression("x + sin(t)*pi", []string{"x", "t"})
	if fault != nil {
		t.Fatal(fault)
	}
	if !e.uses["x"] || !e.uses["t"] || e.uses["y"] || len(e.uses) != 2 {
		t.Errorf("uses %v, want x and t", e.uses)
	}
}

func TestExpressionFaults(t *testing.T) {
	for text, want := range map[string]expressionError{
		"x + w":        {4, "unknown name w; known: x, pi"},
		"":             {0, "unexpected token EOF"},
		"x + ":         {3, "unexpected token EOF"},
		"1 + foo(x)":   {4, "unknown function foo; known: abs, cos, exp, log, max, min, pow, sin, sqrt, tan, tanh"},
		"sin(x, x)":    {0, "sin takes 1 argument(s), not 2"},
		"x % 2":        {2, "% does not give a number"},
		"not x":        {0, "not is not an operation on a number"},
		"len([1])":     {0, "unknown function len; known: abs, cos, exp, log, max, min, pow, sin, sqrt, tan, tanh"},
		"x.y":          {2, "this is not a number"},
		"let a = 1; a": {4, "this is not a number"},
	} {
		_, fault := compileExpression(text, []string{"x"})
		if fault == nil {
			t.Errorf("%q: no fault", text)
			continue
		}
		if fault.message != want.message || fault.at != want.at {
			t.Errorf("%q: %q at %d, want %q at %d", text, fault.message, fault.at, want.message, want.at)
		}
	}
}

func TestExpressionAllocatesNothing(t *testing.T) {
	e, fault := compileExpression("x < 0.5 ? sin(pi*x)*exp(-t) : max(x, z)^2", []string{"x", "y", "z", "t"})
	if fault != nil {
		t.Fatal(fault)
	}
	sum := 0.0
	if n := testing.AllocsPerRun(100, func() { sum += e.value(0.3, 0, 0.2, 1) + e.value(0.7, 0, 0.2, 1) }); n > 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
	if math.IsNaN(sum) {
		t.Error("not a number")
	}
}
