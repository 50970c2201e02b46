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
)

// writeFile writes the file of the present step. The h5.Writer keeps its first failure and returns it from Commit.
func (w *Writer) writeFile(f *frozen) (Entry, error) {
	geo := newGeometry(f.Grid(), w.options.Scales.Length)
	h := header.New(header.Snapshot, f, w.options.Scales)
	h.Version, h.Case = w.options.Version, w.options.Case
	entry := Entry{Step: h.Step, Time: h.Time, Name: fileName(h.Step), geometry: geo}
	file, err := h5.Create(filepath.Join(w.options.Dir, Folder, entry.Name))
	if err != nil {
		return Entry{}, err
	}
	defer file.Abort()
	writeVTK(file, geo)
	for n, q := range f.quantities {
		if err := w.writeField(file, &f.values[n], geo, q); err != nil {
			return Entry{}, err
		}
		entry.Fields = append(entry.Fields, Field{Name: q.Name, Components: q.Components, Double: w.options.Precision == kernels.Float64})
	}
	slices.SortFunc(entry.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	h.Write(file)
	geo.write(file, h.LengthUnit)
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
func (w *Writer) writeField(file *h5.Writer, f *physics.Frozen, geo *geometry, q physics.Quantity) error {
	components, err := f.Values()
	if err != nil {
		return fmt.Errorf("%s: %w", q.Name, err)
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
		w.double = place(geo, w.double, components, scale)
		file.Float64s(path, dims, w.double, options...)
	} else {
		w.single = place(geo, w.single, components, scale)
		file.Float32s(path, dims, w.single, options...)
	}
	file.AttrString(path, "unit", q.Unit(w.options.Scales))
	return file.AttrFloat64(path, "scale", scale)
}
