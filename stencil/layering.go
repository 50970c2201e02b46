package stencil

import (
	"fmt"
	"math"

	"convect/kernels"
)

// Layering returns how much the vertical conductivity jumps between layers of cells: the largest ratio of the horizontal
// means of k_z in two neighbouring layers, at least 1. Layers that do not conduct at all are left out.
func (o *Operator) Layering() (float64, error) {
	if !o.Variable() {
		return 1, nil
	}
	g := o.Grid
	mean, err := g.Device.Alloc(g.Elem, g.Box.N[kernels.Z])
	if err != nil {
		return 0, fmt.Errorf("stencil: layering: %w", err)
	}
	defer g.Device.Free(mean)
	// Cells lie where their lowest nodes do. Those beyond a wall count as zero in all layers alike.
	g.Device.HorizontalMean(kernels.HorizontalMeanArgs{Box: g.Box, X: o.elliptic.Cells[kernels.Z], W: g.w, Out: mean})
	k := make([]float64, g.Cells[kernels.Z])
	if err := g.Device.Download(k, mean); err != nil {
		return 0, fmt.Errorf("stencil: layering: %w", err)
	}
	most := 1.0
	for c, k1 := range k[1:] {
		if k0 := k[c]; k0 > 0 && k1 > 0 {
			most = math.Max(most, math.Max(k0/k1, k1/k0))
		}
	}
	return most, nil
}
