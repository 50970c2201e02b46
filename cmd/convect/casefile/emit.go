package casefile

import (
	"regexp"
	"strconv"
	"strings"
)

// emit writes a tree as YAML that parses to the same tree, under a line of comment.
func emit(root *node, title string) string {
	var e emitter
	e.b.WriteString("# " + title + "\n")
	if len(root.entries) == 0 {
		e.b.WriteString("{}\n")
	}
	e.entries(root, "")
	return e.b.String()
}

type emitter struct{ b strings.Builder }

// entries writes the keys of a section in block form, each on its own line.
func (e *emitter) entries(n *node, indent string) {
	for i, x := range n.entries {
		e.comments(x.above, indent)
		if i > 0 || !strings.HasSuffix(e.b.String(), "- ") {
			e.b.WriteString(indent)
		}
		e.b.WriteString(scalarText(x.key, false) + ":")
		e.value(x.value, indent+"  ")
	}
}

// value writes what follows a colon.
func (e *emitter) value(n *node, indent string) {
	switch {
	case n.kind == mapping && !n.flow && len(n.entries) > 0:
		e.end(n)
		e.entries(n, indent)
	case n.kind == sequence && !n.flow && len(n.items) > 0:
		e.end(n)
		for _, item := range n.items {
			e.item(item, indent)
		}
	default:
		e.b.WriteString(" " + inline(n))
		e.end(n)
	}
}

// item writes an item of a list in block form.
func (e *emitter) item(n *node, indent string) {
	e.comments(n.above, indent)
	e.b.WriteString(indent + "- ")
	if n.kind == mapping && !n.flow && len(n.entries) > 0 {
		e.entries(n, indent+"  ")
		return
	}
	e.b.WriteString(inline(n))
	e.end(n)
}

func (e *emitter) comments(lines []string, indent string) {
	for _, c := range lines {
		e.b.WriteString(indent + "#" + c + "\n")
	}
}

func (e *emitter) end(n *node) {
	if n.comment != "" {
		e.b.WriteString("  #" + n.comment)
	}
	e.b.WriteString("\n")
}

// inline writes a node on one line.
func inline(n *node) string {
	var parts []string
	switch n.kind {
	case empty:
		return "null"
	case scalar:
		return scalarText(n.text, n.quoted)
	case sequence:
		for _, item := range n.items {
			parts = append(parts, inline(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, x := range n.entries {
		parts = append(parts, scalarText(x.key, false)+": "+inline(x.value))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// scalarText writes a scalar plainly if that is what it was and no sign in it means anything to YAML, else quoted.
func scalarText(text string, quoted bool) string {
	plainly := regexp.MustCompile(`^[\pL\pN_.+/(-][\pL\pN_.+/*()^ -]*$`)
	if !quoted && plainly.MatchString(text) && !strings.HasPrefix(text, "- ") && !strings.HasSuffix(text, " ") && text != "-" && !strings.HasPrefix(text, "---") {
		return text
	}
	return strconv.Quote(text)
}
