package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/io/header"
	"convect/io/series"
	"convect/io/snapshot"
	"convect/io/vtk"
	"convect/io/whole"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// exportOptions are the options of export.
type exportOptions struct {
	out, time, slice string
	step             int64
	fields           []string
}

func exportCommand() *command {
	o, f := &exportOptions{}, newFlags("export")
	f.StringVarP(&o.out, "output", "o", "", "file to write; its ending says what: .nc, .vti, .vtr, .csv")
	f.StringSliceVar(&o.fields, "fields", nil, "fields to write, as temperature,velocity (default: all of the snapshot)")
	f.StringVar(&o.time, "time", "", "the snapshot nearest to this time, as 0.5 or '300 d', in place of the last one")
	f.Int64Var(&o.step, "step", -1, "the snapshot of this step, in place of the last one")
	f.StringVar(&o.slice, "slice", "", "a plane alone, as z=0.5; values are linear between nodes")
	return &command{
		name: "export", arguments: "DIR|FILE", summary: "write results for other programs", least: 1, most: 1, flags: f,
		text: `Writes results of a run for other programs. DIR is a run directory, or the folder of a slice or an average in it; FILE
is one snapshot. The ending of the file to write says what it holds:

  .nc    the tables of a run directory: series.csv, profiles.csv and probes, as NetCDF-4 (CF)
  .vti   the fields of a snapshot for VTK, on equal widths
  .vtr   the same on any grid
  .csv   the same as a table: a row a point, with its coordinates

Snapshots themselves open in ParaView and xarray as they are. A file that is there already is replaced.`,
		examples: []string{
			"convect export cube.out -o cube.nc",
			"convect export cube.out --time 0.05 --slice y=0.5 --fields temperature -o middle.csv",
			"convect export cube.out/snapshots/snap_000000.hdf -o start.vti",
		},
		exits: []int{exitDone, exitFailed, exitUsage},
		run:   func(e *environment, args []string) error { return o.export(e, args[0]) },
	}
}

// export writes what the ending of the file asks for.
func (o *exportOptions) export(e *environment, from string) error {
	ending := strings.ToLower(filepath.Ext(o.out))
	info, err := os.Stat(from)
	switch {
	case o.out == "":
		return usage("-o FILE is missing; its ending says what to write: .nc, .vti, .vtr, .csv")
	case !slices.Contains([]string{".nc", ".vti", ".vtr", ".csv"}, ending):
		return usage("-o %s: accepted are names that end in .nc, .vti, .vtr, .csv", o.out)
	case o.time != "" && o.step >= 0:
		return usage("--time and --step exclude each other")
	case errors.Is(err, fs.ErrNotExist):
		return usage("there is no %s", from)
	case err != nil:
		return usage("%v", err)
	case !info.IsDir() && (o.time != "" || o.step >= 0):
		return usage("--time and --step choose among the snapshots of a directory; %s is a file", from)
	case ending == ".nc":
		return o.exportTables(e, from, info.IsDir())
	}
	path := from
	if info.IsDir() {
		if path, err = o.choose(from); err != nil {
			return err
		}
	}
	s, err := snapshot.ReadAny(path, o.fields...)
	if err != nil {
		return err
	}
	if o.slice != "" {
		if err := cutSnapshot(s, o.slice); err != nil {
			return err
		}
	}
	if err := exportFields(o.out, ending, s); err != nil {
		return err
	}
	var names, left []string
	for _, f := range s.Fields {
		if f.Cells && ending == ".csv" {
			left = append(left, f.Name)
		} else {
			names = append(names, f.Name)
		}
	}
	note := ""
	if len(left) > 0 {
		note = fmt.Sprintf("; without %s, of cells: a .vti or .vtr holds them", strings.Join(left, ", "))
	}
	_, err = fmt.Fprintf(e.out, "%s: %s of %s, step %d, t = %s%s\n", o.out, strings.Join(names, ", "), path, s.Step, timeText(s.Header), note)
	return err
}

