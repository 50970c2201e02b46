package bench

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// The plain references: one node at a time, in float64 on the host, arrays [z][y][x] without halo. They are what the
// device must agree with before anything is timed, and, where a paper has one, the single-core code to be beaten.

// largestDifference returns max |a - b|; NaN if there is one.
func largestDifference[T float32 | float64](a []float64, b []T) float64 {
	m := 0.0
	for i, v := range a {
		d := math.Abs(v - float64(b[i]))
		if d > m || math.IsNaN(d) {
			m = d
		}
		if math.IsNaN(d) {
			return d
		}
	}
	return m
}

// narrow rounds values to float32.
func narrow(v []float64) []float32 {
	w := make([]float32, len(v))
	for i, x := range v {
		w[i] = float32(x)
	}
	return w
}

// plainApply returns A u of the 7-point operator -∇·(K∇u) in integrated form, and the sum of the sizes of its terms.
// cells holds K per cell and direction; nil: 1. A dual face is pierced by the edge between two nodes and takes a
// quarter of each of the (up to) four cells around that edge.
func plainApply(g *stencil.Grid, cells [3][]float64, u []float64) (out, size []float64) {
	n, c := g.Box.N, g.CellShape()
	h := [3]float64{g.Widths[0][0], g.Widths[1][0], g.Widths[2][0]}
	out, size = make([]float64, len(u)), make([]float64, len(u))
	conductance := func(d int, at [3]int) float64 {
		p, q := (d+1)%3, (d+2)%3
		sum := 0.0
		for side := range 4 {
			cell := at
			cell[p] -= side & 1
			cell[q] -= side >> 1
			if cell[p] < 0 || cell[q] < 0 || cell[p] >= c[p] || cell[q] >= c[q] {
				continue
			}
			k := 1.0
			if cells[d] != nil {
				k = cells[d][cell[0]+c[0]*(cell[1]+c[1]*cell[2])]
			}
			sum += k * h[p] * h[q] / 4
		}
		return sum / h[d]
	}
	for a := range u {
		at := [3]int{a % n[0], a / n[0] % n[1], a / (n[0] * n[1])}
		for d, stride := range [3]int{1, n[0], n[0] * n[1]} {
			if at[d]+1 == n[d] {
				continue
			}
			g, b := conductance(d, at), a+stride
			out[a] += g * (u[a] - u[b])
			out[b] += g * (u[b] - u[a])
			both := g * (math.Abs(u[a]) + math.Abs(u[b]))
			size[a], size[b] = size[a]+both, size[b]+both
		}
	}
	return out, size
}

// plainElements returns A u of trilinear elements, and the sum of the sizes of its terms, cell by cell with the 8 x 8 matrix of
// one: products of the 1-D stiffness (1, -1)/h in one direction and the masses h/3, h/6 in the others. cells as for plainApply.
func plainElements(g *stencil.Grid, cells [3][]float64, u []float64) (out, size []float64) {
	n, c := g.Box.N, g.CellShape()
	h := [3]float64{g.Widths[0][0], g.Widths[1][0], g.Widths[2][0]}
	var parts [3][8][8]float64 // of the matrix, for K = 1 in one direction
	var corner [8]int
	for a := range 8 {
		corner[a] = a&1 + n[0]*(a>>1&1+n[1]*(a>>2))
		for b := range 8 {
			for d := range 3 {
				parts[d][a][b] = 1
				for e := range 3 {
					same := a>>e&1 == b>>e&1
					switch {
					case e == d && same:
						parts[d][a][b] /= h[e]
					case e == d:
						parts[d][a][b] /= -h[e]
					case same:
						parts[d][a][b] *= h[e] / 3
					default:
						parts[d][a][b] *= h[e] / 6
					}
				}
			}
		}
	}
	out, size = make([]float64, len(u)), make([]float64, len(u))
	for cell := range c[0] * c[1] * c[2] {
		at := [3]int{cell % c[0], cell / c[0] % c[1], cell / (c[0] * c[1])}
		first := at[0] + n[0]*(at[1]+n[1]*at[2])
		for a := range 8 {
			for b := range 8 {
				weight, sizes := 0.0, 0.0
				for d := range 3 {
					k := 1.0
					if cells[d] != nil {
						k = cells[d][cell]
					}
					weight += k * parts[d][a][b]
					sizes += k * math.Abs(parts[d][a][b])
				}
				out[first+corner[a]] += weight * u[first+corner[b]]
				size[first+corner[a]] += sizes * math.Abs(u[first+corner[b]])
			}
		}
	}
	return out, size
}

// plainMean returns the volume-weighted mean of nodal values, summed by rows.
func plainMean(g *stencil.Grid, values []float64) float64 {
	sum, n := 0.0, g.Box.N
	for row := range n[1] * n[2] {
		part := 0.0
		for i, v := range values[row*n[0]:][:n[0]] {
			part += v * g.DualWidth(0, i)
		}
		sum += part * g.DualWidth(1, row%n[1]) * g.DualWidth(2, row/n[1])
	}
	return sum / g.Volume()
}

// plainProduct returns A u on columns, and the sum of the sizes of its terms, as [j][i][k], from the coefficients on the
// device.
func (p *columnProblem) plainProduct(u kernels.Buffer) (out, size []float64, err error) {
	o := p.Operator()
	var coefficient [6][]float64
	for n, b := range []kernels.Buffer{o.Mass, o.Vertical, o.Horizontal, o.Area, o.EdgeX, o.EdgeY} {
		coefficient[n] = make([]float64, b.Len())
		if err := p.Device.Download(coefficient[n], b); err != nil {
			return nil, nil, err
		}
	}
	v, err := p.Values(u)
	if err != nil {
		return nil, nil, err
	}
	mass, vertical, horizontal := coefficient[0], coefficient[1], coefficient[2]
	area, x, y := coefficient[3], coefficient[4], coefficient[5]
	n, row := p.Panel.N, p.Panel.Row
	out, size = make([]float64, len(v)), make([]float64, len(v))
	for j := range n[1] {
		for i := range n[0] {
			t, first := p.Panel.Horizontal(i, j), (i+j*n[0])*n[2]
			edges := [4]float64{x[t-1], x[t], y[t-row], y[t]}
			beside := [4]int{-n[2], n[2], -n[0] * n[2], n[0] * n[2]}
			for k := range n[2] {
				c := first + k
				add := func(weight float64, other int) {
					if weight != 0 {
						out[c] += weight * (v[c] - v[other])
						size[c] += math.Abs(weight) * (math.Abs(v[c]) + math.Abs(v[other]))
					}
				}
				out[c] = area[t] * mass[k] * v[c]
				size[c] = math.Abs(out[c])
				for d, edge := range edges {
					if edge != 0 {
						add(horizontal[k]*edge, c+beside[d])
					}
				}
				if k > 0 {
					add(area[t]*vertical[k], c-1)
				}
				if k < n[2]-1 {
					add(area[t]*vertical[k+1], c+1)
				}
			}
		}
	}
	return out, size, nil
}

// plainResidual returns |f - A u| / |f| by the plain operator.
func (p *columnProblem) plainResidual() (float64, error) {
	image, _, err := p.plainProduct(p.u)
	if err != nil {
		return 0, err
	}
	f, err := p.Values(p.f)
	if err != nil {
		return 0, err
	}
	var left, all float64
	for c := range f {
		left += (f[c] - image[c]) * (f[c] - image[c])
		all += f[c] * f[c]
	}
	return math.Sqrt(left / all), nil
}
