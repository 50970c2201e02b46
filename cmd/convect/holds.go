package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
)

// checkOverwrite refuses a directory that holds a run without --force, and one in which --force would remove what is not of a run, or what the
// run itself needs.
func (s *session) checkOverwrite(ways string) error {
	s.keepCase()
	name, holds := s.dir.holdsRun(s.record)
	switch {
	case !holds:
		return nil
	case !s.options.force:
		return usage("%s holds a run already (%s): %s", s.dir, name, ways)
	}
	switch foreign, err := s.hasForeignCase(); {
	case err != nil:
		return err
	case foreign:
		return usage("%s is not known to be of a run, of which there is nothing else: move it away, or take another directory with --out", s.dir.path(caseName))
	}
	for _, f := range s.c.Files() {
		if s.dir.owns(f.Path) {
			return usage("%s is part of the run that would be removed, and %s needs it: take another directory with --out", f.Path, f.Key)
		}
	}
	return nil
}

// keepCase notes where the case as run is written: into case.yaml, unless that is the file that the user gave, now or when the run began.
func (s *session) keepCase() {
	s.record = caseName
	_, err := os.Lstat(s.dir.path(ownCaseName))
	if err == nil || !s.isRestart && sameFile(s.c.Path, s.dir.path(caseName)) {
		s.record = ownCaseName
	}
}

// sameFile tells whether two paths lead to the same file, through links of any kind.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// hasForeignCase tells whether case.yaml stands alone where no run was, and is not the present case.
func (s *session) hasForeignCase() (bool, error) {
	if s.record != caseName {
		return false, nil
	}
	if _, others := s.dir.holdsRun(ownCaseName); others { // without case.yaml
		return false, nil
	}
	text, err := s.recorded()
	return text != nil && string(text) != s.c.Text, err
}

// owns tells whether a file is one that a run in this directory has written.
func (d directory) owns(path string) bool {
	parent := directory(filepath.Dir(path))
	return parent.is(directory(d.path(checkpoint.Folder))) || parent.is(directory(d.path(snapshot.Folder)))
}

// locateStart decides whether a run may begin in a directory without a whole checkpoint.
func (s *session) locateStart() error {
	if s.options.force {
		return s.checkOverwrite("")
	}
	s.keepCase()
	held, err := s.dir.results()
	if err != nil {
		return err
	}
	text := held.String()
	if text == "" {
		foreign, err := s.hasForeignCase()
		if foreign {
			return usage("%s is another case, and not known to be of a run: move it away, or take another directory with --out", s.dir.path(caseName))
		}
		return err
	}
	begun, err := s.hasBegun()
	if err != nil {
		return err
	}
	if !begun {
		return usage("%s holds results but no checkpoint to go on from: %s. --resume removes no results. "+
			"With --force the run begins anew and they are removed; --out takes another directory", s.dir, text)
	}
	s.anew = fmt.Sprintf("%s holds the beginning of this run and no checkpoint yet: it begins anew (there were %s)", s.dir, text)
	return nil
}

// holdings are what a run directory holds besides checkpoints, as far as it costs time to compute it.
type holdings struct {
	snapshots []int64  // their steps
	rows      int64    // of series.csv
	others    []string // further files
}

// results looks for the results in a directory.
func (d directory) results() (r holdings, err error) {
	if r.snapshots, err = snapshot.Steps(string(d)); err != nil {
		return r, err
	}
	if text, err := os.ReadFile(d.path(series.SeriesName)); err == nil {
		r.rows = max(0, int64(strings.Count(string(text), "\n"))-2)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	for _, name := range append([]string{series.ProfilesName, series.SummaryName}, d.pictures()...) {
		if info, err := os.Stat(d.path(name)); err == nil && info.Size() > 0 {
			r.others = append(r.others, name)
		}
	}
	return r, nil
}

// String lists the results; "" where there are none.
func (r holdings) String() string {
	var words []string
	switch n := len(r.snapshots); {
	case n == 1:
		words = append(words, fmt.Sprintf("1 snapshot (of step %d)", r.snapshots[0]))
	case n > 1:
		words = append(words, fmt.Sprintf("%d snapshots (of steps %d to %d)", n, r.snapshots[0], r.snapshots[n-1]))
	}
	if r.rows > 0 {
		words = append(words, fmt.Sprintf("%s with %d rows", series.SeriesName, r.rows))
	}
	if others := r.others; len(words) > 0 || slices.ContainsFunc(others, func(name string) bool { return name != series.ProfilesName }) {
		words = append(words, others...)
	}
	return strings.Join(words, ", ")
}

// hasBegun tells whether the directory holds the beginning of a run of the present case, which had no whole checkpoint yet.
func (s *session) hasBegun() (bool, error) {
	if !checkpoint.HasBegun(string(s.dir)) {
		return false, nil
	}
	text, err := s.recorded()
	if text == nil {
		return false, err
	}
	old, err := casefile.Parse(s.dir.path(s.record), text, nil)
	return err == nil && len(casefile.Differences(old, s.c)) == 0, nil
}

// recorded returns the text of the case as run; nil where there is none.
func (s *session) recorded() ([]byte, error) {
	text, err := os.ReadFile(s.dir.path(s.record))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return text, nil
}
