package casefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Change is a key in which two cases differ.
type Change struct {
	Key      string
	Old, New string // the values as YAML on one line; "" where the case leaves the key out
}

// Changes returns the keys in which two cases differ, sorted; a key that only one of them has counts. Comments, layout and
// the way a number is written (100, 1e2) do not.
func Changes(a, b *Case) []Change {
	var changes []Change
	compare(a.root.node, b.root.node, "", &changes)
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Key, b.Key) })
	return changes
}

// Differences names the keys of [Changes].
func Differences(a, b *Case) []string {
	var keys []string
	for _, c := range Changes(a, b) {
		keys = append(keys, c.Key)
	}
	return keys
}

// orEmpty returns a, or an empty section where there is none and b is one.
func orEmpty(a, b *node) *node {
	if a == nil && b != nil && b.kind == mapping {
		return &node{kind: mapping}
	}
	return a
}

// compare adds what differs between two nodes.
func compare(a, b *node, path string, changes *[]Change) {
	a, b = orEmpty(a, b), orEmpty(b, a)
	if a == nil || b == nil || a.kind != b.kind || !sameScalar(a, b) || len(a.items) != len(b.items) {
		*changes = append(*changes, Change{path, text(a), text(b)})
		return
	}
	for i := range a.items {
		compare(a.items[i], b.items[i], itemPath(path, i), changes)
	}
	for _, e := range a.entries {
		compare(e.value, b.find(e.key), join(path, e.key), changes)
	}
	for _, e := range b.entries {
		if a.find(e.key) == nil {
			compare(nil, e.value, join(path, e.key), changes)
		}
	}
}

// sameScalar tells whether two scalars are the same text, or the same number.
func sameScalar(a, b *node) bool {
	if a.text == b.text {
		return true
	}
	x, errX := parseNumber(a.text)
	y, errY := parseNumber(b.text)
	return errX == nil && errY == nil && x == y
}

// Given returns the value of a key, a dotted path of sections, as YAML on one line; "" where the case leaves it out.
func (c *Case) Given(key string) string {
	at := c.root.node
	for step := range strings.SplitSeq(key, ".") {
		if at == nil || at.kind != mapping {
			return ""
		}
		at = at.find(step)
	}
	return text(at)
}

// SameValue tells whether two texts of YAML on one line are the same value: comments, layout and the way a number is written do not count.
func SameValue(a, b string) bool {
	one, wrongOne := parse("", []byte(a), "")
	other, wrongOther := parse("", []byte(b), "")
	if len(wrongOne)+len(wrongOther) > 0 {
		return a == b
	}
	var changes []Change
	compare(one, other, "", &changes)
	return len(changes) == 0
}

// text returns a value on one line, "" where there is none.
func text(n *node) string {
	if n == nil || n.kind == empty {
		return ""
	}
	return inline(n)
}

// Contents returns for each key that names another file, from which steps are made, what identifies the file's content: its SHA-256. The
// files of the initial state are not among them, since a run that goes on does not need them; nor is what can be read once alone, as a pipe.
func (c *Case) Contents() (map[string]string, error) {
	contents := map[string]string{}
	for _, f := range c.Files() {
		if strings.HasPrefix(f.Key, "initial.") {
			continue
		}
		sum, err := content(f.Path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Key, err)
		}
		if sum != "" {
			contents[f.Key] = sum
		}
	}
	return contents, nil
}

// content returns what identifies the content of a file, "" where it is no regular one.
func content(path string) (sum string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
