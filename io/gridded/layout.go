package gridded

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"convect/io/h5"
)

// layout is which axis of a dataset is which.
type layout struct {
	h          *hdf5
	o          h5.Object
	axes       []int // of each axis of the dataset: 0, 1, 2, or one of those below
	scales     []string
	directions bool // the first axis is that of directions
	named      bool // the axes are told apart by their scales
}

const (
	nowhere   = -1 // an axis of one value, or of nothing known
	direction = -2
)

// layout finds out which axis is which: by dimension scales, else by their order.
func (h *hdf5) layout(o h5.Object) (*layout, error) {
	l := &layout{h: h, o: o, axes: slices.Repeat([]int{nowhere}, len(o.Dims)), scales: make([]string, len(o.Dims))}
	paths, err := h.r.Scales(o.Path)
	if err != nil {
		return nil, err
	}
	copy(l.scales, paths)
	unknown := -1
	for i, scale := range l.scales {
		if scale == "" {
			continue
		}
		l.axes[i], err = l.axisOfScale(i)
		if err != nil {
			return nil, err
		}
		l.named = l.named || l.axes[i] >= 0
		if l.axes[i] == nowhere && o.Dims[i] > 1 && !l.phony(scale) {
			unknown = i
		}
	}
	if unknown >= 0 {
		name := path.Base(l.scales[unknown])
		return nil, wrong(PartDataset, "axes with the coordinates x, y, z; the keys x, y, z name others",
			"axis %d of dataset %s of %s is %s, with %d values", unknown, o.Path, h.ask.Path, name, o.Dims[unknown])
	}
	if l.named && !l.complement() {
		return l, l.checkNamed()
	}
	named := slices.Clone(l.axes)
	if err := l.byOrder(); err != nil {
		return nil, err
	}
	for i, d := range named {
		if d >= 0 && d != l.axes[i] {
			return nil, wrong(PartDataset, "dimension scales on all axes, or the order "+letters([]int{2, 1, 0}),
				"axis %d of dataset %s of %s is %s by its scale and %s by its place", i, o.Path, h.ask.Path, axisNames[d], axisNames[max(l.axes[i], 0)])
		}
	}
	return l, nil
}

// complement tells whether an axis has no scale that says which it is, so that the order has to.
func (l *layout) complement() bool {
	for i, d := range l.axes {
		if d == nowhere && l.o.Dims[i] > 1 && !(i == 0 && l.mayBeDirections(l.o.Dims[0]) && len(l.axes) > len(l.h.ask.Target.axes())) {
			return true
		}
	}
	return false
}

// phony tells a scale that is nothing but a length: a dimension of NetCDF without coordinates.
func (l *layout) phony(scale string) bool {
	o, ok := l.h.objects[scale]
	return !ok || !isNumeric(o) || l.h.lengthAlone(scale)
}

// lengthAlone tells a dimension of NetCDF without coordinates.
func (h *hdf5) lengthAlone(p string) bool {
	return strings.HasPrefix(h.text(p, "NAME"), "This is a netCDF dimension but not a netCDF variable")
}

// axisOfScale tells the axis that a scale is of: as the request says, by the conventions for climate and forecast metadata, or by its name.
func (l *layout) axisOfScale(i int) (int, error) {
	scale := l.scales[i]
	for d, name := range l.h.ask.Coordinates {
		if name != "" && (path.Clean("/"+name) == scale || name == path.Base(scale)) {
			return d, nil
		}
	}
	if l.o.Dims[i] == 1 {
		return nowhere, nil
	}
	if downwards(scale) || l.h.text(scale, "positive") == "down" {
		return nowhere, wrong("z", "", depthAdvice, scale+" of "+l.h.ask.Path)
	}
	for d, standard := range [3]string{"projection_x_coordinate", "projection_y_coordinate", "height"} {
		if strings.EqualFold(l.h.text(scale, "axis"), axisNames[d]) || l.h.text(scale, "standard_name") == standard {
			return d, nil
		}
	}
	name := strings.ToLower(path.Base(scale))
	if l.h.ask.Directions && (name == "direction" || name == "component") {
		return direction, nil
	}
	d, _ := axisOf(scale)
	return d, nil
}

// checkNamed checks axes told apart by their scales.
func (l *layout) checkNamed() error {
	seen := map[int]int{}
	for i, d := range l.axes {
		n := l.o.Dims[i]
		switch first, twice := seen[d]; {
		case n == 1:
			continue
		case d == nowhere && i == 0 && l.mayBeDirections(n), d == direction && i == 0 && n == len(l.h.ask.Target.axes()):
			l.directions, l.axes[i] = true, direction
		case d == direction, d == nowhere:
			return wrong(PartDataset, "axes with the coordinates x, y, z", "axis %d of dataset %s of %s, with %d values, has none", i, l.o.Path, l.h.ask.Path, n)
		case twice:
			return wrong(PartDataset, "each axis once", "axes %d and %d of dataset %s of %s are both %s", first, i, l.o.Path, l.h.ask.Path, axisNames[d])
		case d == 1 && l.h.ask.Target.Flat():
			return threeDimensional(l.o.Path, l.h.ask.Path)
		}
		seen[d] = i
	}
	return nil
}

