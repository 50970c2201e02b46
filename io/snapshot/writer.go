package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"convect/io/header"
	"convect/io/whole"
	"convect/kernels"
	"convect/physics"
)

// Names in a run directory.
const (
	Folder     = "snapshots"
	XDMFName   = "snapshots.xmf"
	SeriesName = "snapshots.hdf.series"
)

// Options define what a Writer writes.
type Options struct {
	Dir       string         // run directory; it exists
	Fields    []string       // quantities of the simulation; none: all
	Precision kernels.Elem   // of the fields in the files; the zero value is float32
	Compress  bool           // shuffle and deflate
	Scales    physics.Scales // units of the case; the zero value: nondimensional
	Case      string         // text of the case as run
	Version   string         // of the program
}

// Source is what a snapshot is made of. *physics.Simulation is one.
type Source interface {
	header.Source
	Quantities() []physics.Quantity
	Download(name string) ([]float64, error) // [z][y][x][component], nondimensional, periodic planes once
}

// Writer writes a snapshot at every output event. It is a physics.Observer.
type Writer struct {
	options Options
	entries []Entry
	skipped []error
}

// New prepares the snapshots of a run directory: it creates the folder, removes what a killed run left half written
// and lists the snapshots that are there, which a new sidecar will name too. It fails where the directory cannot
// be written.
func New(o Options) (*Writer, error) {
	if o.Scales == (physics.Scales{}) {
		o.Scales = physics.Nondimensional()
	}
	folder := filepath.Join(o.Dir, Folder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	if err := removeTemporaries(o.Dir); err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	entries, skipped, err := List(o.Dir)
	if err != nil {
		return nil, err
	}
	return &Writer{options: o, entries: entries, skipped: skipped}, nil
}

// removeTemporaries removes the files that a killed run left half written.
func removeTemporaries(dir string) error {
	files, err := os.ReadDir(filepath.Join(dir, Folder))
	if err != nil {
		return err
	}
	names := []string{XDMFName + whole.TemporarySuffix, SeriesName + whole.TemporarySuffix}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), whole.TemporarySuffix); ok && isSnapshot(name) {
			names = append(names, filepath.Join(Folder, f.Name()))
		}
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Skipped returns why snapshots found by New are left out of the sidecars: damaged or foreign files.
func (w *Writer) Skipped() []error { return w.skipped }

// Entries returns the snapshots present, by step.
func (w *Writer) Entries() []Entry { return slices.Clone(w.entries) }

// Observe writes a snapshot where output is due, and at the start of a run the sidecars of the snapshots present.
func (w *Writer) Observe(s *physics.Simulation, e physics.Event) error { return w.observe(s, e) }

func (w *Writer) observe(s Source, e physics.Event) error {
	switch {
	case e.Output:
		return w.Write(s)
	case e.Start:
		return writeSidecars(w.options.Dir, w.entries)
	}
	return nil
}

// Write writes the snapshot of the present step, replacing one of that step, and then the sidecars. A failure
// leaves the earlier snapshots and their sidecars as they were.
func (w *Writer) Write(s Source) error {
	entry, err := w.writeFile(s)
	if err != nil {
		return fmt.Errorf("snapshot of step %d: %w", s.Step(), err)
	}
	at, found := slices.BinarySearchFunc(w.entries, entry.Step, func(e Entry, step int64) int { return int(e.Step - step) })
	if found {
		w.entries[at] = entry
	} else {
		w.entries = slices.Insert(w.entries, at, entry)
	}
	return writeSidecars(w.options.Dir, w.entries)
}