// exportTables writes the tables of a run directory.
func (o *exportOptions) exportTables(e *environment, dir string, isDir bool) error {
	switch {
	case !isDir:
		return usage("%s: a snapshot is a NetCDF-4 file as it is; a .nc is made of the tables of a run directory", dir)
	case o.time != "" || o.step >= 0 || o.slice != "" || o.fields != nil:
		return usage("a .nc has all rows and columns of the tables; --time, --step, --slice and --fields are of fields")
	}
	if _, err := os.Stat(filepath.Join(dir, series.SeriesName)); errors.Is(err, fs.ErrNotExist) {
		return usage("%s has no %s: it is no run directory", dir, series.SeriesName)
	}
	if err := series.WriteNetCDF(o.out, dir, titleOf(directory(dir)), e.version); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.out, "%s: the tables of %s\n", o.out, dir)
	return err
}

// titleOf is the title of the case in a run directory, or the directory's name.
func titleOf(d directory) string {
	for _, name := range []string{ownCaseName, caseName} {
		if text, err := os.ReadFile(d.path(name)); err == nil {
			if c, err := casefile.Parse(d.path(name), text, nil); err == nil {
				return c.Title
			}
		}
	}
	return filepath.Base(string(d))
}

// choose returns the path of the snapshot that the options ask for.
func (o *exportOptions) choose(dir string) (string, error) {
	steps, err := snapshot.Steps(dir)
	if err != nil {
		return "", err
	}
	if len(steps) == 0 {
		return "", usage("%s holds no snapshots", dir)
	}
	step := steps[len(steps)-1]
	switch {
	case o.step >= 0:
		if step = o.step; !slices.Contains(steps, step) {
			return "", usage("--step %d: there are snapshots of the steps %v", step, steps)
		}
	case o.time != "":
		if step, err = nearest(dir, o.time); err != nil {
			return "", err
		}
	}
	return snapshot.Path(dir, step), nil
}

// nearest returns the step of the snapshot nearest to a time.
func nearest(dir, text string) (int64, error) {
	entries, _, err := snapshot.List(dir, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	if len(entries) == 0 {
		return 0, fmt.Errorf("%s holds no snapshot that can be read", dir)
	}
	when, err := runTime(text, entries[0].TimeUnit)
	if err != nil {
		return 0, usage("--time %s: %v", text, err)
	}
	best := entries[0]
	for _, e := range entries {
		if math.Abs(e.Time-when) < math.Abs(best.Time-when) {
			best = e
		}
	}
	return best.Step, nil
}

// runTime reads a time in the unit of a run, in SI units with the name of another unit behind it.
func runTime(text, unit string) (float64, error) {
	number, name, _ := strings.Cut(strings.TrimSpace(text), " ")
	when, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, errors.New("accepted is a number, with dimensions also with a unit as 300 d")
	}
	if name = strings.TrimSpace(name); name == "" {
		return when, nil
	}
	for _, u := range physics.TimeUnits() {
		if u.Name == name && unit == "s" {
			return when * u.Seconds, nil
		}
	}
	if unit != "s" {
		return 0, errors.New("the run has no units")
	}
	return 0, fmt.Errorf("%s is not a unit of time", name)
}

