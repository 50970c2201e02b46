package casefile

import (
	"fmt"
	"strings"
	"unicode"

	"convect/physics"
)

// secondsIn returns the length of a unit of time.
func secondsIn(name string) (seconds float64, known bool) {
	for _, u := range physics.TimeUnits() {
		if u.Name == name {
			return u.Seconds, true
		}
	}
	return 0, false
}

// timeUnitNames lists the units in a message.
func timeUnitNames() string {
	var names []string
	for _, u := range physics.TimeUnits() {
		names = append(names, u.Name)
	}
	return joined(names)
}

// time reads a simulated time and returns it nondimensional: a number or an expression without variables, in a dimensional
// case in seconds or with a unit behind it, as "10000 yr", "6 h" or "2*365 d". l limits the time in seconds. It reports and
// returns false where there is none or it is not within the limit.
func (c *Case) time(v value, l limit) (float64, bool) {
	if c.si {
		l.words += " (in seconds, or with one of the units " + timeUnitNames() + ", as 10 yr or 2*365 d)"
	}
	if v.node.kind != scalar {
		v.wrong(l.words)
		return 0, false
	}
	if !v.node.quoted && looksNumeric(v.node.text) {
		t, ok := v.number(l)
		return t / c.Scales.Time, ok
	}
	t, ok := c.timeExpression(v, l.words)
	if ok && !(t-t == 0 && l.ok(t)) {
		v.refuse(l.words, "%s is %g, which is out of range", v.node.describe(), t)
		ok = false
	}
	return t / c.Scales.Time, ok
}

// timeOr is time with a nondimensional default for a key that is not given.
func (c *Case) timeOr(v value, l limit, otherwise float64) float64 {
	if !v.given() {
		return otherwise
	}
	t, _ := c.time(v, l)
	return t
}

// timeUnitOr reads the name of a unit of time and returns the unit in those of the case: its seconds in a dimensional case,
// and 1 where the key is not given or the case has no units.
func (c *Case) timeUnitOr(v value) float64 {
	if !v.given() {
		return 1
	}
	seconds, known := secondsIn(v.node.text)
	switch {
	case v.node.kind != scalar || !known:
		v.wrong("one of " + timeUnitNames())
	case !c.si:
		v.refuse("no unit", "%s", noTimeUnits)
	default:
		return seconds
	}
	return 1
}

const noTimeUnits = "a unit of time needs physics.dimensional: with physics.rayleigh a time is a multiple of H²/κ"

// timeExpression evaluates an expression with or without a unit behind it, in the units of the case.
func (c *Case) timeExpression(v value, accepted string) (float64, bool) {
	text := v.node.text
	whole, fault := compileExpression(text, nil)
	if fault == nil {
		return whole.value(0, 0, 0, 0), true
	}
	number, unit := splitUnit(text)
	seconds, known := secondsIn(unit)
	switch {
	case unit == "":
		v.refuseAt(fault.at, accepted, "%s", fault.message)
	case !known && number == "":
		v.refuse(accepted, "%s is not a time", v.node.describe())
	case !known:
		v.refuse(accepted, "%s is not a unit of time", unit)
	case !c.si:
		v.refuse(accepted, "%s", noTimeUnits)
	case number == "":
		v.refuse(accepted, "there is no number before %s", unit)
	default:
		e, fault := compileExpression(number, nil)
		if fault == nil {
			return e.value(0, 0, 0, 0) * seconds, true
		}
		v.refuseAt(fault.at, accepted, "%s", fault.message)
	}
	return 0, false
}

// splitUnit cuts a word off the end of a text, where it follows a number, a bracket or a space, or is all there is.
func splitUnit(text string) (number, unit string) {
	text = strings.TrimSpace(text)
	number = strings.TrimRightFunc(text, unicode.IsLetter)
	unit = text[len(number):]
	if last := len(number) - 1; last >= 0 && !strings.ContainsRune("0123456789.) \t", rune(number[last])) {
		return text, ""
	}
	return strings.TrimSpace(number), unit
}

// wallTimeHint says where a simulated time belongs that stands in the place of a wall time.
func wallTimeHint(text string) string {
	if number, unit := splitUnit(text); number != "" {
		if _, known := secondsIn(unit); known {
			return fmt.Sprintf("; simulated time is {time: %s}", text)
		}
	}
	return ""
}
