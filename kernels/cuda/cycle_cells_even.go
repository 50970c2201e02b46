package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// cellsPasses are the passes of cycle_cells_even.cu on one level, where there are such.
type cellsPasses struct {
	level cycleLevel
	pass  call.CellsPass
	unit  float64 // what weights of sweeps are divided by
	three bool    // K differs along the axes, as it does on coarse levels
	halve bool    // all axes are halved, so that there are passes with transfers
}

// cellsPasses returns the passes for a level with 7 points and one K a cell, or one along each axis, if its widths are even, whole sides fixed and no axis
// periodic.
func (d *Device) cellsPasses(c *call.Call, a kernels.CycleArgs, s *call.Cycle) (p cellsPasses, ok bool) {
	if !c.OK() || a.A.Conductivity() == kernels.Constant {
		return p, false
	}
	if why := notCellsPasses(a.A); why != "" {
		d.because(c, why)
		return p, false
	}
	var w [3]float64
	volume := 1.0
	for axis, h := range a.A.Shape.Width {
		w[axis] = 1 / (h * h)
		volume *= h
	}
	e := call.CellsPass{Fine: s.A.Box, Coarse: s.Coarse, F: s.F, Cells: s.A.Cells, CoarseX: s.CoarseX}
	if !sides(a.A.Mask, &e.Fixed) {
		d.because(c, notWholeSides)
		return p, false
	}
	halve := a.Factor == [3]int{2, 2, 2} && sides(a.CoarseMask, &e.CoarseFixed)
	unit := volume / 4 * w[2]
	e.X, e.Y, e.Z = realOf(c.Elem, w[0]/w[2]), realOf(c.Elem, w[1]/w[2]), realOf(c.Elem, unit)
	if a.A.MassScale != 0 {
		if e.Masses = s.A.Mass; a.A.Mass != nil {
			volume = 1
		}
		e.Mass = realOf(c.Elem, a.A.MassScale*volume/unit)
	}
	return cellsPasses{d.level(c, s, a), e, unit, a.A.Conductivity() == kernels.Apart, halve}, true
}

// notCellsPasses tells why the passes do not know an operator with K on cells but for its mask; "": they do.
func notCellsPasses(a *kernels.Elliptic) string {
	switch {
	case a.Stencil != kernels.SevenPoint:
		return "27 points and K on cells"
	case a.Shape.Periodic != [3]bool{}:
		return "K on cells and periodic ends"
	}
	return notEven(a, 2)
}

// descend makes the sweeps, residual and restriction of Descend.
func (p *cellsPasses) descend() {
	s := p.level.args
	u := s.U
	if s.Sweeps > 1 {
		kernel := "cells_pair_guess"
		if u == 0 {
			kernel = "cells_pair_zero"
		}
		u = p.pair(kernel, u, 0)
		u = p.sweeps(u, 2)
	} else {
		u = p.sweeps(u, 0)
	}
	if !p.halve {
		p.level.restrict(u)
		return
	}
	p.pass.U = u
	p.launch("cells_restrict")
}

// ascend makes the correction and the sweeps of Ascend.
func (p *cellsPasses) ascend() {
	l := &p.level
	if p.halve && l.args.Sweeps > 1 {
		p.sweeps(p.pair("cells_pair_correct", l.args.U, 0), 2)
		return
	}
	p.sweeps(l.correct(), 0)
}

// pair makes the sweeps n and n+1 in one pass on u and returns where it left the result: in Out if they are the last.
func (p *cellsPasses) pair(kernel string, u uintptr, n int) uintptr {
	l := &p.level
	p.pass.U, p.pass.Out = u, p.to(u, n+2)
	p.pass.First, p.pass.Second = realOf(l.c.Elem, l.args.Omega[n]/p.unit), realOf(l.c.Elem, l.args.Omega[n+1]/p.unit)
	p.launch(kernel)
	return p.pass.Out
}

// to returns where a pass that reads u and ends before sweep n writes.
func (p *cellsPasses) to(u uintptr, n int) uintptr {
	if n == int(p.level.args.Sweeps) {
		return p.level.args.Out
	}
	return p.level.other(u)
}

// sweeps makes all sweeps from n on, in pairs, on u, 0: zero, and returns where it left the result.
func (p *cellsPasses) sweeps(u uintptr, n int) uintptr {
	l := &p.level
	for ; n+1 < int(l.args.Sweeps); n += 2 {
		u = p.pair("cells_pair_guess", u, n)
	}
	if n < int(l.args.Sweeps) {
		s := call.Sweep{A: l.args.A, F: l.args.F, U: l.readable(u), Out: p.to(u, n+1), Omega: l.args.Omega[n]}
		l.sweep("smooth", s)
		u = s.Out
	}
	return u
}

// launch runs a pass.
func (p *cellsPasses) launch(kernel string) {
	l, restricts := &p.level, kernel == "cells_restrict"
	warps := passThreads / warp
	if p.three {
		kernel, warps = kernel+"_three", passThreadsThree/warp
	}
	g := l.d.cellsGeometry(l.c, warps, restricts, &p.pass)
	l.d.launch(l.c, kernel, g, unsafe.Pointer(&p.pass), unsafe.Sizeof(p.pass))
}

// cellsGeometry cuts the grid into tiles along x, rows and planes, for blocks of so many warps at most, which are as many as a multiprocessor
// holds, so that the multiprocessors have the least to do. A block that restricts begins with an even row.
func (d *Device) cellsGeometry(c *call.Call, most int, restricts bool, e *call.CellsPass) geometry {
	// Planes that a march needs besides its own; what a step takes besides its warps, in warps; rows beside those that a block owns.
	const lead, step = 3, 10
	beside := 4
	if restricts {
		beside = 3
	}
	n, width := c.Box.N, 16/c.Elem.Size()
	vectors := over(n[0], width)
	best, g := 0, geometry{}
	for tiles := 1; tiles <= max(1, vectors/8); tiles++ {
		lanes := vectors
		if tiles > 1 {
			lanes = over(vectors-2, tiles) + 2
		}
		own := min(most*warp/lanes-beside, n[1])
		if restricts {
			own = min(most*warp/lanes-beside, n[1]+1) / 2 * 2
		}
		if own < 1 {
			continue
		}
		warps := over((own+beside)*lanes, warp)
		held := d.info.Multiprocessors * max(1, most/warps)
		for slabs := 1; slabs <= over(n[2], 2); slabs++ {
			planes := over(over(n[2], slabs), 2) * 2
			grid := [3]int{tiles, over(n[1], own), over(n[2], planes)}
			cost := over(grid[0]*grid[1]*grid[2], held) * (planes + lead) * (step + warps)
			if best == 0 || cost < best {
				best = cost
				e.Lanes, e.Rows, e.Planes = int64(lanes), int64(own), int64(planes)
				g = geometry{grid: grid, block: [3]int{warp * warps, 1, 1}, shared: 4 * warp * warps * width * c.Elem.Size()}
			}
		}
	}
	return g
}
