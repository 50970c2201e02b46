package cuda

import (
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// SolveCoarse takes spectral_folded.cu in float32 on grids that are too large for spectral.cu, from leastFolded nodes along each axis to
// twice foldWide that are not fixed: up to there it takes no longer than the levels that it replaces.
const leastFolded = 100

// foldedAxis is an axis without its fixed nodes: the first node, their number, and that of even vectors.
type foldedAxis struct{ first, count, even int }

func (e axisEnds) fold() foldedAxis {
	f := foldedAxis{count: e.nodes}
	if e.fixed[0] {
		f.first, f.count = 1, e.nodes-2
	}
	f.even = (f.count + 1) / 2
	return f
}

// folds tells whether spectral_folded.cu solves on a grid: both ends of each axis must be alike.
func (d *Device) folds(ends [3]axisEnds, elem kernels.Elem) bool {
	if elem != kernels.Float32 {
		return false
	}
	tiny, large := true, true
	for _, e := range ends {
		count := e.fold().count
		if e.fixed[0] != e.fixed[1] || count < 2 {
			return false
		}
		tiny = tiny && e.nodes <= d.sizes.tinyFolded
		large = large && e.nodes >= leastFolded && count <= 2*foldWide
	}
	return (tiny || large) && foldedRoom*elem.Size() <= d.info.SharedBytes()
}

// foldedRoom is how many numbers the kernels have in shared memory: four quarters of a plane, and two matrices, in rows of foldRow numbers.
const foldedRoom = 6 * foldWide * foldRow

// solveFolded runs the three kernels.
func (d *Device) solveFolded(c *call.Call, ends [3]axisEnds, e *call.Spectral) {
	var f [3]foldedAxis
	for axis := range ends {
		f[axis] = ends[axis].fold()
		e.First[axis] = int64(f[axis].first)
		e.Table[axis] = d.spectralTable(c, spectralTable{ends[axis], c.Elem, true})
	}
	e.Scratch = d.reserve(c, &d.scratch, (2*foldWide*f[1].count*f[2].count+1)*c.Elem.Size())
	launch := func(kernel string, blocks int) {
		d.launch(c, kernel, geometry{grid: [3]int{blocks, 1, 1}, block: [3]int{foldThreads, 1, 1}, shared: foldedRoom * c.Elem.Size()},
			unsafe.Pointer(e), unsafe.Sizeof(*e))
	}
	launch("fold_forth", f[2].count)
	launch("fold_along", f[1].count)
	launch("fold_back", ends[2].nodes)
}

// foldedVector is a vector of an axis and its eigenvalue.
type foldedVector struct {
	kappa float64
	at    func(i int) float64
}

// foldedVectors returns the vectors of an axis that are their own mirror images, and those that are so with the other sign.
func (e axisEnds) foldedVectors() (of [2][]foldedVector) {
	kappa := func(turn float64) float64 { return 4 * math.Sin(turn/2) * math.Sin(turn/2) }
	if e.periodic {
		for m := 0; m <= e.nodes/2; m++ {
			turn := 2 * math.Pi * float64(m) / float64(e.nodes)
			if 2*m < e.nodes {
				of[0] = append(of[0], foldedVector{kappa(turn), func(i int) float64 { return math.Cos(turn * (float64(i) + 0.5)) }})
			}
			if m > 0 && !(e.nodes%2 == 1 && 2*m > e.nodes) {
				of[1] = append(of[1], foldedVector{kappa(turn), func(i int) float64 { return math.Sin(turn * (float64(i) + 0.5)) }})
			}
		}
		return of
	}
	for m := range e.nodes {
		if e.fixed[0] && (m == 0 || m == e.nodes-1) {
			continue
		}
		odd := m % 2
		if e.fixed[0] {
			odd = 1 - odd
		}
		part, whole := e.angle(m)
		of[odd] = append(of[odd], foldedVector{kappa(math.Pi * float64(part) / float64(whole)), func(i int) float64 { return e.value(m, i) }})
	}
	return of
}

// foldedTable returns the table of an axis as spectral_folded.cu has it.
func (e axisEnds) foldedTable() []float64 {
	f := e.fold()
	matrix := f.even * foldWide
	t := make([]float64, 4*matrix+4*foldWide)
	kappa, norm := t[4*matrix:4*matrix+2*foldWide], t[4*matrix+2*foldWide:]
	for odd, vectors := range e.foldedVectors() {
		forth, back := t[odd*matrix:(odd+1)*matrix], t[(2+odd)*matrix:(3+odd)*matrix]
		for m, v := range vectors {
			kappa[odd*foldWide+m] = v.kappa
			square := 0.0
			for i := range e.nodes {
				x := v.at(i)
				if half := i - f.first; half >= 0 && half < f.even && !(odd == 1 && half >= f.count/2) {
					forth[half*foldWide+m], back[m*foldWide+half] = x, x
				}
				if !e.periodic && (i == 0 || i == e.nodes-1) {
					x *= math.Sqrt(0.5)
				}
				square += x * x
			}
			norm[odd*foldWide+m] = 1 / square
		}
	}
	return t
}
