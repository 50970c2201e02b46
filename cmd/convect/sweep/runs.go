package sweep

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"convect/physics"
)

// Most is how many runs a sweep may have.
const Most = 10000

// Run is one run of a sweep.
type Run struct {
	Name   string   // of its folder
	Values []string // of the keys that vary, as YAML
	Back   bool     // on the way back of its chain
	Before *Run     // whose last state it starts from; nil: none
}

// Sweep is a sweep whose runs are known.
type Sweep struct {
	*Spec
	Runs   []*Run   // in the order of the tables
	Chains [][]*Run // each in the order of running
	Dims   []string // short names of the keys, as rayleigh for physics.rayleigh
}

// IsSeed tells whether a key only makes the same case again: error bars are over its values.
func (s *Spec) IsSeed(n int) bool {
	return s.Vary[n].Repeats || s.Vary[n].Key == "seed" || strings.HasSuffix(s.Vary[n].Key, ".seed")
}

// place returns where a sweep is told, for errors.
func (s *Spec) place() string {
	if s.Path != "" {
		return s.Path
	}
	return "--vary"
}

// Plan makes the runs of a sweep.
func (s *Spec) Plan() (*Sweep, error) {
	if s.Combine == "" {
		s.Combine = Grid
	}
	for n, v := range s.Vary {
		if slices.ContainsFunc(s.Vary[:n], func(b Vary) bool { return b.Key == v.Key }) {
			return nil, wrong(v.At, "%s varies already", v.Key)
		}
		if v.isRange() && s.Combine != Latin {
			return nil, wrong(v.At, "%s: a range without a count is for combine: %s; accepted: {from: %g, to: %g, count: 8}", v.Key, Latin, v.From, v.To)
		}
		if !v.isRange() && len(v.Values) == 0 {
			return nil, wrong(v.At, "%s has no values", v.Key)
		}
	}
	if s.Combine != Latin && s.Samples > 0 {
		return nil, wrong(s.place(), "samples are for combine: %s", Latin)
	}
	points, err := s.points()
	if err != nil {
		return nil, err
	}
	out := &Sweep{Spec: s, Dims: s.dims()}
	if err := out.chain(points); err != nil {
		return nil, err
	}
	return out, out.name()
}

// points returns the values of each run.
func (s *Spec) points() ([][]string, error) {
	switch s.Combine {
	case Latin:
		return s.latin()
	case Zip, List:
		var points [][]string
		for i := range s.Vary[0].Values {
			var p []string
			for _, v := range s.Vary {
				if len(v.Values) != len(s.Vary[0].Values) {
					return nil, wrong(v.At, "%s has %d values and %s has %d: with combine: %s all keys have as many", v.Key, len(v.Values), s.Vary[0].Key,
						len(s.Vary[0].Values), s.Combine)
				}
				p = append(p, v.Values[i])
			}
			points = append(points, p)
		}
		return points, s.many(len(points))
	}
	points := [][]string{nil}
	for _, v := range s.Vary {
		if err := s.many(len(points) * len(v.Values)); err != nil {
			return nil, err
		}
		var more [][]string
		for _, p := range points {
			for _, value := range v.Values {
				more = append(more, append(slices.Clone(p), value))
			}
		}
		points = more
	}
	return points, nil
}

func (s *Spec) many(n int) error {
	if n > Most {
		return wrong(s.place(), "%d runs are too many for a sweep; accepted: at most %d", n, Most)
	}
	return nil
}

// latin draws a latin hypercube: each key takes each of as many equal parts of its range as there are samples once, in an order drawn at random.
func (s *Spec) latin() ([][]string, error) {
	if s.Samples == 0 {
		return nil, wrong(s.place(), "samples is missing: how many runs a latin hypercube has")
	}
	if err := s.many(s.Samples); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(s.Seed, 0))
	points := make([][]string, s.Samples)
	for _, v := range s.Vary {
		order := random.Perm(s.Samples)
		for i := range points {
			part := (float64(order[i]) + random.Float64()) / float64(s.Samples)
			value := ""
			if v.isRange() {
				value = v.between(part)
			} else {
				value = v.Values[min(int(part*float64(len(v.Values))), len(v.Values)-1)]
			}
			points[i] = append(points[i], value)
		}
	}
	return points, nil
}

// reserved are names of columns of the tables that are no keys.
var reserved = []string{"run", "state", directionName, countName}

// dims shortens the keys to their last parts, as far as these differ.
func (s *Spec) dims() []string {
	parts := make([][]string, len(s.Vary))
	for i, v := range s.Vary {
		parts[i] = strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(v.Key), ".")
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		for n := 1; n <= len(p); n++ {
			out[i] = strings.Join(p[len(p)-n:], "_")
			same := 0
			for _, q := range parts {
				if strings.Join(q[max(0, len(q)-n):], "_") == out[i] {
					same++
				}
			}
			if first := out[i][0]; same == 1 && (first < '0' || first > '9') && !slices.Contains(reserved, out[i]) && !slices.Contains(s.Results, out[i]) {
				break
			}
		}
	}
	return out
}

