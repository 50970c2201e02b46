package physics

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// Layer is one horizontal layer of a Layered medium.
type Layer struct {
	Top   float64    // height of its upper face, in H
	Value [3]float64 // permeability along x, y, z, relative to the reference
}

// Layered returns the permeability of horizontal layers, given from the bottom (z = 0) up.
//
// A cell that an interface cuts takes the permeability of its parts in parallel and in series (Bear, Dynamics of
// Fluids in Porous Media, 1972, section 5.8), with f_l the share of layer l in the height of the cell:
//
//	K_x = Σ f_l K_x,l,   K_y = Σ f_l K_y,l,   1/K_z = Σ f_l / K_z,l
//
// so that layers of any thickness carry the right mean flow. It fails where a permeability or a thickness is not
// positive and where the last layer ends below the top of the domain.
func Layered(e stencil.Extent, layers []Layer) (Material, error) {
	if err := checkLayers(layers, e.Size[kernels.Z]); err != nil {
		return Material{}, err
	}
	n := cellShape(e)
	plane := n[0] * n[1]
	var m Material
	for d := range m.Cells {
		m.Cells[d] = make([]float64, plane*n[2])
	}
	z := e.Coordinates(kernels.Z)
	for k := range n[2] {
		value := layerMean(layers, z[k], z[k+1])
		for d, cells := range m.Cells {
			fill(cells[k*plane:(k+1)*plane], value[d])
		}
	}
	return m, nil
}

// checkLayers validates layers against the height of the domain.
func checkLayers(layers []Layer, height float64) error {
	below := 0.0
	for i, l := range layers {
		if !(l.Top > below) {
			return fmt.Errorf("layer %d: its top at %g is not above %g", i+1, l.Top, below)
		}
		for d, v := range l.Value {
			if !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("layer %d: permeability %g along %s is not positive", i+1, v, stencil.AxisName(d))
			}
		}
		below = l.Top
	}
	if below < height*(1-1e-9) {
		return fmt.Errorf("the layers end at %g, below the top of the domain at %g", below, height)
	}
	return nil
}

// layerMean returns the permeability of the layers between two heights.
func layerMean(layers []Layer, low, high float64) [3]float64 {
	bottom := 0.0
	var along [3]float64 // Σ f K
	across := 0.0        // Σ f / K_z
	for i, l := range layers {
		top := l.Top
		if i == len(layers)-1 {
			top = math.Inf(1)
		}
		part := (math.Min(top, high) - math.Max(bottom, low)) / (high - low)
		bottom = top
		switch {
		case part <= 0:
			continue
		case part > 1-1e-9: // not cut: the value itself, without rounding
			return l.Value
		}
		for d, v := range l.Value {
			along[d] += part * v
		}
		across += part / l.Value[kernels.Z]
	}
	along[kernels.Z] = 1 / across
	return along
}

// FromFunc returns the isotropic material with the values of f at the cell centres, at time 0 (y = 0 in 2-D). f is called by several goroutines at a time.
func FromFunc(e stencil.Extent, f Func) Material {
	n := cellShape(e)
	x, y, z := e.Centres(kernels.X), e.Centres(kernels.Y), e.Centres(kernels.Z)
	cells := make([]float64, n[0]*n[1]*n[2])
	eachRow(n, func(j, k int) {
		row := cells[(k*n[1]+j)*n[0]:][:n[0]]
		for i := range row {
			row[i] = f(x[i], y[j], z[k], 0)
		}
	})
	return Material{Cells: [3][]float64{cells, cells, cells}}
}

// eachRow calls do for all rows along x of an array of n values, on all processors at a time.
func eachRow(n [3]int, do func(j, k int)) {
	parallel.Ranges(n[kernels.Y]*n[kernels.Z], func(first, last int) {
		for row := first; row < last; row++ {
			do(row%n[kernels.Y], row/n[kernels.Y])
		}
	})
}

// cellShape returns the extents of a host array of cells: 1 along an absent y axis.
func cellShape(e stencil.Extent) [3]int {
	n := e.Cells
	n[kernels.Y] = max(n[kernels.Y], 1)
	return n
}

func fill(values []float64, v float64) {
	for i := range values {
		values[i] = v
	}
}
