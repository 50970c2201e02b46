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
	"convect/io/pieces"
	"convect/io/whole"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// Names in a run directory.
const (
	Folder     = "snapshots"
	XDMFName   = "snapshots.xmf"
	SeriesName = "snapshots.hdf.series"
)

// Options define what a Writer writes.
type Options struct {
	Dir       string         // run directory, or a folder of slices or averages in it; it exists
	Kind      string         // of header; "": snapshot
	Place     [3]float64     // of the axes that the grid lacks, nondimensional
	Fields    []string       // quantities of the simulation; none: all
	Precision kernels.Elem   // of the fields in the files; the zero value is float32
	Compress  bool           // shuffle and deflate
	Scheduled bool           // those alone that a schedule asks for, none on top at the start and the end of a run
	Scales    physics.Scales // units of the case; the zero value: nondimensional
	Case      string         // text of the case as run
	Version   string         // of the program
	Present   []Entry        // that [List] has found: the sidecars name them too
	// Pieces lets all processes of a run write what they have of the fields, where these are shared out and not compressed, of a Source that is a *physics.Simulation;
	// nil: this one writes all.
	Pieces *pieces.Lead
}

// Source is what a snapshot is made of. *physics.Simulation is one.
type Source interface {
	header.Source
	Quantities() []physics.Quantity
	Freeze(name string, into *physics.Frozen) error
}

// Windowed is a Source of means over a window of time.
type Windowed interface {
	Window() (from, to float64) // nondimensional
}

// Writer writes a snapshot at every output event. It is a physics.Observer. The files are written beside the steps that follow: while one is
// forced to disk the next is handed to the system, and the one after that arranged. Wait waits for all of them, and so does the event that
// ends a run.
type Writer struct {
	options Options
	entries []Entry
	named   int // how many of them the sidecars name

	rooms  [2]frozen // one is rearranged, or filled, while the other is written
	filled int       // which was filled last
	under  []*task   // under way, by step
}

// New prepares the snapshots of a run directory: it creates the folder and removes what a killed run left half written. It fails
// where the directory cannot be written.
func New(o Options) (*Writer, error) {
	if o.Kind == "" {
		o.Kind = header.Snapshot
	}
	if o.Scales == (physics.Scales{}) {
		o.Scales = physics.Nondimensional()
	}
	folder := filepath.Join(o.Dir, Folder)
	if err := whole.MakeDir(folder); err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	if err := removeTemporaries(o.Dir); err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	return &Writer{options: o, entries: slices.Clone(o.Present), named: len(o.Present)}, nil
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
	return pieces.RemoveOrphans(filepath.Join(dir, Folder), isSnapshot)
}

// frozen is what a snapshot is made of, on the host or on its way there.
type frozen struct {
	step       int64
	time       float64
	grid       *stencil.Grid
	parameters physics.Parameters
	quantities []physics.Quantity
	values     []physics.Frozen // of each quantity
	arrays     []array          // these as they are written
	window     *[2]float64      // of time that they are means over; nil: none
	kept       []kept           // of each quantity, where all processes write; nil: they do not

	task *task // that writes it, or has; nil: none yet
}

func (f *frozen) Step() int64                    { return f.step }
func (f *frozen) Time() float64                  { return f.time }
func (f *frozen) Grid() *stencil.Grid            { return f.grid }
func (f *frozen) Parameters() physics.Parameters { return f.parameters }

// freeze takes copies of what a snapshot of the present step needs, into the room of the one before the last, which is written: pages
// that the system has given before are several times as fast to write to as new ones.
func (w *Writer) freeze(s Source) (*frozen, error) {
	f := &w.rooms[1-w.filled]
	quantities, err := w.chosen(s.Quantities())
	if err != nil {
		return nil, err
	}
	n := len(quantities)
	*f = frozen{step: s.Step(), time: s.Time(), grid: s.Grid(), parameters: s.Parameters(), quantities: quantities,
		values: slices.Grow(f.values[:0], n)[:n], arrays: slices.Grow(f.arrays[:0], n)[:n]}
	if means, ok := s.(Windowed); ok {
		from, to := means.Window()
		f.window = &[2]float64{from, to}
	}
	for i, q := range quantities {
		if err := s.Freeze(q.Name, &f.values[i]); err != nil {
			f.release()
			return nil, fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	w.filled = 1 - w.filled
	return f, nil
}

// release lets the room of the values be used again.
func (f *frozen) release() {
	for n := range f.values {
		f.values[n].Release()
	}
}

// Entries returns the snapshots present, by step, once the last is written.
func (w *Writer) Entries() []Entry { return slices.Clone(w.entries) }

// Observe has a snapshot written where output is due, and at the start of a run the sidecars of the snapshots present. A failure to
// write shows at one of the four outputs that follow, in Wait, or at the end of the run.
func (w *Writer) Observe(s *physics.Simulation, e physics.Event) error { return w.observe(s, e) }

func (w *Writer) observe(s Source, e physics.Event) error {
	w.settle(false)
	switch {
	case e.Output && !(e.OnTop && w.options.Scheduled):
		if err := w.begin(s); err != nil || !e.End {
			return err
		}
		return w.Wait()
	case e.End:
		return w.Wait()
	case e.Start:
		return w.Renew()
	}
	return nil
}

// Begin has the snapshot of the present step written beside the steps that follow, and then the sidecars. A failure to write shows in one of the four calls that
// follow, or in Wait.
func (w *Writer) Begin(s Source) error { return w.begin(s) }

// SetCase makes text the case of the snapshots that follow, once those under way are written.
func (w *Writer) SetCase(text string) error {
	err := w.Wait()
	w.options.Case = text
	return err
}

// Write writes the snapshot of the present step, replacing one of that step, and then the sidecars. A failure
// leaves the earlier snapshots and their sidecars as they were.
func (w *Writer) Write(s Source) error {
	if err := w.begin(s); err != nil {
		return err
	}
	return w.Wait()
}
