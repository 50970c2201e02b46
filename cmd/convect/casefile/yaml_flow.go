package casefile

import "fmt"

// brackets reads a list in brackets or a section in braces. Its lines are indented by more than parent, but for a closing bracket.
func (r *reader) brackets(parent int) *node {
	pos, start, line := r.pos, r.start, r.line
	open, closing, kind := r.peek(0), byte(']'), sequence
	if open == '{' {
		closing, kind = '}', mapping
	}
	n := r.value(kind)
	if n == nil || !r.deeper("brackets") {
		return nil
	}
	defer func() { r.depth-- }()
	n.flow = true
	r.pos++
	for {
		if !r.within(parent) {
			if !r.stopped {
				r.goBack(pos, start, line)
				r.fail(n.at, "", fmt.Sprintf("the bracket %c is not closed", open), fmt.Sprintf("%c behind the last item", closing))
			}
			return nil
		}
		switch c := r.peek(0); {
		case c == closing:
			r.pos++
			return n
		case c == ',' || c == ']' || c == '}':
			return r.fail(r.here(), "", fmt.Sprintf("%c where a value is needed", c), fmt.Sprintf("items with a comma between them, and %c at the end", closing))
		}
		if !r.member(n, parent) {
			return nil
		}
		if !r.within(parent) {
			continue // which says so
		}
		if c := r.peek(0); c == ',' {
			r.pos++
		} else if c != closing {
			r.fail(r.here(), "", fmt.Sprintf("%s follows a value within brackets", quoted(r.toLineEnd())), fmt.Sprintf("a comma, or %c", closing))
			return nil
		}
	}
}

// within goes to the next content within brackets and tells whether there is any that is indented by more than parent.
func (r *reader) within(parent int) bool {
	above := r.above
	defer func() { r.above = above }()
	if !r.skip() {
		return false
	}
	c := r.peek(0)
	return r.indent() > parent || c == ']' || c == '}'
}

// member reads an item of a list or an entry of a section within brackets.
func (r *reader) member(n *node, parent int) bool {
	first := r.flowValue(parent)
	if first == nil {
		return false
	}
	if n.kind == sequence {
		if r.within(parent) && r.peek(0) == ':' {
			r.fail(first.at, "", "a key within square brackets", "braces around a key and its value, as {key: value}")
			return false
		}
		n.items = append(n.items, first)
		return true
	}
	switch {
	case first.kind != scalar && first.kind != empty:
		r.fail(first.at, "", "this kind of key is not accepted", "a plain name before the colon")
		return false
	case r.within(parent) && r.peek(0) == ':':
		r.pos++
	default:
		r.fail(first.at, "", fmt.Sprintf("%s has no colon and no value behind it", quoted(first.text)), "key: value; a text with a comma in it needs quotes")
		return false
	}
	if first.text == "<<" {
		r.fail(first.at, "", "this kind of key is not accepted", "a plain name before the colon")
		return false
	}
	e := &entry{key: first.text, at: first.at}
	if c := r.within(parent); c && r.peek(0) != ',' && r.peek(0) != '}' && r.peek(0) != ']' {
		if e.value = r.flowValue(parent); e.value == nil {
			return false
		}
	}
	if e.value == nil {
		e.value = &node{kind: empty}
	}
	if e.value.kind == empty {
		e.value.at = e.at
	}
	r.add(n, e)
	return !r.stopped
}

// flowValue reads a value within brackets.
func (r *reader) flowValue(parent int) *node {
	switch c := r.peek(0); c {
	case '[', '{':
		return r.brackets(parent)
	case '"', '\'':
		return r.quotedText(parent)
	case '&', '*', '!', '%', '@', '`', '|', '>':
		return r.refuseSign(c)
	case '?', '-':
		if r.gap(1) {
			return r.fail(r.here(), "", fmt.Sprintf("%c within brackets", c), "items with a comma between them")
		}
	}
	return r.plain(parent, true)
}