// chain puts the runs into chains: those that differ in the key of continue alone, or all of a list.
func (s *Sweep) chain(points [][]string) error {
	key := -1
	if s.Continue != "" {
		if key = slices.IndexFunc(s.Vary, func(v Vary) bool { return v.Key == s.Continue }); key < 0 {
			return wrong(s.place(), "continue: %s is none of the keys that vary", s.Continue)
		}
		if s.Combine == Latin {
			return wrong(s.place(), "continue is not for combine: %s, whose runs have no neighbours", Latin)
		}
		if s.IsSeed(key) {
			return wrong(s.place(), "continue: %s makes the same case again, along which there is no branch to follow", s.Continue)
		}
	}
	if s.Back && key < 0 {
		return wrong(s.place(), "back is for a sweep that continues along a key")
	}
	byOthers := map[string]int{}
	for _, p := range points {
		r := &Run{Values: p}
		s.Runs = append(s.Runs, r)
		if key < 0 {
			s.Chains = append(s.Chains, []*Run{r})
			continue
		}
		others := ""
		if s.Combine == Grid {
			rest := slices.Clone(p)
			rest[key] = ""
			others = strings.Join(rest, "\x00")
		}
		at, known := byOthers[others]
		if !known {
			at = len(s.Chains)
			byOthers[others] = at
			s.Chains = append(s.Chains, nil)
		} else {
			r.Before = s.Chains[at][len(s.Chains[at])-1]
		}
		s.Chains[at] = append(s.Chains[at], r)
	}
	if s.Back {
		s.turn()
	}
	return nil
}

// turn lets each chain run back from its end to its start.
func (s *Sweep) turn() {
	for n, chain := range s.Chains {
		for i := len(chain) - 2; i >= 0; i-- {
			r := &Run{Values: chain[i].Values, Back: true, Before: s.Chains[n][len(s.Chains[n])-1]}
			s.Chains[n] = append(s.Chains[n], r)
			s.Runs = append(s.Runs, r)
		}
	}
}

// longestName is how long the name of a folder may be, far below what file systems take.
const longestName = 150

// name gives each run the name of its folder.
func (s *Sweep) name() error {
	taken := map[string]*Run{}
	for _, r := range s.Runs {
		var parts []string
		for i, value := range r.Values {
			parts = append(parts, s.Dims[i]+"="+slug(value))
		}
		if r.Back {
			parts = append(parts, "back")
		}
		r.Name = strings.Join(parts, ",")
		if len(r.Name) > longestName {
			sum := sha256.Sum256([]byte(r.Name))
			r.Name = fmt.Sprintf("%s~%x", r.Name[:longestName-16], sum[:6])
		}
		if taken[r.Name] != nil {
			return wrong(s.place(), "two runs are the same: %s; a branch is followed back with back: true", s.Describe(r))
		}
		taken[r.Name] = r
	}
	return nil
}

// slug makes a value part of a name of a folder; one that has other characters than plain ones is told apart by the sum of its text.
func slug(value string) string {
	const most = 24
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._+-", r)
	}
	if value != "" && len(value) <= most && strings.IndexFunc(value, func(r rune) bool { return !plain(r) }) < 0 {
		return value
	}
	short := strings.Trim(strings.Map(func(r rune) rune {
		if plain(r) {
			return r
		}
		return '_'
	}, value), "_")
	sum := sha256.Sum256([]byte(value))
	return fmt.Sprintf("%.12s~%x", short, sum[:3])
}

// Texts returns the values as readers are told them: texts without quotes.
func (r *Run) Texts() []string {
	var out []string
	for _, value := range r.Values {
		out = append(out, unquoted(value))
	}
	return out
}

// Describe names a run by its values, as "rayleigh = 60, seed = 1".
func (s *Sweep) Describe(r *Run) string {
	var parts []string
	for i, text := range r.Texts() {
		parts = append(parts, s.Dims[i]+" = "+text)
	}
	if r.Back {
		parts = append(parts, "on the way back")
	}
	return strings.Join(parts, ", ")
}

// Overrides returns what a run sets in the case, as "key=value".
func (s *Sweep) Overrides(r *Run) []string {
	var out []string
	for i, value := range r.Values {
		out = append(out, s.Vary[i].Key+"="+value)
	}
	return out
}

// Number returns a value as a number, a time with a unit in seconds.
func Number(value string) (float64, bool) {
	number, unit, _ := strings.Cut(strings.TrimSpace(value), " ")
	v, err := strconv.ParseFloat(number, 64)
	if unit = strings.TrimSpace(unit); unit == "" || err != nil {
		return v, err == nil
	}
	for _, u := range physics.TimeUnits() {
		if u.Name == unit {
			return v * u.Seconds, true
		}
	}
	return 0, false
}

// inTable returns a value as it stands in a table: a time in seconds without its own unit, a text without quotes.
func inTable(value string) string {
	if v, ok := Number(value); ok && strings.Contains(strings.TrimSpace(value), " ") {
		return numberText(v)
	}
	return unquoted(value)
}

// unquoted returns a value without the quotes that a text has in YAML.
func unquoted(value string) string {
	if !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") {
		return value
	}
	file, err := parser.ParseBytes([]byte(value), 0)
	if err != nil || len(file.Docs) != 1 {
		return value
	}
	if text, isText := file.Docs[0].Body.(*ast.StringNode); isText {
		return text.Value
	}
	return value
}
