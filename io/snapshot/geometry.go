package snapshot

import (
	"fmt"
	"math"
	"slices"

	"convect/io/h5"
	"convect/io/header"
	"convect/kernels/parallel"
	"convect/stencil"
)

// geometry is the grid as written: with repeated periodic planes, in the units of the case.
type geometry struct {
	nodes       [3]int // of the arrays of the simulation
	points      [3]int // of the arrays of the file
	coordinates [3][]float64
	origin      [3]float64 // of the first point
	size        [3]float64
	cells       [3]int
	periodic    [3]bool
	uniform     bool
}

// newGeometry returns the geometry of a grid whose absent axes lie at a place.
func newGeometry(g *stencil.Grid, place [3]float64, length float64) *geometry {
	geo := &geometry{nodes: g.Box.N, points: g.Box.N, cells: g.Cells, periodic: g.Periodic, uniform: true}
	for d := range 3 {
		x := g.Coordinates(d)
		if g.Periodic[d] {
			x = append(x, g.Size[d])
			geo.points[d]++
		}
		if g.Cells[d] == 0 {
			x = []float64{place[d]}
		}
		for i := range x {
			x[i] *= length
		}
		geo.origin[d] = x[0]
		geo.coordinates[d] = x
		geo.size[d] = g.Size[d] * length
		geo.uniform = geo.uniform && uniform(g.Widths[d])
	}
	return geo
}

// uniform tells whether all widths are the same to rounding.
func uniform(widths []float64) bool {
	for _, w := range widths {
		if math.Abs(w-widths[0]) > 1e-9*widths[0] {
			return false
		}
	}
	return true
}

// flat tells whether an axis is absent.
func (g *geometry) flat() bool { return slices.Contains(g.cells[:], 0) }

// image tells whether VTKHDF ImageData can describe the grid.
func (g *geometry) image() bool { return g.uniform && !g.flat() }

// dims returns the axes of an array of so many components.
func (g *geometry) dims(components int) []int {
	dims := []int{g.points[2], g.points[1], g.points[0]}
	if components > 1 {
		dims = append(dims, components)
	}
	return dims
}

// ofCells returns the geometry of arrays with a value a cell: no plane is repeated.
func (g *geometry) ofCells() *geometry {
	of := *g
	for d, n := range g.cells {
		of.points[d], of.nodes[d] = max(n, 1), max(n, 1)
	}
	return &of
}

// spacing returns the distance of the nodes of a uniform grid; 1 along an absent axis.
func (g *geometry) spacing() [3]float64 {
	s := [3]float64{1, 1, 1}
	for d, n := range g.cells {
		if n > 0 {
			s[d] = g.size[d] / float64(n)
		}
	}
	return s
}

// place puts components [z][y][x] of the simulation, times scale, into an array of the file, [z][y][x][component] with periodic
// planes repeated. It returns that array, in room if that is large enough.
func place[T float32 | float64](g *geometry, room []T, values [][]float64, scale float64) []T {
	n, m, components := g.nodes, g.points, len(values)
	out := slices.Grow(room[:0], components*m[0]*m[1]*m[2])[:components*m[0]*m[1]*m[2]]
	parallel.Ranges(m[1]*m[2], func(first, last int) {
		for row := first; row < last; row++ {
			to := out[row*components*m[0]:][:components*m[0]]
			from := n[0] * (row%m[1]%n[1] + n[1]*(row/m[1]%n[2]))
			for c, component := range values {
				row := component[from:][:n[0]]
				for i, v := range row {
					to[i*components+c] = T(v * scale)
				}
				if m[0] > n[0] {
					to[n[0]*components+c] = T(row[0] * scale)
				}
			}
		}
	})
	return out
}

// axisNames are the datasets of the coordinates in the group of the header.
var axisNames = [3]string{"x", "y", "z"}

// axisPath returns the dataset of the coordinates along an axis.
func axisPath(d int) string { return header.Group + "/" + axisNames[d] }

// write writes the coordinates.
func (g *geometry) write(file *h5.Writer, unit string) {
	uniform := int64(0)
	if g.uniform {
		uniform = 1
	}
	file.AttrInt64(header.Group, "uniform", uniform)
	for d, x := range g.coordinates {
		file.Float64s(axisPath(d), []int{len(x)}, x)
		file.AttrString(axisPath(d), "unit", unit)
	}
}

// readGeometry rebuilds the grid of a file from its attributes, without the coordinates.
func readGeometry(r *h5.Reader, h *header.Header) (*geometry, error) {
	g := &geometry{cells: h.Cells, size: h.Size, periodic: h.Periodic}
	uniform, err := r.AttrInt64(header.Group, "uniform")
	if err != nil {
		return nil, err
	}
	g.uniform = uniform != 0
	for d, n := range h.Cells {
		if n == 0 {
			x, _, err := r.Float64s(axisPath(d))
			if err != nil {
				return nil, err
			}
			if len(x) != 1 {
				return nil, fmt.Errorf("%s: %d coordinates along %s, which is absent", r.Path(), len(x), axisNames[d])
			}
			g.origin[d] = x[0]
		}
		g.points[d], g.nodes[d] = n+1, n+1
		if g.periodic[d] {
			g.nodes[d]--
		}
	}
	return g, nil
}

// readCoordinates reads the coordinates along all axes.
func (g *geometry) readCoordinates(r *h5.Reader) (err error) {
	for d := range 3 {
		if g.coordinates[d], _, err = r.Float64s(axisPath(d)); err != nil {
			return err
		}
		if len(g.coordinates[d]) != g.points[d] {
			return fmt.Errorf("%s: %d coordinates along %s for %d cells", r.Path(), len(g.coordinates[d]), axisNames[d], g.cells[d])
		}
	}
	return nil
}
