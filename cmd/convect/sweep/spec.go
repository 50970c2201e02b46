package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Ways to combine the values of several keys.
const (
	Grid  = "grid"
	Zip   = "zip"
	List  = "list"
	Latin = "latin-hypercube"
)

// Combinations lists them.
func Combinations() []string { return []string{Grid, Zip, List, Latin} }

// Spec is a sweep as it is asked for.
type Spec struct {
	Path     string // of the file; "" for one of the command line
	Case     string // path of the case file
	Vary     []Vary
	Combine  string
	Samples  int    // of a latin hypercube
	Seed     uint64 // of the same
	Continue string // a key, or ""
	Back     bool   // chains run back again
	Results  []string
	Set      []string // overrides "key=value" of all runs
}

// Vary is a key of the case with what it takes.
type Vary struct {
	Key    string
	At     string   // file:line, or the option
	Values []string // as YAML on one line
	// From and To are the ends of a range without a count, of a latin hypercube.
	From, To float64
	Log      bool
	Whole    bool // a range of whole numbers
	Repeats  bool // the same case again and again: seeds
}

// isRange tells whether it has a range in the place of values.
func (v *Vary) isRange() bool { return v.Values == nil }

// Error is what is wrong with a sweep, and its place.
type Error struct {
	At, Message string
}

// Error returns "place: message".
func (e *Error) Error() string { return e.At + ": " + e.Message }

func wrong(at, format string, args ...any) error { return &Error{at, fmt.Sprintf(format, args...)} }

// keys are those of the file.
var keys = []string{"case", "set", "vary", "combine", "samples", "seed", "continue", "back", "results"}

// IsFile tells whether a text is a sweep and no case: it has a key vary.
func IsFile(text []byte) bool {
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) == 0 {
		return false
	}
	entries, err := entriesOf(file.Docs[0].Body)
	return err == nil && slices.ContainsFunc(entries, func(e entry) bool { return e.key == "vary" })
}

// Syntax says where a text is no YAML.
func Syntax(path string, text []byte) error {
	if _, err := parser.ParseBytes(text, 0); err != nil {
		return wrong(path, "%v", err)
	}
	return nil
}

// Read reads the file of a sweep. What is left out stays empty; [Spec.Check] fills it in.
func Read(path string) (*Spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, wrong(path, "%v", err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, wrong(path, "it is no sweep: accepted is one YAML document with case and vary")
	}
	r := &reader{path: path, spec: &Spec{Path: path}}
	entries, err := r.entries(file.Docs[0].Body)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := r.key(e); err != nil {
			return nil, err
		}
	}
	if r.spec.Case == "" {
		return nil, wrong(path+":1", "case is missing; accepted: the path of a case file, relative to the folder of this file")
	}
	if len(r.spec.Vary) == 0 {
		return nil, wrong(path+":1", "vary is missing; accepted: keys of the case with lists of values")
	}
	return r.spec, nil
}

// reader makes a Spec of the tree of a file.
type reader struct {
	path string
	spec *Spec
}

func (r *reader) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", r.path, n.GetToken().Position.Line)
}

// entry is a key with its value.
type entry struct {
	key   string
	node  ast.Node // of the key
	value ast.Node
}

var errNoSection = errors.New("no section")

func entriesOf(n ast.Node) ([]entry, error) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, errNoSection
	}
	var out []entry
	for _, v := range values {
		out = append(out, entry{strings.Trim(v.Key.GetToken().Value, `"'`), v.Key, v.Value})
	}
	return out, nil
}

func (r *reader) entries(n ast.Node) ([]entry, error) {
	all, err := entriesOf(n)
	if err != nil {
		return nil, wrong(r.at(n), "%s is no section; accepted: keys with values", textOf(n))
	}
	for i, e := range all {
		if slices.ContainsFunc(all[:i], func(b entry) bool { return b.key == e.key }) {
			return nil, wrong(r.at(e.node), "%s stands there twice", e.key)
		}
	}
	return all, nil
}

// textOf returns a value as YAML on one line.
func textOf(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		var value any
		if err := yaml.NodeToValue(n, &value, yaml.UseOrderedMap()); err == nil {
			if text, err := yaml.MarshalWithOptions(value, yaml.Flow(true)); err == nil {
				return strings.TrimSpace(string(text))
			}
		}
	}
	return strings.TrimSpace(n.String())
}

// word returns the text of a scalar without its quotes.
func word(n ast.Node) (string, bool) {
	s, ok := n.(ast.ScalarNode)
	if !ok {
		return "", false
	}
	return fmt.Sprint(s.GetValue()), true
}

