package column

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Limits of a table.
const (
	maxBytes = 256 << 20
	maxLine  = 1 << 20
)

// Table holds columns of a file.
type Table struct {
	Columns [][]float64 // of the names asked for, in their order; finite
	Lines   []int       // of each row in the file, from 1
}

// Error is what is wrong with a file of columns.
type Error struct {
	Path    string
	Line    int // from 1; 0: of the file as a whole
	Message string
}

// Error returns "file:line: message".
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Message)
}

// Read reads the columns of the given names from the file at path. It returns an [*Error] where the file is no such table, and the error of
// the system where it cannot be read.
func Read(path string, names ...string) (*Table, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := newReader(path, f)
	header, err := r.header()
	if err != nil {
		return nil, err
	}
	at, err := r.places(header, names)
	if err != nil {
		return nil, err
	}
	t := &Table{Columns: make([][]float64, len(names))}
	for {
		words, err := r.row(len(header))
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for c, i := range at {
			v, err := number(words[i])
			if err != nil {
				return nil, r.wrong("column %s: %v", names[c], err)
			}
			t.Columns[c] = append(t.Columns[c], v)
		}
		t.Lines = append(t.Lines, r.line)
	}
	if len(t.Lines) == 0 {
		return nil, &Error{path, r.line, "no row follows the names of the columns"}
	}
	return t, nil
}

// open opens a regular file of sensible size. Nothing it does waits for a reader or writer at the other end.
func open(path string) (*os.File, error) {
	check := func(info os.FileInfo, err error) error {
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return &Error{path, 0, "this is a folder, not a file"}
		case !info.Mode().IsRegular():
			return &Error{path, 0, "this is not a regular file"}
		case info.Size() > maxBytes:
			return &Error{path, 0, fmt.Sprintf("%d bytes are too many for a table; at most %d are read", info.Size(), maxBytes)}
		}
		return nil
	}
	if err := check(os.Stat(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := check(f.Stat()); err != nil { // another file may have taken the name
		f.Close()
		return nil, err
	}
	return f, nil
}

// places returns where the columns of the given names stand.
func (r *reader) places(header, names []string) ([]int, error) {
	at := make([]int, len(names))
	for c, name := range names {
		at[c] = slices.Index(header, name)
		if at[c] < 0 {
			return nil, r.wrong("there is no column %s; there are %s", name, list(header))
		}
		if slices.Index(header[at[c]+1:], name) >= 0 {
			return nil, r.wrong("two columns are called %s", name)
		}
	}
	return at, nil
}

// list joins names, not more of them than a person reads.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// number reads a decimal number.
func number(word string) (float64, error) {
	if word == "" {
		return 0, fmt.Errorf("there is no value")
	}
	v, err := strconv.ParseFloat(word, 64)
	switch {
	case isDecimal(word) && err == nil:
		return v, nil
	case isDecimal(word) && math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is too large for a number", shown(word))
	case err == nil && (math.IsNaN(v) || math.IsInf(v, 0)):
		return 0, fmt.Errorf("%s is not a finite number", shown(word))
	case isDecimal(strings.Replace(word, ",", ".", 1)):
		return 0, fmt.Errorf("%s is no number; write a point in place of the comma", shown(word))
	}
	return 0, fmt.Errorf("%s is no number", shown(word))
}

// isDecimal tells whether a word holds nothing but what a decimal number is made of.
func isDecimal(word string) bool { return word != "" && strings.Trim(word, "+-.0123456789eE") == "" }

// shown quotes a word for a message.
func shown(word string) string {
	const most = 40
	if runes := []rune(word); len(runes) > most {
		word = string(runes[:most]) + "…"
	}
	return strconv.Quote(word)
}

// Names returns the names of the columns of the file at path, with the errors of [Read].
func Names(path string) ([]string, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return newReader(path, f).header()
}
