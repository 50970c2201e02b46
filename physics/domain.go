package physics

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// domain is where everything happens: what the flow and all scalars share.
type domain struct {
	p        Parameters
	dev      kernels.Device
	grid     *stencil.Grid
	walls    *walls
	wells    *wells
	wallArea [6]kernels.Buffer // of each node's part of a wall
	surfaces []*surface
	tally    tally // of sums over them
	scratch  scratch
	slots    int // the first of its reduction slots
}

// build makes the grid and the walls.
func (d *domain) build() (err error) {
	if d.grid, err = stencil.NewGrid(d.dev, d.p.Precision, d.p.Extent); err != nil {
		return err
	}
	d.walls = newWalls(d.grid, &d.p)
	if d.wells, err = newWells(d.grid, &d.p, len(d.p.substances())); err != nil {
		return err
	}
	if d.slots, err = d.dev.Reserve("steps", ownOfModel); err != nil {
		return err
	}
	return d.placeSurfaces()
}

// measureWalls uploads the areas of the walls.
func (d *domain) measureWalls() (err error) {
	for _, s := range d.walls.sides {
		area := make([]float64, d.grid.Box.WallNodes(s))
		for n := range area {
			area[n] = d.grid.WallArea(s, n)
		}
		if d.wallArea[s], err = d.grid.NewWall(area); err != nil {
			return err
		}
	}
	return nil
}

// shortest returns the shortest extent of the domain.
func (d *domain) shortest() float64 {
	extent := math.Inf(1)
	for axis, n := range d.grid.Cells {
		if n > 0 {
			extent = math.Min(extent, d.grid.Size[axis])
		}
	}
	return extent
}

func (d *domain) free() {
	d.scratch.free()
	for _, on := range d.surfaces {
		if on.patch != nil && on.weights != nil {
			d.dev.Free(on.weights)
		}
	}
	for _, b := range d.wallArea {
		if b != nil {
			d.dev.Free(b)
		}
	}
	if d.grid != nil {
		d.grid.Free()
	}
}
