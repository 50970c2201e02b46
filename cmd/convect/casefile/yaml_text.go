package casefile

import (
	"fmt"
	"strings"
)

// blockText reads a text below | (lines as they are) or > (lines joined), indented by more than parent.
func (r *reader) blockText(parent int) *node {
	n := r.value(scalar)
	if n == nil {
		return nil
	}
	n.quoted = true
	joins := r.peek(0) == '>'
	r.pos++
	indent, ends := 0, byte(0)
	for c := r.peek(0); c == '+' || c == '-' || c >= '1' && c <= '9'; c = r.peek(0) {
		if c == '+' || c == '-' {
			ends = c
		} else {
			indent = max(parent, 0) + int(c-'0')
		}
		r.pos++
	}
	comment, ok := r.endLine()
	if !ok {
		return nil
	}
	n.comment = comment
	lines := r.textLines(parent, indent)
	n.text = strings.Join(lines, "\n")
	if joins {
		n.text = joinLines(lines)
	}
	body := strings.TrimRight(n.text, "\n")
	switch {
	case ends == '-' || body == "" && ends == 0:
		n.text = body
	case ends == '+':
		n.text += "\n"
	default:
		n.text = body + "\n"
	}
	return n
}

// textLines reads the lines of a block of text without their indent, which is that of the first line that is not blank unless given.
func (r *reader) textLines(parent, indent int) []string {
	var lines []string
	for r.pos < len(r.text) {
		pos, start, line := r.pos, r.start, r.line
		r.newline()
		text := r.toLineEnd()
		if text == "" && r.pos >= len(r.text) {
			break
		}
		own := len(text) - len(strings.TrimLeft(text, " "))
		if own == len(text) && (indent == 0 || own <= indent) {
			lines = append(lines, "")
			continue
		}
		if indent == 0 && own > parent {
			indent = own
		}
		if own < indent || own <= parent {
			r.goBack(pos, start, line)
			break
		}
		lines = append(lines, text[indent:])
	}
	return lines
}

// joinLines joins the lines of a text below >: a line break between two lines that are not indented further is a space.
func joinLines(lines []string) string {
	var b strings.Builder
	further := func(line string) bool { return line != "" && (line[0] == ' ' || line[0] == '\t') }
	blank := 0
	var last string
	for i, line := range lines {
		if line == "" && i < len(lines) {
			blank++
			continue
		}
		switch {
		case b.Len() == 0 && last == "":
			b.WriteString(strings.Repeat("\n", blank))
		case further(line) || further(last):
			b.WriteString(strings.Repeat("\n", blank+1))
		case blank > 0:
			b.WriteString(strings.Repeat("\n", blank))
		default:
			b.WriteByte(' ')
		}
		b.WriteString(line)
		last, blank = line, 0
	}
	return b.String() + strings.Repeat("\n", blank)
}

// screen refuses text that is not worth reading.
func screen(s *source) *Error {
	text := s.text
	if len(text) > maxBytes {
		return newError(s.name, place{override: s.override}, "", fmt.Sprintf("%d bytes are too many for a case file", len(text)), fmt.Sprintf("at most %d", maxBytes))
	}
	for i, c := range text {
		if c == 0xfffd && !strings.HasPrefix(text[i:], "\ufffd") || c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return newError(s.name, s.placeOf(i), "", fmt.Sprintf("byte %#02x is not text", text[i]), "UTF-8 without control characters")
		}
	}
	return nil
}
