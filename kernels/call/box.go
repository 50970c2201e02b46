package call

import "convect/kernels"

// SetBox checks a box and makes it the call's.
func (c *Call) SetBox(box kernels.Box) Box {
	c.Box = box
	return c.box(box)
}

// box checks a box and converts it.
func (c *Call) box(box kernels.Box) Box {
	n, s := box.N, box.Stride
	const w = kernels.HaloWidth
	low := box.Origin - w*(1+s[1]+s[2])
	high := box.Index(n[0]-1+w, n[1]-1+w, n[2]-1+w)
	if n[0] < 1 || n[1] < 1 || n[2] < 1 || s[1] < 0 || s[2] < n[0] || low < 0 || high >= box.Len {
		c.Fail("the box of %d x %d x %d nodes is not laid out by NewBox", n[0], n[1], n[2])
	}
	return boxOf(box)
}

// boxOf converts a box.
func boxOf(box kernels.Box) Box {
	n, s := box.N, box.Stride
	own := [2]int{0, n[1]}
	if box.Own != own && box.Own != [2]int{} {
		own = [2]int{min(max(box.Own[0], 0), n[1]), min(max(box.Own[1], 0), n[1])} // a box of other rows of a slab may have none
	}
	return Box{N: ints(n), Sy: int64(s[1]), Sz: int64(s[2]), Own: [2]int64{int64(own[0]), int64(own[1])}}
}

// Rows returns the number of rows of the call's box.
func (c *Call) Rows() int { return c.Box.N[1] * c.Box.N[2] }

// at returns the address of an element of the call's type; 0 for 0.
func (c *Call) at(p uintptr, element int) uintptr {
	if p == 0 {
		return 0
	}
	return p + uintptr(element*c.Elem.Size())
}

// Nodes returns the address of node (0,0,0) of an array laid out by the call's box.
func (c *Call) Nodes(b kernels.Buffer, name string) uintptr { return c.nodesOf(b, c.Box, name) }

// nodesOf is Nodes for another box.
func (c *Call) nodesOf(b kernels.Buffer, box kernels.Box, name string) uintptr {
	c.Arrays++
	return c.at(c.Elements(b, c.Elem, box.Len, name), box.Origin)
}

// singleNodes is Nodes for an array of float32 in a call of float64.
func (c *Call) singleNodes(b kernels.Buffer, name string) uintptr {
	c.Arrays++
	p := c.Elements(b, kernels.Float32, c.Box.Len, name)
	if p == 0 {
		return 0
	}
	return p + uintptr(c.Box.Origin*kernels.Float32.Size())
}

// maybeNodes is Nodes for a buffer that may be nil.
func (c *Call) maybeNodes(b kernels.Buffer, name string) uintptr {
	if b == nil {
		return 0
	}
	return c.Nodes(b, name)
}

// axes returns the addresses of node 0 of three axis arrays.
func (c *Call) axes(b [3]kernels.Buffer, name string) (p [3]uintptr) { return c.axesOf(b, c.Box, name) }

// axesOf is axes for another box.
func (c *Call) axesOf(b [3]kernels.Buffer, box kernels.Box, name string) (p [3]uintptr) {
	for d := range b {
		p[d] = c.axisOf(b[d], box, d, name)
	}
	return p
}

// axis is axes for one.
func (c *Call) axis(b kernels.Buffer, d int, name string) uintptr { return c.axisOf(b, c.Box, d, name) }

func (c *Call) axisOf(b kernels.Buffer, box kernels.Box, d int, name string) uintptr {
	return c.at(c.Elements(b, c.Elem, box.N[d]+2*kernels.HaloWidth, name), kernels.HaloWidth)
}

// wall returns the address of a wall array.
func (c *Call) wall(b kernels.Buffer, side kernels.Side, name string) uintptr {
	return c.Elements(b, c.Elem, c.Box.WallNodes(side), name)
}

// maybeWall returns the address of a wall array that may be nil.
func (c *Call) maybeWall(b kernels.Buffer, side kernels.Side, name string) uintptr {
	if b == nil {
		return 0
	}
	return c.wall(b, side, name)
}

// walls returns the addresses of wall arrays that may be nil.
func (c *Call) walls(b [6]kernels.Buffer, name string) (p [6]uintptr) {
	for s := range b {
		if b[s] != nil {
			p[s] = c.wall(b[s], kernels.Side(s), name)
		}
	}
	return p
}

// faces returns the arrays of face velocities; along an absent y axis there is none.
func (c *Call) faces(q [3]kernels.Buffer) (p [3]uintptr) {
	for d := range q {
		if d != kernels.Y || !c.Box.Flat() {
			p[d] = c.Nodes(q[d], "Q")
		}
	}
	return p
}
