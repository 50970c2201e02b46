package casefile

import (
	"fmt"
	"strings"
)

// document reads the only document of the text.
func (r *reader) document() *node {
	has := r.skip()
	if !has && r.atMarker() && r.peek(0) == '-' && !r.stopped {
		r.pos += 3
		if _, ok := r.endLine(); ok {
			has = r.skip()
		}
	}
	root := &node{kind: empty, at: place{source: r.source, override: r.source.override}}
	if has {
		if n := r.block(-1); n != nil {
			root = n
		} else {
			root.kind, r.stopped = broken, true
		}
	}
	for !r.stopped && (r.skip() || r.atMarker()) {
		if !r.atMarker() {
			r.fail(r.here(), "", fmt.Sprintf("%s does not belong here", quoted(r.toLineEnd())), "keys that begin in the same column")
			break
		}
		r.pos += 3
		if r.skip() {
			r.fail(r.here(), "", "a second document", "one YAML document")
			break
		}
	}
	return root
}

// block reads the section, list or single value that starts here. Its lines are indented by more than parent.
func (r *reader) block(parent int) *node {
	switch {
	case r.peek(0) == '-' && r.gap(1):
		return r.list(r.indent())
	case r.peek(0) == '?' && r.gap(1):
		return r.fail(r.here(), "", "this kind of key is not accepted", "a plain name before the colon")
	case r.startsKey():
		return r.section(r.indent())
	}
	return r.lastInline(parent)
}

// lastInline reads a value and what may follow it on its line; nil where there is a fault.
func (r *reader) lastInline(column int) *node {
	n := r.inline(column)
	if n == nil {
		return nil
	}
	comment, ok := r.endLine()
	if !ok {
		return nil
	}
	if comment != "" {
		n.comment = comment
	}
	return n
}

// startsKey tells whether a key and a colon start here.
func (r *reader) startsKey() bool {
	rest := r.text[r.pos:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	switch rest[0] {
	case '[', '{':
		return false
	case '"', '\'':
		end := quoteEnd(rest)
		rest = strings.TrimLeft(rest[end:], " ")
		return end > 0 && strings.HasPrefix(rest, ":") && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t')
	}
	return colon(rest) >= 0
}

// quoteEnd returns the length of a quoted text that starts a line, 0 where it does not end on it.
func quoteEnd(line string) int {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && line[0] == '"':
			i++
		case line[i] == line[0] && line[0] == '\'' && i+1 < len(line) && line[i+1] == '\'':
			i++
		case line[i] == line[0]:
			return i + 1
		}
	}
	return 0
}

// colon returns where the colon stands that ends a plain key, -1 where there is none.
func colon(line string) int {
	for i := range len(line) {
		switch {
		case line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t'):
			return i
		case line[i] == '#' && i > 0 && line[i-1] == ' ':
			return -1
		}
	}
	return -1
}

// section reads keys and values that start in a column.
func (r *reader) section(column int) *node {
	n := r.value(mapping)
	if n == nil || !r.deeper("sections") {
		return nil
	}
	defer func() { r.depth-- }()
	for r.skip() && r.indent() >= column {
		if r.indent() > column || !r.startsKey() {
			r.failKey(column)
			r.resume(column)
			continue
		}
		if !r.entry(n, column) {
			r.resume(column)
		}
	}
	return n
}

// failKey says why a line of a section is no key with a value.
func (r *reader) failKey(column int) {
	switch at, rest := r.here(), r.toLineEnd(); {
	case r.indentOf(at) > column:
		r.fail(at, "", fmt.Sprintf("%s is indented too far: the key above has its value", quoted(rest)), "the column of the key above, or one value")
	case strings.HasPrefix(rest, "- "):
		r.fail(at, "", "an item of a list stands among keys", "keys in this column, or items alone")
	case strings.IndexByte(rest, ':') > 0:
		r.fail(at, "", fmt.Sprintf("%s has no space behind its colon", quoted(rest)), "key: value")
	default:
		r.fail(at, "", fmt.Sprintf("%s is no key with a colon behind it", quoted(rest)), "key: value")
	}
}

func (r *reader) indentOf(at place) int { return int(at.column) - 1 }

