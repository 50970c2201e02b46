package ranks

import (
	"slices"

	"convect/kernels"
)

// pair is a kernel between a fine and a coarse grid.
type pair struct {
	fine, coarse *call
	factor       int // along y
}

// beginPair starts a call on two grids: on slabs, if those of the coarse grid are parts of the fine ones, or on whole arrays.
func (d *Device) beginPair(kernel string, fine, coarse kernels.Box, factor [3]int, periodic bool) *pair {
	p := &pair{d.begin(kernel, fine, periodic), d.begin(kernel, coarse, periodic), factor[kernels.Y]}
	if p.aligned() {
		return p
	}
	return &pair{d.beginWhole(kernel, fine, periodic), d.beginWhole(kernel, coarse, periodic), p.factor}
}

// aligned tells whether each slab of the coarse grid is that of the fine one.
func (p *pair) aligned() bool {
	f, c := p.fine.layout, p.coarse.layout
	if !f.split {
		return !c.split
	}
	if p.factor == kernels.Between || p.fine.options.Ghosts%2 != 0 {
		return false
	}
	if p.factor == 2 && !p.fine.periodic && f.box.N[kernels.Y]%2 == 0 {
		return false
	}
	for r, s := range f.slabs {
		if c.split && p.share(r) != rows(c.slabs[r].own) || s.own[0]%p.factor != 0 {
			return false
		}
	}
	return true
}

// share returns the coarse rows at those that a rank owns of the fine grid.
func (p *pair) share(rank int) rows {
	own := p.fine.layout.slabs[rank].own
	return rows{own[0] / p.factor, (own[1] + p.factor - 1) / p.factor}
}

// coarseRows returns the rows of the coarse grid at those that a rank computes.
func (p *pair) coarseRows(r *rank) rows {
	if !p.fine.layout.split {
		return p.coarse.view(r)
	}
	v := p.fine.view(r)
	return rows{v[0] / p.factor, (v[1]-1)/p.factor + 1}
}

// coarseBox returns their box.
func (p *pair) coarseBox(r *rank) kernels.Box {
	return p.coarse.layout.boxOf(r.number, p.coarseRows(r))
}

// needs wants ghosts of an array of the fine grid, which run fetches.
func (p *pair) needs(b kernels.Buffer, reach int) {
	if own, ok := b.(*Buffer); ok && own != nil && own.layout != nil && p.fine.layout.split && p.fine.stands == nil {
		own.want(reach, p.fine.periodic)
	}
}

// needsCoarse wants ghosts of an array of the coarse grid.
func (p *pair) needsCoarse(b kernels.Buffer, reach int) {
	own, ok := b.(*Buffer)
	if !ok || own == nil || own.layout == nil || !p.fine.layout.split || p.fine.stands != nil {
		return
	}
	if own.layout.split || p.fine.periodic {
		own.want(reach, p.fine.periodic)
	}
}

// right returns how many ghosts of an array are right: of neighbours and beyond periodic ends.
func (p *pair) right(b kernels.Buffer) (seam, wrap int) {
	own, ok := b.(*Buffer)
	if !ok || own == nil {
		return p.fine.options.Ghosts, p.fine.options.Ghosts
	}
	return own.seam, own.wrap
}

// least returns how many ghosts are right of all of some arrays, of which some may be nil.
func (p *pair) least(all ...kernels.Buffer) (least [2]int) {
	least = [2]int{p.fine.options.Ghosts, p.fine.options.Ghosts}
	for _, b := range all {
		seam, wrap := p.right(b)
		least = [2]int{min(least[0], seam), min(least[1], wrap)}
	}
	return least
}

// run runs the kernel.
func (p *pair) run(f func(r *rank)) bool {
	p.fine.exchange()
	p.fine.alone = p.fine.alone || p.coarse.alone
	if p.fine.ok() {
		p.fine.queue(f)
	}
	p.fine.end()
	p.coarse.end()
	return p.fine.ok() && p.fine.stands == nil
}

// fineKnown says how many ghosts of an array of the fine grid are right.
func (p *pair) fineKnown(b kernels.Buffer, seam, wrap int) {
	b.(*Buffer).known(seam, wrap, p.fine.periodic)
}

