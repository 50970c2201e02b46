package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"convect/io/h5"
	"convect/io/header"
	"convect/io/pieces"
)

// Entry is a snapshot present in a run directory.
type Entry struct {
	Step     int64
	Time     float64 // in the unit of the case
	TimeUnit string
	Name     string  // of the file, in the folder of the snapshots
	Fields   []Field // by name

	geometry *geometry
}

// Field is an array of a snapshot.
type Field struct {
	Name       string
	Components int
	Double     bool // float64 rather than float32
	Cells      bool // a value a cell rather than a point
}

func fileName(step int64) string { return fmt.Sprintf("snap_%06d.hdf", step) }

// Path returns the path of the snapshot of a step in a run directory.
func Path(dir string, step int64) string { return filepath.Join(dir, Folder, fileName(step)) }

// stepOf returns the step in the name of a snapshot.
func stepOf(name string) (int64, bool) {
	match := regexp.MustCompile(`^snap_(\d{6,})\.hdf$`).FindStringSubmatch(name)
	if match == nil {
		return 0, false
	}
	step, err := strconv.ParseInt(match[1], 10, 64)
	return step, err == nil && fileName(step) == name
}

func isSnapshot(name string) bool {
	_, ok := stepOf(name)
	return ok
}

// List returns the snapshots of a run directory up to a step, by step, from the headers of their files, and what is wrong with
// the files that cannot be used. A directory without snapshots has none. Files that are not small are read by child processes (package h5), so a
// process lists before it takes much memory, not after. Where the system does not let a file be read nothing is known to be wrong with it, and that is an
// error: a list without it would leave it out of the sidecars for good.
func List(dir string, last int64) (entries []Entry, skipped []error, err error) {
	files, err := os.ReadDir(filepath.Join(dir, Folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("list snapshots: %w", err)
	}
	for _, f := range files {
		step, ok := stepOf(f.Name())
		if !ok || step > last {
			continue
		}
		entry, err := readEntry(filepath.Join(dir, Folder, f.Name()))
		if err == nil && entry.Step != step {
			err = fmt.Errorf("%s: it holds step %d", f.Name(), entry.Step)
		}
		var refused syscall.Errno
		switch {
		case errors.As(err, &refused) && refused != syscall.ENOENT:
			return nil, nil, fmt.Errorf("%w; the snapshot may be whole: make it readable, or move it out of %s", err, filepath.Join(dir, Folder))
		case err != nil:
			skipped = append(skipped, err)
			continue
		}
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return int(a.Step - b.Step) })
	return entries, skipped, nil
}

// Steps returns the steps of the snapshots of a run directory by the names of the files, in order, whether they can be used or not.
func Steps(dir string) ([]int64, error) {
	files, err := os.ReadDir(filepath.Join(dir, Folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	var steps []int64
	for _, f := range files {
		if step, ok := stepOf(f.Name()); ok {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

// readEntry reads the header of a file. It does not read the file as a whole: a file has its name only when it is
// whole, and a run may have many.
func readEntry(path string) (Entry, error) {
	r, err := h5.Open(path, h5.Own)
	if err != nil {
		return Entry{}, err
	}
	defer r.Close()
	h, err := readHeader(r)
	if err != nil {
		return Entry{}, err
	}
	geo, err := readGeometry(r, h)
	if err != nil {
		return Entry{}, err
	}
	entry := Entry{Step: h.Step, Time: h.Time, TimeUnit: h.TimeUnit, Name: filepath.Base(path), geometry: geo}
	entry.Fields, err = readFields(r, geo)
	return entry, err
}

// readHeader reads the header of a file of any of the kinds that this package writes.
func readHeader(r *h5.Reader) (*header.Header, error) {
	kind, err := header.KindOf(r)
	if err != nil {
		return nil, err
	}
	if kind != header.Slice && kind != header.Average {
		kind = header.Snapshot
	}
	return header.Read(r, kind)
}

// readFields lists the arrays of a file and checks their axes.
func readFields(r *h5.Reader, geo *geometry) ([]Field, error) {
	var fields []Field
	err := r.Walk(func(o h5.Object) error {
		name, cells, found := cutFolder(o.Path)
		if !found || o.Kind != h5.Dataset {
			return nil
		}
		f, geo := Field{Name: name, Components: 1, Double: o.Type == "float64", Cells: cells}, geo
		if cells {
			geo = geo.ofCells()
		}
		if len(o.Dims) == 4 {
			f.Components = o.Dims[3]
		}
		if len(o.Dims) < 3 || len(o.Dims) > 4 || (o.Type != "float32" && o.Type != "float64") ||
			[3]int{o.Dims[2], o.Dims[1], o.Dims[0]} != geo.points {
			return fmt.Errorf("%s: %s: %s %v does not fit the grid %v", r.Path(), o.Path, o.Type, o.Dims, geo.points)
		}
		fields = append(fields, f)
		return nil
	})
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return fields, err
}

func cutFolder(path string) (name string, cells, found bool) {
	folder, name := filepath.Split(path)
	return name, folder == cellData+"/", folder == pointData+"/" || folder == cellData+"/"
}

// Cut removes the snapshots later than a step and brings the sidecars up to date, which then name those that [List] has found up
// to that step. With a negative step it removes all. It is called before a run is resumed from the checkpoint of that step.
func Cut(dir string, step int64, kept []Entry) error {
	if err := writeSidecars(dir, kept); err != nil {
		return err
	}
	files, err := os.ReadDir(filepath.Join(dir, Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cut snapshots: %w", err)
	}
	for _, f := range files {
		if later, ok := stepOf(f.Name()); ok && later > step {
			if err := pieces.Remove(filepath.Join(dir, Folder, f.Name())); err != nil {
				return fmt.Errorf("cut snapshots: %w", err)
			}
		}
	}
	return nil
}
