package main

import (
	"fmt"
	"strings"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// levelNodes is the size up to which check builds the hierarchy of the pressure.
const levelNodes = 50_000_000

// levels returns the grids of the pressure solver of a built case, and its warnings, for a method. They depend on cells and
// permeability, not on the walls.
func levels(dev kernels.Device, c *casefile.Case, method multigrid.Method) (text string, warnings []string, err error) {
	p := &c.Parameters
	if method == multigrid.Direct {
		return "none: the pressure is solved directly", nil, nil
	}
	grid, err := stencil.NewGrid(dev, p.Precision, p.Extent)
	if err != nil {
		return "", nil, err
	}
	defer grid.Free()
	walls, err := stencil.NewBoundary(grid, [6][]bool{})
	if err != nil {
		return "", nil, err
	}
	defer walls.Free()
	o, err := stencil.NewOperator(walls, stencil.Coefficients{Stencil: p.Stencil, Constant: p.Permeability.Constant, Cells: p.Permeability.Cells})
	if err != nil {
		return "", nil, err
	}
	defer o.Free()
	options := p.Pressure
	options.Mixed, options.Method = p.Mixed, method
	solver, err := multigrid.New(o, options)
	if err != nil {
		return "", nil, err
	}
	defer solver.Free()
	if solver.Options().Method == multigrid.Direct {
		return levels(dev, c, multigrid.Direct)
	}
	var grids []string
	for _, l := range solver.Levels() {
		grids = append(grids, cellsText(l.Cells))
	}
	return fmt.Sprintf("%d levels: %s", len(grids), strings.Join(grids, ", ")), solver.Warnings(), nil
}
