package casefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error is one thing wrong with a case, and its place.
type Error struct {
	File         string
	Line, Column int    // from 1; 0 where the value came from an override
	Override     string // "key=value" of the override that set the value, else empty
	Key          string // dotted path, as grid.cells
	Message      string // what is wrong
	Accepted     string // what would be right; may be empty

	source *source // of the place; nil where there is none to show
}

// Error returns "file:line:column: key: message; accepted: ..." and the excerpt on further lines.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Override != "" {
		fmt.Fprintf(&b, "--set %s: ", shortened(e.Override))
	} else {
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	}
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", shortened(e.Key))
	}
	b.WriteString(e.Message)
	if e.Accepted != "" {
		fmt.Fprintf(&b, "; accepted: %s", e.Accepted)
	}
	if e.source != nil {
		b.WriteString("\n" + e.source.excerpt(e.Line, e.Column))
	}
	return b.String()
}

// Errors is everything found wrong with a case, in the order of the file.
type Errors []*Error

// Error returns the errors one below the other, in the order of the file.
func (e Errors) Error() string {
	text := make([]string, 0, min(len(e), maxErrors+1))
	for _, one := range e[:min(len(e), maxErrors)] {
		text = append(text, one.Error())
	}
	if more := len(e) - maxErrors; more > 0 {
		text = append(text, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(text, "\n")
}

// sort puts the errors in the order of the file, those of overrides last.
func (e Errors) sort() {
	slices.SortStableFunc(e, func(a, b *Error) int {
		if (a.Line == 0) != (b.Line == 0) {
			return b.Line - a.Line
		}
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
}

// place is where a value or a key stands: in a text, or in an override.
type place struct {
	line, column int32 // from 1; 0 where it is nowhere
	source       *source
	override     string
}

// source is a text that is read: a file, or the value of an override.
type source struct {
	name, override string
	text           string
}

// placeOf returns the place of a byte.
func (s *source) placeOf(offset int) place {
	start := strings.LastIndexByte(s.text[:offset], '\n') + 1
	return place{line: int32(1 + strings.Count(s.text[:offset], "\n")), column: int32(1 + utf8.RuneCountInString(s.text[start:offset])),
		source: s, override: s.override}
}

// newError describes something wrong at a place of a file.
func newError(file string, at place, key, message, accepted string) *Error {
	e := &Error{File: file, Override: at.override, Key: key, Message: message, Accepted: accepted, Line: 1, Column: 1}
	if at.override != "" {
		e.Line, e.Column = 0, 0
		return e
	}
	if at.line == 0 {
		return e
	}
	e.Line, e.Column, e.source = int(at.line), int(at.column), at.source
	return e
}

// excerpt shows the lines around a place, and points to it.
func (s *source) excerpt(line, column int) string {
	const around, most = 3, 240
	var b strings.Builder
	from := max(0, column-most/2)
	if column < most {
		from = 0
	}
	n := 0
	for text := range strings.Lines(s.text) {
		if n++; n < line-around {
			continue
		}
		if n > line+around {
			break
		}
		mark := ' '
		if n == line {
			mark = '>'
		}
		head := fmt.Sprintf("%c%3d | ", mark, n)
		b.WriteString(strings.TrimRight(head+window(strings.TrimRight(text, "\n"), from, most), " \t") + "\n")
		if n == line {
			b.WriteString(strings.Repeat(" ", len(head)+column-1-from) + "^\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// window returns so many characters of a line.
func window(text string, from, most int) string {
	n := 0
	start := len(text)
	for i := range text {
		if n == from {
			start = i
		}
		if n == from+most {
			return text[start:i]
		}
		n++
	}
	return text[start:]
}
