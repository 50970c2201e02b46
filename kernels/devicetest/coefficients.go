package devicetest

import "convect/kernels"

// coefficients are those of an operator without mass at all nodes: a reference that is evaluated many times works them out once. A
// coefficient is a sum of terms, so that its size bounds their rounding.
type coefficients struct {
	stencil  kernels.Stencil
	k        [3]float64
	cells    [3]*Field
	box      kernels.Box
	to       []int // offsets of the neighbours, the node itself among them, in elements
	row      []sum // of all nodes, one for each neighbour
	diagonal []float64
}

// nodeNumber counts the nodes of a box, x fastest.
func nodeNumber(box kernels.Box, n Node) int { return n[0] + box.N[0]*(n[1]+box.N[1]*n[2]) }

// of returns the coefficients of a node.
func (c *coefficients) of(n Node) []sum {
	i := nodeNumber(c.box, n) * len(c.to)
	return c.row[i : i+len(c.to)]
}

// coefficients returns those of the operator as it is.
func (o *Operator) coefficients() *coefficients {
	if t := o.table; t != nil && t.stencil == o.Stencil && t.k == o.K && t.cells == o.Cells {
		return t
	}
	t := &coefficients{stencil: o.Stencil, k: o.K, cells: o.Cells, box: o.Box}
	var place [27]int // of a neighbour among them, by 13 + i + 3 j + 9 k
	eachWithin(Node{-1, -1, -1}, Node{2, 2, 2}, func(to Node) {
		far := to[0]*to[0] + to[1]*to[1] + to[2]*to[2]
		if (o.present(kernels.Y) || to[1] == 0) && (o.Stencil == kernels.TwentySevenPoint || far <= 1) {
			place[13+to[0]+3*to[1]+9*to[2]] = len(t.to)
			t.to = append(t.to, to[0]+to[1]*o.Box.Stride[1]+to[2]*o.Box.Stride[2])
		}
	})
	t.row = make([]sum, o.Box.Nodes()*len(t.to))
	EachNode(o.Box, func(n Node) {
		row := t.of(n)
		o.terms(n, func(to Node, c float64) {
			row[place[13+to[0]-n[0]+3*(to[1]-n[1])+9*(to[2]-n[2])]].add(c)
		})
		t.diagonal = append(t.diagonal, o.diagonalTerms(n))
	})
	o.table = t
	return t
}
