package casefile

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"convect/physics"
)

// field is a number, or an expression of position (and time), in the units of the case.
type field struct {
	value    value
	constant float64
	of       number // nil: constant
	limit    limit
	file     *gridFile // nil: no file
	inTime   bool      // depends on t
	inSpace  bool      // depends on position
	turns    []number  // where they change their sign in time it may jump or bend
	// inFluid tells that it depends on T or S.
	inFluid bool
}

// field reads a number or an expression in the given variables.
func (v value) field(l limit, variables ...string) field {
	f := field{value: v, limit: l}
	accepted := l.words + ", or an expression in " + joined(variables)
	if slices.Contains(variables, "t") {
		accepted = l.words + ", an expression in " + joined(variables) + ", or {table: …, column: …}"
	}
	switch {
	case v.node.kind != scalar || v.node.text == "true" || v.node.text == "false":
		v.wrong(accepted)
		return f
	case !v.node.quoted && looksNumeric(v.node.text):
		v.node.text = strings.TrimSpace(v.node.text)
		l.words = accepted
		f.constant, _ = v.number(l)
		return f
	}
	e, fault := compileExpression(v.node.text, variables)
	if fault != nil {
		v.refuseAt(fault.at, accepted, "%s", fault.message)
		return f
	}
	if len(e.uses) > 0 {
		f.of, f.turns = e.value, e.turns
		f.inTime, f.inFluid, f.inSpace = e.uses["t"], e.uses["T"] || e.uses["S"], e.uses["x"] || e.uses["y"] || e.uses["z"]
		return f
	}
	f.constant = e.value(0, 0, 0, 0)
	if !(f.constant-f.constant == 0) || !l.ok(f.constant) {
		v.refuse(accepted, "the expression gives %g", f.constant)
	}
	return f
}

// joined lists names.
func joined(names []string) string { return strings.Join(names, ", ") }

// looksNumeric tells a number, right or wrong, from an expression.
func looksNumeric(text string) bool {
	_, err := parseNumber(text)
	return err == nil || strings.Trim(text, "+-.0123456789") == "" || strings.HasSuffix(err.Error(), "finite number") ||
		strings.HasSuffix(err.Error(), "too large for a number")
}

// refuseAt reports a fault at a character of a scalar.
func (v value) refuseAt(character int, accepted, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if v.at.override != "" {
		v.refuse(accepted, "%s (at character %d of the expression)", message, character+1)
		return
	}
	e := newError(v.d.file, v.at, v.key, message, accepted)
	if !strings.Contains(v.node.text, "\n") && character <= utf8.RuneCountInString(v.node.text) {
		e.Column += character
		if v.node.quoted {
			e.Column++
		}
	}
	v.d.errors = append(v.d.errors, e)
}

// varies tells whether the field depends on anything.
func (f *field) varies() bool { return f.of != nil || f.file != nil }

// at evaluates the field at a nondimensional point and time, in the units of the case.
func (f *field) at(s *physics.Scales, x [3]float64, t float64) float64 {
	if f.of == nil {
		return f.constant
	}
	return f.of(x[0]*s.Length, x[1]*s.Length, x[2]*s.Length, t*s.Time)
}

// nondimensional returns the field over unit, at nondimensional points and times.
func (f *field) nondimensional(s physics.Scales, unit float64) physics.Func {
	if f.of == nil {
		return physics.Constant(f.constant / unit)
	}
	of := f.of
	at := func(x, y, z, t float64) float64 { return of(x*s.Length, y*s.Length, z*s.Length, t*s.Time) / unit }
	if !f.inTime || f.inSpace || f.inFluid {
		return at
	}
	return lately(at)
}

// lately returns a function of time alone that remembers the last value: all nodes of a wall ask for it at the same time.
func lately(of physics.Func) physics.Func {
	type valued struct{ t, v float64 }
	var last atomic.Pointer[valued]
	return func(x, y, z, t float64) float64 {
		l := last.Load()
		if l == nil || l.t != t {
			l = &valued{t, of(x, y, z, t)}
			last.Store(l)
		}
		return l.v
	}
}