func threeDimensional(name, file string) error {
	return wrong(PartDataset, "values along x and z, or one section", "%s of %s is 3-D and the case 2-D", name, file)
}

func (l *layout) mayBeDirections(n int) bool {
	return l.h.ask.Directions && n == len(l.h.ask.Target.axes())
}

// byOrder takes the axes as [z][y][x]; what is left out is found by the coordinates that are there.
func (l *layout) byOrder() error {
	dims, flat := l.o.Dims, l.h.ask.Target.Flat()
	own := []int{2, 1, 0}
	if flat {
		own = []int{2, 0}
	}
	switch rank := len(dims); {
	case rank == len(own)+1 && l.mayBeDirections(dims[0]) && !(flat && dims[1] == 1):
		l.directions = true
		l.axes = append([]int{direction}, own...)
	case rank > len(own) && dims[0] == 1 && l.without(): // as of a single time
		rest := &layout{h: l.h, o: l.o, axes: l.axes[1:], scales: l.scales[1:]}
		rest.o.Dims = dims[1:]
		err := rest.byOrder()
		l.axes, l.directions = append([]int{nowhere}, rest.axes...), rest.directions
		return err
	case rank == len(own):
		l.axes = own
	case rank == 3 && dims[1] == 1:
		l.axes = []int{2, 1, 0}
	case rank == 3:
		return l.h.mismatch(l, own)
	case rank == 2:
		return l.fitting([][]int{{2, 0}, {2, 1}, {1, 0}})
	case rank == 1 && flat:
		return l.fitting([][]int{{2}, {0}})
	case rank == 1:
		return l.fitting([][]int{{2}, {0}, {1}})
	case rank > 3:
		return l.h.mismatch(l, own)
	}
	return nil
}

// without tells whether the first axis says nothing of itself: it is no z of one plane.
func (l *layout) without() bool {
	d, _ := axisOf(l.scales[0])
	return d < 0 && !(len(l.o.Dims) == 3 && l.o.Dims[1] == 1)
}

// fitting takes the first of several orders for all of whose axes there are coordinates of the right number.
func (l *layout) fitting(orders [][]int) error {
	var fit [][]int
	for _, order := range orders {
		fits := true
		for i, d := range order {
			name := l.h.coordinates(l.o.Path, d, l.o.Dims[i])
			fits = fits && (name != "" && l.h.counts(name, l.o.Dims[i]) || l.o.Dims[i] == 1)
		}
		if fits {
			fit = append(fit, order)
		}
	}
	switch {
	case len(fit) == 0:
		return wrong(PartDataset, "coordinates along its axes, such as datasets z and x beside it, or keys that name them",
			"dataset %s of %s has the sizes %v and no coordinates that fit them", l.o.Path, l.h.ask.Path, l.o.Dims)
	case len(fit) > 1 && len(fit[0]) > 1:
		return wrong(PartDataset, "dimension scales, which tell axes apart", "dataset %s of %s may be %s or %s", l.o.Path, l.h.ask.Path, letters(fit[0]), letters(fit[1]))
	}
	l.axes = fit[0]
	return nil
}

// mismatch says that a dataset without dimension scales does not fit the grid.
func (h *hdf5) mismatch(l *layout, own []int) error {
	t := &h.ask.Target
	if t.Flat() && len(l.o.Dims) == 3 && !l.mayBeDirections(l.o.Dims[0]) && h.coordinates(l.o.Path, 1, l.o.Dims[1]) != "" {
		return threeDimensional(l.o.Path, h.ask.Path)
	}
	shape, names := []int{}, []string{}
	for _, d := range own {
		shape, names = append(shape, t.cells(d)), append(names, axisNames[d])
	}
	accepted := fmt.Sprintf("%v (cells along %s)", shape, strings.Join(names, ", "))
	if h.ask.Directions {
		accepted += fmt.Sprintf(", or %v with the directions first", append([]int{len(own)}, shape...))
	}
	slices.Sort(names)
	accepted += ", or any grid that covers the domain, with the coordinates " + strings.Join(names, ", ") + " in the file"
	text := ""
	if swapped := slices.Clone(l.o.Dims); len(swapped) == len(shape) {
		slices.Reverse(swapped)
		if slices.Equal(swapped, shape) {
			text = fmt.Sprintf("; its axes seem to be swapped, %s in place of %s (numpy: array.T)", letters(reversed(own)), letters(own))
		}
	}
	return wrong(PartDataset, accepted, "dataset %s of %s has the sizes %v, which do not match grid.cells%s", l.o.Path, h.ask.Path, l.o.Dims, text)
}

func reversed(axes []int) []int {
	out := slices.Clone(axes)
	slices.Reverse(out)
	return out
}
