package pieces

import (
	"fmt"
	"io"
	"sync"

	"convect/io/h5"
	"convect/kernels"
	"convect/kernels/parallel"
)

// Array is an array of a file, [z][y][x][component] of numbers, little-endian.
type Array struct {
	Dataset    string
	Offset     int64  // of its first byte, where it is in one piece
	Double     bool   // float64, else float32
	Nodes      [3]int // of the grid along x, y, z
	Points     [3]int // of the array: first planes of periodic axes may be repeated at their ends
	Components int
	Scale      float64   // what values are multiplied by
	Column     []float64 // what is added to those of component 0 before, at the nodes of each level; nil: nothing
}

// size is how many bytes a number takes.
func (a *Array) size() int {
	if a.Double {
		return 8
	}
	return 4
}

// Bytes returns how many the array has.
func (a *Array) Bytes() int64 {
	return int64(a.size()) * int64(a.Components) * int64(a.Points[0]) * int64(a.Points[1]) * int64(a.Points[2])
}

// dims returns the axes of so many rows of the array, as datasets have them.
func (a *Array) dims(rows int) []int {
	dims := []int{a.Points[2], rows, a.Points[0]}
	if a.Components > 1 {
		dims = append(dims, a.Components)
	}
	return dims
}

// run is some rows of the array, one after the other, and the row of the grid that the first is.
type run struct{ row, from, count int }

// runs returns the rows of the array that some rows of the grid are: the first may be the last, too.
func (a *Array) runs(rows [2]int) []run {
	all := []run{{rows[0], rows[0], rows[1] - rows[0]}}
	if rows[0] == 0 && a.Points[kernels.Y] > a.Nodes[kernels.Y] {
		all = append(all, run{a.Nodes[kernels.Y], 0, 1})
	}
	return all
}

// at returns the byte of the file where a row of a level begins.
func (a *Array) at(level, row int) int64 {
	return a.Offset + int64(a.size()*a.Components*a.Points[0])*(int64(level)*int64(a.Points[1])+int64(row))
}

// write writes some rows of the grid, of which values has each component as [z][y][x], by all processors.
func (a *Array) write(w io.WriterAt, rows [2]int, values [][]float64) ([]h5.Piece, error) {
	var guard sync.Mutex
	var all []h5.Piece
	var failure error
	parallel.Ranges(a.Points[kernels.Z], func(first, last int) {
		room := make([]byte, a.size()*a.Components*a.Points[0]*(rows[1]-rows[0]))
		for level := first; level < last; level++ {
			for _, r := range a.runs(rows) {
				bytes := room[:a.size()*a.Components*a.Points[0]*r.count]
				if a.Double {
					pack[float64](a, bytes, rows, r, level, values)
				} else {
					pack[float32](a, bytes, rows, r, level, values)
				}
				_, err := w.WriteAt(bytes, a.at(level, r.row))
				p := h5.PieceOf(a.at(level, r.row), bytes)
				guard.Lock()
				if failure == nil {
					failure = err
				}
				all = append(all, p)
				guard.Unlock()
				if err != nil {
					return
				}
			}
		}
	})
	return all, failure
}

// pack puts a run of a level into bytes of the file.
func pack[T float32 | float64](a *Array, bytes []byte, rows [2]int, r run, level int, values [][]float64) {
	out := numbers[T](bytes)
	nx, mx, k := a.Nodes[0], a.Points[0], level%a.Nodes[2]
	for c, v := range values {
		add, added := 0.0, c == 0 && a.Column != nil
		if added {
			add = a.Column[k]
		}
		for j := range r.count {
			from := v[nx*(r.from-rows[0]+j+(rows[1]-rows[0])*k):][:nx]
			to := out[mx*a.Components*j:][:mx*a.Components]
			for i, x := range from {
				if added {
					x += add
				}
				to[i*a.Components+c] = T(x * a.Scale)
			}
			if mx > nx {
				to[nx*a.Components+c] = to[c]
			}
		}
	}
}

// read reads some rows of the grid of an array of one component without repeated planes into values, [z][y][x] of the rows.
func (a *Array) read(r io.ReaderAt, rows [2]int, values []float64) ([]h5.Piece, error) {
	if a.Components != 1 || a.Points != a.Nodes {
		return nil, fmt.Errorf("an array of %d components on %v points of %v nodes cannot be read by rows", a.Components, a.Points, a.Nodes)
	}
	bytes := make([]byte, a.size()*a.Nodes[0]*(rows[1]-rows[0]))
	n := len(bytes) / a.size()
	var all []h5.Piece
	for level := range a.Nodes[2] {
		at := a.at(level, rows[0])
		if _, err := r.ReadAt(bytes, at); err != nil {
			return nil, err
		}
		to := values[n*level:][:n]
		if a.Double {
			copy(to, numbers[float64](bytes))
		} else {
			for i, v := range numbers[float32](bytes) {
				to[i] = float64(v)
			}
		}
		all = append(all, h5.PieceOf(at, bytes))
	}
	return all, nil
}
