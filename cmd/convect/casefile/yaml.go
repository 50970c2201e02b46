package casefile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of a case file, far above any sensible one, that keep a wrong file from costing time, memory or the stack.
const (
	maxBytes  = 1 << 20
	maxDepth  = 50
	maxValues = 250_000 // of all kinds
	maxKeys   = 200     // of one section
	maxErrors = 100     // that are listed
)

// reader reads the part of YAML that case files are written in: sections and lists, indented or in brackets, plain and quoted
// texts, blocks of text, comments. It passes over the text once, so that its time and memory grow no faster than the
// text, and goes on behind a fault, so that one look tells all of them.
type reader struct {
	source *source
	text   string
	pos    int

	line  int32
	start int // of the line

	seen, seenColumn int // a position of the line and its column: columns count characters

	depth, values int
	above         []string // comment lines that wait for what they stand above
	errors        Errors
	stopped       bool // by a limit or too many errors
}

// here returns the place of the next character.
func (r *reader) here() place {
	if r.seen < r.start || r.seen > r.pos {
		r.seen, r.seenColumn = r.start, 1
	}
	r.seenColumn += utf8.RuneCountInString(r.text[r.seen:r.pos])
	r.seen = r.pos
	return place{line: r.line, column: int32(r.seenColumn), source: r.source, override: r.source.override}
}

// fail notes what is wrong and returns nil for the value that it spoils.
func (r *reader) fail(at place, key, message, accepted string) *node {
	if r.stopped {
		return nil
	}
	r.errors = append(r.errors, newError(r.source.name, at, key, message, accepted))
	r.stopped = len(r.errors) >= maxErrors
	return nil
}

// limit notes that a limit is passed and ends the reading.
func (r *reader) limit(message, accepted string) *node {
	r.fail(r.here(), "", message, accepted)
	r.stopped = true
	return nil
}

// value returns a new node at the next character, nil beyond the limit of them.
func (r *reader) value(k kind) *node {
	if r.values++; r.values > maxValues {
		return r.limit("there are too many values", fmt.Sprintf("at most %d of them, sections and lists included", maxValues))
	}
	return &node{kind: k, at: r.here()}
}

// deeper counts a level of sections and lists.
func (r *reader) deeper(what string) bool {
	if r.depth++; r.depth > maxDepth {
		r.limit(what+" are nested too deeply", fmt.Sprintf("at most %d levels", maxDepth))
		return false
	}
	return true
}

// peek returns a character from here on, 0 behind the end.
func (r *reader) peek(ahead int) byte {
	if r.pos+ahead >= len(r.text) || r.pos+ahead < 0 {
		return 0
	}
	return r.text[r.pos+ahead]
}

// gap tells whether a character from here on is white or behind the end.
func (r *reader) gap(ahead int) bool {
	c := r.peek(ahead)
	return c == ' ' || c == '\t' || c == '\n' || r.pos+ahead >= len(r.text) || r.pos+ahead < 0
}

// indent is the number of characters before the next one on its line, all of them spaces or dashes.
func (r *reader) indent() int { return r.pos - r.start }

func (r *reader) newline() {
	r.pos++
	r.line++
	r.start = r.pos
}

// toLineEnd passes over the rest of the line and returns it.
func (r *reader) toLineEnd() string {
	rest := r.text[r.pos:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	r.pos += len(rest)
	return rest
}

// skip goes to the next content, over white space and comments, of which it keeps those on lines of their own. It tells whether
// there is any in this document.
func (r *reader) skip() bool {
	for !r.stopped {
		from := r.pos
		for r.peek(0) == ' ' || r.peek(0) == '\t' {
			r.pos++
		}
		switch {
		case r.pos >= len(r.text):
			return false
		case r.peek(0) == '\n':
			r.newline()
		case r.peek(0) == '#' && strings.TrimLeft(r.text[r.start:r.pos], " \t") == "":
			r.above = append(r.above, strings.TrimRight(r.toLineEnd()[1:], " \t"))
		case r.peek(0) == '#' && (r.text[r.pos-1] == ' ' || r.text[r.pos-1] == '\t'):
			r.toLineEnd()
		case r.atMarker():
			return false
		case from == r.start && strings.IndexByte(r.text[from:r.pos], '\t') >= 0:
			r.pos = from + strings.IndexByte(r.text[from:r.pos], '\t')
			r.fail(r.here(), "", "a tab where spaces are needed", "spaces in front of a key or a value")
			r.toLineEnd()
		default:
			return true
		}
	}
	return false
}

// atMarker tells whether a document ends or starts here.
func (r *reader) atMarker() bool {
	return r.pos == r.start && (strings.HasPrefix(r.text[r.pos:], "---") || strings.HasPrefix(r.text[r.pos:], "...")) && r.gap(3)
}

// endLine ends a line behind a value: there may be a comment, which it returns, and no more.
func (r *reader) endLine() (comment string, ok bool) {
	for r.peek(0) == ' ' || r.peek(0) == '\t' {
		r.pos++
	}
	switch {
	case r.pos >= len(r.text) || r.peek(0) == '\n':
		return "", true
	case r.peek(0) == '#' && r.gap(-1):
		return strings.TrimRight(r.toLineEnd()[1:], " \t"), true
	}
	r.fail(r.here(), "", fmt.Sprintf("%s does not belong here: the value ends before it", quoted(r.toLineEnd())), "one value, or a text in quotes")
	return "", false
}

// resume goes on behind a fault: to the next line that is indented by no more than so much.
func (r *reader) resume(indent int) {
	for !r.stopped {
		r.toLineEnd()
		if r.pos >= len(r.text) {
			return
		}
		r.newline()
		rest := strings.TrimLeft(r.text[r.start:min(len(r.text), r.start+indent+1)], " ")
		if rest != "" && rest[0] != '\n' {
			return
		}
	}
}

// goBack returns to a place that was read before.
func (r *reader) goBack(pos, start int, line int32) { r.pos, r.start, r.line = pos, start, line }

// quoted shows a text in a message, cut where it is long.
func quoted(text string) string { return fmt.Sprintf("%q", shortened(text)) }

// shortened cuts a text for a message.
func shortened(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
