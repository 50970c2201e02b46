package series

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"convect/io/h5"
)

// WriteNetCDF writes the tables of a run directory as one NetCDF-4 file with the conventions for climate and forecast metadata. Columns of series.csv have the dimension
// time; those of profiles.csv are called profile_… and have the dimensions profile_time and z; those of the probe NAME are called probe_NAME_… and have the dimension
// probe_NAME_time. What is empty in a table is NaN. version is that of the program, title that of the case. It fails where a table cannot be read, or the file not be written.
func WriteNetCDF(path, dir, title, version string) error {
	file, err := h5.Create(path)
	if err != nil {
		return err
	}
	defer file.Abort()
	n := &netcdf{file: file, from: dir}
	file.AttrString("/", "Conventions", "CF-1.10")
	file.AttrString("/", "title", title)
	file.AttrString("/", "source", "convect "+version)
	if err := n.series(); err != nil {
		return err
	}
	if err := n.profiles(); err != nil {
		return err
	}
	probes, err := ProbeTables(dir)
	if err != nil {
		return err
	}
	for _, probe := range probes {
		t, err := Read(filepath.Join(dir, probe))
		if err != nil {
			return err
		}
		n.table(t, "probe_"+strings.TrimSuffix(filepath.Base(probe), ".csv")+"_")
	}
	return file.Commit()
}

// netcdf is a file that is being written.
type netcdf struct {
	file *h5.Writer
	from string
}

// scale writes a coordinate.
func (n *netcdf) scale(name, unit, meaning string, values []float64) {
	path := "/" + name
	n.file.Float64s(path, []int{len(values)}, values)
	n.file.Scale(path, name)
	n.file.AttrString(path, "units", unit)
	n.file.AttrString(path, "long_name", meaning)
}

// variable writes values that belong to coordinates.
func (n *netcdf) variable(name, unit string, dims []int, values []float64, scales ...string) {
	path := "/" + name
	n.file.Float64s(path, dims, values)
	n.file.AttrString(path, "units", unit)
	n.file.AttrString(path, "long_name", strings.ReplaceAll(name, "_", " "))
	n.file.Attach(path, scales...)
}

// table writes the columns of a table with a row a time.
func (n *netcdf) table(t *Table, prefix string) {
	when := prefix + "time"
	for i, name := range t.Names {
		if name == "time" {
			n.scale(when, t.Units[i], "time", t.Columns[i])
		}
	}
	for i, name := range t.Names {
		if name != "time" {
			n.variable(prefix+name, t.Units[i], []int{t.Rows()}, t.Columns[i], "/"+when)
		}
	}
}

func (n *netcdf) series() error {
	t, err := Read(filepath.Join(n.from, SeriesName))
	if err != nil {
		return err
	}
	n.table(t, "")
	return nil
}

// profiles writes the profiles as fields of time and height.
func (n *netcdf) profiles() error {
	path := filepath.Join(n.from, ProfilesName)
	t, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	steps, times, z := t.Column("step"), t.Column("time"), t.Column("z")
	if steps == nil || times == nil || z == nil {
		return fmt.Errorf("%s: it has no columns step, time and z", path)
	}
	levels := 0
	for levels < len(steps) && steps[levels] == steps[0] {
		levels++
	}
	if levels == 0 {
		return nil
	}
	if len(steps)%levels != 0 {
		return fmt.Errorf("%s: %d rows are no whole number of profiles of %d heights", path, len(steps), levels)
	}
	var when, step []float64
	for row := range steps {
		if row%levels == 0 {
			when, step = append(when, times[row]), append(step, steps[row])
		}
		if z[row] != z[row%levels] || steps[row] != steps[row-row%levels] {
			return fmt.Errorf("%s: row %d does not belong to a profile of %d heights", path, row+1, levels)
		}
	}
	unit := map[string]string{}
	for i, name := range t.Names {
		unit[name] = t.Units[i]
	}
	n.scale("profile_time", unit["time"], "time of the profiles", when)
	n.scale("z", unit["z"], "height above the bottom", z[:levels])
	n.file.AttrString("/z", "axis", "Z")
	n.file.AttrString("/z", "positive", "up")
	n.variable("profile_step", "1", []int{len(step)}, step, "/profile_time")
	for i, name := range t.Names {
		if name != "step" && name != "time" && name != "z" {
			n.variable("profile_"+name, t.Units[i], []int{len(when), levels}, t.Columns[i], "/profile_time", "/z")
		}
	}
	return nil
}
