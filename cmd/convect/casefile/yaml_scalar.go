package casefile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// inline reads a value that starts on this line: in brackets, in quotes, a block of text or plain.
func (r *reader) inline(parent int) *node {
	switch c := r.peek(0); c {
	case '[', '{':
		return r.brackets(parent)
	case '"', '\'':
		return r.quotedText(parent)
	case '|', '>':
		return r.blockText(parent)
	case '&', '*', '!', '%', '@', '`', ',', ']', '}':
		return r.refuseSign(c)
	}
	return r.plain(parent, false)
}

// refuseSign refuses what starts with a sign that has a meaning of its own in YAML.
func (r *reader) refuseSign(c byte) *node {
	switch c {
	case '&', '*':
		return r.fail(r.here(), "", "anchors and aliases are not accepted", "the value itself")
	case '!':
		return r.fail(r.here(), "", "tags are not accepted", "the value itself")
	case ']', '}':
		return r.fail(r.here(), "", fmt.Sprintf("%c closes a bracket that is not open", c), "a bracket for each that is closed")
	}
	return r.fail(r.here(), "", fmt.Sprintf("a text that begins with %c has no quotes", c), "a text in quotes")
}

// plain reads a text without quotes, which may go on in lines that are indented by more than parent.
func (r *reader) plain(parent int, flow bool) *node {
	n := r.value(scalar)
	if n == nil {
		return nil
	}
	var text strings.Builder
	for {
		text.WriteString(r.plainLine(flow))
		if flow && r.peek(0) == ':' || r.stopped {
			break
		}
		if r.peek(0) == ':' {
			return r.fail(r.here(), "", "a second colon on the line", "one key and its value; a text with a colon in it needs quotes")
		}
		breaks, more := r.continued(parent, flow)
		if !more {
			break
		}
		text.WriteString(folded(breaks))
	}
	n.text = text.String()
	switch n.text {
	case "", "~", "null", "Null", "NULL":
		n.kind = empty
	}
	return n
}

// folded is what stands for so many line breaks within a text.
func folded(breaks int) string {
	if breaks == 1 {
		return " "
	}
	return strings.Repeat("\n", breaks-1)
}

// plainLine reads the part of a plain text on this line, up to a comment or the colon of a key.
func (r *reader) plainLine(flow bool) string {
	from := r.pos
	for r.pos < len(r.text) && r.peek(0) != '\n' {
		c := r.peek(0)
		next := r.peek(1)
		flowSign := next == ',' || next == '[' || next == ']' || next == '{' || next == '}'
		if c == ':' && (r.gap(1) || flow && flowSign) || c == '#' && r.pos > from && r.gap(-1) ||
			flow && (c == ',' || c == '[' || c == ']' || c == '{' || c == '}') {
			break
		}
		r.pos++
	}
	return strings.TrimRight(r.text[from:r.pos], " \t")
}

// continued goes to the next line of a plain text, if it goes on there, over so many line breaks.
func (r *reader) continued(parent int, flow bool) (breaks int, more bool) {
	pos, start, line := r.pos, r.start, r.line
	for r.pos < len(r.text) {
		switch c := r.peek(0); c {
		case '\n':
			breaks++
			r.newline()
			continue
		case ' ', '\t':
			r.pos++
			continue
		}
		break
	}
	c := r.peek(0)
	more = breaks > 0 && r.pos < len(r.text) && c != '#' && r.indent() > parent && !r.atMarker() &&
		!(flow && (c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == ':')) && !(!flow && r.startsKey())
	if !more {
		r.goBack(pos, start, line)
	}
	return breaks, more
}

// quotedText reads a text in quotes, whose lines are indented by more than parent.
func (r *reader) quotedText(parent int) *node {
	n := r.value(scalar)
	if n == nil {
		return nil
	}
	pos, start, line := r.pos, r.start, r.line
	quote := r.peek(0)
	r.pos++
	var text []byte
	for r.pos < len(r.text) {
		c := r.peek(0)
		switch {
		case c == quote && quote == '\'' && r.peek(1) == '\'':
			text = append(text, '\'')
			r.pos += 2
		case c == quote:
			r.pos++
			n.text, n.quoted = string(text), true
			return n
		case c == '\\' && quote == '"':
			var ok bool
			if text, ok = r.escape(text); !ok {
				return nil
			}
		case c == '\n':
			breaks, more := r.quotedBreak(parent)
			if !more {
				return r.openQuote(n, pos, start, line)
			}
			text = append(trimBlanks(text), folded(breaks)...)
		default:
			text = append(text, c)
			r.pos++
		}
	}
	return r.openQuote(n, pos, start, line)
}

func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	return text
}

func (r *reader) openQuote(n *node, pos, start int, line int32) *node {
	r.goBack(pos, start, line)
	return r.fail(n.at, "", "the quote is not closed", "the same quote at the end of the text")
}

// quotedBreak goes to the next line of a quoted text, over so many line breaks.
func (r *reader) quotedBreak(parent int) (breaks int, more bool) {
	for r.pos < len(r.text) {
		switch r.peek(0) {
		case '\n':
			breaks++
			r.newline()
			continue
		case ' ', '\t':
			r.pos++
			continue
		}
		return breaks, r.indent() > parent && !r.atMarker()
	}
	return breaks, false
}

// escape reads a sign behind a backslash.
func (r *reader) escape(text []byte) ([]byte, bool) {
	short := map[byte]rune{'0': 0, 'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b, ' ': ' ', '"': '"',
		'/': '/', '\\': '\\', 'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029, '\t': '\t'}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}
	c := r.peek(1)
	if sign, ok := short[c]; ok && r.pos+1 < len(r.text) {
		r.pos += 2
		return utf8.AppendRune(text, sign), true
	}
	if c == '\n' {
		r.pos++
		r.newline()
		for r.peek(0) == ' ' || r.peek(0) == '\t' {
			r.pos++
		}
		return text, true
	}
	if n := digits[c]; n > 0 && r.pos+2+n <= len(r.text) {
		code, err := strconv.ParseUint(r.text[r.pos+2:r.pos+2+n], 16, 32)
		if err == nil && utf8.ValidRune(rune(code)) {
			r.pos += 2 + n
			return utf8.AppendRune(text, rune(code)), true
		}
	}
	r.fail(r.here(), "", "a backslash that means nothing within double quotes", `\\ for a backslash, or single quotes around the text`)
	return nil, false
}
