package series

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"convect/io/whole"
)

// asideSuffix ends the name of what was found in the place of a table.
const asideSuffix = ".old"

// Mend makes the tables of a run directory fit to go on from the checkpoint of a step, where others have cut, changed or replaced them: a header
// that is lost is written again, and lines that are no rows go. Whatever would be lost by that is kept beside the table, under its name with
// .old. It returns a sentence on each table that it had to mend. Like [Cut], which comes after it, it takes what a kill or a
// loss of power leaves behind the rows up to the step for nothing to speak of.
func Mend(o Options, step int64) (said []string, err error) {
	o.setDefaults()
	for _, f := range o.formats() {
		content, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return said, fmt.Errorf("mend table: %w", err)
		}
		rows := f.salvage(content, step)
		lost := rows.strange + rows.dropped
		if f.isSeries && rows.last < step { // what is behind is in the place of rows
			lost += rows.behind
		}
		if rows.prefix(content) && lost == 0 {
			continue
		}
		aside, err := rows.replace(f.path, content, lost > 0)
		if err != nil {
			return said, fmt.Errorf("mend table: %w", err)
		}
		how := "is not as this run has left it, and is written anew with the rows that can be read"
		if rows.adapted && rows.strange == 0 {
			how = "has other columns of walls and patches than this run: it is written anew, with those that it lacked empty in its rows"
		}
		said = append(said, fmt.Sprintf("%s %s%s", f.path, how, aside))
	}
	return said, nil
}

// shape is what makes a table: its place, its two first lines, and whether it has one row a step.
type shape struct {
	path     string
	header   string
	isSeries bool
}

// rows are those that a text holds of a table.
type rows struct {
	span
	text    []byte // the header and the rows
	held    []Range
	strange int  // lines before the last row that belong to no such table
	behind  int  // lines after it, of later steps or strange
	dropped int  // columns of surfaces that the table has no more
	adapted bool // its columns of surfaces were others
}

// salvage returns the rows up to a step that a text holds, wherever they stand in it, in order of steps. Rows under the header of
// another table are strange. A torn last line is passed over.
func (s *shape) salvage(content []byte, step int64) *rows {
	r := &rows{span: span{first: -1, last: -1}, text: []byte(s.header)}
	columns := strings.Count(s.header[:strings.IndexByte(s.header, '\n')], ",") + 1
	isOther := s.isOther(content)
	var from []int
	if isOther {
		if from, r.dropped = s.adapt(content); from != nil {
			isOther, r.adapted = false, true
			columns = strings.Count(string(content[:bytes.IndexByte(content, '\n')]), ",") + 1
		}
	}
	l := newLines(bytes.NewReader(content), s.path)
	for {
		text, err := l.next()
		if err != nil {
			break
		}
		text = strings.Trim(text, "\x00")
		if text == "" || r.adapted && l.number <= 2 || l.number <= 2 && strings.Contains("\n"+s.header, "\n"+text+"\n") {
			continue
		}
		row, err := parseRow(text, columns)
		isRow := err == nil && !isOther && row[0] >= 0 && row[0] == math.Trunc(row[0])
		if isRow && row[0] > float64(step) {
			r.behind++
			break
		}
		if !isRow || int64(row[0]) < r.last || s.isSeries && int64(row[0]) == r.last {
			r.behind++
			continue
		}
		r.strange, r.behind = r.strange+r.behind, 0
		if r.adapted {
			text = rearranged(text, from)
		}
		r.add(int64(row[0]), row[columns-1], text)
	}
	r.end = int64(len(r.text))
	return r
}

// isOther tells whether a text begins with the whole header of another table.
func (s *shape) isOther(content []byte) bool {
	l := newLines(bytes.NewReader(content), s.path)
	names, units, err := l.header()
	return err == nil && strings.Join(names, ",")+"\n#"+strings.Join(units, ",")+"\n" != s.header
}

// adapt returns where the columns of the table stand in a text that has the same but for columns of surfaces, -1: nowhere, and how many columns of surfaces the text has
// besides; nil where it is another table.
func (s *shape) adapt(content []byte) (from []int, dropped int) {
	names, units, err := newLines(bytes.NewReader(content), s.path).header()
	wanted, wantedUnits, err2 := newLines(strings.NewReader(s.header), s.path).header()
	if err != nil || err2 != nil || !s.isSeries {
		return nil, 0
	}
	var kept []int // columns of the text that the table has
	for n, name := range wanted {
		at := slices.Index(names, name)
		switch {
		case at < 0 && !ofSurface(name), at >= 0 && units[at] != wantedUnits[n]:
			return nil, 0
		case at >= 0:
			kept = append(kept, at)
		}
		from = append(from, at)
	}
	for n, name := range names {
		if slices.Contains(kept, n) {
			continue
		}
		if !ofSurface(name) {
			return nil, 0
		}
		dropped++
	}
	return from, dropped
}

// rearranged returns a line with its words in other places; -1: an empty one.
func rearranged(line string, from []int) string {
	words, out := strings.Split(line, ","), make([]string, len(from))
	for n, at := range from {
		if at >= 0 {
			out[n] = words[at]
		}
	}
	return strings.Join(out, ",")
}

func (r *rows) add(step int64, wall float64, text string) {
	r.text = append(append(r.text, text...), '\n')
	r.span.add(step, wall)
	if n := len(r.held); n == 0 || step > r.held[n-1].Last+1 {
		r.held = append(r.held, Range{step, step})
	} else {
		r.held[n-1].Last = step
	}
}

// prefix tells whether a text begins with the header and the rows, so that cutting it is enough.
func (r *rows) prefix(content []byte) bool { return bytes.HasPrefix(content, r.text) }

// replace writes the rows in the place of a file with other content, and keeps that beside them if told to. It returns what to say of the
// latter.
func (r *rows) replace(path string, content []byte, keep bool) (said string, err error) {
	if keep {
		name, err := keepAside(path, content)
		if err != nil {
			return "", err
		}
		said = "; what was there is kept as " + filepath.Base(name)
	}
	return said, whole.WriteFile(path, r.text)
}

// keepAside writes a text beside a file, under a name that is free.
func keepAside(path string, content []byte) (name string, err error) {
	for n := 1; ; n++ {
		name = path + asideSuffix
		if n > 1 {
			name = fmt.Sprintf("%s%d", name, n)
		}
		_, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return name, whole.WriteFile(name, content)
		}
		if err != nil {
			return "", err
		}
	}
}

// Range is a span of steps, both ends included.
type Range struct{ First, Last int64 }

// Held returns the steps up to a given one of which the table of all steps of a run directory has rows, none where there is no table. Where
// a line is malformed it returns what is before it and an error.
func Held(dir string, step int64) ([]Range, error) {
	path := filepath.Join(dir, SeriesName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var held []Range
	_, err = find(bufio.NewReaderSize(f, 1<<16), path, step, func(at int64) {
		if n := len(held); n > 0 && held[n-1].Last+1 == at {
			held[n-1].Last = at
			return
		}
		held = append(held, Range{at, at})
	})
	return held, err
}

// readAll returns what an open file holds, wherever it stands in it.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
}
