package casefile

import "strings"

// kind is the kind of a node.
type kind uint8

const (
	empty    kind = iota // null, or nothing after the colon
	scalar               // number, truth value or text
	sequence             // list
	mapping              // section
	broken               // what cannot be read, which has been said already
)

// node is a value of the case file with its place.
type node struct {
	kind    kind
	at      place
	text    string // of a scalar, unquoted
	quoted  bool   // the scalar was written in quotes or as a block of text
	flow    bool   // written in brackets
	items   []*node
	entries []*entry
	above   []string // comment lines above an item of a list
	comment string   // at the end of the line
}

// entry is a key and its value.
type entry struct {
	key   string
	at    place
	value *node
	above []string // comment lines
}

// find returns the value of a key, nil where there is none.
func (n *node) find(key string) *node {
	if e := n.entryOf(key); e != nil {
		return e.value
	}
	return nil
}

// entryOf returns the entry of a key, nil where the section does not have it.
func (n *node) entryOf(key string) *entry {
	for _, e := range n.entries {
		if e.key == key {
			return e
		}
	}
	return nil
}

// describe names the node's content in a message.
func (n *node) describe() string {
	switch n.kind {
	case empty:
		return "nothing"
	case sequence:
		return "a list"
	case mapping:
		return "a section"
	}
	if n.quoted {
		return "the text " + quoted(n.text)
	}
	return quoted(n.text)
}

// parse reads YAML text into a tree; all places are in the file called name, or in an override. What is wrong is listed, and the tree is
// whole but for it.
func parse(name string, text []byte, override string) (*node, Errors) {
	s := &source{name: name, override: override, text: string(text)}
	if fault := screen(s); fault != nil {
		return &node{kind: broken}, Errors{fault}
	}
	s.text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s.text)
	r := &reader{source: s, text: s.text, line: 1, seenColumn: 1}
	root := r.document()
	if r.stopped { // what comes after that is not known
		root = &node{kind: broken}
	}
	return root, r.errors
}
