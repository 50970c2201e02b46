package column

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// reader reads a table line by line.
type reader struct {
	path      string
	lines     *bufio.Reader
	line      int // the number of the last one
	left      int // bytes that may still come
	separator rune
}

// white is the separator of words with white space between them.
const white = ' '

func newReader(path string, r io.Reader) *reader {
	return &reader{path: path, lines: bufio.NewReaderSize(r, maxLine), left: maxBytes}
}

func (r *reader) wrong(format string, args ...any) error {
	return &Error{r.path, r.line, fmt.Sprintf(format, args...)}
}

// next returns the next line that is neither blank nor a comment, without its end; io.EOF where there is none.
func (r *reader) next() (string, error) {
	for {
		line, err := r.lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			r.line++
			return "", r.wrong("the line is longer than %d bytes", maxLine)
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return "", err
		}
		if r.line++; r.line == 1 {
			if err := r.screen(line); err != nil {
				return "", err
			}
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if r.left -= len(line); r.left < 0 {
			return "", r.wrong("the file is larger than %d bytes", maxBytes)
		}
		if bytes.IndexByte(line, 0) >= 0 || !utf8.Valid(line) {
			return "", r.wrong("this is not text in UTF-8")
		}
		line = bytes.TrimRight(line, "\r\n")
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' {
			return string(line), nil
		}
	}
}

// screen refuses by its first bytes what is plainly another kind of file.
func (r *reader) screen(first []byte) error {
	switch {
	case bytes.HasPrefix(first, []byte("\x89HDF")):
		return &Error{r.path, 0, "this is an HDF5 file, not a table of text"}
	case bytes.HasPrefix(first, []byte("\xff\xfe")), bytes.HasPrefix(first, []byte("\xfe\xff")):
		return &Error{r.path, 0, "this is text in UTF-16; save it as UTF-8"}
	case bytes.HasPrefix(first, []byte("PK\x03\x04")):
		return &Error{r.path, 0, "this is a spreadsheet or an archive, not a table of text; save it as CSV"}
	}
	return nil
}

// header reads the names of the columns and learns what separates values.
func (r *reader) header() ([]string, error) {
	line, err := r.next()
	if err == io.EOF {
		return nil, &Error{r.path, 0, "the file holds no line with the names of its columns"}
	}
	if err != nil {
		return nil, err
	}
	r.separator = white
	for _, s := range ";,\t" {
		if strings.ContainsRune(line, s) {
			r.separator = s
			break
		}
	}
	names, err := r.words(line)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, func(name string) bool { return name != "" && !isDecimal(name) }) {
		return nil, r.wrong("the first line must name the columns, as time, T; it holds numbers")
	}
	return names, nil
}

// row reads the n values of a row; io.EOF where there is none.
func (r *reader) row(n int) ([]string, error) {
	line, err := r.next()
	if err != nil {
		return nil, err
	}
	words, err := r.words(line)
	if err != nil {
		return nil, err
	}
	if len(words) != n {
		return nil, r.wrong("the row has %d values, but there are %d columns", len(words), n)
	}
	return words, nil
}

// words splits a line.
func (r *reader) words(line string) ([]string, error) {
	if r.separator == white && !strings.Contains(line, `"`) {
		return strings.Fields(line), nil
	}
	c := csv.NewReader(strings.NewReader(strings.TrimSpace(line)))
	if r.separator == '\t' {
		c = csv.NewReader(strings.NewReader(line)) // values at its ends may be empty
	}
	c.Comma = r.separator
	c.TrimLeadingSpace = r.separator != '\t' && r.separator != white
	words, err := c.Read()
	if err != nil {
		return nil, r.wrong("the quotes in the line do not match")
	}
	if r.separator == white {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	}
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return words, nil
}
