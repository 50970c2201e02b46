package gridded

import (
	"math"
	"path"
	"slices"
	"strings"

	"convect/io/h5"
)

// place reads the coordinates of all axes into a field.
func (l *layout) place(f *Field) error {
	h, missing := l.h, []int{}
	for d := range f.axes {
		f.axes[d] = axis{n: 1, place: -1}
	}
	for i, d := range l.axes {
		if d < 0 {
			continue
		}
		a := &f.axes[d]
		a.n, a.place = l.o.Dims[i], i
		name := h.ask.Coordinates[d]
		if name == "" && l.scales[i] != "" && !l.phony(l.scales[i]) {
			name = l.scales[i]
		}
		if name == "" {
			name = h.coordinates(l.o.Path, d, a.n)
		}
		if name == "" {
			if a.n > 1 {
				missing = append(missing, d)
			}
			continue
		}
		if err := h.axis(a, d, name, l.o.Path); err != nil {
			return err
		}
	}
	return l.complete(f, missing)
}

// complete sees to axes without coordinates: all of them have them or none has.
func (l *layout) complete(f *Field, missing []int) error {
	h, t := l.h, &l.h.ask.Target
	for d, name := range h.ask.Coordinates {
		if name != "" && f.axes[d].place < 0 {
			return wrong(axisNames[d], "", "dataset %s of %s has no axis %s", l.o.Path, h.ask.Path, axisNames[d])
		}
	}
	if err := l.swapped(f); err != nil {
		return err
	}
	if len(missing) == 0 {
		return nil
	}
	cells, nodes := true, true
	for _, d := range t.axes() {
		cells = cells && f.axes[d].n == t.cells(d)
		nodes = nodes && f.axes[d].n == t.cells(d)+1
		if p := downward(h); slices.Contains(missing, 2) && p != "" {
			return wrong("z", "", depthAdvice, p+" of "+h.ask.Path)
		}
		if !slices.Contains(missing, d) && f.axes[d].n > 1 {
			name := axisNames[missing[0]]
			return wrong(name, "the name of a dataset with them", "dataset %s of %s has coordinates along %s and none along %s", l.o.Path, h.ask.Path, axisNames[d], name)
		}
	}
	if h.ask.Values == Points && cells || h.ask.Values == Cells && nodes {
		return wrong(PartValues, "another one, or nothing", "%s does not fit the sizes %v of dataset %s of %s", h.ask.Values, l.o.Dims, l.o.Path, h.ask.Path)
	}
	if !cells && !nodes {
		own := []int{2, 1, 0}
		if t.Flat() {
			own = []int{2, 0}
		}
		return h.mismatch(l, own)
	}
	f.Own = true
	for _, d := range t.axes() {
		f.axes[d].coordinates, f.axes[d].name = t.Edges[d], "of the grid"
	}
	return nil
}

// downward returns a dataset of depths.
func downward(h *hdf5) string {
	for _, p := range h.paths {
		if downwards(p) {
			return p
		}
	}
	return ""
}

// swapped refuses an array, its axes taken by their order, whose coordinates fit in another order alone.
func (l *layout) swapped(f *Field) error {
	var count []string
	wrongAxis, fits := -1, 0
	for d := range f.axes {
		a := &f.axes[d]
		if a.place < 0 || a.coordinates == nil {
			continue
		}
		n := len(a.coordinates)
		if n != a.n && n != a.n+1 {
			wrongAxis = d
		}
		for _, size := range l.o.Dims {
			if n == size || n == size+1 {
				fits++
				break
			}
		}
		count = append(count, short(float64(n))+" along "+axisNames[d])
	}
	if wrongAxis < 0 {
		return nil
	}
	text := ""
	if fits == len(count) && !l.named && len(count) > 1 {
		text = "; its axes seem to be swapped: write it as " + letters(slices.DeleteFunc(slices.Clone(l.axes), func(d int) bool { return d < 0 })) + " (numpy: array.T), or attach dimension scales"
	}
	return wrong(PartDataset, "as many coordinates as values along each axis, or one more (ends of cells)",
		"dataset %s of %s has the sizes %v, and there are coordinates for %s%s", l.o.Path, l.h.ask.Path, l.o.Dims, strings.Join(count, ", "), text)
}

