package casefile

import (
	"fmt"

	"convect/kernels"
	"convect/stencil"
)

// maxCells bounds the cells along an axis.
const maxCells = 1 << 20

// decodeGrid reads cells, size and grading.
func (c *Case) decodeGrid(v value) {
	s, _ := v.section()
	e := &c.Parameters.Extent
	const accepted = "[x, z] or [x, y, z]"
	cells, size, grading := s.get("cells"), s.get("size"), s.get("grading")
	if !cells.given() {
		cells.missing("numbers of cells " + accepted)
	} else if items, ok := axes(cells, "numbers of cells "+accepted); ok {
		for d, item := range items {
			if item.given() {
				n, _ := item.integer(2, maxCells)
				e.Cells[d] = int(n)
			}
		}
	}
	if !size.given() {
		size.missing("lengths " + accepted)
	} else if items, ok := axes(size, "lengths "+accepted); ok {
		for d, item := range items {
			if item.given() {
				length, _ := item.number(positive())
				e.Size[d] = length / c.Scales.Length
			}
		}
		if n := cells.length(); (n == 2 || n == 3) && n != len(size.node.items) {
			size.refuse(fmt.Sprintf("%d lengths, one for each of grid.cells", len(cells.node.items)),
				"%d lengths for %d axes", len(size.node.items), len(cells.node.items))
		}
	}
	if grading.given() {
		c.decodeGrading(grading)
	}
}

// maxRatio bounds the largest over the smallest width of an axis.
const maxRatio = 1000

// decodeGrading reads how widths change along the axes.
func (c *Case) decodeGrading(v value) {
	s, _ := v.section()
	e := &c.Parameters.Extent
	for d, name := range []string{"x", "y", "z"} {
		axis := s.get(name)
		if !axis.given() {
			continue
		}
		if d == kernels.Y && c.flat() {
			axis.refuse("x or z", "a 2-D case has no y axis")
			continue
		}
		items, ok := axis.section()
		if !ok {
			continue
		}
		cluster, ratio := items.get("cluster"), items.get("ratio")
		var g stencil.Grading
		if !cluster.given() {
			cluster.missing("low, high or both: the end of the axis where cells are narrow")
		} else {
			g.Cluster, _ = stencil.ParseCluster(cluster.choice([]string{"both", "low", "high"}))
		}
		if !ratio.given() {
			ratio.missing("the largest over the smallest width")
		} else {
			g.Ratio, ok = ratio.number(limit{func(v float64) bool { return v >= 1 && v <= maxRatio },
				fmt.Sprintf("a number from 1 to %d", maxRatio)})
		}
		if n := e.Cells[d]; n > 0 && n < g.Cluster.LeastCells() {
			axis.refuse(fmt.Sprintf("at least %d cells along %s, or no grading", g.Cluster.LeastCells(), name), "%d cells are too few to cluster: %s", n, g.Cluster)
			ok = false
		}
		if ok && g.Ratio > 1 {
			e.Grading[d] = g
		}
	}
}

// checkGrading refuses widths that would jump where the ends of a periodic axis meet.
func (c *Case) checkGrading() {
	for d, name := range []string{"x", "y", "z"} {
		e := &c.Parameters.Extent
		if cluster := e.Grading[d].Cluster; e.Periodic[d] && cluster != stencil.Even && cluster != stencil.ClusterBoth {
			grid, _ := c.root.get("grid").section()
			grading, _ := grid.get("grading").section()
			axis, _ := grading.get(name).section()
			axis.get("cluster").refuse("both", "widths would jump where the periodic ends of %s meet", name)
		}
	}
}

// axes returns the items of a list of two (x, z) or three (x, y, z) by axis; y is not given in a list of two.
func axes(v value, accepted string) ([3]value, bool) {
	items, ok := v.list(accepted)
	switch {
	case !ok:
		return [3]value{}, false
	case len(items) == 2:
		return [3]value{items[0], {}, items[1]}, true
	case len(items) == 3:
		return [3]value(items), true
	}
	v.refuse(accepted, "a list of %d", len(items))
	return [3]value{}, false
}

// length returns the number of items of a list, 0 where the value is none.
func (v value) length() int {
	if !v.given() {
		return 0
	}
	return len(v.node.items)
}

// vector returns the items of a list with one value for each axis of the case. In 2-D a list of three is accepted
// too, and its second value returned.
func (c *Case) vector(v value, what string) ([3]value, bool) {
	accepted := what + " [x, y, z]"
	if c.flat() {
		accepted = what + " [x, z]"
	}
	items, ok := axes(v, accepted)
	if ok && !c.flat() && !items[kernels.Y].given() {
		v.refuse(accepted, "a list of 2 in a 3-D case")
		return items, false
	}
	return items, ok
}
