package casefile

import (
	"sort"

	"convect/io/gridded"
	"convect/physics"
)

// cellsOf reads the cells of a property: means over cells, or what conducts by direction. They are those of the reference in a trial, and where
// the file is reported as wrong.
func (c *Case) cellsOf(g *gridFile, p property) (cells [3][]float64, err error) {
	if !c.uniform {
		err = c.read(g, func(f *gridded.Field) (err error) {
			if p.conducts {
				cells, err = f.Conductive(&g.request)
				return err
			}
			means, err := f.CellMeans(&g.request)
			cells = [3][]float64{means, means, means}
			return err
		})
	}
	if cells[0] == nil && err == nil {
		n := 1
		for _, c := range c.Parameters.Extent.Cells {
			n *= max(c, 1)
		}
		one := constantCells(p.reference, n)
		cells = [3][]float64{one, one, one}
	}
	return cells, err
}

// sourceOf reads a source: means over the volumes of nodes, so that its total is that of the file.
func (c *Case) sourceOf(g *gridFile) (physics.Func, error) {
	if c.uniform {
		return physics.Constant(0), nil
	}
	var nodes []float64
	err := c.read(g, func(f *gridded.Field) (err error) {
		nodes, err = f.NodeMeans(&g.request)
		return err
	})
	if err != nil || nodes == nil {
		return nil, err
	}
	unit := c.Scales.HeatFlux / c.Scales.Length
	for i := range nodes {
		nodes[i] /= unit
	}
	return c.onNodes(nodes), nil
}

// onNodes returns a function that has given values at the nodes, [z][y][x], and elsewhere that of the nearest one.
func (c *Case) onNodes(values []float64) physics.Func {
	var x [3][]float64
	for d := range x {
		x[d] = c.coordinates(d)
	}
	return func(px, py, pz, _ float64) float64 {
		at := 0
		for d, p := range [3]float64{px, py, pz} {
			at += nearest(x[d], p) * [3]int{1, len(x[0]), len(x[0]) * len(x[1])}[d]
		}
		return values[at]
	}
}

// nearest returns the index of the coordinate nearest to p.
func nearest(x []float64, p float64) int {
	i := sort.SearchFloat64s(x, p)
	switch {
	case i == len(x):
		return i - 1
	case i > 0 && p-x[i-1] < x[i]-p:
		return i - 1
	}
	return i
}
