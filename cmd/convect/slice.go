package main

import (
	"fmt"
	"sort"

	"convect/kernels"
	"convect/physics"
)

// slice holds values on the nodes of a plane, in the units of the case; values[i + len(across)*k]
// stands at (across[i], up[k]). Periodic planes are repeated.
type slice struct {
	across, up []float64
	values     []float64
}

// at interpolates linearly.
func (s *slice) at(a, b float64) float64 {
	i, p := locate(s.across, a)
	k, q := locate(s.up, b)
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

// fields are quantities on the host, from which planes are taken.
type fields struct {
	simulation *physics.Simulation
	x          [3][]float64         // node coordinates in the units of the case, periodic planes repeated
	values     map[string][]float64 // [component][z][y][x]
}

// downloadFields copies all scalars and the velocity to the host.
func (s *session) downloadFields() (*fields, error) {
	f := &fields{simulation: s.simulation, values: map[string][]float64{}}
	for _, q := range s.simulation.Quantities() {
		if q.Name == "pressure" || q.Extra {
			continue
		}
		values, err := s.simulation.Download(q.Name)
		if err != nil {
			return nil, err
		}
		for i := range values {
			values[i] *= q.Scale(s.c.Scales)
		}
		f.values[q.Name] = values
	}
	g := s.simulation.Grid()
	for d := range 3 {
		f.x[d] = g.Coordinates(d)
		if g.Periodic[d] {
			f.x[d] = append(f.x[d], g.Size[d])
		}
		for i := range f.x[d] {
			f.x[d][i] *= s.c.Scales.Length
		}
	}
	return f, nil
}

// plane returns a component of a quantity on the plane of nodes across an axis.
func (f *fields) plane(name string, component, normal, index int) *slice {
	n := f.simulation.Grid().Box.N
	a, b := kernels.X, kernels.Z
	if normal == kernels.Z {
		b = kernels.Y
	}
	out := &slice{across: f.x[a], up: f.x[b]}
	var node [3]int
	node[normal] = index
	for k := range out.up {
		for i := range out.across {
			node[a], node[b] = i%n[a], k%n[b]
			at := node[0] + n[0]*(node[1]+n[1]*node[2])
			out.values = append(out.values, f.values[name][component*n[0]*n[1]*n[2]+at])
		}
	}
	return out
}

// liveliest returns the vertical plane across y in which a scalar varies most along x: the middle one unless
// another has a tenth more.
func (f *fields) liveliest(name string) int {
	n := f.simulation.Grid().Box.N
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

// panels returns what the picture of a scalar shows.
func (s *session) panels(f *fields, name string) []panel {
	unit := s.c.Scales.LengthUnit
	vertical := panel{across: axisLabel("x", unit), up: axisLabel("z", unit)}
	j := f.liveliest(name)
	vertical.field = f.plane(name, 0, kernels.Y, j)
	vertical.flow = [2]*slice{f.plane("velocity", 0, kernels.Y, j), f.plane("velocity", 2, kernels.Y, j)}
	if s.simulation.Grid().Flat() {
		vertical.wells = wellEnds(s.c, kernels.X, kernels.Z)
		return []panel{vertical}
	}
	vertical.title = fmt.Sprintf("plane y = %.4g%s", f.x[kernels.Y][j], unitSuffix(unit))
	k := middle(f.x[kernels.Z])
	horizontal := panel{across: axisLabel("x", unit), up: axisLabel("y", unit),
		title: fmt.Sprintf("plane z = %.4g%s", f.x[kernels.Z][k], unitSuffix(unit)),
		field: f.plane(name, 0, kernels.Z, k), wells: wellEnds(s.c, kernels.X, kernels.Y)}
	return []panel{vertical, horizontal}
}
