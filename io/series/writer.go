package series

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"convect/io/whole"
	"convect/physics"
)

// Names in a run directory.
const (
	SeriesName   = "series.csv"
	ProfilesName = "profiles.csv"
	SummaryName  = "summary.json"
	ProbesFolder = "probes"
)

// ProbeName is the name of the table of a probe in a run directory.
func ProbeName(name string) string { return filepath.Join(ProbesFolder, name+".csv") }

// UsualHold is the Hold of runs: looks at the files and calls of the system would take a part of a short step, and nobody reads rows faster.
const UsualHold = 50 * time.Millisecond

// Options define what a Writer writes.
type Options struct {
	Dir        string         // run directory; it exists
	Scales     physics.Scales // units of the case; the zero value: nondimensional
	Dimensions int            // of the case, 2 or 3
	// Scalars are what the case transports; nil: the temperature alone.
	Scalars []physics.Transported
	Wells   []Well
	// Probes are the points whose values are tables of their own.
	Probes []Probe
	// Surfaces are what the columns of each surface begin with, by the order of physics.Parameters.Surfaces; nil: there are none.
	Surfaces []string

	// Hold is for how long rows of the series may wait in memory for those of the next steps; 0: each is written at once.
	Hold time.Duration

	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Notice is told in a sentence where a table was removed or changed by somebody else during the run; nil: nobody.
	Notice func(said string)
}

// Well is a well of the case.
type Well struct {
	Name  string
	Holds bool // a pressure
}

// Probe is a point at which fields are measured.
type Probe struct {
	Name           string
	Columns, Units []string
	Due            func(t float64, step int64) bool // beside the start and the end of a run; t is nondimensional
	Values         func() ([]float64, error)        // of the present step, by the columns
}