// coarseKnown says how many ghosts of an array of the coarse grid are right, or delivers the rows of all where each rank has the whole.
func (p *pair) coarseKnown(b kernels.Buffer, seam, wrap int) {
	own := b.(*Buffer)
	if !p.fine.layout.split || own.layout.split {
		own.known(seam, wrap, p.fine.periodic)
		return
	}
	shares := make([]rows, p.fine.size)
	for r := range shares {
		shares[r] = p.share(r)
	}
	own.deliver(shares)
}

// half returns the coarse ghosts that are right where so many fine ones are, of which each coarse node takes `beyond` more.
func (p *pair) half(right, beyond int) int {
	if p.factor == 1 {
		return right
	}
	if right -= beyond; right < 0 {
		return -1
	}
	return right / 2
}

// twice returns the fine ghosts that are right where so many coarse ones are, beyond which interpolation reaches.
func (p *pair) twice(right, beyond int) int {
	if p.factor == 1 {
		return right - beyond + 1
	}
	return 2*right - 2*beyond + 1
}

// transfer runs one of the transfers; down tells that the coarse array is written. reach is how many fine rows beyond its own a coarse node takes, or coarse
// ones a fine node.
func (d *Device) transfer(kernel string, a kernels.TransferArgs, down bool, reach int, f func(kernels.Device, kernels.TransferArgs)) {
	if kernel != "Inject" && d.goesBetween(&a) {
		d.transferBetween(kernel, a, down, reach-1, f)
		return
	}
	p := d.beginPair(kernel, a.Fine, a.Coarse, a.Factor, a.Periodic[kernels.Y])
	p.fine.read(a.FineX, reach)
	p.coarse.read(a.CoarseX, reach)
	if down {
		p.coarse.write(0, a.CoarseX)
	} else {
		p.fine.write(0, a.FineX)
	}
	p.fine.copyMask(a.Mask)
	if down {
		p.needs(a.FineX, reach)
	} else {
		p.needsCoarse(a.CoarseX, reach)
	}
	done := p.run(func(r *rank) {
		l := a
		l.Fine, l.Coarse = p.fine.boxOf(r), p.coarseBox(r)
		l.FineX, l.CoarseX, l.Periodic = p.fine.nodes(r, a.FineX), p.coarse.nodes(r, a.CoarseX), p.fine.periodicAxes(a.Periodic)
		if down {
			l.Mask = d.mask(r, p.coarse.layout, p.coarseRows(r), a.Mask)
		} else {
			l.Mask = d.mask(r, p.fine.layout, p.fine.view(r), a.Mask)
		}
		f(r.device, l)
	})
	if !done {
		return
	}
	seam, wrap := p.right(a.FineX)
	ghosts := d.options.Ghosts
	if down {
		p.coarseKnown(a.CoarseX, p.half(min(seam, ghosts), reach), p.half(min(wrap, ghosts), reach))
		return
	}
	coarse, beyond := p.right(a.CoarseX)
	if !p.coarse.layout.split {
		coarse = ghosts
	}
	p.fineKnown(a.FineX, min(seam, ghosts-reach, p.twice(coarse, reach)), min(wrap, ghosts-reach, p.twice(beyond, reach)))
}

// Restrict computes CoarseX = mask Pᵀ FineX.
func (d *Device) Restrict(a kernels.TransferArgs) {
	d.transfer("Restrict", a, true, 1, kernels.Device.Restrict)
}

// Prolong computes FineX += mask P CoarseX.
func (d *Device) Prolong(a kernels.TransferArgs) {
	d.transfer("Prolong", a, false, 1, kernels.Device.Prolong)
}

// ProlongCubic computes FineX += mask P₃ CoarseX.
func (d *Device) ProlongCubic(a kernels.TransferArgs) {
	d.transfer("ProlongCubic", a, false, 2, kernels.Device.ProlongCubic)
}

// Inject copies FineX at coincident nodes.
func (d *Device) Inject(a kernels.TransferArgs) {
	d.transfer("Inject", a, true, 0, kernels.Device.Inject)
}

