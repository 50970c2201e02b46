package mueller

import (
	"fmt"

	"convect/kernels"
)

// Order is the order in which the cells of a panel lie in memory.
type Order uint8

// Orders of Müller et al. (2013), equations 20 and 22.
const (
	ColumnOrder Order = iota // k fastest, then i, then j: every column is contiguous
	RowOrder                 // i fastest, then j, then k: every level is contiguous
)

// String names the index that runs fastest.
func (o Order) String() string { return [...]string{"k fastest", "x fastest"}[o] }

// rowAlign is the number of elements by which contiguous runs are aligned.
const rowAlign = 16

// panelSkew is the number of elements by which the levels of a panel in RowOrder are further apart than they are long,
// so that the cells of a column do not all compete for the same cache sets.
const panelSkew = 5 * rowAlign

// Panel is the index space of fields on columns: cell k of column (i,j) is element Origin + i*Stride[0] + j*Stride[1]
// + k*Stride[2]. The contiguous runs (columns or rows) are padded to Run elements and begin aligned. Everything that
// is not a cell is zero and stays zero: kernels may read and write it, and sums over whole buffers are sums over cells.
//
// Arrays over columns, such as areas, hold column (i,j) at element Horizontal(i,j), with zeros around.
type Panel struct {
	N      [3]int // columns along x and y, cells of a column
	Order  Order
	Stride [3]int // elements
	Run    int    // elements of a contiguous run, a multiple of 16
	Origin int    // element of cell (0,0,0), a multiple of 16
	Len    int    // elements of a field
	Row    int    // elements from one row of an array over columns to the next
	Around int    // elements of an array over columns
}

// NewPanel lays out n[0] x n[1] columns of n[2] cells.
func NewPanel(n [3]int, order Order) Panel {
	if n[kernels.X] < 1 || n[kernels.Y] < 1 || n[kernels.Z] < 1 || order > RowOrder {
		panic(fmt.Sprintf("mueller: there is no panel of %d x %d columns of %d cells", n[kernels.X], n[kernels.Y], n[kernels.Z]))
	}
	up := func(v int) int { return (v + rowAlign - 1) / rowAlign * rowAlign }
	p := Panel{N: n, Order: order, Origin: rowAlign, Row: up(n[kernels.X])}
	p.Around = rowAlign + p.Row*(n[kernels.Y]+1) + rowAlign
	if order == ColumnOrder {
		p.Run = up(n[kernels.Z])
		p.Stride = [3]int{p.Run, p.Run * n[kernels.X], 1}
		p.Len = p.Origin + p.Stride[kernels.Y]*n[kernels.Y] + rowAlign
		return p
	}
	p.Run = p.Row
	p.Stride = [3]int{1, p.Run, p.Run*n[kernels.Y] + panelSkew}
	p.Len = p.Origin + p.Stride[kernels.Z]*n[kernels.Z] + rowAlign
	return p
}

// Index returns the element of cell k of column (i,j).
func (p Panel) Index(i, j, k int) int {
	return p.Origin + i*p.Stride[kernels.X] + j*p.Stride[kernels.Y] + k*p.Stride[kernels.Z]
}

// Horizontal returns the element of column (i,j) in arrays over columns.
func (p Panel) Horizontal(i, j int) int { return rowAlign + p.Row + i + j*p.Row }

// Cells returns the number of cells.
func (p Panel) Cells() int { return p.N[kernels.X] * p.N[kernels.Y] * p.N[kernels.Z] }

// Levels returns the number of elements of an array over levels: N[2] rounded up to 16, and 16 more. The value of level
// k is element k; the rest is zero.
func (p Panel) Levels() int { return (p.N[kernels.Z]+rowAlign-1)/rowAlign*rowAlign + rowAlign }