// entry reads a key and its value into a section. It fails where the lines up to the next key make no sense.
func (r *reader) entry(n *node, column int) bool {
	e := &entry{at: r.here(), above: r.above}
	r.above = nil
	if e.key = r.key(); e.key == "" && r.peek(0) != ':' {
		return false
	}
	for r.peek(0) == ' ' {
		r.pos++
	}
	r.pos++ // the colon
	e.value = r.valueOf(e, column)
	ok := e.value != nil
	if !ok {
		e.value = &node{kind: broken, at: e.at}
	}
	r.add(n, e)
	return ok
}

// add adds an entry to a section.
func (r *reader) add(n *node, e *entry) {
	if len(n.entries) >= maxKeys {
		r.limit("the section has too many keys", fmt.Sprintf("at most %d", maxKeys))
		return
	}
	if first := n.entryOf(e.key); first != nil {
		r.fail(e.at, shortened(e.key), fmt.Sprintf("given twice, first in line %d", first.at.line), "each key once")
		return
	}
	n.entries = append(n.entries, e)
}

// key reads a key, up to the colon or the spaces before it.
func (r *reader) key() string {
	switch c := r.peek(0); c {
	case '"', '\'':
		if n := r.quotedText(r.indent() - 1); n != nil {
			return n.text
		}
		return ""
	case '&', '*', '!', '%', '@', '`', '|', '>':
		r.refuseSign(c)
		return ""
	}
	rest := r.text[r.pos:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	text := strings.TrimRight(rest[:colon(rest)], " ")
	if text == "<<" {
		r.fail(r.here(), "", "this kind of key is not accepted", "a plain name before the colon")
		return ""
	}
	r.pos += len(text)
	return text
}

// valueOf reads the value of a key, on its line or below.
func (r *reader) valueOf(e *entry, column int) *node {
	for r.peek(0) == ' ' || r.peek(0) == '\t' {
		r.pos++
	}
	if c := r.peek(0); c != '\n' && r.pos < len(r.text) && !(c == '#' && r.gap(-1)) {
		if c == '-' && r.gap(1) {
			return r.fail(r.here(), "", "a list cannot begin behind a colon", "items on lines of their own, or a list in brackets")
		}
		n := r.lastInline(column)
		if n != nil && n.kind == empty {
			n.at = e.at
		}
		return n
	}
	comment, _ := r.endLine()
	n := r.below(column)
	if n == nil {
		return nil
	}
	if n.at.line == 0 {
		n.at = e.at
	}
	if comment != "" {
		n.comment = comment
	}
	return n
}

// below reads what stands on the lines below a key in a column.
func (r *reader) below(column int) *node {
	missing, before := &node{kind: empty}, len(r.errors)
	has := r.skip()
	if len(r.errors) > before {
		missing.kind = broken
	}
	switch {
	case !has:
		return missing
	case r.indent() > column:
		n := r.block(column)
		if n != nil && len(r.above) > 0 && n.kind == scalar {
			r.above = nil
		}
		return n
	case r.indent() == column && r.peek(0) == '-' && r.gap(1):
		return r.list(column)
	}
	return missing
}

// list reads items behind dashes in a column.
func (r *reader) list(column int) *node {
	n := r.value(sequence)
	if n == nil || !r.deeper("lists") {
		return nil
	}
	defer func() { r.depth-- }()
	for r.skip() && r.indent() == column && r.peek(0) == '-' && r.gap(1) {
		above := r.above
		r.above = nil
		item := r.item(column)
		if item == nil {
			item = &node{kind: broken, at: n.at}
			r.resume(column)
		}
		item.above = above
		n.items = append(n.items, item)
	}
	if !r.stopped && r.pos < len(r.text) && r.indent() > column && !r.atMarker() {
		rest := r.here()
		return r.fail(rest, "", fmt.Sprintf("%s is indented too far: the item above has its value", quoted(r.toLineEnd())), "the column of the dashes above, or one value")
	}
	return n
}

// item reads what stands behind a dash in a column.
func (r *reader) item(column int) *node {
	at := r.here()
	r.pos++
	for r.peek(0) == ' ' {
		r.pos++
	}
	if c := r.peek(0); c != '\n' && r.pos < len(r.text) && !(c == '#' && r.gap(-1)) {
		if c == '\t' {
			return r.fail(r.here(), "", "a tab where spaces are needed", "spaces in front of a key or a value")
		}
		return r.block(column)
	}
	r.endLine()
	if r.skip() && r.indent() > column {
		return r.block(column)
	}
	return &node{kind: empty, at: at}
}
