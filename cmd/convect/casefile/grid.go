package casefile

import (
	"fmt"

	"convect/kernels"
)

// maxCells bounds the cells along an axis.
const maxCells = 1 << 20

// decodeGrid reads cells and size.
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
		grading.refuse("grids of equal cells, without this key", "grading is not built yet")
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
