package snapshot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"convect/io/h5"
	"convect/kernels"
	"convect/physics"
)

// Kind is the attribute "kind" of the group /convect of a snapshot.
const Kind = "snapshot"

// format is the version of the layout of the file.
const format = 1

// Places in a file.
const (
	vtkGroup  = "/VTKHDF"
	pointData = "/VTKHDF/PointData"
	ownGroup  = "/convect"
	caseText  = "/convect/case"
)

// writeFile writes the file of the present step. The h5.Writer keeps its first failure and returns it from Commit.
func (w *Writer) writeFile(s Source) (Entry, error) {
	geo := newGeometry(s.Grid(), w.options.Scales.Length)
	quantities, err := w.chosen(s.Quantities())
	if err != nil {
		return Entry{}, err
	}
	entry := Entry{Step: s.Step(), Time: s.Time() * w.options.Scales.Time, Name: fileName(s.Step()), geometry: geo}
	file, err := h5.Create(filepath.Join(w.options.Dir, Folder, entry.Name))
	if err != nil {
		return Entry{}, err
	}
	defer file.Abort()
	writeVTK(file, geo)
	for _, q := range quantities {
		if err := w.writeField(file, s, geo, q); err != nil {
			return Entry{}, err
		}
		entry.Fields = append(entry.Fields, Field{Name: q.Name, Components: q.Components, Double: w.options.Precision == kernels.Float64})
	}
	slices.SortFunc(entry.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	w.writeHeader(file, s, geo, entry)
	return entry, file.Commit()
}

// chosen returns the quantities that the case asks for.
func (w *Writer) chosen(all []physics.Quantity) ([]physics.Quantity, error) {
	if len(w.options.Fields) == 0 {
		return all, nil
	}
	var chosen []physics.Quantity
	for _, name := range w.options.Fields {
		n := len(chosen)
		for _, q := range all {
			if q.Name == name {
				chosen = append(chosen, q)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("there is no field %q", name)
		}
	}
	return chosen, nil
}

// writeVTK writes what makes a file VTKHDF ImageData 1.0. ParaView 5.11 wants every one of these attributes. Where the
// grid is no image, Type tells what to open: the reader refuses the file with "Unknown data set type" and that text,
// where a real type would make it abort.
func writeVTK(file *h5.Writer, geo *geometry) {
	file.Group(pointData)
	file.AttrInt64s(vtkGroup, "Version", []int64{1, 0})
	if !geo.image() {
		reason := "graded"
		if geo.flat() {
			reason = "2-D"
		}
		file.AttrString(vtkGroup, "Type", reason+": open "+XDMFName) // at most 31 bytes
		return
	}
	n, spacing := geo.points, geo.spacing()
	file.AttrString(vtkGroup, "Type", "ImageData")
	file.AttrInt64s(vtkGroup, "WholeExtent", []int64{0, int64(n[0]) - 1, 0, int64(n[1]) - 1, 0, int64(n[2]) - 1})
	file.AttrFloat64s(vtkGroup, "Origin", []float64{0, 0, 0})
	file.AttrFloat64s(vtkGroup, "Spacing", spacing[:])
	file.AttrFloat64s(vtkGroup, "Direction", []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
}

// writeField writes one quantity with its unit and the factor that made it from the nondimensional one.
func (w *Writer) writeField(file *h5.Writer, s Source, geo *geometry, q physics.Quantity) error {
	values, err := s.Download(q.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	if n := q.Components * geo.nodes[0] * geo.nodes[1] * geo.nodes[2]; len(values) != n {
		return fmt.Errorf("%s: %d values for %d nodes of %d components", q.Name, len(values), n/q.Components, q.Components)
	}
	dims := []int{geo.points[2], geo.points[1], geo.points[0]}
	if q.Components > 1 {
		dims = append(dims, q.Components)
	}
	var options []h5.DatasetOption
	if w.options.Compress {
		options = append(options, h5.Compressed)
	}
	path, scale := pointData+"/"+q.Name, q.Scale(w.options.Scales)
	if w.options.Precision == kernels.Float64 {
		file.Float64s(path, dims, place[float64](geo, values, q.Components, scale), options...)
	} else {
		file.Float32s(path, dims, place[float32](geo, values, q.Components, scale), options...)
	}
	file.AttrString(path, "unit", q.Unit(w.options.Scales))
	return file.AttrFloat64(path, "scale", scale)
}

// writeHeader writes the group /convect.
func (w *Writer) writeHeader(file *h5.Writer, s Source, geo *geometry, entry Entry) {
	scales, parameters := &w.options.Scales, s.Parameters()
	file.Group(ownGroup)
	file.AttrString(ownGroup, "kind", Kind)
	file.AttrInt64(ownGroup, "format", format)
	file.AttrString(ownGroup, "version", w.options.Version)
	file.AttrInt64(ownGroup, "step", entry.Step)
	file.AttrFloat64(ownGroup, "time", entry.Time)
	file.AttrString(ownGroup, "time_unit", scales.TimeUnit)
	file.AttrFloat64(ownGroup, "time_scale", scales.Time)
	file.AttrString(ownGroup, "length_unit", scales.LengthUnit)
	file.AttrFloat64(ownGroup, "length_scale", scales.Length)
	file.AttrInt64s(ownGroup, "cells", []int64{int64(geo.cells[0]), int64(geo.cells[1]), int64(geo.cells[2])})
	file.AttrInt64s(ownGroup, "periodic", []int64{truth(geo.periodic[0]), truth(geo.periodic[1]), truth(geo.periodic[2])})
	file.AttrFloat64(ownGroup, "rayleigh", parameters.Rayleigh)
	file.AttrString(ownGroup, "precision", parameters.Precision.String())
	for d, name := range axisNames {
		path := ownGroup + "/" + name
		file.Float64s(path, []int{len(geo.coordinates[d])}, geo.coordinates[d])
		file.AttrString(path, "unit", scales.LengthUnit)
	}
	file.Text(caseText, w.options.Case)
}

// axisNames are the datasets of the coordinates in /convect.
var axisNames = [3]string{"x", "y", "z"}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
