package kernels

import "fmt"

// HaloWidth is the number of layers around the nodes of every axis that is present: what the widest
// transport stencil (WENO5) reads.
const HaloWidth = 3

// rowAlign is the number of elements to which rows are padded: 64 bytes of float32.
const rowAlign = 16

// Axes of an array, fastest first.
const (
	X = iota
	Y
	Z
)

// Side names one of the six walls of a box.
type Side uint8

// The six sides: low and high end of x, y, z.
const (
	Left Side = iota
	Right
	Front
	Back
	Bottom
	Top
)

// Axis returns the axis to which the side is normal (0 x, 1 y, 2 z).
func (s Side) Axis() int { return int(s) / 2 }

// High tells whether the side is the upper end of its axis.
func (s Side) High() bool { return s%2 == 1 }

// String returns the side's name in the case file.
func (s Side) String() string {
	return [...]string{"left", "right", "front", "back", "bottom", "top"}[s]
}

// Box is the index space of the arrays of one grid: node (i,j,k) is element
// Origin + i + j*Stride[1] + k*Stride[2], 0 <= i < N[0] and so on; halo nodes have indices from -HaloWidth
// to N+HaloWidth-1 along every present axis.
type Box struct {
	N      [3]int // nodes along x, y, z; N[1] is 1 where y is absent
	Stride [3]int // elements; Stride[0] is 1, Stride[1] is 0 where y is absent
	Origin int    // element of node (0,0,0), a multiple of 16
	Len    int    // elements of an array
	// Own are the first row of y that reductions count and the one after the last; two zeros: they count all.
	Own [2]int
}

// NewBox lays out nodes n[0] x n[1] x n[2]. With flat, y is absent: n[1] must be 1.
func NewBox(n [3]int, flat bool) Box {
	if flat && n[Y] != 1 {
		panic(fmt.Sprintf("kernels: a flat box has one node in y, not %d", n[Y]))
	}
	up := func(v int) int { return (v + rowAlign - 1) / rowAlign * rowAlign }
	row := up(n[X] + 2*HaloWidth)
	b := Box{N: n, Stride: [3]int{1, row, row * (n[Y] + 2*HaloWidth)}}
	b.Origin = rowAlign + HaloWidth*(b.Stride[Y]+b.Stride[Z])
	rows := (n[Y] + 2*HaloWidth) * (n[Z] + 2*HaloWidth)
	if flat {
		b.Stride = [3]int{1, 0, row}
		b.Origin = rowAlign + HaloWidth*row
		rows = n[Z] + 2*HaloWidth
	}
	b.Len = rowAlign + rows*row + rowAlign
	return b
}

// Flat tells whether the y axis is absent.
func (b Box) Flat() bool { return b.Stride[Y] == 0 }

// Nodes returns the number of nodes without halo.
func (b Box) Nodes() int { return b.N[X] * b.N[Y] * b.N[Z] }

// Index returns the element of node (i,j,k).
func (b Box) Index(i, j, k int) int { return b.Origin + i + j*b.Stride[Y] + k*b.Stride[Z] }

// WallShape returns the extents (fast, slow) of an array on a side: (y,z) for left and right, (x,z) for front
// and back, (x,y) for bottom and top. Wall arrays have no padding and no halo: element a + b*fast.
func (b Box) WallShape(s Side) (fast, slow int) {
	switch s.Axis() {
	case X:
		return b.N[Y], b.N[Z]
	case Y:
		return b.N[X], b.N[Z]
	}
	return b.N[X], b.N[Y]
}

// WallNodes returns the number of nodes on a side.
func (b Box) WallNodes(s Side) int {
	fast, slow := b.WallShape(s)
	return fast * slow
}

// Elem is the element type of a buffer.
type Elem uint8

// Element types.
const (
	Float32 Elem = iota
	Float64
	Int32
)

// Size returns the bytes of one element.
func (e Elem) Size() int {
	if e == Float64 {
		return 8
	}
	return 4
}

// Epsilon returns the unit roundoff (half the spacing of numbers at 1): 2^-24 or 2^-53.
func (e Elem) Epsilon() float64 {
	if e == Float32 {
		return 1.0 / (1 << 24)
	}
	return 1.0 / (1 << 53)
}

// String returns the name used in the case file.
func (e Elem) String() string { return [...]string{"float32", "float64", "int32"}[e] }
