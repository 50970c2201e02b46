package casefile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of a case file, far above any sensible one, that keep a wrong file from costing memory or the stack.
const (
	maxBytes = 1 << 20
	maxDepth = 50
)

// kind is the kind of a node.
type kind uint8

const (
	empty    kind = iota // null, or nothing after the colon
	scalar               // number, truth value or text
	sequence             // list
	mapping              // section
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
	for _, e := range n.entries {
		if e.key == key {
			return e.value
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
	const most = 60
	text := n.text
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	if n.quoted {
		return fmt.Sprintf("the text %q", text)
	}
	return fmt.Sprintf("%q", text)
}

// parse reads YAML text into a tree; all places are in the file called name, or in an override.
func parse(name string, text []byte, override string) (*node, error) {
	if err := screen(name, text, override); err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(text, parser.ParseComments)
	if err != nil {
		return nil, syntaxError(name, err, override)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			return nil, newError(name, place{doc.Body.GetToken(), override}, "", "a second document", "one YAML document")
		}
		body = doc.Body
	}
	t := &treeBuilder{name: name, override: override}
	root, failure := t.build(body, 0)
	if failure != nil {
		return nil, failure
	}
	return root, nil
}

// screen refuses text that is not worth parsing.
func screen(name string, text []byte, override string) error {
	refuse := func(offset int, message, accepted string) error {
		e := newError(name, place{override: override}, "", message, accepted)
		if override == "" {
			e.Line = 1 + bytes.Count(text[:offset], []byte("\n"))
			e.Column = 1 + utf8.RuneCount(text[bytes.LastIndexByte(text[:offset], '\n')+1:offset])
		}
		return e
	}
	if len(text) > maxBytes {
		return refuse(0, fmt.Sprintf("%d bytes are too many for a case file", len(text)), fmt.Sprintf("at most %d", maxBytes))
	}
	depth := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < ' ' && r != '\n' && r != '\t' && r != '\r', r == 0x7f:
			return refuse(i, fmt.Sprintf("byte %#02x is not text", text[i]), "UTF-8 without control characters")
		case r == '[' || r == '{':
			depth++
		case r == ']' || r == '}':
			depth--
		}
		if depth > maxDepth {
			return refuse(i, "brackets are nested too deeply", fmt.Sprintf("at most %d levels", maxDepth))
		}
		i += size
	}
	return nil
}

// syntaxError gives a message of the YAML parser its place.
func syntaxError(name string, err error, override string) *Error {
	var syntax yaml.Error
	if errors.As(err, &syntax) {
		return newError(name, place{syntax.GetToken(), override}, "", "not valid YAML: "+syntax.GetMessage(), "")
	}
	return newError(name, place{override: override}, "", "not valid YAML: "+err.Error(), "")
}

// treeBuilder turns the parser's nodes into ours.
type treeBuilder struct {
	name, override string
}

func (t *treeBuilder) refuse(n ast.Node, message, accepted string) *Error {
	return newError(t.name, place{n.GetToken(), t.override}, "", message, accepted)
}

func (t *treeBuilder) build(n ast.Node, depth int) (*node, *Error) {
	if n == nil {
		return &node{kind: empty, at: place{override: t.override}}, nil
	}
	if depth > maxDepth {
		return nil, t.refuse(n, "sections are nested too deeply", fmt.Sprintf("at most %d levels", maxDepth))
	}
	out := &node{kind: scalar, at: place{n.GetToken(), t.override}, comment: lineComment(n)}
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = empty
	case *ast.StringNode:
		out.text = n.Value
		out.quoted = n.Token.Type == token.DoubleQuoteType || n.Token.Type == token.SingleQuoteType
	case *ast.LiteralNode:
		out.text, out.quoted = n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.text = n.GetToken().Value
	case *ast.SequenceNode:
		out.kind, out.flow = sequence, n.IsFlowStyle
		for i, v := range n.Values {
			item, err := t.build(v, depth+1)
			if err != nil {
				return nil, err
			}
			if i < len(n.ValueHeadComments) {
				item.above = commentLines(n.ValueHeadComments[i])
			}
			out.items = append(out.items, item)
		}
	case *ast.MappingNode:
		out.kind, out.flow = mapping, n.IsFlowStyle
		return out, t.addEntries(out, n.Values, depth)
	case *ast.MappingValueNode:
		out.kind, out.flow = mapping, n.IsFlowStyle
		return out, t.addEntries(out, []*ast.MappingValueNode{n}, depth)
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return nil, t.refuse(n, "anchors and aliases are not accepted", "the value itself")
	case *ast.TagNode:
		return nil, t.refuse(n, "tags are not accepted", "the value itself")
	default:
		return nil, t.refuse(n, fmt.Sprintf("%s is not accepted", strings.ToLower(n.Type().String())), "sections, lists, numbers and text")
	}
	return out, nil
}

// addEntries adds the keys of a section. A section in block form stands where its first key does.
func (t *treeBuilder) addEntries(out *node, values []*ast.MappingValueNode, depth int) *Error {
	for i, v := range values {
		key, ok := v.Key.(ast.ScalarNode)
		if _, merge := v.Key.(*ast.MergeKeyNode); !ok || merge {
			return t.refuse(v.Key, "this kind of key is not accepted", "a plain name before the colon")
		}
		e := &entry{key: key.GetToken().Value, at: place{key.GetToken(), t.override}}
		e.above = commentLines(v.GetComment())
		if i == 0 && !out.flow {
			out.at = e.at
		}
		if out.find(e.key) != nil {
			return newError(t.name, e.at, e.key, "given twice", "each key once")
		}
		var err *Error
		if e.value, err = t.build(v.Value, depth+1); err != nil {
			return err
		}
		if e.value.at.token == nil || e.value.kind == empty {
			e.value.at = e.at
		}
		if c := v.Key.GetComment(); c != nil && e.value.comment == "" && len(c.Comments) > 0 {
			e.value.comment = c.Comments[0].Token.Value
		}
		moveComment(e, v)
		out.entries = append(out.entries, e)
	}
	return nil
}

// moveComment gives the comment of a list in block form, where it stands below the key, to the first item.
func moveComment(e *entry, v *ast.MappingValueNode) {
	list := e.value
	if list.kind != sequence || list.flow || len(list.items) == 0 {
		return
	}
	if c := v.Value.GetComment(); c != nil && len(c.Comments) > 0 && c.Comments[0].Token.Position.Line > v.Key.GetToken().Position.Line {
		list.items[0].above, list.comment = commentLines(c), ""
	}
}

// commentLines returns the lines of a comment without their signs.
func commentLines(c *ast.CommentGroupNode) []string {
	if c == nil {
		return nil
	}
	lines := make([]string, len(c.Comments))
	for i, line := range c.Comments {
		lines[i] = line.Token.Value
	}
	return lines
}

// lineComment returns the comment behind a value.
func lineComment(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.SequenceNode, *ast.MappingValueNode:
		if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle {
			return ""
		}
	}
	if c := n.GetComment(); c != nil && len(c.Comments) > 0 {
		return c.Comments[0].Token.Value
	}
	return ""
}
