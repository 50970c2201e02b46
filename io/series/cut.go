package series

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Cut removes the rows later than a step, and a torn last line, from the tables of a run directory, those of probes among them; with a negative step
// the tables themselves. It is called before a run is resumed from the checkpoint of that step. Tables that are not
// there are no error.
func Cut(dir string, step int64) error {
	probes, err := ProbeTables(dir)
	if err != nil {
		return fmt.Errorf("cut tables of probes: %w", err)
	}
	names := append([]string{SeriesName, ProfilesName}, probes...)
	if step < 0 { // what tells how far the run has come goes last
		slices.Reverse(names)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if step < 0 {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cut %s: %w", path, err)
			}
			continue
		}
		if err := cut(path, step); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cut table: %w", err)
		}
	}
	if step < 0 {
		os.Remove(filepath.Join(dir, ProbesFolder)) // unless somebody has put something else there
	}
	return nil
}

// ProbeTables lists the tables of probes of a run directory, as probes/NAME.csv.
func ProbeTables(dir string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, ProbesFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".csv" && e.Type().IsRegular() {
			names = append(names, filepath.Join(ProbesFolder, e.Name()))
		}
	}
	return names, err
}

// cut truncates a table after its last row up to a step. Rows are in order of steps, the first column. A malformed row
// ends the table: a loss of power may leave some after the last that was forced to disk, but not before.
func cut(path string, step int64) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	rows, err := find(f, path, step, nil)
	isLost := filepath.Base(path) == SeriesName && rows.last < step
	if err != nil && (isLost || !errors.Is(err, errMalformed)) {
		return err
	}
	if err := f.Truncate(rows.end); err != nil {
		return err
	}
	return f.Sync()
}

// span is what a table holds up to a step.
type span struct {
	end         int64   // bytes; 0: no whole header
	first, last int64   // steps of the first and last row; -1: none
	wall        float64 // last column of the last row
}

// add appends a row.
func (s *span) add(step int64, wall float64) {
	if s.first < 0 {
		s.first = step
	}
	s.last, s.wall = step, wall
}

// find returns the span of the rows up to a step, of each of which it calls visit unless that is nil. Where a row is malformed it returns what
// is before it and an error.
func find(r io.Reader, path string, step int64, visit func(step int64)) (span, error) {
	l := newLines(r, path)
	names, _, err := l.header()
	s := span{first: -1, last: -1}
	if errors.Is(err, errNoHeader) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.end = l.end
	for {
		row, err := l.row(len(names))
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		if row[0] > float64(step) {
			return s, nil
		}
		s.end = l.end
		s.add(int64(row[0]), row[len(row)-1])
		if visit != nil {
			visit(s.last)
		}
	}
}
