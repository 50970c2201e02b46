package snapshot

import (
	"fmt"
	"slices"

	"convect/io/h5"
	"convect/io/header"
)

// Snapshot is a file read back, everything in the units of the case. Divide by a scale for nondimensional values.
type Snapshot struct {
	*header.Header
	Coordinates [3][]float64 // of the points along x, y, z; the repeated plane of a periodic axis included
	Fields      []Array      // by name
}

// Array is a field of a Snapshot.
type Array struct {
	Field
	Unit   string
	Scale  float64
	Values []float64 // [z][y][x][component], of points or of cells
}

// Read reads a snapshot and verifies it as a whole. fields choose the arrays; none: all. The error names path and
// the reason: [header.ErrForeign], or one of package h5.
func Read(path string, fields ...string) (*Snapshot, error) {
	return read(path, func(r *h5.Reader) (*header.Header, error) { return header.Read(r, header.Snapshot) }, fields)
}

// ReadAny is Read of a snapshot, slice or average.
func ReadAny(path string, fields ...string) (*Snapshot, error) { return read(path, readHeader, fields) }

func read(path string, readHeader func(r *h5.Reader) (*header.Header, error), fields []string) (*Snapshot, error) {
	r, err := h5.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	geo, err := readGeometry(r, h)
	if err != nil {
		return nil, err
	}
	if err := h.ReadCase(r); err != nil {
		return nil, err
	}
	if err := geo.readCoordinates(r); err != nil {
		return nil, err
	}
	s := &Snapshot{Header: h, Coordinates: geo.coordinates}
	present, err := readFields(r, geo)
	if err != nil {
		return nil, err
	}
	for _, name := range fields {
		if !slices.ContainsFunc(present, func(f Field) bool { return f.Name == name }) {
			return nil, fmt.Errorf("%s: there is no field %q", path, name)
		}
	}
	for _, f := range present {
		if len(fields) > 0 && !slices.Contains(fields, f.Name) {
			continue
		}
		array, err := readArray(r, f)
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, array)
	}
	return s, nil
}

func readArray(r *h5.Reader, f Field) (Array, error) {
	a, path := Array{Field: f}, fieldPath(f.Name, f.Cells)
	var err error
	if a.Unit, err = r.AttrString(path, "unit"); err != nil {
		return a, err
	}
	if a.Scale, err = r.AttrFloat64(path, "scale"); err != nil {
		return a, err
	}
	a.Values, _, err = r.Float64s(path)
	return a, err
}

// Field returns the array called name.
func (s *Snapshot) Field(name string) (Array, bool) {
	for _, a := range s.Fields {
		if a.Name == name {
			return a, true
		}
	}
	return Array{}, false
}
