package kernels

// Shape is what the axis arrays of an operator hold, as whoever made them says: devices choose kernels by it and need not look at the
// arrays. The zero value says nothing, and kernels for any widths serve.
type Shape struct {
	// Width is the width of all cells of an axis, rounded to the element type, and 0 where widths differ; an absent axis has 1.
	Width    [3]float64
	Periodic [3]bool
}

// EvenWidth returns the width that all cells of an axis have in an element type, 0 where widths differ. Without cells it is 1.
func EvenWidth(e Elem, widths []float64) float64 {
	if len(widths) == 0 {
		return 1
	}
	first := e.Round(widths[0])
	for _, w := range widths[1:] {
		if e.Round(w) != first {
			return 0
		}
	}
	return first
}

// Round returns a number as an element of the type holds it.
func (e Elem) Round(v float64) float64 {
	if e == Float32 {
		return float64(float32(v))
	}
	return v
}

// Even tells whether all cells of each axis are of one width.
func (s *Shape) Even() bool { return s.Width[X] != 0 && s.Width[Y] != 0 && s.Width[Z] != 0 }

// Sides returns which whole sides a mask fixes; whole is false where it fixes other nodes too. A nil mask fixes nothing.
func (m *RowMask) Sides() (fixed [6]bool, whole bool) {
	if m == nil {
		return fixed, true
	}
	return m.Fixed, m.Whole
}

// Conductivity is how an operator holds its conductivity.
type Conductivity uint8

// Kinds of conductivity.
const (
	Constant Conductivity = iota // a number along each axis
	Shared                       // an array of cells for all axes
	Apart                        // an array of cells along each axis
)

// Conductivity returns the kind of an operator's conductivity.
func (a *Elliptic) Conductivity() Conductivity {
	switch {
	case a.Cells[X] == nil:
		return Constant
	case a.Cells[Y] == a.Cells[X] && a.Cells[Z] == a.Cells[X]:
		return Shared
	}
	return Apart
}
