package series

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// Table is a file of columns.
type Table struct {
	Names   []string
	Units   []string
	Columns [][]float64 // NaN where empty
}

// Column returns the values of a column, nil where there is none of that name.
func (t *Table) Column(name string) []float64 {
	for i, n := range t.Names {
		if n == name {
			return t.Columns[i]
		}
	}
	return nil
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.Columns[0]) }

// Read reads series.csv or profiles.csv. A last line without its end, which a killed run may leave, is left out.
// The error names the file and line.
func Read(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l := newLines(f, path)
	t := &Table{}
	if t.Names, t.Units, err = l.header(); err != nil {
		return nil, err
	}
	t.Columns = make([][]float64, len(t.Names))
	for {
		row, err := l.row(len(t.Names))
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		for i, v := range row {
			t.Columns[i] = append(t.Columns[i], v)
		}
	}
}

// lines reads a table line by line.
type lines struct {
	path   string
	reader *bufio.Reader
	number int   // of the last line
	end    int64 // bytes up to the end of the last whole line
}

func newLines(r io.Reader, path string) *lines {
	return &lines{path: path, reader: bufio.NewReaderSize(r, 1<<16)}
}

// next returns the next line without its end; io.EOF where there is no whole one.
func (l *lines) next() (string, error) {
	text, err := l.reader.ReadString('\n')
	if err != nil {
		if err != io.EOF {
			err = fmt.Errorf("read %s: %w", l.path, err)
		}
		return "", err
	}
	l.number++
	l.end += int64(len(text))
	return text[:len(text)-1], nil
}

func (l *lines) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %w", l.path, l.number, errMalformed, fmt.Errorf(format, args...))
}

// errMalformed says that a line is no row of its table.
var errMalformed = errors.New("malformed line")

// errNoHeader says that a table is not even begun.
var errNoHeader = errors.New("no header")

// header reads the names and units.
func (l *lines) header() (names, units []string, err error) {
	first, err := l.next()
	if err == io.EOF {
		return nil, nil, fmt.Errorf("%s: %w", l.path, errNoHeader)
	}
	if err != nil {
		return nil, nil, err
	}
	second, err := l.next()
	if err == io.EOF {
		return nil, nil, fmt.Errorf("%s: %w", l.path, errNoHeader)
	}
	if err != nil {
		return nil, nil, err
	}
	names, units = strings.Split(first, ","), strings.Split(strings.TrimPrefix(second, "#"), ",")
	if !strings.HasPrefix(second, "#") || len(names) != len(units) {
		return nil, nil, l.wrong("not a line of %d units that starts with #", len(names))
	}
	return names, units, nil
}

// row reads n values.
func (l *lines) row(n int) ([]float64, error) {
	text, err := l.next()
	if err != nil {
		return nil, err
	}
	row, err := parseRow(text, n)
	if err != nil {
		return nil, l.wrong("%w", err)
	}
	return row, nil
}

// parseRow reads n values from a line.
func parseRow(text string, n int) ([]float64, error) {
	words := strings.Split(text, ",")
	if len(words) != n {
		return nil, fmt.Errorf("%d columns, not %d", len(words), n)
	}
	row := make([]float64, n)
	for i, word := range words {
		row[i] = math.NaN()
		if word == "" {
			continue
		}
		var err error
		if row[i], err = strconv.ParseFloat(word, 64); err != nil {
			return nil, fmt.Errorf("column %d: %q is no number", i+1, word)
		}
	}
	return row, nil
}

// format returns a row as a line. 17 significant digits read back to the same bits.
func format(b []byte, row []float64) []byte {
	for i, v := range row {
		if i > 0 {
			b = append(b, ',')
		}
		if !math.IsNaN(v) {
			b = strconv.AppendFloat(b, v, 'g', 17, 64)
		}
	}
	return append(b, '\n')
}
