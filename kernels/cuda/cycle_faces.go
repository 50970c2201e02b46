package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// facesPasses are the passes of cycle_faces.cu on one level, where there are such.
type facesPasses struct {
	level cycleLevel
	pass  call.FacesPass
	halve bool // every axis is halved, so that there are passes with transfers

	measures bool // the last pair of sweeps adds up F Out
	blocks   int  // of it
}

// Conducts tells whether cycles go by what faces conduct: with 7 points, K on cells, whole sides fixed and walls along z.
func (d *Device) Conducts(a *kernels.Elliptic) bool {
	return a.Conductivity() != kernels.Constant && notFaces(a) == "" && (a.Mask == nil || a.Mask.Whole)
}

// Conductance computes what faces conduct.
func (d *Device) Conductance(a kernels.ConductanceArgs) {
	c := d.begin("Conductance", a.Out[0])
	s := c.Conductance(a)
	d.launch(&c, "conductance", overVectors(&c, heavySlabs), unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// notFaces tells why cycles on an operator with K on cells do not go by its faces but for its mask; "": they do. A periodic row is of whole vectors.
func notFaces(a *kernels.Elliptic) string {
	n, periodic := a.Box.N, a.Shape.Periodic
	switch {
	case a.Stencil != kernels.SevenPoint:
		return "27 points and K on cells"
	case periodic[kernels.Z]:
		return "K on cells and periodic z"
	case periodic[kernels.X] && n[kernels.X]%narrowVector != 0:
		return "K on cells and a periodic x with an odd number of nodes"
	case min(n[kernels.X], n[kernels.Z]) < 2, n[kernels.Y] < 2 && !a.Box.Flat():
		return tooFewNodes
	}
	return ""
}

// narrowVector is how many nodes of a row a thread of a narrow pass has.
const narrowVector = 2

// facesPasses returns the passes for a level whose conductances are kept.
func (d *Device) facesPasses(c *call.Call, a kernels.CycleArgs, s *call.Cycle) (p facesPasses, ok bool) {
	if !c.OK() || a.A.Conductivity() == kernels.Constant {
		return p, false
	}
	why := notFaces(a.A)
	e := call.FacesPass{Fine: s.A.Box, Coarse: s.Coarse, F: s.F, W: s.A.W, Faces: s.A.Faces, CoarseX: s.CoarseX, Periodic: s.Periodic}
	switch {
	case why != "":
	case !sides(a.A.Mask, &e.Fixed):
		why = notWholeSides
	case a.A.Faces[0] == nil:
		why = "what faces conduct is not kept"
	}
	if why != "" {
		d.because(c, why)
		return p, false
	}
	if a.A.MassScale != 0 {
		e.Masses, e.Mass = s.A.Mass, realOf(c.Elem, a.A.MassScale)
	}
	halved := [3]int{2, 2, 2}
	if a.A.Box.Flat() {
		halved[kernels.Y] = 1
		e.Faces[kernels.Y] = e.Faces[kernels.X] // which is read, and does not count
	}
	halve := a.Factor == halved && sides(a.CoarseMask, &e.CoarseFixed)
	return facesPasses{level: d.level(c, s, a), pass: e, halve: halve}, true
}

// descend makes the sweeps, residual and restriction of Descend, the last two sweeps and what follows in one pass.
func (p *facesPasses) descend() {
	n, down := int(p.level.args.Sweeps), p.halve && p.level.args.Sweeps > 1
	if down {
		n -= 2
	}
	u := p.sweeps(p.level.args.U, 0, n)
	switch {
	case down && u == 0:
		p.pair("faces_descend_zero", u, n)
	case down:
		p.pair("faces_descend_guess", u, n)
	case p.halve:
		p.pass.U = u
		p.launch("faces_restrict")
	default:
		p.level.restrict(u)
	}
}

// ascend makes the correction and the sweeps of Ascend, and tells whether it has measured on its way: where it ends with a pair of sweeps.
func (p *facesPasses) ascend(a kernels.CycleArgs) (measured bool) {
	l := &p.level
	p.measures = a.Measures && l.args.Sweeps > 0 && l.args.Sweeps%2 == 0
	if p.halve && l.args.Sweeps > 1 {
		p.sweeps(p.pair("faces_pair_correct", l.args.U, 0), 2, int(l.args.Sweeps))
	} else {
		p.sweeps(l.correct(), 0, int(l.args.Sweeps))
	}
	if p.measures {
		l.d.gatherAll(l.c, a.Slot, p.blocks, addUp)
	}
	return p.measures
}

// pair makes the sweeps n and n+1 in one pass on u and returns where it left the result: in Out if they are the last.
func (p *facesPasses) pair(kernel string, u uintptr, n int) uintptr {
	l := &p.level
	p.pass.U, p.pass.Out = u, p.to(u, n+2)
	p.pass.First, p.pass.Second = realOf(l.c.Elem, l.args.Omega[n]), realOf(l.c.Elem, l.args.Omega[n+1])
	p.launch(kernel)
	return p.pass.Out
}

// to returns where a pass that reads u and ends before sweep n writes.
func (p *facesPasses) to(u uintptr, n int) uintptr {
	if n == int(p.level.args.Sweeps) {
		return p.level.args.Out
	}
	return p.level.other(u)
}

// sweeps makes the sweeps from n on, to before `end`, in pairs, on u, 0: zero, and returns where it left the result.
func (p *facesPasses) sweeps(u uintptr, n, end int) uintptr {
	l := &p.level
	for ; n+1 < end; n += 2 {
		kernel := "faces_pair_guess"
		if u == 0 {
			kernel = "faces_pair_zero"
		}
		u = p.pair(kernel, u, n)
	}
	if n < end {
		s := call.Sweep{A: l.args.A, F: l.args.F, U: l.readable(u), Out: p.to(u, n+1), Omega: l.args.Omega[n]}
		l.sweep("smooth", s)
		u = s.Out
	}
	return u
}

// facesShape is how a pass works in its blocks: rows, and vectors at both ends of a tile, beside those that a block owns; planes that it marches through besides
// its own; arrays of a plane of its nodes in shared memory; whether it restricts.
type facesShape struct {
	beside, nodes, lead, kept int
	restricts                 bool
	bytes                     int  // of a row, a thread
	periodic                  bool // along x
}

// facesShapes are those of the kernels of cycle_faces.cu.
var facesShapes = map[string]facesShape{
	"faces_pair_zero":    {beside: 4, nodes: 1, lead: 3, kept: 9},
	"faces_pair_guess":   {beside: 4, nodes: 1, lead: 3, kept: 11},
	"faces_pair_correct": {beside: 4, nodes: 1, lead: 3, kept: 11},

	"faces_pair_guess_measured":   {beside: 4, nodes: 1, lead: 3, kept: 11},
	"faces_pair_correct_measured": {beside: 4, nodes: 1, lead: 3, kept: 11},

	"faces_restrict":      {beside: 3, nodes: 1, lead: 3, kept: 7, restricts: true},
	"faces_descend_zero":  {beside: 6, nodes: 4, lead: 7, kept: 17, restricts: true},
	"faces_descend_guess": {beside: 7, nodes: 4, lead: 7, kept: 19, restricts: true},
}

// launch runs a pass.
func (p *facesPasses) launch(kernel string) {
	l := &p.level
	last := p.measures && p.pass.Out == l.args.Out
	if last {
		kernel += "_measured"
	}
	shape := facesShapes[kernel]
	shape.bytes, shape.periodic = laneBytes, l.args.Periodic[kernels.X] != 0
	if shape.periodic && l.c.Box.N[kernels.X]%(laneBytes/l.c.Elem.Size()) != 0 {
		kernel, shape.bytes = kernel+"_narrow", narrowVector*l.c.Elem.Size()
	}
	cut := l.d.cutFor(l.c, kernel, shape.periodic, func() cut { return l.d.facesCut(l.c, passThreads/warp, shape) })
	p.pass.Lanes, p.pass.Rows, p.pass.Planes = cut.columns, cut.rows, cut.planes
	if last {
		p.blocks = cut.geometry.blocks()
		p.pass.Partial = l.d.partial(l.c, p.blocks)
	}
	l.d.launch(l.c, kernel, cut.geometry, unsafe.Pointer(&p.pass), unsafe.Sizeof(p.pass))
}

// facesCut cuts the grid into tiles along x, rows and planes, for blocks of so many warps at most, which are as many as a multiprocessor
// holds, so that the multiprocessors have the least to do. A block that restricts begins with an even row. In 2-D there is one.
func (d *Device) facesCut(c *call.Call, most int, pass facesShape) (best cut) {
	const step = 10 // what a step takes besides its warps, in warps
	n, width := c.Box.N, pass.bytes/c.Elem.Size()
	outer := over(pass.nodes, width)
	if c.Box.Flat() {
		pass.beside, pass.restricts = 0, false
	}
	most = min(most, d.info.SharedBytes()/(pass.kept*pass.bytes*warp))
	vectors := over(n[0], width)
	least := 0
	for tiles := 1; tiles <= max(1, vectors/8); tiles++ {
		lanes := vectors
		if pass.periodic {
			lanes = over(vectors, tiles) + 2*outer
		} else if tiles > 1 {
			lanes = over(vectors-2*outer, tiles) + 2*outer
		}
		own := min(most*warp/lanes-pass.beside, n[1])
		if pass.restricts {
			own = min(most*warp/lanes-pass.beside, n[1]+1) / 2 * 2
		}
		if own < 1 {
			continue
		}
		warps := over((own+pass.beside)*lanes, warp)
		held := d.info.Multiprocessors * max(1, most/warps)
		for slabs := 1; slabs <= over(n[2], 2); slabs++ {
			planes := over(over(n[2], slabs), 2) * 2
			grid := [3]int{tiles, over(n[1], own), over(n[2], planes)}
			cost := over(grid[0]*grid[1]*grid[2], held) * (planes + pass.lead) * (step + warps)
			if least == 0 || cost < least {
				least = cost
				best = cut{columns: int64(lanes), rows: int64(own), planes: int64(planes),
					geometry: geometry{grid: grid, block: [3]int{warp * warps, 1, 1}, shared: pass.kept * pass.bytes * warp * warps}}
			}
		}
	}
	return best
}
