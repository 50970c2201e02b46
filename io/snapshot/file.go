package snapshot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"convect/io/h5"
	"convect/io/header"
	"convect/kernels"
	"convect/physics"
)

// Places in a file.
const (
	vtkGroup  = "/VTKHDF"
	pointData = "/VTKHDF/PointData"
	cellData  = "/cells" // ParaView 5.11 refuses CellData
)

// fieldPath returns the place of a field.
func fieldPath(name string, cells bool) string {
	if cells {
		return cellData + "/" + name
	}
	return pointData + "/" + name
}

// writeFile hands the file of a snapshot to the system. What is left is to commit it; after a failure it is gone.
func (w *Writer) writeFile(f *frozen, geo *geometry) (Entry, *h5.Writer, error) {
	entry, file, err := w.compose(f, geo)
	if err != nil {
		return Entry{}, nil, err
	}
	if err := file.Finish(); err != nil { // the first failure of all
		file.Abort()
		return Entry{}, nil, err
	}
	return entry, file, nil
}

// compose writes all of a file but the values of what has been kept, which have their places.
func (w *Writer) compose(f *frozen, geo *geometry) (Entry, *h5.Writer, error) {
	h := header.New(w.options.Kind, f, w.options.Scales)
	h.Version, h.Case = w.options.Version, w.options.Case
	entry := Entry{Step: h.Step, Time: h.Time, TimeUnit: h.TimeUnit, Name: fileName(h.Step), geometry: geo}
	file, err := h5.Create(filepath.Join(w.options.Dir, Folder, entry.Name))
	if err != nil {
		return Entry{}, nil, err
	}
	writeVTK(file, geo)
	for n, q := range f.quantities {
		if f.kept != nil && f.kept[n].copies != nil {
			w.placeField(file, &f.kept[n], geo, q, f.grid.Box)
		} else {
			w.writeField(file, &f.arrays[n], geo, q)
		}
		entry.Fields = append(entry.Fields, Field{Name: q.Name, Components: q.Components, Double: w.options.Precision == kernels.Float64, Cells: q.Cells})
	}
	slices.SortFunc(entry.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	h.Write(file)
	geo.write(file, h.LengthUnit)
	w.writeNames(file, f, geo, h)
	if f.window != nil {
		file.AttrFloat64(timePath, "averaged_from", f.window[0]*w.options.Scales.Time)
		file.AttrFloat64(timePath, "averaged_to", f.window[1]*w.options.Scales.Time)
	}
	return entry, file, nil
}

// chosen returns the quantities that the case asks for.
func (w *Writer) chosen(all []physics.Quantity) ([]physics.Quantity, error) {
	if len(w.options.Fields) == 0 {
		return slices.DeleteFunc(slices.Clone(all), func(q physics.Quantity) bool { return q.Extra }), nil
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

// array is a quantity as it is written, in one of two precisions.
type array struct {
	single []float32
	double []float64
}

// arrange makes the arrays of the file from the values, once these are on the host.
func (w *Writer) arrange(f *frozen, geo *geometry) error {
	defer f.release()
	for n, q := range f.quantities {
		components, err := f.values[n].Values()
		if err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		scale, to, geo := q.Scale(w.options.Scales), &f.arrays[n], geo
		if q.Cells {
			geo = geo.ofCells()
		}
		if w.options.Precision == kernels.Float64 {
			to.double = place(geo, to.double, components, scale)
		} else {
			to.single = place(geo, to.single, components, scale)
		}
	}
	return nil
}

// writeField writes one quantity with its unit and the factor that made it from the nondimensional one.
func (w *Writer) writeField(file *h5.Writer, a *array, geo *geometry, q physics.Quantity) error {
	if q.Cells {
		geo = geo.ofCells()
	}
	dims := geo.dims(q.Components)
	var options []h5.DatasetOption
	if w.options.Compress {
		options = append(options, h5.Compressed)
	}
	path := fieldPath(q.Name, q.Cells)
	if w.options.Precision == kernels.Float64 {
		file.Float64s(path, dims, a.double, options...)
	} else {
		file.Float32s(path, dims, a.single, options...)
	}
	return w.describeField(file, path, q)
}

// describeField writes the unit of a quantity, and the factor.
func (w *Writer) describeField(file *h5.Writer, path string, q physics.Quantity) error {
	file.AttrString(path, "unit", q.Unit(w.options.Scales))
	return file.AttrFloat64(path, "scale", q.Scale(w.options.Scales))
}
