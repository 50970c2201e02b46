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

// Modes solves tridiagonal systems along z: of parts of columns, which are held in registers where they are short, or of whole columns, whose factors are in shared memory as far as
// there is room, where columns are long and fill the GPU.
func (d *Device) Modes(a kernels.ModesArgs) {
	c := d.begin("Modes", a.X)
	s := c.Modes(a)
	if !c.OK() {
		return
	}
	n := a.Turn(c.Box.N)
	s.Rows = int64(n[2])
	columns, nodes := n[0]*n[1], n[2]
	free := nodes - int(s.Low+s.High)
	p := d.modesHeld(columns, free, 0, c.Elem)
	if p.parts == 0 {
		p = d.modesParts(columns, nodes, c.Elem)
	}
	if p.parts > 0 {
		s.Kept, s.Held = int64(p.kept), p.held
		d.launch(&c, "modes_parts", p.geometry(columns), unsafe.Pointer(&s), unsafe.Sizeof(s))
		return
	}
	g := geometry{grid: [3]int{over(columns, modesThreads), 1, 1}, block: [3]int{modesThreads, 1, 1}}
	g.shared = modesThreads * min(over(nodes, modesAhead)*modesAhead*c.Elem.Size(), modesKept)
	d.launch(&c, "modes", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// modesCut tells how columns are cut into parts: columns side by side in a block, parts of each, the factors that a part keeps in shared memory if it is not held in registers, and
// the bytes of shared memory. Without parts columns are whole.
type modesCut struct {
	across, parts, kept, shared int
	held                        int64
}

func (p modesCut) geometry(columns int) geometry {
	return geometry{grid: [3]int{over(columns, p.across), 1, 1}, block: [3]int{p.across, p.parts, 1}, shared: p.shared}
}

// How columns are cut into parts: the nodes that a part has at least, and the bytes that a block declares besides what it keeps.
const (
	partsNodes = 8
	partsFixed = 2048
	partsPlane = 8 // numbers that it has of a plane
)

// partsThreads returns the most threads of a block that solves parts of columns.
func partsThreads(e kernels.Elem) int {
	if e == kernels.Float64 {
		return partsThreadsF64
	}
	return partsThreadsF32
}

// modesHeld returns parts that threads have in registers: none of doubles, of which a multiprocessor has too few there, and none where that takes more threads or shared memory than a block
// has. chain: the GPUs that have parts of a column, if there are several. A block has as few columns side by side as it takes for two blocks on a multiprocessor and one for most of them, but not less than a sector of
// memory; where there is no more than one, it has more parts: about the square root of the nodes, which takes as long as the chain of the parts.
func (d *Device) modesHeld(columns, nodes, chain int, e kernels.Elem) (p modesCut) {
	const size, sector = 4, 8
	if e != kernels.Float32 || nodes < modesTogether {
		return p
	}
	least, groups := over(nodes, partsHeld), over(nodes, modesTogether)
	shared := func(across, parts int) int {
		return size * (nodes*partsPlane + (chain+parts)*partsNumbers*across + (over(groups, parts)*modesTogether+1)*parts*across*2)
	}
	across, room := warp, d.info.SharedBytes()+reservedBytes
	for across > sector && (across*least > partsThreadsF32 || 2*(shared(across, least)+reservedBytes+partsFixed) > room || 4*over(columns, across) < 3*d.info.Multiprocessors) {
		across /= 2
	}
	parts := least
	if over(columns, across) <= d.info.Multiprocessors {
		parts = max(least, min(partsThreadsF32/across, nodes/partsNodes, int(math.Sqrt(float64(nodes)))))
	}
	parts = min(parts, max(1, groups/2))
	if across*parts > partsThreadsF32 || shared(across, parts) > d.info.SharedBytes()-partsFixed {
		return p
	}
	return modesCut{across: across, parts: parts, shared: shared(across, parts), held: 1}
}

// modesParts returns how so many columns of so many nodes are cut into parts that memory holds: none where whole columns fill the GPU, or are too short. A block has as few columns
// side by side as it takes to give most multiprocessors one, but not less than a sector of memory. The ends of the parts are a system of their own, which takes as long as parts of
// about the square root of the nodes.
func (d *Device) modesParts(columns, nodes int, e kernels.Elem) (p modesCut) {
	across, sector := warp, 32/e.Size()
	for across > sector && 4*over(columns, across) < 3*d.info.Multiprocessors {
		across /= 2
	}
	parts := min(partsThreads(e)/across, (nodes-2)/partsNodes, int(math.Sqrt(float64(nodes))))
	if parts < 2 || over(columns, modesThreads) >= 3*d.info.Multiprocessors {
		return p
	}
	chain := partsNumbers * parts * across * e.Size()
	room := (d.info.SharedBytes()+reservedBytes)/min(2, over(over(columns, across), d.info.Multiprocessors)) - reservedBytes - partsFixed - chain
	kept := min(over(nodes, parts), room/(parts*across*e.Size()))
	if kept < 1 {
		return p
	}
	return modesCut{across: across, parts: parts, kept: kept, shared: chain + kept*parts*across*e.Size()}
}

// How the nodes that a GPU has of systems which it shares are cut into parts where these are too long for registers: each keeps so many bytes of factors in shared memory, and has at
// least so many nodes, in whose room for factors its six numbers lie until then; one part may have one node less.
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
	n := a.Turn(c.Box.N)
	columns, free := n[0]*n[1], n[2]-int(m.Modes.Low+m.Modes.High)
	p := d.modesHeld(columns, free, s.N, c.Elem)
	if p.parts == 0 {
		p = d.cutParts(n[2], s.N, c.Elem)
	}
	m.Modes.Kept, m.Modes.Held = int64(p.kept), p.held
	if kernel == "modes_ends" { // nothing is kept
		p.shared = p.parts * partsNumbers * p.across * c.Elem.Size()
		if p.held != 0 {
			p.shared += free * partsPlane * c.Elem.Size()
		}
	}
	d.launch(&c, kernel, p.geometry(columns), unsafe.Pointer(&m), unsafe.Sizeof(m))
}

// cutParts returns parts in memory of the nodes that one of so many GPUs has.
func (d *Device) cutParts(nodes, gpus int, e kernels.Elem) modesCut {
	across, size := warp, e.Size()
	parts := max(1, min(over(nodes*size, cutFactors), (nodes-1)/cutNodes, partsThreads(e)/across))
	chain := func() int { return (gpus + parts) * partsNumbers * across }
	for across > 1 && 2*chain()*size > d.info.SharedBytes() { // the chain of many GPUs
		across /= 2
	}
	threads := across * parts
	kept := max(0, min(over(nodes, parts), (d.info.SharedBytes()/size-chain())/threads, cutFactors/size))
	return modesCut{across: across, parts: parts, kept: kept, shared: (chain() + kept*threads) * size}
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