// setDefaults completes what was left out.
func (o *Options) setDefaults() {
	if o.Scales == (physics.Scales{}) {
		o.Scales = physics.Nondimensional()
	}
	if o.Scalars == nil {
		o.Scalars = (&physics.Parameters{}).Transported()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
}

// formats are the shapes of series.csv, profiles.csv and the tables of probes.
func (o *Options) formats() []shape {
	u := units{o.Scales, o.Dimensions, o.Scalars, o.Wells, o.Surfaces}
	names, symbols := Columns(*o)
	shaped := func(name string, names, symbols []string) shape {
		return shape{filepath.Join(o.Dir, name), strings.Join(names, ",") + "\n#" + strings.Join(symbols, ",") + "\n", name == SeriesName}
	}
	levels, levelSymbols := u.profileColumns()
	all := []shape{shaped(SeriesName, names, symbols), shaped(ProfilesName, levels, levelSymbols)}
	for _, p := range o.Probes {
		names, symbols := append([]string{"step", "time"}, p.Columns...), append([]string{"1", o.Scales.TimeUnit}, p.Units...)
		all = append(all, shaped(ProbeName(p.Name), names, symbols))
	}
	return all
}

// Source is what the tables are made of. *physics.Simulation is one.
type Source interface {
	Step() int64
	Sample() *physics.Sample
	Profiles() (*physics.Profile, error)
}

// Writer appends to the tables of a run. It is a physics.Observer.
type Writer struct {
	units            units
	columns          []column // of the series
	series, profiles *table
	probes           []probe
	held             rowsHeld
	now              func() time.Time
	notice           func(said string)
	start            time.Time
	wallBefore       float64 // wall seconds of the run before this process
	wall             float64 // of the last row
	failed           error
}

// rowsHeld are rows of the series that are not in the file yet.
type rowsHeld struct {
	rows        []byte
	first, last int64 // their steps
	hold        time.Duration
	written     time.Time // when rows were written last
}

// probe is a probe with its table.
type probe struct {
	Probe
	*table
}

// tables lists all tables.
func (w *Writer) tables() []*table {
	all := []*table{w.series, w.profiles}
	for _, p := range w.probes {
		all = append(all, p.table)
	}
	return all
}

// table is an open file of rows in order of steps.
type table struct {
	shape
	file *os.File
	span
	joint int64 // the place behind which the last rows were written: a line ends there, or zeroes if the file was cut while they were written
}

// New opens the tables of a run directory, or creates them with their headers. Rows that are there stay: a run that is
// resumed cuts them first ([Cut]). A torn last line is removed.
func New(o Options) (*Writer, error) {
	if o.Dimensions != 2 && o.Dimensions != 3 {
		return nil, fmt.Errorf("tables of a case of %d dimensions", o.Dimensions)
	}
	o.setDefaults()
	w := &Writer{units: units{o.Scales, o.Dimensions, o.Scalars, o.Wells, o.Surfaces}, now: o.Now, notice: o.Notice, start: o.Now()}
	w.held.hold = o.Hold
	w.columns = w.units.columns()
	formats := o.formats()
	folders := []string{o.Dir}
	if len(o.Probes) > 0 {
		folders = append(folders, filepath.Join(o.Dir, ProbesFolder))
		if err := whole.MakeDir(folders[1]); err != nil {
			return nil, err
		}
	}
	var all []*table
	fail := func(err error) (*Writer, error) {
		for _, t := range all {
			err = errors.Join(err, t.file.Close())
		}
		return nil, err
	}
	for _, f := range formats {
		t, err := open(f)
		if err != nil {
			return fail(err)
		}
		all = append(all, t)
	}
	w.series, w.profiles = all[0], all[1]
	for n, p := range o.Probes {
		w.probes = append(w.probes, probe{p, all[2+n]})
	}
	if w.series.last >= 0 {
		w.wallBefore = w.series.wall
	}
	for _, folder := range folders { // the names of new files
		if err := whole.SyncDir(folder); err != nil {
			return fail(err)
		}
	}
	return w, nil
}

// open opens a table for appending after its last whole row.
func open(s shape) (*table, error) {
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	t := &table{shape: s, file: f}
	if err := t.begin(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

// begin writes the header, or checks it where there is one, and goes to the end of the last whole row.
func (t *table) begin() (err error) {
	if t.span, err = find(t.file, t.path, math.MaxInt64, nil); err != nil {
		return err
	}
	if t.end > 0 {
		err = sameHeader(t.file, t.path, t.header)
	} else {
		t.end = int64(len(t.header))
		_, err = t.file.WriteAt([]byte(t.header), 0)
	}
	if err != nil {
		return err
	}
	if err := t.file.Truncate(t.end); err != nil {
		return err
	}
	_, err = t.file.Seek(t.end, io.SeekStart)
	return err
}

// sameHeader refuses a table that has other columns or units.
func sameHeader(f *os.File, path, header string) error {
	found := make([]byte, len(header))
	if _, err := f.ReadAt(found, 0); err != nil || string(found) != header {
		return fmt.Errorf("%s: it has other columns or units than this run would write", path)
	}
	return nil
}

// Observe appends the row of the step, and at output times the profiles.
func (w *Writer) Observe(s *physics.Simulation, e physics.Event) error { return w.observe(s, e) }

func (w *Writer) observe(s Source, e physics.Event) error {
	if w.failed != nil {
		return w.failed
	}
	w.failed = w.append(s, e)
	return w.failed
}

func (w *Writer) append(s Source, e physics.Event) error {
	step := s.Step()
	if e.Start {
		if err := w.watch(); err != nil {
			return err
		}
		for _, t := range w.tables() {
			if t.last > step {
				return fmt.Errorf("the tables go on to step %d where the run starts at step %d: they must be cut first", t.last, step)
			}
		}
		if !e.Output { // resumed: the row is there, or belongs to another directory
			for _, t := range w.tables() {
				t.last = step
			}
			return nil
		}
	}
	now := w.now()
	if step > w.last() {
		w.wall = w.wallBefore + now.Sub(w.start).Seconds()
		w.hold(step, s.Sample())
	}
	if e.Start || e.End || e.Output || now.Sub(w.held.written) >= w.held.hold {
		if err := w.flush(now); err != nil {
			return err
		}
	}
	for _, p := range w.probes {
		if err := w.appendProbe(p, s, e); err != nil {
			return err
		}
	}
	if !e.Output || step <= w.profiles.last {
		return nil
	}
	p, err := s.Profiles()
	if err != nil {
		return fmt.Errorf("profiles of step %d: %w", step, err)
	}
	var text []byte
	t := s.Sample().Time * w.units.Time
	for level := range p.Z {
		text = format(text, append([]float64{float64(step), t}, w.units.profileRow(p, level)...))
	}
	return w.profiles.append(step, step, text)
}

// last returns the step of the last row, be it in the file or not yet.
func (w *Writer) last() int64 {
	if len(w.held.rows) > 0 {
		return w.held.last
	}
	return w.series.last
}

// hold keeps the row of a step.
func (w *Writer) hold(step int64, s *physics.Sample) {
	h := &w.held
	if len(h.rows) == 0 {
		h.first = step
	}
	h.last = step
	h.rows = format(h.rows, w.row(s))
}

// Flush writes the rows that are held.
func (w *Writer) Flush() error {
	if w.failed == nil {
		w.failed = w.flush(w.now())
	}
	return w.failed
}

// flush looks after the tables, and writes the rows that are held.
func (w *Writer) flush(now time.Time) error {
	h := &w.held
	h.written = now
	if err := w.watch(); err != nil {
		return err
	}
	if len(h.rows) == 0 {
		return nil
	}
	rows := h.rows
	h.rows = rows[:0]
	return w.series.append(h.first, h.last, rows)
}

// appendProbe appends a row to the table of a probe where one is due.
func (w *Writer) appendProbe(p probe, s Source, e physics.Event) error {
	step, t := s.Step(), s.Sample().Time
	if step <= p.last || !(e.Start || e.End || p.Due(t, step)) {
		return nil
	}
	values, err := p.Values()
	if err != nil {
		return fmt.Errorf("probe %s at step %d: %w", p.Name, step, err)
	}
	if err := w.lookAfter(p.table); err != nil {
		return err
	}
	return p.append(step, step, format(nil, append([]float64{float64(step), t * w.units.Time}, values...)))
}

// watch looks after all tables and tells of what others have done to them.
func (w *Writer) watch() error {
	for _, t := range w.tables() {
		if err := w.lookAfter(t); err != nil {
			return err
		}
	}
	return nil
}

// lookAfter looks after a table, as must be done before it gets rows.
func (w *Writer) lookAfter(t *table) error {
	said, err := t.watch()
	if err != nil {
		return fmt.Errorf("put %s back into its place: %w", t.path, err)
	}
	if said != "" {
		w.notice(said)
	}
	return nil
}

// row returns a sample in the order of the columns.
func (w *Writer) row(s *physics.Sample) []float64 {
	var row []float64
	for _, c := range w.columns {
		if c.get == nil {
			row = append(row, w.wall)
			continue
		}
		row = append(row, c.get(s, &w.units))
	}
	return row
}

// append writes rows of the steps from first to last in one call of the system. What a full disk has taken of them is removed.
func (t *table) append(first, last int64, rows []byte) error {
	if _, err := t.file.Write(rows); err != nil {
		return errors.Join(err, t.file.Truncate(t.end))
	}
	t.joint = t.end - 1
	t.end += int64(len(rows))
	t.last = last
	if t.first < 0 {
		t.first = first
	}
	return nil
}

// Sync forces the rows up to a step to disk. It fails if the row of that step is not written yet: the Writer must
// observe a step before a checkpoint of it is made.
func (w *Writer) Sync(step int64) error {
	if w.failed != nil {
		return w.failed
	}
	if w.last() != step {
		return fmt.Errorf("%s ends with step %d where a checkpoint of step %d is due", w.series.path, w.last(), step)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var failures []error
	for _, t := range w.tables() {
		failures = append(failures, t.file.Sync())
	}
	return errors.Join(failures...)
}

// Elapsed returns the number of steps in the table, and the wall time they took, in earlier processes too.
func (w *Writer) Elapsed() (steps int64, seconds float64) {
	first := w.series.first
	if first < 0 && len(w.held.rows) > 0 {
		first = w.held.first
	}
	steps = w.last() - first
	if first > 0 { // without the row of the initial state
		steps++
	}
	return steps, max(w.wall, w.wallBefore)
}

// Close forces the tables to disk and closes them.
func (w *Writer) Close() error {
	var errs []error
	if w.failed != nil { // rows would lie behind a gap
		errs = append(errs, w.watch())
	} else {
		errs = append(errs, w.Flush())
	}
	for _, t := range w.tables() {
		errs = append(errs, t.file.Sync(), t.file.Close())
	}
	return errors.Join(errs...)
}
