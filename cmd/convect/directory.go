package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/live"
	"convect/io/checkpoint"
	"convect/io/lock"
	"convect/io/sampling"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/io/whole"
)

// Names in a run directory, besides those of package io.
const (
	caseName    = "case.yaml"
	logName     = "run.log"
	lockName    = ".lock"
	ownCaseName = "case.as-run.yaml" // takes the place of case.yaml where that is the file that the user gave

	steeringName = "steering.csv"
)

// directory is the path of a run directory.
type directory string

// path returns the path of a file in the directory.
func (d directory) path(name string) string { return filepath.Join(string(d), name) }

// pictureName is the picture of a scalar.
func pictureName(scalar string) string { return scalar + ".png" }

// pictures are those that the run in the directory writes.
func (d directory) pictures() []string {
	var names []string
	text, _ := os.ReadFile(d.path(caseName)) // without it there are none of tracers
	for _, scalar := range casefile.ScalarsOf(text) {
		names = append(names, pictureName(scalar))
	}
	return names
}

// files are the names that a run writes, folders excepted.
func (d directory) files() []string {
	return append([]string{caseName, ownCaseName, logName, series.SeriesName, series.ProfilesName, series.SummaryName,
		snapshot.XDMFName, snapshot.SeriesName, steeringName, live.FileName}, d.pictures()...)
}

// holdsRun tells whether the directory holds a run, and by which file it is known. case.yaml does not tell where record is another name: it is
// the user's.
func (d directory) holdsRun(record string) (name string, holds bool) {
	for _, name := range append(d.files(), checkpoint.Folder, snapshot.Folder) {
		if name == caseName && record != caseName {
			continue
		}
		if _, err := os.Lstat(d.path(name)); err == nil {
			return name, true
		}
	}
	return "", false
}

// is tells whether two paths are the same directory.
func (d directory) is(other directory) bool {
	a, errA := os.Stat(string(d))
	b, errB := os.Stat(string(other))
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// lock makes the directory if need be and takes it for this process, until unlock or the end of the process.
func (d directory) lock() (unlock func(), err error) {
	_, statErr := os.Stat(string(d))
	isNew := errors.Is(statErr, fs.ErrNotExist)
	if err := whole.MakeDir(string(d)); err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	taken, err := lock.Take(d.path(lockName))
	if err != nil {
		if isNew {
			os.Remove(string(d))
		}
		return nil, fmt.Errorf("run directory %s: %w", d, err)
	}
	return func() {
		taken.Release()
		if isNew {
			os.Remove(string(d)) // succeeds only if nothing was written
		}
	}, nil
}

// mayBeLocked tells whether there is a lock, taken or left behind.
func (d directory) mayBeLocked() bool {
	for _, name := range []string{lockName, lockName + lock.Suffix} {
		if _, err := os.Lstat(d.path(name)); err == nil {
			return true
		}
	}
	return false
}

// clean removes the files of a run, and nothing else: not case.yaml where record is another name. What tells of the run goes after its results,
// so that a run that is killed meanwhile can begin again.
func (d directory) clean(record string) error {
	if err := checkpoint.Cut(string(d), -1); err != nil {
		return err
	}
	if err := snapshot.Cut(string(d), -1, nil); err != nil {
		return err
	}
	if err := sampling.Cut(string(d), -1, nil); err != nil {
		return err
	}
	if err := series.Cut(string(d), -1); err != nil {
		return err
	}
	if err := d.removeOwn(); err != nil {
		return err
	}
	for _, name := range d.files() {
		for _, name := range []string{name, name + whole.TemporarySuffix} {
			if name == caseName && record != caseName {
				continue
			}
			if err := os.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove the run that was there: %w", err)
			}
		}
	}
	return checkpoint.Forget(string(d))
}

// state is a text that changes whenever a run in the directory begins, writes a checkpoint or ends.
func (d directory) state() string {
	var b strings.Builder
	note := func(info fs.FileInfo, err error) {
		if err == nil {
			fmt.Fprintln(&b, info.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, name := range d.files() {
		note(os.Lstat(d.path(name)))
	}
	entries, _ := os.ReadDir(d.path(checkpoint.Folder)) // where it cannot be read there is nothing to compare
	for _, e := range entries {
		note(e.Info())
	}
	return b.String()
}

// copyTables copies the tables of another run directory, where there is one and it has them.
func (d directory) copyTables(from directory) error {
	if from == "" {
		return nil
	}
	probes, err := series.ProbeTables(string(from))
	if err != nil {
		return fmt.Errorf("copy tables: %w", err)
	}
	if len(probes) > 0 {
		if err := whole.MakeDir(d.path(series.ProbesFolder)); err != nil {
			return fmt.Errorf("copy tables: %w", err)
		}
	}
	for _, name := range append([]string{series.SeriesName, series.ProfilesName, steeringName}, probes...) {
		in, err := os.Open(from.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy tables: %w", err)
		}
		text, err := io.ReadAll(in)
		if err = errors.Join(err, in.Close()); err == nil {
			err = whole.WriteFile(d.path(name), text)
		}
		if err != nil {
			return fmt.Errorf("copy tables: %w", err)
		}
	}
	return nil
}
