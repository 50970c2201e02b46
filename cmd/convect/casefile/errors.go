package casefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/printer"
	"github.com/goccy/go-yaml/token"
)

// Error is one thing wrong with a case, and its place.
type Error struct {
	File         string
	Line, Column int    // from 1; 0 where the value came from an override
	Override     string // "key=value" of the override that set the value, else empty
	Key          string // dotted path, as grid.cells
	Message      string // what is wrong
	Accepted     string // what would be right; may be empty
	Excerpt      string // lines of the file around the place; may be empty
}

// Error returns "file:line:column: key: message; accepted: ..." and the excerpt on further lines.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Override != "" {
		fmt.Fprintf(&b, "--set %s: ", e.Override)
	} else {
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	}
	if e.Key != "" {
		fmt.Fprintf(&b, "%s: ", e.Key)
	}
	b.WriteString(e.Message)
	if e.Accepted != "" {
		fmt.Fprintf(&b, "; accepted: %s", e.Accepted)
	}
	if e.Excerpt != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(e.Excerpt, "\n"))
	}
	return b.String()
}

// Errors is everything found wrong with a case, in the order of the file.
type Errors []*Error

// Error returns the errors one below the other.
func (e Errors) Error() string {
	text := make([]string, len(e))
	for i, one := range e {
		text[i] = one.Error()
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

// place is where a value or a key stands: a token of the file, or an override.
type place struct {
	token    *token.Token
	override string
}

// newError describes something wrong at a place of a file.
func newError(file string, at place, key, message, accepted string) *Error {
	e := &Error{File: file, Override: at.override, Key: key, Message: message, Accepted: accepted, Line: 1, Column: 1}
	if at.override != "" {
		e.Line, e.Column = 0, 0
		return e
	}
	if at.token == nil {
		return e
	}
	if p := at.token.Position; p != nil {
		e.Line, e.Column = max(p.Line, 1), max(p.Column, 1)
	}
	var printer printer.Printer
	for line := range strings.Lines(printer.PrintErrorToken(at.token, false)) {
		e.Excerpt += strings.TrimRight(line, " \t\r\n") + "\n"
	}
	return e
}
