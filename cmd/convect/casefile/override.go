package casefile

import (
	"fmt"
	"strconv"
	"strings"
)

// apply sets one override "key=value" in a tree. The key is a dotted path with list indices as in
// boundaries.patches[0].x (or patches.0.x); the value is YAML, and nothing or null removes the key.
func apply(root *node, override string) Errors {
	refuse := func(key, accepted, format string, args ...any) Errors {
		return Errors{newError("", place{override: override}, key, fmt.Sprintf(format, args...), accepted)}
	}
	path, text, found := strings.Cut(override, "=")
	path = strings.TrimSpace(path)
	if !found || path == "" {
		return refuse("", "key=value, as physics.rayleigh=200", "not an override")
	}
	if i := strings.IndexFunc(path, foreignToPaths); i >= 0 {
		return refuse("", "letters, digits, _ . [ ] in the key", "the key %q is no path", path)
	}
	value, wrong := parse("", []byte(text), override)
	if len(wrong) > 0 {
		return wrong
	}
	steps := strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")
	if len(steps) > maxDepth {
		return refuse(path, fmt.Sprintf("at most %d steps", maxDepth), "the path is too long")
	}
	at, walked := root, ""
	for i, step := range steps {
		last := i == len(steps)-1
		if at.kind == broken {
			return nil // that is said already
		}
		if at.kind == sequence {
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(at.items) {
				return refuse(walked, fmt.Sprintf("an index from 0 to %d", len(at.items)-1), "there is no item %q in this list", step)
			}
			walked = fmt.Sprintf("%s[%d]", walked, n)
			if last {
				at.items[n] = value
				return nil
			}
			at = at.items[n]
			continue
		}
		walked = join(walked, step)
		if at.kind == scalar {
			return refuse(walked, "the whole value, as "+strings.TrimSuffix(walked, "."+step)+"={"+step+": …}",
				"the value above it is %s, not a section", at.describe())
		}
		if last {
			at.set(step, value)
			return nil
		}
		at = at.descend(step, override)
	}
	return nil
}

// foreignToPaths tells whether a character can be part of no path of keys. Such a path would name nothing, and nothing may
// be removed, but it would stand in the text of the case as run.
func foreignToPaths(r rune) bool {
	return !strings.ContainsRune("_.[]-", r) && !(r >= '0' && r <= '9') && !(r >= 'a' && r <= 'z') && !(r >= 'A' && r <= 'Z')
}

// set replaces, adds or (by an empty value) removes a key.
func (n *node) set(key string, value *node) {
	n.kind = mapping
	for i, e := range n.entries {
		if e.key != key {
			continue
		}
		if value.kind == empty {
			n.entries = append(n.entries[:i], n.entries[i+1:]...)
			return
		}
		value.comment = e.value.comment
		e.value, e.at = value, value.at
		return
	}
	if value.kind != empty {
		n.entries = append(n.entries, &entry{key: key, at: value.at, value: value})
	}
}

// descend returns the section under a key, made if it is not there.
func (n *node) descend(key, override string) *node {
	n.kind = mapping
	if below := n.find(key); below != nil {
		return below
	}
	below := &node{kind: mapping, at: place{override: override}, flow: n.flow}
	n.entries = append(n.entries, &entry{key: key, at: below.at, value: below})
	return below
}
