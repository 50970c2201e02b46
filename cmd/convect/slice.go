package main

import (
	"sort"

	"convect/kernels"
)

// slice holds values on the nodes of a plane, in the units of the case; values[i + len(across)*k]
// stands at (across[i], up[k]). Periodic planes are repeated.
type slice struct {
	across, up []float64
	values     []float64
	cells      bool // values are of the cells between the places, in which they are constant
}

// at interpolates linearly, or returns the value of the cell.
func (s *slice) at(a, b float64) float64 {
	i, p := locate(s.across, a)
	k, q := locate(s.up, b)
	if s.cells {
		return s.values[k*(len(s.across)-1)+i]
	}
	n := len(s.across)
	v := s.values[k*n+i:]
	return (1-q)*((1-p)*v[0]+p*v[1]) + q*((1-p)*v[n]+p*v[n+1])
}

// locate returns the cell of an axis that holds a point, and how far in it lies; the first or last for a point outside.
func locate(x []float64, at float64) (cell int, part float64) {
	cell = min(max(sort.SearchFloat64s(x, at)-1, 0), len(x)-2)
	return cell, min(max((at-x[cell])/(x[cell+1]-x[cell]), 0), 1)
}

// middle returns the node nearest to the middle of an axis, the upper of two.
func middle(x []float64) int {
	if len(x) == 1 {
		return 0
	}
	cell, part := locate(x, (x[0]+x[len(x)-1])/2)
	if part < 0.5 {
		return cell
	}
	return cell + 1
}

// span returns the least and the greatest value.
func (s *slice) span() (low, high float64) {
	low, high, _ = statistics(s.values)
	return low, high
}

// size returns the lengths of the plane.
func (s *slice) size() (width, height float64) {
	return s.across[len(s.across)-1] - s.across[0], s.up[len(s.up)-1] - s.up[0]
}

// plane returns a component of a quantity on the plane of nodes across an axis.
func (f *fields) plane(name string, component, normal, index int) *slice {
	n := f.n
	a, b := kernels.X, kernels.Z
	switch normal {
	case kernels.X:
		a = kernels.Y
	case kernels.Z:
		b = kernels.Y
	}
	out := &slice{across: f.x[a], up: f.x[b], cells: f.ofCells[name]}
	nx, nz := len(out.across), len(out.up)
	if out.cells {
		for d := range n {
			n[d] = max(n[d]-1, 1)
		}
		nx, nz, index = max(nx-1, 1), max(nz-1, 1), min(index, n[normal]-1)
	}
	values, at := f.values[name], component*n[0]*n[1]*n[2]
	if f.take != nil {
		values, at, n[normal], index = f.planeOfRun(name, component, normal, index, n[a]*n[b]), 0, 1, 0
	}
	var node [3]int
	node[normal] = index
	for k := range nz {
		for i := range nx {
			node[a], node[b] = i%n[a], k%n[b]
			out.values = append(out.values, values[at+node[0]+n[0]*(node[1]+n[1]*node[2])])
		}
	}
	return out
}

// planeOfRun takes a plane of so many nodes from the run; after a failure, which is kept, it is one of zeros.
func (f *fields) planeOfRun(name string, component, normal, index, nodes int) []float64 {
	if f.failure == nil {
		values, err := f.take(name, component, normal, index)
		if err == nil {
			return values
		}
		f.failure = err
	}
	return make([]float64, nodes)
}

// liveliest returns the vertical plane across y in which a scalar varies most along x: the middle one unless
// another has a tenth more.
func (f *fields) liveliest(name string) int {
	n := f.n
	variation := func(j int) float64 {
		s := f.plane(name, 0, kernels.Y, j)
		sum := 0.0
		for k := range s.up {
			row := s.values[k*len(s.across) : (k+1)*len(s.across)]
			_, _, mean := statistics(row)
			for _, v := range row {
				sum += (v - mean) * (v - mean)
			}
		}
		return sum
	}
	best := middle(f.x[kernels.Y])
	most := 1.1 * variation(best)
	for j := range n[1] {
		if v := variation(j); v > most {
			best, most = j, v
		}
	}
	return best
}
