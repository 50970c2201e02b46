package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// coarseArrays is the number of arrays of float64 of coarse.cu besides those of the couplings, of which a node has 3 with 7 points and 13 with 27.
const coarseArrays = 8

// Planes that may be factored fit into the arrays of a block.
var _ [planeMost - kernels.MostFactored]struct{}

// SolveCoarse solves a small problem by conjugate gradients, in float64 for both element types, in one block of
// threads. It needs none of the work buffers, which it only checks.
func (d *Device) SolveCoarse(a kernels.SolveCoarseArgs) {
	c := d.begin("SolveCoarse", a.U)
	s := c.SolveCoarse(a)
	if d.solveSpectral(&c, a, &s) {
		return
	}
	d.solveCoarse(&c, &s, 0)
}

// FactorsCoarse tells whether planes are eliminated: not where fewer kernels solve a problem directly.
func (d *Device) FactorsCoarse(a *kernels.Elliptic) bool { return !d.SolvesDirectly(a) }

// SolveFactored solves a small problem by elimination of planes, in float64 for both element types, in one block of threads; in float32 by the inverse of
// the matrix, which follows from the planes and is kept with them.
func (d *Device) SolveFactored(a kernels.SolveFactoredArgs) {
	c := d.begin("SolveFactored", a.U)
	s := c.SolveFactored(a)
	if !c.OK() {
		return
	}
	all := c.Box.N[0] * c.Box.N[1] * c.Box.N[2]
	warps := d.invertWarps(&c, &s, a.Along)
	if warps == 0 {
		d.solveCoarse(&c, &s, all/c.Box.N[a.Along])
		return
	}
	planes, _ := kernels.FactorEntries(c.Box.N, a.Along)
	s.Inverse = s.Kept + uintptr(8*planes)
	if s.Renew != 0 {
		d.solveCoarse(&c, &s, all/c.Box.N[a.Along])
		g := geometry{grid: [3]int{over(all, warps), 1, 1}, block: [3]int{warp * warps, 1, 1}, shared: invertBytes(&c, &s, warps)}
		d.launch(&c, fmt.Sprintf("invert_coarse_%d", s.A.Points), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	}
	g := geometry{grid: [3]int{over(all, invertThreads/warp), 1, 1}, block: [3]int{invertThreads, 1, 1}, shared: 8 * all}
	d.launch(&c, "multiply_coarse", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// invertWarps returns how many rows of the inverse a block makes at a time, 0 where planes alone are kept: in float64 they are solved with until nothing is left but rounding, and
// the arrays of a large grid have no room.
func (d *Device) invertWarps(c *call.Call, s *call.Coarse, along int) int {
	if _, inverse := kernels.FactorEntries(c.Box.N, along); inverse == 0 || s.Kept == 0 || c.Elem != kernels.Float32 {
		return 0
	}
	warps := invertThreads / warp
	for warps > 0 && invertBytes(c, s, warps) > d.info.SharedBytes() {
		warps /= 2
	}
	return warps
}

// invertBytes returns what so many warps that invert need of shared memory: the arrays of all, and of each a solution and the right side of a plane.
func invertBytes(c *call.Call, s *call.Coarse, warps int) int {
	arrays, elements := coarseSize(c, s)
	return 8 * (arrays*elements + warps*(elements+planeMost))
}

// coarseSize returns how many arrays of float64 coarse.cu has, and their length.
func coarseSize(c *call.Call, s *call.Coarse) (arrays, elements int) {
	n := c.Box.N
	arrays = coarseArrays + 3
	if s.A.Points == 27 {
		arrays = coarseArrays + 13
	}
	return arrays, (n[0] + 2) * (n[1] + 2) * (n[2] + 2)
}

// solveCoarse runs coarse.cu, which eliminates planes of so many nodes, or none. Arrays and matrices that shared memory has no room for lie in scratch memory, and
// matrices that are kept where they are kept.
func (d *Device) solveCoarse(c *call.Call, s *call.Coarse, nodes int) {
	n := c.Box.N
	arrays, elements := coarseSize(c, s)
	threads := over(elements, warp) * warp
	if nodes > 0 { // two halves, each of which has a matrix
		side := max(over(elements, 2), over(nodes, tileRows)*over(nodes, tileColumns))
		threads = 2 * over(side, warp) * warp
	}
	g := geometry{grid: [3]int{1, 1, 1}, block: [3]int{min(threads, coarseThreads), 1, 1}}
	room, lent := d.info.SharedBytes()-coarseFixed, 0
	place := func(bytes int) int { // returns those that have no room
		if g.shared+bytes > room {
			return bytes
		}
		g.shared += bytes
		return 0
	}
	far := place(8 * arrays * elements)
	lent += far
	if nodes > 0 {
		matrices := place(8 * n[s.Along] * nodes * nodes)
		if matrices > 0 && s.Kept != 0 {
			s.Planes, matrices = s.Kept, 0
		}
		lent += matrices
	}
	if lent > 0 {
		p := d.reserve(c, &d.scratch, lent)
		if far > 0 {
			s.Scratch = p
		}
		if lent > far {
			s.Planes = p + uintptr(far)
		}
	}
	d.launch(c, fmt.Sprintf("solve_coarse_%d", s.A.Points), g, unsafe.Pointer(s), unsafe.Sizeof(*s))
}
