package gridded

import (
	"math"
	"slices"
	"sort"
)

// sliver is the part of an interval that counts as rounding: two ends so close are the same.
const sliver = 1e-9

// interval is a stretch of an axis; a periodic end cuts it into two pieces.
type interval [][2]float64

// length is that of all pieces.
func (v interval) length() float64 {
	sum := 0.0
	for _, p := range v {
		sum += p[1] - p[0]
	}
	return sum
}

// weights is a sparse matrix along an axis: row i is made of the entries start[i] to start[i+1].
type weights struct {
	start []int
	at    []int // index of the source
	part  []float64
	// parts tells for each row whether its entries are parts of the target that stand in series; nil: all of them are. Else they interpolate.
	parts []bool
}

// row returns the entries of a row.
func (w *weights) row(i int) (at []int, part []float64) {
	a, b := w.start[i], w.start[i+1]
	return w.at[a:b], w.part[a:b]
}

// rows returns the number of targets.
func (w *weights) rows() int { return len(w.start) - 1 }

// picks tells whether each row is one value as it is.
func (w *weights) picks() bool { return len(w.at) == w.rows() }

// inSeries tells whether the entries of a row are parts of the target.
func (w *weights) inSeries(row int) bool { return w.parts == nil || w.parts[row] }

// whole tells whether no row has several parts in series.
func (w *weights) whole() bool {
	return w.picks() || w.parts != nil && !slices.Contains(w.parts, true)
}

// identity tells whether the matrix of n sources changes nothing.
func (w *weights) identity(n int) bool {
	if !w.picks() || w.rows() != n {
		return false
	}
	for i, at := range w.at {
		if at != i {
			return false
		}
	}
	return true
}

// used returns the first and the last source that has a part in any row.
func (w *weights) used() (first, last int) {
	first, last = math.MaxInt, -1
	for _, at := range w.at {
		first, last = min(first, at), max(last, at)
	}
	return first, last
}

// end closes a row, without the entries that are rounding, and makes their sum 1. A single entry is 1 exactly.
func (w *weights) end(smallest float64) {
	if len(w.start) == 0 {
		w.start = append(w.start, 0)
	}
	from, kept, sum := w.start[len(w.start)-1], 0, 0.0
	for i := from; i < len(w.at); i++ {
		if math.Abs(w.part[i]) > smallest {
			w.at[from+kept], w.part[from+kept] = w.at[i], w.part[i]
			sum += w.part[i]
			kept++
		}
	}
	w.at, w.part = w.at[:from+kept], w.part[:from+kept]
	for i := from; i < len(w.part); i++ {
		w.part[i] /= sum
	}
	if kept == 1 {
		w.part[from] = 1
	}
	w.start = append(w.start, len(w.at))
}

// same is the matrix of a source that has one value for all of n rows.
func same(n int) *weights {
	w := &weights{start: []int{0}}
	for range n {
		w.at, w.part = append(w.at, 0), append(w.part, 1)
		w.start = append(w.start, len(w.at))
	}
	return w
}

// meansOfCells averages cells between edges over intervals. Ends closer than slack are the same.
func meansOfCells(edges []float64, over []interval, slack float64) *weights {
	w := &weights{}
	last := len(edges) - 2
	for _, v := range over {
		for _, p := range v {
			low, high := within(edges, p)
			for i := cellAt(edges, low); i <= last && edges[i] < high; i++ {
				w.at = append(w.at, i)
				w.part = append(w.part, math.Min(edges[i+1], high)-math.Max(edges[i], low))
			}
		}
		w.end(math.Max(sliver*v.length(), math.Min(slack, v.length()/4)))
	}
	return w
}

// meansOfPoints averages what is linear between points over intervals. Its rows have parts where a whole stretch between points, and more, lies within.
func meansOfPoints(points []float64, over []interval) *weights {
	w := &weights{parts: []bool{}}
	for _, v := range over {
		sums := map[int]float64{}
		first, last, parts := len(points), 0, false
		for _, p := range v {
			low, high := within(points, p)
			for i := cellAt(points, low); i < len(points)-1 && points[i] < high; i++ {
				a, b := math.Max(points[i], low), math.Min(points[i+1], high)
				t := ((a+b)/2 - points[i]) / (points[i+1] - points[i])
				width := points[i+1] - points[i]
				parts = parts || b-a > width*(1-sliver) && width < v.length()*(1-sliver)
				sums[i] += (b - a) * (1 - t)
				sums[i+1] += (b - a) * t
				first, last = min(first, i), max(last, i+1)
			}
		}
		for i := first; i <= last; i++ {
			if part, ok := sums[i]; ok {
				w.at, w.part = append(w.at, i), append(w.part, part)
			}
		}
		w.end(sliver * sliver * v.length())
		w.parts = append(w.parts, parts)
	}
	return w
}

// within cuts an interval to where a source is. One that would vanish by it is left at its nearest end.
func within(x []float64, p [2]float64) (low, high float64) {
	first, last := x[0], x[len(x)-1]
	low, high = math.Max(p[0], first), math.Min(p[1], last)
	if high > low {
		return low, high
	}
	if p[0] >= last {
		return x[len(x)-2], last
	}
	return first, x[1]
}

// cellAt returns the cell between x[i] and x[i+1] in which low lies.
func cellAt(x []float64, low float64) int {
	i := sort.SearchFloat64s(x, low) // the first not below low
	if i < len(x) && x[i] == low {
		return min(i, len(x)-2)
	}
	return max(i-1, 0)
}

// valuesAt takes values at places, linear between points and constant beyond them. Places closer than slack to a point take its value.
func valuesAt(points, places []float64, slack float64) *weights {
	w := &weights{}
	for _, x := range places {
		high := min(max(sort.SearchFloat64s(points, x), 1), len(points)-1)
		width := points[high] - points[high-1]
		part := math.Min(math.Max((x-points[high-1])/width, 0), 1)
		smallest := math.Max(1e-12, math.Min(slack/width, 0.25))
		w.at, w.part = append(w.at, high-1, high), append(w.part, 1-part, part)
		w.end(smallest)
	}
	return w
}
