package header

import (
	"fmt"
	"math"

	"convect/io/h5"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// attributes reads attributes of the group until one fails.
type attributes struct {
	r   *h5.Reader
	err error
}

func get[T any](a *attributes, name string, read func(object, name string) (T, error)) (value T) {
	if a.err == nil {
		value, a.err = read(Group, name)
	}
	return value
}

func (a *attributes) text(name string) string    { return get(a, name, a.r.AttrString) }
func (a *attributes) integer(name string) int64  { return get(a, name, a.r.AttrInt64) }
func (a *attributes) number(name string) float64 { return get(a, name, a.r.AttrFloat64) }

// triple reads one value an axis.
func (a *attributes) triple(name string) (v [3]float64) {
	values := get(a, name, a.r.AttrFloat64s)
	if a.err == nil && len(values) != 3 {
		a.err = fmt.Errorf("%s: attribute %s of %s has %d values, not 3", a.r.Path(), name, Group, len(values))
	}
	copy(v[:], values)
	return v
}

// precision reads the element type of the run's fields, and whether its solvers work in mixed precision.
func (a *attributes) precision() (fields kernels.Elem, mixed bool) {
	switch name := a.text("precision"); {
	case name == physics.PrecisionName(kernels.Float64, true):
		return kernels.Float64, true
	case name == kernels.Float64.String():
		return kernels.Float64, false
	case name != kernels.Float32.String() && a.err == nil:
		a.err = fmt.Errorf("%s: precision %q is not one of mixed, float64, float32", a.r.Path(), name)
	}
	return kernels.Float32, false
}

// grid reads cells, size and periodic axes. Any axis may be absent of a file of fewer axes than its case.
func (a *attributes) grid(h *Header, fewer bool) {
	cells, periodic := a.triple("cells"), a.triple("periodic")
	h.Size = a.triple("size")
	for d, n := range cells {
		absent := (d == kernels.Y || fewer) && n == 0
		if a.err == nil && !absent && !(n >= 1 && n < math.MaxInt32) {
			a.err = fmt.Errorf("%s: %g cells along %s", a.r.Path(), n, stencil.AxisName(d))
		}
		h.Cells[d], h.Periodic[d] = int(n), periodic[d] != 0
	}
	if a.err == nil && h.Step < 0 {
		a.err = fmt.Errorf("%s: its step is %d", a.r.Path(), h.Step)
	}
}
