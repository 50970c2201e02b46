package casefile

import (
	"math"
	"regexp"
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
		"erf(x) + erfc(y)":                math.Erf(x) + math.Erfc(y),
		"1e300*erfc(10*t)":                1e300 * math.Erfc(10*time),
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
		"":             {0, "the expression is empty"},
		"x + ":         {4, "the expression ends where a number is due behind +"},
		"2*(x + 1":     {2, "the parenthesis ( is not closed"},
		"2*x)":         {3, "the parenthesis ) was not opened"},
		"2x":           {1, "an operation is missing between 2 and x, as *"},
		"2(x)":         {1, "an operation is missing between 2 and (, as *"},
		"x * / 2":      {4, "a number is missing between * and /"},
		"*x":           {0, "a number is missing before *"},
		"x = 1":        {2, "a single = compares nothing; equality is =="},
		"0,5*x":        {1, "a comma stands outside of a function; a decimal point is a dot"},
		"x < 1 ? 2":    {6, "the condition before ? has one value alone; it needs another behind a colon"},
		"(x < 1 ? 2)":  {7, "the condition before ? has one value alone; it needs another behind a colon"},
		"x : 2":        {2, "there is no ? before the colon, as in x < 1 ? 2 : 3"},
		"2·x":          {1, "the sign · means nothing in an expression"},
		"'x":           {0, "the quote ' is not closed"},
		"1 + foo(x)":   {4, "unknown function foo; known: abs, cos, erf, erfc, exp, log, max, min, pow, sin, sqrt, tan, tanh"},
		"sin(x, x)":    {0, "sin takes 1 argument(s), not 2"},
		"sin()":        {0, "sin takes 1 argument(s), not 0"},
		"x % 2":        {2, "% does not give a number"},
		"not x":        {0, "not is not an operation on a number"},
		"len([1])":     {4, "the bracket [ means nothing in an expression; parentheses are ( and )"},
		"x.y":          {1, "the sign . means nothing in an expression"},
		"let a = 1; a": {4, "an operation is missing between let and a, as *"},
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

// TestExpressionsWithoutJargon feeds everything that signs can be put together to and looks for words that are a parser's.
func TestExpressionsWithoutJargon(t *testing.T) {
	signs := []string{"x", "2", "1.5e3", "1e999", "99999999999999999999", "0x", "1_", "1.2.3", "+", "-", "*", "**", "<", "==", "?", ":", ",", "(", ")", "sin", "not", "and", "in",
		"let", "if", "..", "??", "|", "'a'", "!", ";", "#", "//", "true", "nil"}
	jargon := regexp.MustCompile(`(?i)token|EOF|identifier|literal|operator|unexpected|parse|node|syntax|compil|&\{|%!`)
	for _, a := range signs {
		for _, b := range signs {
			for _, c := range signs {
				for _, text := range []string{a + " " + b + " " + c, a + b + c} {
					if _, fault := compileExpression(text, []string{"x"}); fault != nil && (jargon.MatchString(fault.message) || fault.at > len(text)) {
						t.Errorf("%q: %q at %d", text, fault.message, fault.at)
					}
				}
			}
		}
	}
}
