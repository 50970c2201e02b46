package snapshot

import (
	"strings"

	"convect/io/h5"
	"convect/io/header"
)

// What names the axes of the fields at the root of a file.
const (
	timePath      = "/time"
	componentPath = "/component"
)

// writeNames makes a file one that readers of NetCDF-4 open (Conventions for Climate and Forecast metadata): at its root the coordinates as dimension
// scales, the time, and each field under its name, which is a further name of its array among the PointData. Scales elsewhere than at the root, and
// an axis without one, keep such readers from opening the file; ParaView looks at neither.
func (w *Writer) writeNames(file *h5.Writer, f *frozen, geo *geometry, h *header.Header) {
	file.AttrString("/", "Conventions", "CF-1.10")
	file.AttrString("/", "source", "convect "+h.Version)
	for d, x := range geo.coordinates {
		path := "/" + axisNames[d]
		file.Float64s(path, []int{len(x)}, x)
		file.Scale(path, axisNames[d])
		file.AttrString(path, "units", h.LengthUnit)
		file.AttrString(path, "long_name", axisMeanings[d])
		file.AttrString(path, "axis", strings.ToUpper(axisNames[d]))
	}
	file.AttrString("/z", "positive", "up")
	file.Float64s(timePath, nil, []float64{h.Time})
	file.AttrString(timePath, "units", h.TimeUnit)
	file.AttrString(timePath, "long_name", "time")
	vectors, cells := false, false
	for _, q := range f.quantities {
		axes := []string{"/z", "/y", "/x"}
		if q.Cells {
			axes = []string{"/z_cell", "/y_cell", "/x_cell"}
			if !cells {
				writeCentres(file, geo, h.LengthUnit)
			}
			cells = true
		}
		if q.Components > 1 {
			axes = append(axes, componentPath)
		}
		path := fieldPath(q.Name, q.Cells)
		file.AttrString(path, "units", q.Unit(w.options.Scales))
		file.AttrString(path, "long_name", q.Meaning)
		file.AttrString(path, "coordinates", "time")
		if q.Method != "" {
			file.AttrString(path, "cell_methods", q.Method)
		}
		if q.Components > 1 && !vectors {
			vectors = true
			file.Letters(componentPath, "xyz")
			file.AttrString(componentPath, "_Encoding", "utf-8")
			file.AttrString(componentPath, "long_name", "direction of a component")
			file.Scale(componentPath, "component")
		}
		file.Attach(path, axes...)
		file.Link(path, "/"+q.Name)
	}
}

// writeCentres writes the middles of the cells as dimension scales.
func writeCentres(file *h5.Writer, geo *geometry, unit string) {
	for d, x := range geo.coordinates {
		middles := []float64{x[0]}
		for i := 1; i < len(x); i++ {
			middles = append(middles[:i-1], (x[i-1]+x[i])/2)
		}
		name := axisNames[d] + "_cell"
		file.Float64s("/"+name, []int{len(middles)}, middles)
		file.Scale("/"+name, name)
		file.AttrString("/"+name, "units", unit)
		file.AttrString("/"+name, "long_name", "middle of the cells, "+axisMeanings[d])
		file.AttrString("/"+name, "axis", strings.ToUpper(axisNames[d]))
	}
}

// axisMeanings say what coordinates are along an axis.
var axisMeanings = [3]string{"distance from the left wall", "distance from the front wall", "height above the bottom"}

// IsFurtherName tells whether a path in a snapshot is the name at the root of an array that has another one.
func IsFurtherName(r *h5.Reader, path string) bool {
	return strings.Count(path, "/") == 1 && (r.Exists(pointData+path) || r.Exists(cellData+path))
}
