package casefile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"convect/io/column"
	"convect/io/gridded"
)

// fieldFileKeys are the keys of a section that reads a field from a file.
func fieldFileKeys() []string { return []string{"file", "dataset", "column", "x", "y", "z", "values"} }

// gridFile is a field of the case that is read from a file.
type gridFile struct {
	section value
	file    value
	request gridded.Request
	unit    string // of the values; "" without units
}

// usualNames are the names that a dataset or column of a property has where the case names none.
func usualNames(property string) []string {
	if strings.HasSuffix(property, SoluteDiffusivity) {
		return []string{property, "diffusivity", "D"}
	}
	return map[string][]string{
		"permeability":        {"k", "permeability", "perm", "K"},
		"porosity":            {"porosity", "phi"},
		"heat_capacity_ratio": {"heat_capacity_ratio", "sigma"},
		"viscosity":           {"viscosity", "mu"},
		"diffusivity":         {"diffusivity", "D"},
		"conductivity":        {"conductivity", "thermal_conductivity", "lambda"},
		"heat_source":         {"heat_source", "Q", "q"},
		"temperature":         {"temperature", "T"},
		"concentration":       {"concentration", "S", "C", "c"},
	}[property]
}

// gridFile reads a section that names a file with a field. nil: it is wrong, and reported.
func (c *Case) gridFile(v value, p property) *gridFile {
	s, ok := v.section()
	if !ok {
		return nil
	}
	g := &gridFile{section: v, file: s.get("file"), unit: p.unit}
	switch {
	case !g.file.given():
		g.file.missing("the path of an HDF5 file or of a table of text (CSV)")
		return nil
	case g.file.text() == "":
		g.file.refuse("the path of an HDF5 file or of a table of text (CSV)", "there is no path")
		return nil
	}
	dataset, columnKey := s.get("dataset"), s.get("column")
	if dataset.given() && columnKey.given() {
		columnKey.refuse("dataset (of an HDF5 file) or column (of a table)", "dataset and column exclude each other")
	}
	g.request = gridded.Request{Path: absolute(c.d.dir, g.file.node.text), Dataset: s.name("dataset"), Column: s.name("column"),
		Names: usualNames(p.name), OK: p.limit.ok, Accepted: p.limit.words, Unit: p.unit}
	if p.unit == "" {
		g.request.Unit = "1"
	}
	if c.si {
		g.request.Length = "m"
	}
	for d := range 3 {
		g.request.Coordinates[d] = s.name(axisName(d))
	}
	if values := s.get("values"); values.given() {
		g.request.Values = values.choice([]string{gridded.Points, gridded.Cells})
	}
	c.gridFiles = append(c.gridFiles, g)
	return g
}

// name reads a key that is the name of something in a file; "" where it is not given.
func (s section) name(key string) string {
	v := s.get(key)
	text := v.text()
	if v.given() && v.node.kind == scalar && text == "" {
		v.refuse("a name", "there is no name")
	}
	return text
}

// plain tells a section with nothing but the file.
func (g *gridFile) plain() bool { return len(g.section.node.entries) == 1 }

// target describes the grid of the case in its units.
func (c *Case) target() gridded.Target {
	e := &c.Parameters.Extent
	t := gridded.Target{Periodic: e.Periodic}
	for d, n := range e.Cells {
		if n == 0 {
			continue
		}
		t.Edges[d] = e.Coordinates(d)
		for i := range t.Edges[d] {
			t.Edges[d][i] *= c.Scales.Length
		}
	}
	return t
}

// read reads the field and brings it onto the grid by a map, which fails with an [*gridded.Error]. What is wrong with the case is reported, and
// an error alone that of a file which cannot be read.
func (c *Case) read(g *gridFile, onto func(f *gridded.Field) error) error {
	g.request.Target = c.target()
	f, err := gridded.Read(g.request)
	if err == nil {
		err = onto(f)
	}
	if err == nil {
		c.filesRead = append(c.filesRead, g.describe(f))
		return nil
	}
	return c.blame(g, err)
}

// blame reports what is wrong with a file at the key that names it, or what is in it; a file that is damaged is no fault of the case, and returned.
func (c *Case) blame(g *gridFile, err error) error {
	var fault *gridded.Error
	var table *column.Error
	switch {
	case errors.As(err, &fault):
		s, _ := g.section.section()
		at := g.file
		if fault.Part != gridded.PartFile {
			if key := s.get(fault.Part); key.given() {
				at = key
			}
		}
		at.refuse(fault.Accepted, "%s", fault.Message)
	case errors.As(err, &table):
		g.file.refuse("an HDF5 (NetCDF-4) file, or a table of text (CSV) with the columns x, y, z and the value", "%v", err)
	case errors.Is(err, fs.ErrNotExist):
		g.file.refuse("the path of a file, relative to the folder of the case", "there is no file %s", g.request.Path)
	default:
		return fmt.Errorf("%s: %w", g.file.key, err)
	}
	return nil
}

// FileRead says what was read for a key of the case.
type FileRead struct {
	Key  string
	Text string // file, dataset, sizes, range, and how it got onto the grid
}

// FilesRead tells what Build has read from files that are no snapshot or checkpoint, in the order of reading.
func (c *Case) FilesRead() []FileRead { return c.filesRead }

// describe says what was read.
func (g *gridFile) describe(f *gridded.Field) FileRead {
	low, high := f.Range()
	text := fmt.Sprintf("%s, %s", f, PropertyRange{Unit: g.unit, Low: low, High: high})
	if f.Unit != "" {
		text += fmt.Sprintf(" (in the file: %s)", f.Unit)
	}
	return FileRead{g.section.key, text + "; " + f.How()}
}

// GridFiles tells whether properties or sources are read from files. A trial of the case does without them (see [BuildOptions]).
func (c *Case) GridFiles() bool {
	return slices.ContainsFunc(c.gridFiles, func(g *gridFile) bool { return !c.isStart(g) })
}

// ReadingBytes returns about how much memory reading the files of fields takes at once, and the largest of them; a restart reads none of the
// initial state. Files that cannot be read count nothing: Build says why.
func (c *Case) ReadingBytes(restart bool) (largest File, bytes float64) {
	for _, g := range c.gridFiles {
		if restart && c.isStart(g) {
			continue
		}
		if cost, err := gridded.Cost(g.request); err == nil && cost > bytes {
			largest, bytes = File{g.file.key, g.request.Path}, cost
		}
	}
	return largest, bytes
}

// NodeArrays counts the arrays of values on nodes that a run of the case keeps beside its fields: a source and a start from files.
func (c *Case) NodeArrays() int {
	n := 0
	if c.plan.source.file != nil {
		n++
	}
	for _, of := range c.carried() {
		if of.absent(c) == "" && of.start(c).file != nil {
			n++
		}
	}
	return n
}
