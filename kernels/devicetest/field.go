package devicetest

import "convect/kernels"

// Node is a node's index (i, j, k).
type Node = [3]int

// Field is a host array laid out by a box, halo and padding included.
type Field struct {
	Box kernels.Box
	V   []float64
}

// NewField returns an array of zeros.
func NewField(box kernels.Box) Field { return Field{box, make([]float64, box.Len)} }

// Clone returns a copy that shares nothing.
func (f Field) Clone() Field { return Field{f.Box, append([]float64(nil), f.V...)} }

// At returns the value at a node, which may lie in the halo.
func (f Field) At(n Node) float64 { return f.V[f.Box.Index(n[0], n[1], n[2])] }

// Set sets the value at a node.
func (f Field) Set(n Node, v float64) { f.V[f.Box.Index(n[0], n[1], n[2])] = v }

// EachNode calls visit for all nodes of a box without its halo, x fastest.
func EachNode(box kernels.Box, visit func(n Node)) { eachWithin(Node{}, box.N, visit) }

// eachWithin calls visit for all low <= n < high, x fastest.
func eachWithin(low, high Node, visit func(n Node)) {
	for k := low[2]; k < high[2]; k++ {
		for j := low[1]; j < high[1]; j++ {
			for i := low[0]; i < high[0]; i++ {
				visit(Node{i, j, k})
			}
		}
	}
}

// eachHaloNode calls visit for all nodes and all halo nodes of a box.
func eachHaloNode(box kernels.Box, visit func(n Node)) {
	var low, high Node
	for d := range box.N {
		layers := kernels.HaloWidth
		if !present(box, d) {
			layers = 0
		}
		low[d], high[d] = -layers, box.N[d]+layers
	}
	eachWithin(low, high, visit)
}

// present tells whether a box has axis d.
func present(box kernels.Box, d int) bool { return d != kernels.Y || !box.Flat() }

// inside tells whether n is a node and not in the halo.
func inside(box kernels.Box, n Node) bool {
	for d := range n {
		if n[d] < 0 || n[d] >= box.N[d] {
			return false
		}
	}
	return true
}

// shift returns n moved by s along axis d.
func shift(n Node, d, s int) Node {
	n[d] += s
	return n
}

// others returns the two axes normal to d, the faster first.
func others(d int) (p, q int) {
	switch d {
	case kernels.X:
		return kernels.Y, kernels.Z
	case kernels.Y:
		return kernels.X, kernels.Z
	}
	return kernels.X, kernels.Y
}

// wrap returns i modulo n, never negative.
func wrap(i, n int) int { return ((i % n) + n) % n }