// CoarsenCells computes the conductivity of coarse cells.
func (d *Device) CoarsenCells(a kernels.CoarsenCellsArgs) {
	p := d.beginPair("CoarsenCells", a.Fine, a.Coarse, a.Factor, a.Periodic[kernels.Y])
	p.fine.read(a.FineK, 0)
	p.coarse.write(0, a.CoarseK)
	p.fine.copy(a.H[:]...)
	p.needs(a.FineK, 1)
	done := p.run(func(r *rank) {
		l := a
		l.Fine, l.Coarse, l.Periodic = p.fine.boxOf(r), p.coarseBox(r), p.fine.periodicAxes(a.Periodic)
		l.H, l.FineK, l.CoarseK = p.fine.axes(r, a.H), p.fine.nodes(r, a.FineK), p.coarse.nodes(r, a.CoarseK)
		r.device.CoarsenCells(l)
	})
	if done {
		seam, wrap := p.right(a.FineK)
		p.coarseKnown(a.CoarseK, p.half(min(seam, d.options.Ghosts), 0), p.half(min(wrap, d.options.Ghosts), 0))
	}
}

// Descend makes the way down of a cycle on one level.
func (d *Device) Descend(a kernels.CycleArgs) {
	d.cycle("Descend", a, true, kernels.Device.Descend)
}

// Ascend makes the way up of a cycle on one level.
func (d *Device) Ascend(a kernels.CycleArgs) {
	if a.Measures {
		d.fail("Ascend: it has no sums")
		return
	}
	d.cycle("Ascend", a, false, kernels.Device.Ascend)
}

func (d *Device) cycle(kernel string, a kernels.CycleArgs, down bool, f func(kernels.Device, kernels.CycleArgs)) {
	if a.A == nil {
		d.fail("%s: the operator is missing", kernel)
		return
	}
	sweeps, ghosts := a.Sweeps, d.options.Ghosts
	p := d.beginPair(kernel, a.A.Box, a.Coarse, a.Factor, a.Periodic[kernels.Y])
	if p.fine.layout.split && sweeps+2 > ghosts {
		periodic := a.Periodic[kernels.Y]
		p = &pair{d.beginWhole(kernel, a.A.Box, periodic), d.beginWhole(kernel, a.Coarse, periodic), p.factor}
	}
	p.fine.readOperator(a.A)
	p.fine.read(a.U, 0)
	p.fine.read(a.F, 0)
	p.fine.write(0, a.Out)
	p.coarse.read(a.CoarseX, 0)
	if down {
		p.coarse.write(0, a.CoarseX)
	}
	p.coarse.copyMask(a.CoarseMask)
	coefficients := append(slices.Concat(a.A.Cells[:], a.A.Faces[:]), a.A.Mass)
	for _, b := range coefficients {
		p.needs(b, sweeps+2)
	}
	p.wallFaces(a.A)
	more := 0
	if down {
		more = 2
	} else {
		p.needsCoarse(a.CoarseX, (sweeps+2)/2)
	}
	p.needs(a.F, max(sweeps-1+more, 0))
	p.needs(a.U, sweeps+more)
	done := p.run(func(r *rank) {
		l := a
		l.A, l.Periodic = p.fine.operator(r, a.A), p.fine.periodicAxes(a.Periodic)
		l.Out, l.U, l.F = p.fine.nodes(r, a.Out), p.fine.nodes(r, a.U), p.fine.nodes(r, a.F)
		l.Coarse, l.CoarseX = p.coarseBox(r), p.coarse.nodes(r, a.CoarseX)
		if down {
			l.CoarseMask = d.mask(r, p.coarse.layout, p.coarseRows(r), a.CoarseMask)
		}
		f(r.device, l)
	})
	if !done {
		return
	}
	ofU, ofF, ofA := p.least(a.U), p.least(a.F), p.least(coefficients...) // the flux between two rows is stored with the lower one
	var out, coarse [2]int
	for n := range out {
		out[n] = min(ghosts-sweeps, ofU[n]-sweeps, ofA[n]-sweeps, ofF[n]-max(sweeps-1, 0))
		coarse[n] = p.half(min(ghosts-sweeps-1, ofU[n]-sweeps-1, ofA[n]-sweeps-1, ofF[n]-sweeps), 1)
	}
	if down {
		p.fineKnown(a.Out, out[0], out[1])
		p.coarseKnown(a.CoarseX, coarse[0], coarse[1])
		return
	}
	below, beyond := p.right(a.CoarseX)
	if !p.coarse.layout.split {
		below = ghosts
	}
	p.fineKnown(a.Out, min(out[0], p.twice(below, 1)-sweeps), min(out[1], p.twice(beyond, 1)-sweeps))
}