// cutSnapshot leaves a plane of a snapshot.
func cutSnapshot(s *snapshot.Snapshot, where string) error {
	name, text, _ := strings.Cut(where, "=")
	axis := strings.Index("xyz", name)
	at, err := strconv.ParseFloat(text, 64)
	if len(name) != 1 || axis < 0 || err != nil {
		return usage("--slice %s: accepted are x=…, y=… and z=… with a number", where)
	}
	x := s.Coordinates[axis]
	first, last := x[0], x[len(x)-1]
	switch slack := 1e-12 * (last - first); {
	case len(x) == 1:
		return usage("--slice %s: there is one point along %s, at %g", where, name, first)
	case !(at >= first-slack && at <= last+slack):
		return usage("--slice %s: accepted are values from %g to %g", where, first, last)
	}
	low := 0
	for low+2 < len(x) && x[low+1] <= at {
		low++
	}
	part := math.Min(math.Max((at-x[low])/(x[low+1]-x[low]), 0), 1)
	for i := range s.Fields {
		f := &s.Fields[i]
		inner, outer, less := f.Components, 1, 0
		if f.Cells {
			less = 1
		}
		for d, c := range s.Coordinates {
			switch {
			case d < axis:
				inner *= max(len(c)-less, 1)
			case d > axis:
				outer *= max(len(c)-less, 1)
			}
		}
		values := make([]float64, 0, inner*outer)
		for o := range outer {
			a := f.Values[(o*(len(x)-less)+low)*inner:][:inner]
			if f.Cells { // those that the plane passes through
				values = append(values, a...)
				continue
			}
			b := f.Values[(o*len(x)+low+1)*inner:][:inner]
			for n := range a {
				values = append(values, between(a[n], b[n], part))
			}
		}
		f.Values = values
	}
	s.Coordinates[axis] = []float64{at}
	return nil
}

// between is a value between two, to the bit one of them at their places.
func between(a, b, part float64) float64 {
	switch part {
	case 0:
		return a
	case 1:
		return b
	}
	return (1-part)*a + part*b
}

// exportFields writes the fields of a snapshot.
func exportFields(path, ending string, s *snapshot.Snapshot) error {
	if ending == ".csv" {
		points := *s
		points.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(f snapshot.Array) bool { return f.Cells })
		if len(points.Fields) == 0 && len(s.Fields) > 0 {
			return usage("-o %s: a table has a row a point, and these fields are of cells; a .vti or .vtr holds them", path)
		}
		return whole.Write(path, func(w io.Writer) error { return writePoints(w, &points) })
	}
	d := &vtk.Data{Coordinates: s.Coordinates, Time: s.Time}
	for _, f := range s.Fields {
		d.Arrays = append(d.Arrays, vtk.Array{Name: f.Name, Components: f.Components, Double: f.Double, Cells: f.Cells, Values: f.Values})
	}
	if ending == ".vtr" {
		return d.WriteRectilinear(path)
	}
	return d.WriteImage(path)
}

// writePoints writes a table with a row a point, in the order of the arrays, x fastest. Numbers read back to the bits that the file holds.
func writePoints(to io.Writer, s *snapshot.Snapshot) error {
	w := bufio.NewWriterSize(to, 1<<16)
	isFlat := s.Kind == header.Snapshot && s.Cells[kernels.Y] == 0
	var names, units []string
	for d := range 3 {
		if d != kernels.Y || !isFlat {
			names, units = append(names, stencil.AxisName(d)), append(units, s.LengthUnit)
		}
	}
	has := func(f *snapshot.Array, component int) bool {
		return f.Components == 1 || !isFlat || component != kernels.Y
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		for c := range f.Components {
			if !has(f, c) {
				continue
			}
			name := f.Name
			if f.Components > 1 {
				name += "_" + stencil.AxisName(c)
			}
			names, units = append(names, name), append(units, f.Unit)
		}
	}
	fmt.Fprintf(w, "%s\n#%s\n", strings.Join(names, ","), strings.Join(units, ","))
	var line []byte
	point := 0
	for _, z := range s.Coordinates[2] {
		for _, y := range s.Coordinates[1] {
			for _, x := range s.Coordinates[0] {
				line = line[:0]
				for d, v := range [3]float64{x, y, z} {
					if d != kernels.Y || !isFlat {
						line = append(strconv.AppendFloat(line, v, 'g', -1, 64), ',')
					}
				}
				for i := range s.Fields {
					f := &s.Fields[i]
					for c, v := range f.Values[point*f.Components:][:f.Components] {
						bits := 64
						if !f.Double && float64(float32(v)) == v {
							bits = 32
						}
						if has(f, c) {
							line = append(strconv.AppendFloat(line, v, 'g', -1, bits), ',')
						}
					}
				}
				line[len(line)-1] = '\n'
				if _, err := w.Write(line); err != nil {
					return err
				}
				point++
			}
		}
	}
	return w.Flush()
}