// key reads one key of the file.
func (r *reader) key(e entry) (err error) {
	text, isWord := word(e.value)
	refuse := func(accepted string) error {
		return wrong(r.at(e.value), "%s: %s is not understood; accepted: %s", e.key, textOf(e.value), accepted)
	}
	switch e.key {
	case "case":
		if !isWord {
			return refuse("the path of a case file")
		}
		r.spec.Case = text
		if !filepath.IsAbs(text) {
			r.spec.Case = filepath.Join(filepath.Dir(r.path), text)
		}
	case "vary":
		return r.vary(e.value)
	case "set":
		entries, err := r.entries(e.value)
		if err != nil {
			return err
		}
		for _, e := range entries {
			r.spec.Set = append(r.spec.Set, e.key+"="+textOf(e.value))
		}
	case "combine":
		if !isWord || !slices.Contains(Combinations(), text) {
			return refuse(strings.Join(Combinations(), ", "))
		}
		r.spec.Combine = text
	case "samples":
		if r.spec.Samples, err = strconv.Atoi(text); err != nil || r.spec.Samples < 1 {
			return refuse("a whole number from 1 on")
		}
	case "seed":
		if r.spec.Seed, err = strconv.ParseUint(text, 10, 63); err != nil {
			return refuse("a whole number from 0 on")
		}
	case "continue":
		if !isWord {
			return refuse("one of the keys that vary")
		}
		r.spec.Continue = text
	case "back":
		if r.spec.Back, err = strconv.ParseBool(text); err != nil {
			return refuse("true, false")
		}
	case "results":
		list, ok := e.value.(*ast.SequenceNode)
		if !ok {
			return refuse("a list of names, as [nusselt_mean, speed_rms]")
		}
		for _, n := range list.Values {
			name, ok := word(n)
			if !ok {
				return refuse("a list of names, as [nusselt_mean, speed_rms]")
			}
			r.spec.Results = append(r.spec.Results, name)
		}
	default:
		return wrong(r.at(e.node), "there is no key %q; accepted: %s", e.key, strings.Join(keys, ", "))
	}
	return nil
}

// vary reads the keys that vary, or the list of runs.
func (r *reader) vary(n ast.Node) error {
	if list, ok := n.(*ast.SequenceNode); ok {
		return r.list(list)
	}
	entries, err := r.entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		v := Vary{Key: e.key, At: r.at(e.node)}
		switch value := e.value.(type) {
		case *ast.SequenceNode:
			v.Values = []string{}
			for _, n := range value.Values {
				v.Values = append(v.Values, textOf(n))
			}
		case *ast.MappingNode, *ast.MappingValueNode:
			if err := r.section(&v, e.value); err != nil {
				return err
			}
		default:
			return wrong(v.At, "%s: %s is not understood; accepted: a list of values, {count: 5} or {from: 10, to: 1000, count: 8}", v.Key, textOf(e.value))
		}
		r.spec.Vary = append(r.spec.Vary, v)
	}
	return nil
}

// list reads runs that are given one by one.
func (r *reader) list(list *ast.SequenceNode) error {
	r.spec.Combine = List
	for i, n := range list.Values {
		entries, err := r.entries(n)
		if err != nil {
			return err
		}
		for _, e := range entries {
			at := slices.IndexFunc(r.spec.Vary, func(v Vary) bool { return v.Key == e.key })
			if at < 0 {
				if i > 0 {
					return wrong(r.at(e.node), "%s is not among the keys of the first run of the list: all need the same", e.key)
				}
				at = len(r.spec.Vary)
				r.spec.Vary = append(r.spec.Vary, Vary{Key: e.key, At: r.at(e.node)})
			}
			r.spec.Vary[at].Values = append(r.spec.Vary[at].Values, textOf(e.value))
		}
		for _, v := range r.spec.Vary {
			if len(v.Values) != i+1 {
				return wrong(r.at(n), "%s is missing in this run of the list", v.Key)
			}
		}
	}
	return nil
}

// section reads {count: 5} and {from: 10, to: 1000, count: 8, scale: log}.
func (r *reader) section(v *Vary, n ast.Node) error {
	entries, err := r.entries(n)
	if err != nil {
		return err
	}
	given, count := map[string]bool{}, 0
	for _, e := range entries {
		text, _ := word(e.value)
		given[e.key] = true
		switch e.key {
		case "from":
			v.From, err = strconv.ParseFloat(text, 64)
		case "to":
			v.To, err = strconv.ParseFloat(text, 64)
		case "count":
			if count, err = strconv.Atoi(text); err == nil && (count < 1 || count > Most) {
				err = errNoSection
			}
		case "scale":
			if v.Log = text == "log"; !v.Log && text != "linear" {
				err = errNoSection
			}
		case "whole":
			v.Whole, err = strconv.ParseBool(text)
		default:
			return wrong(r.at(e.node), "%s: there is no key %q; accepted: from, to, count, scale (linear, log), whole (true, false)", v.Key, e.key)
		}
		if err != nil {
			return wrong(r.at(e.value), "%s: %s: %s is not understood; accepted: numbers from and to, a count of 1 to %d, scale: linear or log", v.Key, e.key, text, Most)
		}
	}
	if given["from"] != given["to"] {
		return wrong(v.At, "%s: from and to belong together", v.Key)
	}
	return v.spread(given["from"], count)
}

// spread makes the values of a range with a count.
func (v *Vary) spread(ranged bool, count int) error {
	switch {
	case !ranged && count == 0:
		return wrong(v.At, "%s: accepted are a list of values, {count: 5} and {from: 10, to: 1000, count: 8}", v.Key)
	case ranged && !(v.From < v.To):
		return wrong(v.At, "%s: from %g is not below to %g", v.Key, v.From, v.To)
	case v.Log && v.From <= 0:
		return wrong(v.At, "%s: a range with scale: log begins above 0, not at %g", v.Key, v.From)
	case count == 0:
		return nil // of a latin hypercube
	}
	v.Values = []string{}
	if !ranged {
		v.Repeats = true
		for i := range count {
			v.Values = append(v.Values, strconv.Itoa(i+1))
		}
		return nil
	}
	for i := range count {
		part := 0.0
		if count > 1 {
			part = float64(i) / float64(count-1)
		}
		v.Values = append(v.Values, v.between(part))
	}
	return nil
}
