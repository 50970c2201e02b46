package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/cmd/convect/figure"
	"convect/io/snapshot"
	"convect/physics"
)

// shot is a snapshot with its case.
type shot struct {
	*snapshot.Snapshot
	fields *fields
	c      *casefile.Case // of its grid and wells; nil: not known
	name   string         // of the run
	dir    directory
}

// readShot reads a snapshot.
func readShot(path string) (*shot, error) {
	s, err := snapshot.Read(path)
	if err != nil {
		return nil, err
	}
	out := &shot{Snapshot: s, fields: fieldsOf(s)}
	if c, err := casefile.ParseGrid(path, s.Header); err == nil {
		out.c = c
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	out.dir = directory(filepath.Dir(filepath.Dir(absolute)))
	out.name = runName(string(out.dir))
	return out, nil
}

// runName is what a run directory is called in pictures.
func runName(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return strings.TrimSuffix(filepath.Base(dir), ".out")
}

// title is that of a picture of the snapshot.
func (s *shot) title() string {
	name := s.name
	if s.c != nil {
		name = s.c.Title
	}
	return name + "\n" + figure.Typeset(fmt.Sprintf("Ra = %.4g,  t = %s", s.Rayleigh, physics.TimeText(s.Time, s.TimeUnit, 4)))
}

// snapshotPaths lists the snapshots of a run directory by time, or the file that is given.
func snapshotPaths(path string) (paths []string, times []float64, err error) {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return nil, nil, usage("there is no %s", path)
	}
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return []string{path}, []float64{math.NaN()}, nil
	}
	entries, skipped, err := snapshot.List(path, math.MaxInt64)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		paths, times = append(paths, filepath.Join(path, snapshot.Folder, e.Name)), append(times, e.Time)
	}
	if len(paths) == 0 && len(skipped) > 0 {
		return nil, nil, skipped[0]
	}
	if len(paths) == 0 {
		return nil, nil, usage("%s holds no snapshots", path)
	}
	return paths, times, nil
}

// timeIn reads a time in the unit of a case, or with a unit of its own.
func timeIn(text, unit string) (float64, error) {
	number, own, _ := strings.Cut(strings.TrimSpace(text), " ")
	t, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, usage("--time %s: accepted: a number, in the unit of the case or as '100 yr'", text)
	}
	if own == "" {
		return t, nil
	}
	for _, u := range physics.TimeUnits() {
		if u.Name == strings.TrimSpace(own) && unit == "s" {
			return t * u.Seconds, nil
		}
	}
	return 0, usage("--time %s: accepted with a case in SI units are the units s, min, h, d and yr, and none with another case", text)
}

// choose returns the snapshot of a run that is asked for.
func (o *plotOptions) choose(path string) (*shot, error) {
	paths, times, err := snapshotPaths(path)
	if err != nil {
		return nil, err
	}
	at := len(paths) - 1
	switch {
	case math.IsNaN(times[at]) && (o.time != "" || o.step >= 0):
		return nil, usage("--time and --step choose among the snapshots of a directory; %s is a file", path)
	case o.step >= 0:
		name := fmt.Sprintf("snap_%06d.hdf", o.step)
		if at = slices.IndexFunc(paths, func(p string) bool { return filepath.Base(p) == name }); at < 0 {
			return nil, usage("%s has no snapshot of step %d", path, o.step)
		}
	case o.time != "":
		last, err := readShot(paths[at])
		if err != nil {
			return nil, err
		}
		t, err := timeIn(o.time, last.TimeUnit)
		if err != nil {
			return nil, err
		}
		for i, own := range times {
			if math.Abs(own-t) < math.Abs(times[at]-t) {
				at = i
			}
		}
	}
	return readShot(paths[at])
}

// field returns the name of the field that is asked for.
func (s *shot) field(name string) string {
	if name == "" && len(s.fields.names) > 0 {
		for _, first := range s.scalarNames() {
			if slices.Contains(s.fields.names, first) {
				return first
			}
		}
		return s.fields.names[0]
	}
	return name
}

// scalarNames are those that pictures show first.
func (s *shot) scalarNames() []string { return casefile.ScalarsOf([]byte(s.Case)) }
