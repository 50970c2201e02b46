package casefile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// decoder collects what is wrong while the sections are read, so that one look at a case tells all of it.
type decoder struct {
	file   string
	dir    string // relative paths start here
	schema map[string][]string
	errors Errors
}

func (d *decoder) refuse(at place, key, accepted, format string, args ...any) {
	d.errors = append(d.errors, newError(d.file, at, key, fmt.Sprintf(format, args...), accepted))
}

// value is a node with its path; node is nil where the key is not given.
type value struct {
	d     *decoder
	key   string
	shape string // path in the schema
	node  *node
	at    place // of the node, or of the section that lacks it
	// broken: the section that would hold the key is reported already.
	broken bool
}

// root is the value of the whole file.
func (d *decoder) root(n *node) value { return value{d: d, node: n, at: n.at} }

func (v value) given() bool { return v.node != nil }

func (v value) refuse(accepted, format string, args ...any) {
	v.d.refuse(v.at, v.key, accepted, format, args...)
}

// wrong reports a value of the wrong kind.
func (v value) wrong(accepted string) {
	if v.node.kind != broken {
		v.refuse(accepted, "%s is not accepted here", v.node.describe())
	}
}

// missing reports that a required key is not given.
func (v value) missing(accepted string) {
	if !v.broken {
		v.refuse(accepted, "missing")
	}
}

// section checks that the value is a section with keys of the schema alone. Where the key is not given the section
// is empty; where it is wrong it is empty too and false is returned.
func (v value) section() (section, bool) {
	s := section{v}
	if !v.given() {
		return s, true
	}
	keys := v.d.schema[v.shape]
	if v.node.kind != mapping {
		v.wrong("a section with the keys " + strings.Join(keys, ", "))
		return section{value{d: v.d, key: v.key, shape: v.shape, at: v.at, broken: true}}, false
	}
	ok := true
	for _, e := range v.node.entries {
		if slices.Contains(keys, e.key) {
			continue
		}
		if r, was := retiredKeys()[join(v.shape, e.key)]; was {
			if e.value.kind != empty {
				v.d.refuse(e.at, join(v.key, e.key), r.accepted, "%s", r.why)
			}
			continue
		}
		ok, s.broken = false, true
		message := "unknown key"
		if near := Nearest(e.key, keys); near != "" {
			message += fmt.Sprintf(" (did you mean %s?)", near)
		}
		v.d.refuse(e.at, join(v.key, e.key), strings.Join(keys, ", "), "%s", message)
	}
	return s, ok
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// section is a value known to be a section, or not given.
type section struct{ value }

// get returns the value of a key of the schema.
func (s section) get(key string) value {
	if !slices.Contains(s.d.schema[s.shape], key) {
		panic("casefile: " + join(s.shape, key) + " is not in the schema")
	}
	v := value{d: s.d, key: join(s.key, key), shape: join(s.shape, key), at: s.at, broken: s.broken}
	if s.given() {
		if v.node = s.node.find(key); v.node != nil {
			v.at = v.node.at
		}
	}
	return v
}

// holds names those of the keys that the section has.
func (s section) holds(keys ...string) []string {
	var held []string
	for _, k := range keys {
		if s.get(k).given() {
			held = append(held, k)
		}
	}
	return held
}

// clash says that not one but none or several of the keys are given.
func clash(held []string, keys ...string) string {
	if len(held) == 0 {
		return "none of " + strings.Join(keys, ", ") + " is given"
	}
	return strings.Join(held, " and ") + " exclude each other"
}

// items returns the values of a list.
func (v value) items() []value {
	items := make([]value, len(v.node.items))
	for i, n := range v.node.items {
		items[i] = value{d: v.d, key: fmt.Sprintf("%s[%d]", v.key, i), shape: v.shape + "[]", node: n, at: n.at}
	}
	return items
}

// limit is a condition on a number and its words.
type limit struct {
	ok    func(float64) bool
	words string
}

func anyNumber() limit { return limit{func(float64) bool { return true }, "a finite number"} }
func notZero() limit {
	return limit{func(v float64) bool { return v != 0 }, "a number other than 0"}
}
func positive() limit { return limit{func(v float64) bool { return v > 0 }, "a number above 0"} }
func notNegative() limit {
	return limit{func(v float64) bool { return v >= 0 }, "a number, 0 or above"}
}
func within(low, high float64) limit { // without low, with high
	return limit{func(v float64) bool { return v > low && v <= high }, fmt.Sprintf("a number above %g, at most %g", low, high)}
}

// number reads a number. It reports and returns false where there is none or it is not within the limit.
func (v value) number(l limit) (float64, bool) {
	if v.node.kind != scalar || v.node.quoted {
		v.wrong(l.words)
		return 0, false
	}
	f, err := parseNumber(v.node.text)
	switch {
	case err != nil:
		v.refuse(l.words, "%v", err)
		return 0, false
	case !l.ok(f):
		v.refuse(l.words, "%s is out of range", shortened(v.node.text))
		return 0, false
	}
	return f, true
}

// numberOr is number with a default for a key that is not given.
func (v value) numberOr(l limit, otherwise float64) float64 {
	if !v.given() {
		return otherwise
	}
	f, _ := v.number(l)
	return f
}

// parseNumber reads a decimal number as YAML writes it.
func parseNumber(text string) (float64, error) {
	switch strings.TrimLeft(strings.ToLower(text), "+-.") {
	case "nan", "inf", "infinity":
		return 0, fmt.Errorf("%s is not a finite number", shortened(text))
	}
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, fmt.Errorf("%s is not a number", quoted(text))
	}
	f, err := strconv.ParseFloat(text, 64)
	if math.IsInf(f, 0) {
		return 0, fmt.Errorf("%s is too large for a number", shortened(text))
	}
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", quoted(text))
	}
	return f, nil
}

