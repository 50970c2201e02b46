package gridded

import (
	"fmt"
	"strings"
)

// Field is values read from a file, on a grid that covers the target of the request.
type Field struct {
	Path  string
	Name  string // of the dataset or column
	Shape []int  // as the file has them
	Unit  string // as the file names it; may be empty
	Place string // Points or Cells
	Own   bool   // the file has no coordinates: its values are those of the target's own cells or nodes

	axes      [3]axis
	parts     [][]float64 // [z][y][x], coordinates increasing; one, or one for each direction of the target
	target    Target
	lines     []int32 // of the values in a table; nil for HDF5
	gap       string  // what a value that is not a number means
	low, high float64 // of the values that have a part, after a map
}

// Directions tells whether the file has values for each direction of the target.
func (f *Field) Directions() bool { return len(f.parts) > 1 }

// Range returns the least and the greatest value that had a part in the last map.
func (f *Field) Range() (low, high float64) { return f.low, f.high }

// part returns the values of a direction.
func (f *Field) part(d int) array {
	values := f.parts[0]
	if f.Directions() {
		for i, axis := range f.target.axes() {
			if axis == d {
				values = f.parts[i]
			}
		}
	}
	return array{n: f.counts(), values: values}
}

func (f *Field) counts() [3]int { return [3]int{f.axes[0].n, f.axes[1].n, f.axes[2].n} }

// settle decides whether values stand at points or in cells, and checks that they cover the target.
func (f *Field) settle(values string) error {
	t := &f.target
	if t.Flat() { // one value along y, wherever that is
		f.axes[1].coordinates = nil
	}
	points, atPoints := f.all(func(a *axis, d int) []float64 { return a.asPoints(t.size(d), t.Periodic[d]) })
	edges, _ := f.all(func(a *axis, d int) []float64 { return a.asCells(t.size(d), values == Cells) })
	inCells := true
	for d := range f.axes {
		if a := &f.axes[d]; !a.uniform() {
			inCells = inCells && edges[d] != nil && a.reaches(edges[d], t.size(d))
		}
	}
	switch {
	case atPoints && values != Cells:
		f.Place = Points
		for d := range f.axes {
			f.axes[d].points = points[d]
		}
		return nil
	case inCells && values != Points:
		f.Place = Cells
		for d := range f.axes {
			f.axes[d].edges = edges[d]
		}
		return nil
	}
	return f.uncovered(values, edges)
}

// all collects what of returns for each axis that is not uniform, and tells whether it was never nil.
func (f *Field) all(of func(a *axis, d int) []float64) (x [3][]float64, ok bool) {
	ok = true
	for d := range f.axes {
		if a := &f.axes[d]; !a.uniform() {
			x[d] = of(a, d)
			ok = ok && x[d] != nil
		}
	}
	return x, ok
}

// uncovered says why a field does not fit the target: the first axis that does not.
func (f *Field) uncovered(values string, edges [3][]float64) error {
	const accepted = "coordinates that cover the domain; they count from its lower corner, in the units of the case"
	for d := range f.axes {
		a := &f.axes[d]
		if a.uniform() {
			continue
		}
		size := f.target.size(d)
		if a.what == Points && values == Cells || values == Points && (a.what == Cells || len(a.coordinates) == a.n+1) {
			return wrong(PartValues, "another one, or nothing", "%s does not fit the coordinates %s, which are those of %s", values, a.name, map[bool]string{true: "nodes", false: "cells"}[a.what == Points])
		}
		fitsPoints := values != Cells && a.asPoints(size, f.target.Periodic[d]) != nil
		fitsCells := values != Points && edges[d] != nil && a.reaches(edges[d], size)
		if fitsPoints || fitsCells {
			continue
		}
		return wrong(PartFile, accepted, "%s of %s does not cover the domain: %s", f.Name, f.Path, a.extent(a.coordinates, d, size))
	}
	for d := range f.axes {
		if a := &f.axes[d]; !a.uniform() && a.asPoints(f.target.size(d), f.target.Periodic[d]) == nil {
			return wrong(PartFile, "nodes that reach the ends of the domain along all axes, or centres or ends of cells along all",
				"%s of %s does not cover the domain with nodes, as other axes have them: %s", f.Name, f.Path, a.extent(a.coordinates, d, f.target.size(d)))
		}
	}
	return nil
}

// String says in a line what was read.
func (f *Field) String() string {
	text := fmt.Sprintf("%s of %s, %s", f.Name, f.Path, f.sizes())
	if len(f.Shape) == 0 {
		text = fmt.Sprintf("%s of %s, one value", f.Name, f.Path)
	}
	if f.Directions() {
		text += ", by direction"
	}
	return text
}

// sizes prints the shape.
func (f *Field) sizes() string {
	words := make([]string, len(f.Shape))
	for i, n := range f.Shape {
		words[i] = fmt.Sprint(n)
	}
	text := strings.Join(words, " × ")
	if len(words) == 1 && words[0] == "1" {
		return text + " value"
	}
	return text + " values"
}
