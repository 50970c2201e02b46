package sampling

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"convect/io/snapshot"
	"convect/io/whole"
)

// Folders of a run directory.
const (
	SlicesFolder   = "slices"
	AveragesFolder = "averages"
)

// Present are the files that are there of slices and averages, by folder (slices/NAME).
type Present map[string][]snapshot.Entry

// writer prepares the folder of a slice or an average and returns what writes into it.
func (o *Options) writer(kind, folder, name string, place [3]float64, fields []string) (*snapshot.Writer, error) {
	key := filepath.Join(folder, name)
	dir := filepath.Join(o.Dir, key)
	for _, d := range []string{filepath.Join(o.Dir, folder), dir} {
		if err := whole.MakeDir(d); err != nil {
			return nil, err
		}
	}
	return snapshot.New(snapshot.Options{Dir: dir, Kind: kind, Place: place, Fields: fields, Precision: o.Precision, Compress: o.Compress,
		Scales: o.Scales, Case: o.Case, Version: o.Version, Present: o.Present[key]})
}

// folders lists the folders of slices and averages of a run directory, as slices/NAME.
func folders(dir string) (all []string, err error) {
	for _, folder := range []string{SlicesFolder, AveragesFolder} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() {
				all = append(all, filepath.Join(folder, e.Name()))
			}
		}
	}
	return all, nil
}

// List returns the slices and averages of a run directory up to a step, and what is wrong with those that cannot be used.
func List(dir string, last int64) (present Present, skipped []error, err error) {
	all, err := folders(dir)
	if err != nil {
		return nil, nil, err
	}
	present = Present{}
	for _, folder := range all {
		entries, wrong, err := snapshot.List(filepath.Join(dir, folder), last)
		if err != nil {
			return nil, nil, err
		}
		present[folder], skipped = entries, append(skipped, wrong...)
	}
	return present, skipped, nil
}

// Cut removes the slices and averages later than a step; with a negative step all of them and their folders. Their sidecars then name those that List has found up to that step.
func Cut(dir string, step int64, kept Present) error {
	all, err := folders(dir)
	if err != nil {
		return err
	}
	for _, folder := range all {
		path := filepath.Join(dir, folder)
		if err := snapshot.Cut(path, step, kept[folder]); err != nil {
			return err
		}
		if step < 0 { // what others have put there stays, and the folders with it
			os.Remove(filepath.Join(path, snapshot.Folder))
			os.Remove(path)
			os.Remove(filepath.Dir(path))
		}
	}
	return nil
}
