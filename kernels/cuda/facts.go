package cuda

import (
	"unsafe"

	"convect/kernels"
)

// facts is what the host knows of the values of small buffers, found once by looking at them and forgotten when they are uploaded anew:
// axis arrays and masks do not change otherwise.
type facts struct {
	width *axisFacts
	walls *wallFacts
	rows  *rowFacts
}

// axisFacts tells of an array of cell widths.
type axisFacts struct {
	nodes int
	width float64 // of all cells; 0 where they differ
	open  [2]bool // the low and the high side are no walls: there are cells beyond
}

// wallFacts tells which sides a mask fixes.
type wallFacts struct {
	table *Buffer
	fixed [6]bool
	whole bool // these sides are all that it fixes
}

// rowFacts tells of the starts of a matrix's rows.
type rowFacts struct{ rows, entries int }

// entries returns the number of entries of a matrix, 0 after a failure.
func (d *Device) entries(m *kernels.Matrix) int {
	b := m.RowStart.(*Buffer)
	if f := b.facts.rows; f != nil && f.rows == m.Rows {
		return f.entries
	}
	var last int32
	d.keep("RowStart", d.driver.Download(unsafe.Pointer(&last), b.address+uintptr(4*m.Rows), 4))
	b.facts.rows = &rowFacts{m.Rows, int(last)}
	return int(last)
}

// evenAxis tells of an axis of n nodes; the width is 0 also after a failure.
func (d *Device) evenAxis(h kernels.Buffer, n int) axisFacts {
	b := h.(*Buffer)
	if f := b.facts.width; f != nil && f.nodes == n {
		return *f
	}
	v := make([]float64, kernels.HaloWidth+n)
	if d.Download(v, b) != nil {
		return axisFacts{}
	}
	cells := v[kernels.HaloWidth:]
	f := &axisFacts{nodes: n, width: cells[0], open: [2]bool{v[kernels.HaloWidth-1] != 0, cells[n-1] != 0}}
	for i, w := range v[kernels.HaloWidth-1:] {
		if wall := i == 0 && !f.open[0] || i == n && !f.open[1]; !wall && w != f.width {
			f.width = 0
		}
	}
	b.facts.width = f
	return *f
}

// fixedSides returns the sides that a mask of a box fixes; whole is false where it fixes anything else.
func (d *Device) fixedSides(m *kernels.RowMask, box kernels.Box) (fixed [6]bool, whole bool) {
	if m == nil {
		return fixed, true
	}
	b, table := m.Index.(*Buffer), m.Table.(*Buffer)
	if f := b.facts.walls; f != nil && f.table == table {
		return f.fixed, f.whole
	}
	index := make([]int32, box.N[1]*box.N[2])
	rows := make([]float64, m.Rows*m.Stride)
	d.keep("Mask", d.driver.Download(unsafe.Pointer(&index[0]), b.address, 4*len(index)))
	if d.Download(rows, table) != nil {
		return fixed, false
	}
	f := &wallFacts{table: table}
	f.fixed, f.whole = sidesOf(box, func(i, j, k int) bool {
		return rows[int(index[j+k*box.N[1]])*m.Stride+i] == 0
	})
	b.facts.walls = f
	return f.fixed, f.whole
}

// sidesOf finds which sides of a box are fixed from the nodes amid them, and whether those and no others are.
func sidesOf(box kernels.Box, isFixed func(i, j, k int) bool) (fixed [6]bool, whole bool) {
	n := box.N
	amid := [3]int{n[0] / 2, n[1] / 2, n[2] / 2}
	for s := range fixed {
		p := amid
		if axis := s / 2; s%2 == 0 {
			p[axis] = 0
		} else {
			p[axis] = n[axis] - 1
		}
		fixed[s] = isFixed(p[0], p[1], p[2])
	}
	for k := range n[2] {
		for j := range n[1] {
			for i := range n[0] {
				want := fixed[0] && i == 0 || fixed[1] && i == n[0]-1 || fixed[2] && j == 0 || fixed[3] && j == n[1]-1 ||
					fixed[4] && k == 0 || fixed[5] && k == n[2]-1
				if isFixed(i, j, k) != want {
					return fixed, false
				}
			}
		}
	}
	return fixed, true
}
