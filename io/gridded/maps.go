package gridded

import (
	"fmt"
	"strings"
)

// overCells returns the cells of the target along an axis.
func (t *Target) overCells(d int) []interval {
	e := t.Edges[d]
	out := make([]interval, t.cells(d))
	for i := range out {
		if len(e) > 0 {
			out[i] = interval{{e[i], e[i+1]}}
		}
	}
	return out
}

// overNodes returns the volumes of the nodes of the target along an axis: from the middle of one cell to that of the next, cut at walls.
func (t *Target) overNodes(d int) []interval {
	e := t.Edges[d]
	if len(e) == 0 {
		return make([]interval, 1)
	}
	last := len(e) - 1
	middle := func(i int) float64 { return (e[i] + e[i+1]) / 2 }
	out := []interval{{{e[0], middle(0)}}}
	for i := 1; i < last; i++ {
		out = append(out, interval{{middle(i - 1), middle(i)}})
	}
	end := [2]float64{middle(last - 1), e[last]}
	if t.Periodic[d] {
		out[0] = append(out[0], end)
		return out
	}
	return append(out, interval{end})
}

// nodes returns the coordinates of the nodes along an axis, a periodic plane once.
func (t *Target) nodes(d int) []float64 {
	e := t.Edges[d]
	switch {
	case len(e) == 0:
		return []float64{0}
	case t.Periodic[d]:
		return e[:len(e)-1]
	}
	return e
}

// means returns the matrices of means over intervals.
func (f *Field) means(over func(d int) []interval) (w [3]*weights) {
	for d := range w {
		a, to := &f.axes[d], over(d)
		switch {
		case a.points != nil:
			w[d] = meansOfPoints(a.points, to).wrapped(a.n)
		case a.edges != nil:
			w[d] = meansOfCells(a.edges, to, a.slack)
		default:
			w[d] = same(len(to))
		}
	}
	return w
}

// wrapped takes the first of n sources for the one behind the last: it is the repeated plane of a periodic axis.
func (w *weights) wrapped(n int) *weights {
	for i := range w.at {
		w.at[i] %= n
	}
	return w
}

// CellMeans returns the means over the cells of the target, [z][y][x]. The error is an [*Error] that names a value that the request does not
// accept.
func (f *Field) CellMeans(r *Request) ([]float64, error) {
	w := f.means(f.target.overCells)
	if err := f.check(w, r); err != nil {
		return nil, err
	}
	return f.part(0).mapped(w, -1).values, nil
}

// NodeMeans is CellMeans for the volumes of the nodes.
func (f *Field) NodeMeans(r *Request) ([]float64, error) {
	w := f.means(f.target.overNodes)
	if err := f.check(w, r); err != nil {
		return nil, err
	}
	return f.part(0).mapped(w, -1).values, nil
}

// NodeValues returns the values at the nodes of the target, linear between points and between the centres of cells.
func (f *Field) NodeValues(r *Request) ([]float64, error) {
	var w [3]*weights
	for d := range w {
		a, nodes := &f.axes[d], f.target.nodes(d)
		switch {
		case a.points != nil:
			w[d] = valuesAt(a.points, nodes, a.slack).wrapped(a.n)
		case a.edges != nil:
			w[d] = f.betweenCentres(d, nodes)
		default:
			w[d] = same(len(nodes))
		}
	}
	if err := f.check(w, r); err != nil {
		return nil, err
	}
	return f.part(0).mapped(w, -1).values, nil
}

// betweenCentres is linear between the centres of cells, and around the ends of a periodic axis.
func (f *Field) betweenCentres(d int, nodes []float64) *weights {
	a, size := &f.axes[d], f.target.size(d)
	centres := make([]float64, a.n)
	for i := range centres {
		centres[i] = (a.edges[i] + a.edges[i+1]) / 2
	}
	if a.n == 1 {
		return same(len(nodes))
	}
	whole := a.edges[a.n] - a.edges[0]
	if !f.target.Periodic[d] || whole > size*(1+1e-6) {
		return valuesAt(centres, nodes, a.slack)
	}
	// The last cell stands before the first one too, and the first behind the last: sources are numbered from the former.
	centres = append(append([]float64{centres[a.n-1] - size}, centres...), centres[0]+size)
	w := valuesAt(centres, nodes, a.slack)
	for i := range w.at {
		w.at[i] = (w.at[i] - 1 + a.n) % a.n
	}
	return w
}

// Conductive returns what conducts (a permeability, a conductivity) along the axes of the target, for its cells. Cells of the file, or stretches
// between its points, in series along a direction take the harmonic mean, and the columns of them that lie side by side the arithmetic one (Cardwell and Parsons, Trans. AIME
// 160, 1945: not above the effective conductivity, and equal to it in layers). Directions that are the same share their values.
func (f *Field) Conductive(r *Request) (cells [3][]float64, err error) {
	w := f.means(f.target.overCells)
	if err := f.check(w, r); err != nil {
		return cells, err
	}
	plain := func(d int) bool { return w[d].whole() }
	for d := range cells {
		switch {
		case d == 1 && f.target.Flat():
			cells[d] = cells[0]
		case d == 1 && !f.Directions() && plain(0) && plain(1):
			cells[d] = cells[0]
		case d == 2 && !f.Directions() && plain(0) && plain(2):
			cells[d] = cells[0]
		case d == 2 && !f.Directions() && plain(1) && plain(2):
			cells[d] = cells[1]
		case plain(d):
			cells[d] = f.part(d).mapped(w, -1).values
		default:
			cells[d] = f.part(d).mapped(w, d).values
		}
	}
	return cells, nil
}

// How says in words how the values get to the target.
func (f *Field) How() string {
	var all []string
	for _, d := range f.target.axes() {
		if f.axes[d].uniform() {
			all = append(all, axisNames[d])
		}
	}
	text := "nodes, linear between them"
	switch {
	case f.Own && f.Place == Cells:
		return "one value for each cell of the grid"
	case f.Own:
		text = "one value for each node of the grid"
	case len(all) == len(f.target.axes()):
		return "the same everywhere"
	case f.Place == Cells:
		text = "cells, averaged where several lie in a cell of the grid"
	}
	if len(all) > 0 {
		text += ", the same for all " + strings.Join(all, " and ")
	}
	for _, d := range f.target.axes() {
		if a := &f.axes[d]; !a.uniform() && !f.Own {
			x := a.points
			if x == nil {
				x = a.edges
			}
			text += fmt.Sprintf(", %s from %s to %s", axisNames[d], short(x[0]), short(x[len(x)-1]))
		}
	}
	return text
}
