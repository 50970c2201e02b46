package casefile

import (
	"fmt"
	"strings"

	"convect/io/header"
)

// EarlierError says that a file holds a case whose keys meant something else in the version that wrote it.
type EarlierError struct {
	Path, Version string   // of the file and of the program that wrote it
	Keys          []string // that have changed
}

// Error says what has changed and what to do.
func (e *EarlierError) Error() string {
	return fmt.Sprintf("%s: its case is of an earlier version (%s), in which %s: go on with that version, "+
		"or convert the case and start it from the temperature of this file (initial.temperature.file)",
		e.Path, e.Version, strings.Join(e.Keys, ", "))
}

// changedKeys returns the keys of the medium in a case of an earlier format that mean something else today.
func changedKeys(root *node) (keys []string, drop func()) {
	physics := root.find("physics")
	if physics == nil || physics.kind != mapping {
		return nil, func() {}
	}
	dimensional := physics.find("dimensional")
	inUnits := dimensional != nil && dimensional.kind == mapping
	was := map[string]string{"porosity": "was the heat-capacity ratio"}
	if inUnits {
		for _, key := range []string{"permeability", "viscosity", "diffusivity"} {
			was[key] = "was a multiple of the reference"
		}
	}
	var drops []func()
	note := func(section *node, path string, was map[string]string) {
		for _, e := range section.entries {
			if what, changed := was[e.key]; changed && e.value.kind != empty {
				keys = append(keys, path+"."+e.key+" "+what)
				drops = append(drops, func() { section.set(e.key, &node{kind: empty}) })
			}
		}
	}
	note(physics, "physics", was)
	if inUnits {
		note(dimensional, "physics.dimensional", map[string]string{"porosity": "was the heat-capacity ratio"})
	}
	return keys, func() {
		for _, drop := range drops {
			drop()
		}
	}
}

// ParseFile decodes the case that a snapshot or checkpoint holds, as [Parse] does. The error is an *[EarlierError] where the file is of
// an earlier version and the case would mean something else today.
func ParseFile(path string, h *header.Header, overrides []string) (*Case, error) {
	if h.Format < header.PropertiesInSI {
		root, err := parseFile(path, []byte(h.Case))
		if err != nil {
			return nil, err
		}
		if keys, _ := changedKeys(root); len(keys) > 0 {
			return nil, &EarlierError{path, h.Version, keys}
		}
	}
	return Parse(path, []byte(h.Case), overrides)
}

// ParseGrid decodes the case that a snapshot or checkpoint of this or an earlier version holds, for its grid and its scales alone: the
// properties of the medium are not those of the file where they meant something else.
func ParseGrid(path string, h *header.Header) (*Case, error) {
	root, err := parseFile(path, []byte(h.Case))
	if err != nil {
		return nil, err
	}
	if h.Format < header.PropertiesInSI {
		_, drop := changedKeys(root)
		drop()
	}
	c := decode(path, root, nil)
	return c, c.wrong()
}