// axis reads coordinates.
func (h *hdf5) axis(a *axis, d int, name, of string) error {
	p := path.Clean("/" + name)
	if _, ok := h.objects[p]; !ok {
		p = path.Join(path.Dir(of), name)
	}
	o, ok := h.objects[p]
	switch {
	case !ok:
		return wrong(axisNames[d], list(h.paths), "there is no dataset %s in %s", name, h.ask.Path)
	case !isNumeric(o):
		return wrong(axisNames[d], "a dataset of numbers", "dataset %s of %s holds %s", p, h.ask.Path, o.Type)
	case len(o.Dims) != 1:
		return wrong(axisNames[d], "one list of coordinates along each axis (a rectilinear grid; of a mesh in numpy: x[0, :] and z[:, 0])",
			"the coordinates %s of %s have the sizes %v", p, h.ask.Path, o.Dims)
	case d == 2 && (downwards(p) || h.text(p, "positive") == "down"):
		return wrong("z", "", depthAdvice, p+" of "+h.ask.Path)
	}
	values, _, err := h.r.Float64s(p)
	if err != nil {
		return err
	}
	if err := checkUnit(axisNames[d], "the coordinates "+p+" of "+h.ask.Path, h.text(p, "units"), h.ask.Length); err != nil {
		return err
	}
	a.name, a.coordinates = p, values
	_, a.what = axisOf(p)
	if err := h.ends(a, d, p); err != nil {
		return err
	}
	if o.Type == "float32" {
		for _, x := range a.coordinates {
			a.slack = math.Max(a.slack, math.Abs(x)*0x1p-22)
		}
	}
	return a.order(d)
}

// ends takes the ends of cells that a file gives beside their centres (the attribute bounds of the conventions for climate and forecast metadata).
func (h *hdf5) ends(a *axis, d int, p string) error {
	at := path.Join(path.Dir(p), h.text(p, "bounds"))
	if o := h.objects[at]; h.text(p, "bounds") == "" || !isNumeric(o) || !slices.Equal(o.Dims, []int{a.n, 2}) || len(a.coordinates) != a.n {
		return nil
	}
	values, _, err := h.r.Float64s(at)
	if err != nil {
		return err
	}
	down := a.coordinates[a.n-1] < a.coordinates[0]
	edges := make([]float64, 0, a.n+1)
	for i := range a.n {
		near, far := min(values[2*i], values[2*i+1]), max(values[2*i], values[2*i+1])
		if down {
			near, far = far, near
		}
		if i == 0 {
			edges = append(edges, near)
		}
		if !(math.Abs(near-edges[i]) <= 1e-5*math.Abs(far-near)) {
			return wrong(axisNames[d], "cells without gaps between them", "the cells %s of %s end at %s and go on at %s", at, h.ask.Path, short(edges[i]), short(near))
		}
		edges = append(edges, far)
	}
	a.coordinates, a.what = edges, Cells
	return nil
}

// coordinates returns the dataset that has the usual name of coordinates along an axis, "" where there is none: in the folder of the values, in
// those above it, or beside the snapshots of this program. Of several one with as many values as n, or one more, goes first, and a plain name.
func (h *hdf5) coordinates(of string, d, n int) string {
	if name := h.ask.Coordinates[d]; name != "" {
		return name
	}
	best, rank := "", 0
	for folder := path.Dir(of); ; folder = path.Dir(folder) {
		for _, u := range h.usual {
			p := u.path
			if u.axis != d || p == of || u.folder != folder {
				continue
			}
			score := 1
			if h.counts(p, n) {
				score += 2
			}
			if simple(p) == axisNames[d] {
				score++
			}
			if score > rank {
				best, rank = p, score
			}
		}
		if best != "" || folder == "/" {
			break
		}
	}
	if own := "/convect/" + axisNames[d]; best == "" && h.objects[own].Kind == h5.Dataset {
		return own
	}
	return best
}

// counts tells whether a dataset holds as many numbers as n, or one more.
func (h *hdf5) counts(name string, n int) bool {
	o := h.objects[path.Clean("/"+name)]
	return len(o.Dims) == 1 && (o.Dims[0] == n || o.Dims[0] == n+1)
}
