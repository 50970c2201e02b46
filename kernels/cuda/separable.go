package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"convect/kernels"
)

// transformTiles are the columns of a matrix that the kernels of separable.cu multiply by, in eights.
var transformTiles = [...]int{6, 10}

// Transform multiplies lines of nodes by a matrix.
func (d *Device) Transform(a kernels.TransformArgs) {
	c := d.begin("Transform", a.Out)
	s := c.Transform(a)
	if !c.OK() {
		return
	}
	n, rows := c.Box.N[a.Axis], transformLinesF32
	lines := c.Box.Nodes() / n
	if c.Elem == kernels.Float64 {
		rows = transformLinesF64
	}
	if a.Folding != kernels.Whole {
		n = (n + 1) / 2
	}
	tile, blocks := 0, 0
	for _, t := range transformTiles {
		wide := 8 * t
		if a.Folding == kernels.Whole {
			wide *= 2
		}
		if b := over(n, wide); tile == 0 || b*t <= blocks*tile {
			tile, blocks = t, b
		}
	}
	g := geometry{grid: [3]int{over(lines, rows) * blocks, 1, 1}, block: [3]int{transformThreads, 1, 1}}
	d.launch(&c, fmt.Sprintf("transform_%d", tile), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// Modes solves tridiagonal systems along z: of whole columns, whose factors are in shared memory as far as there is room, or of parts of columns where whole ones are too few
// to fill the GPU.
func (d *Device) Modes(a kernels.ModesArgs) {
	c := d.begin("Modes", a.X)
	s := c.Modes(a)
	if !c.OK() {
		return
	}
	n := a.Turn(c.Box.N)
	s.Rows = int64(n[2])
	if g, kept := d.modesParts(n[0]*n[1], n[2], c.Elem); kept > 0 {
		s.Kept = int64(kept)
		d.launch(&c, "modes_parts", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
		return
	}
	g := geometry{grid: [3]int{over(n[0]*n[1], modesThreads), 1, 1}, block: [3]int{modesThreads, 1, 1}}
	g.shared = modesThreads * min(over(n[2], modesAhead)*modesAhead*c.Elem.Size(), modesKept)
	d.launch(&c, "modes", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// How columns are cut into parts: the nodes that a part has at least, and the bytes that a block declares besides what it keeps.
const (
	partsNodes = 8
	partsFixed = 2048
)

// modesParts returns how so many columns of so many nodes are cut into parts, and the factors that each part keeps in shared memory; 0: whole columns fill the GPU,
// or are too short. A block has as few columns side by side as it takes to give most multiprocessors one, but not less than a sector of memory. The ends of the parts are a system
// of their own, which takes as long as parts of about the square root of the nodes.
func (d *Device) modesParts(columns, nodes int, e kernels.Elem) (g geometry, kept int) {
	across, sector := warp, 32/e.Size()
	for across > sector && 4*over(columns, across) < 3*d.info.Multiprocessors {
		across /= 2
	}
	parts := min(partsThreads/across, (nodes-2)/partsNodes, int(math.Sqrt(float64(nodes))))
	if parts < 2 || over(columns, modesThreads) >= 3*d.info.Multiprocessors {
		return g, 0
	}
	blocks := over(columns, across)
	room := (d.info.SharedBytes()+reservedBytes)/min(2, over(blocks, d.info.Multiprocessors)) - reservedBytes - partsFixed - partsNumbers*partsThreads*e.Size()
	kept = min(over(nodes, parts), room/(parts*across*e.Size()))
	return geometry{grid: [3]int{blocks, 1, 1}, block: [3]int{across, parts, 1}, shared: kept * parts * across * e.Size()}, kept
}

// How the nodes that a GPU has of systems which it shares are cut into parts: each keeps so many bytes of factors in shared memory, and has at least so many nodes, in whose room
// for factors its six numbers lie until then; one part may have one node less.
const (
	cutFactors = 256
	cutNodes   = 8
)

// ModesEnds implements [kernels.Queuer].
func (d *Device) ModesEnds(a kernels.ModesArgs, s kernels.Cut) { d.cutModes("modes_ends", a, s) }

// ModesCut implements [kernels.Queuer].
func (d *Device) ModesCut(a kernels.ModesArgs, s kernels.Cut) { d.cutModes("modes_cut", a, s) }

// cutModes launches a kernel of systems of which others have other nodes.
func (d *Device) cutModes(kernel string, a kernels.ModesArgs, s kernels.Cut) {
	c := d.begin("Modes", a.X)
	m := c.ModesCut(a, s)
	if !c.OK() {
		return
	}
	n, across, size := a.Turn(c.Box.N), warp, c.Elem.Size()
	parts := max(1, min(over(n[2]*size, cutFactors), (n[2]-1)/cutNodes, partsThreads/across))
	room := func() int { return max((s.N+parts)*partsNumbers, 3*parts) * across }
	for across > 1 && 2*room()*size > d.info.SharedBytes() { // the chain of many GPUs
		across /= 2
	}
	threads := across * parts
	g := geometry{grid: [3]int{over(n[0]*n[1], across), 1, 1}, block: [3]int{across, parts, 1}, shared: parts * partsNumbers * across * size}
	if kernel == "modes_cut" {
		kept := max(0, min(over(n[2], parts), (d.info.SharedBytes()/size-room())/threads, cutFactors/size))
		m.Room, m.Modes.Kept, g.shared = int64(room()), int64(kept), (room()+kept*threads)*size
	}
	d.launch(&c, kernel, g, unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// products returns Info.Products: as measured with tensor cores that know these types (docs/notebook.md), which GPUs have from compute capability 8.0 on; the others
// exchange terms by shuffles, of which they make an estimated eighth.
func products(major int) int {
	const measured, tensors = 18, 8
	if major < tensors {
		return measured / 8
	}
	return measured
}
