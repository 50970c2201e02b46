package series

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"convect/io/whole"
)

// watch makes sure that the file in the place of the table is the one that this run writes, and as long as what it has written. Where somebody has
// removed, replaced, cut or changed it, the table is put into its place again with all rows that there still are, and the sentence
// says so. It is called before rows are written: its cost is that of two looks at a file, a few microseconds.
func (t *table) watch() (said string, err error) {
	own, err := t.file.Stat()
	if err != nil {
		return "", err
	}
	there, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t.putBack("was removed", false)
	case err != nil: // as it may be for a moment on a network; the row goes where the others are
		return "", nil
	case !os.SameFile(own, there):
		return t.putBack("was replaced by another file", there.Mode().IsRegular() && there.Size() > 0)
	case own.Size() != t.end || !t.joined():
		return t.repair()
	}
	return "", nil
}

// joined tells whether the last rows stand behind the end of a line.
func (t *table) joined() bool {
	var end [1]byte
	if t.joint <= 0 {
		return true
	}
	_, err := t.file.ReadAt(end[:], t.joint)
	return err == nil && end[0] == '\n'
}

// putBack writes what the open file, which has lost its name, holds into a new one of that name. A file in its place is kept beside it.
func (t *table) putBack(how string, keep bool) (string, error) {
	said := fmt.Sprintf("%s %s during the run", t.path, how)
	if keep {
		strange, err := os.ReadFile(t.path)
		if err != nil {
			return "", err
		}
		name, err := keepAside(t.path, strange)
		if err != nil {
			return "", err
		}
		said += ", which is kept as " + filepath.Base(name)
	}
	content, err := readAll(t.file)
	if err != nil {
		return "", err
	}
	r := t.salvage(content, t.last)
	if err := whole.WriteFile(t.path, r.text); err != nil {
		return "", err
	}
	return said + ": the table is there again" + t.lost(r), t.reopen(r)
}

// repair mends the table in its own file: what is whole of it stays.
func (t *table) repair() (string, error) {
	content, err := readAll(t.file)
	if err != nil {
		return "", err
	}
	said := t.path + " was changed during the run by somebody else"
	if int64(len(content)) < t.end || !t.joined() {
		said = t.path + " was cut during the run by somebody else"
	}
	r := t.salvage(content, t.last)
	if r.prefix(content) && r.behind == 0 {
		if err := t.file.Truncate(r.end); err != nil {
			return "", err
		}
		t.end, t.joint = r.end, r.end-1
		_, err = t.file.Seek(t.end, io.SeekStart)
		return said + t.lost(r), err
	}
	aside, err := r.replace(t.path, content, r.strange+r.behind > 0)
	if err != nil {
		return "", err
	}
	return said + aside + t.lost(r), t.reopen(r)
}

// reopen goes on behind rows that are in the place of the table.
func (t *table) reopen(r *rows) error {
	f, err := os.OpenFile(t.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	t.file.Close() // all of it is read
	t.file, t.end, t.joint = f, r.end, r.end-1
	_, err = f.Seek(t.end, io.SeekStart)
	return err
}

// lost says which rows of the table are not among those that are left.
func (t *table) lost(r *rows) string {
	if !t.isSeries {
		if r.last < t.last {
			return "; rows of output times are lost"
		}
		return ""
	}
	if t.first < 0 {
		return ""
	}
	words := RangesText(gaps(r.held, Range{t.first, t.last}))
	if words == "" {
		return "; no row is lost"
	}
	return "; the rows of steps " + words + " are lost"
}

// gaps returns what is not held of a range.
func gaps(held []Range, of Range) (out []Range) {
	next := of.First
	for _, h := range held {
		if h.First > next {
			out = append(out, Range{next, h.First - 1})
		}
		next = max(next, h.Last+1)
	}
	if next <= of.Last {
		out = append(out, Range{next, of.Last})
	}
	return out
}

// RangesText prints ranges of steps, as "0 to 12, 30 and 41 to 50"; "" where there is none. Of many it prints the first few.
func RangesText(ranges []Range) string {
	const most = 5
	var words []string
	for i, r := range ranges {
		switch {
		case i == most && len(ranges) > most+1:
			words = append(words, fmt.Sprintf("%d more such spans", len(ranges)-most))
		case i > most && len(ranges) > most+1:
		case r.First == r.Last:
			words = append(words, fmt.Sprint(r.First))
		default:
			words = append(words, fmt.Sprintf("%d to %d", r.First, r.Last))
		}
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
