package gridded

import (
	"slices"

	"convect/kernels/parallel"
)

// array is values [z][y][x] with n of them along x, y, z.
type array struct {
	n      [3]int
	values []float64
}

// along applies a matrix along an axis. harmonic takes the sums of reciprocals, and their reciprocal, where entries stand in series.
func (a array) along(d int, w *weights, harmonic bool) array {
	if w.identity(a.n[d]) {
		return a
	}
	inner, outer := 1, 1
	for e, n := range a.n {
		if e < d {
			inner *= n
		}
		if e > d {
			outer *= n
		}
	}
	rows, sources := w.rows(), a.n[d]
	out := array{n: a.n, values: make([]float64, inner*rows*outer)}
	out.n[d] = rows
	parallel.Ranges(outer*rows, func(first, last int) {
		for r := first; r < last; r++ {
			to := out.values[r*inner:][:inner]
			from := a.values[r/rows*sources*inner:][:sources*inner]
			at, part := w.row(r % rows)
			combine(to, from, inner, at, part, harmonic && w.inSeries(r%rows))
		}
	})
	return out
}

// combine adds up rows of inner values.
func combine(to, from []float64, inner int, at []int, part []float64, harmonic bool) {
	if len(at) == 1 { // the value itself, without rounding
		copy(to, from[at[0]*inner:][:inner])
		return
	}
	for e, i := range at {
		p := part[e]
		row := from[i*inner:][:inner]
		if harmonic {
			for c, v := range row {
				to[c] += p / v
			}
			continue
		}
		for c, v := range row {
			to[c] += p * v
		}
	}
	if harmonic {
		for c, v := range to {
			to[c] = 1 / v
		}
	}
}

// mapped applies the matrices of all axes, first the one that leaves the least. series names the axis of harmonic means, which goes first; -1: none.
func (a array) mapped(w [3]*weights, series int) array {
	order := []int{0, 1, 2}
	shrink := func(d int) float64 { return float64(w[d].rows()) / float64(a.n[d]) }
	slices.SortStableFunc(order, func(d, e int) int {
		switch {
		case d == series:
			return -1
		case e == series:
			return 1
		case shrink(d) < shrink(e):
			return -1
		case shrink(d) > shrink(e):
			return 1
		}
		return 0
	})
	for _, d := range order {
		a = a.along(d, w[d], d == series)
	}
	return a
}