// integer reads a whole number from low to high.
func (v value) integer(low, high int64) (int64, bool) {
	l := limit{func(f float64) bool { return f == math.Trunc(f) && f >= float64(low) && f <= float64(high) },
		fmt.Sprintf("a whole number from %d to %d", low, high)}
	f, ok := v.number(l)
	return int64(f), ok
}

// integerOr is integer with a default.
func (v value) integerOr(low, high, otherwise int64) int64 {
	if !v.given() {
		return otherwise
	}
	n, _ := v.integer(low, high)
	return n
}

// maxSeed is the largest seed: the largest whole number up to which float64 knows all.
const maxSeed = 1 << 53

// truth reads true or false, false where it is not given.
func (v value) truth() bool { return v.truthOr(false) }

// truthOr reads true or false, and has another value where it is not given.
func (v value) truthOr(other bool) bool {
	if !v.given() {
		return other
	}
	if v.node.kind != scalar || v.node.quoted || (v.node.text != "true" && v.node.text != "false") {
		v.wrong("true, false")
	}
	return v.node.text == "true"
}

// text reads a text.
func (v value) text() string {
	if !v.given() {
		return ""
	}
	if v.node.kind != scalar {
		v.wrong("a text")
	}
	return v.node.text
}

// choice reads one of the words. Where the key is not given or wrong
// the first word is returned.
func (v value) choice(words []string) string {
	if !v.given() {
		return words[0]
	}
	if v.node.kind == scalar && slices.Contains(words, v.node.text) {
		return v.node.text
	}
	v.noneOf(words, strings.Join(words, ", "))
	return words[0]
}

// noneOf reports a value that is none of the words, and the one that it may mean.
func (v value) noneOf(words []string, accepted string) {
	if v.node.kind == scalar {
		if near := Nearest(v.node.text, words); near != "" {
			v.refuse(accepted, "%s is not accepted here (did you mean %s?)", v.node.describe(), near)
			return
		}
	}
	v.wrong(accepted)
}

// list checks that the value is a list and returns its items.
func (v value) list(accepted string) ([]value, bool) {
	if v.node.kind != sequence {
		v.wrong(accepted)
		return nil, false
	}
	return v.items(), true
}
