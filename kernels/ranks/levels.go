package ranks

import (
	"slices"

	"convect/kernels"
)

// pair is a kernel between a fine and a coarse grid.
type pair struct {
	fine, coarse *call
	factor       int  // along y
	asked        bool // it was said what is read and of use; else that is all
}

// beginPair starts a call on two grids: on slabs, if those of the coarse grid are parts of the fine ones, or on whole arrays.
func (d *Device) beginPair(kernel string, fine, coarse kernels.Box, factor [3]int, periodic bool) *pair {
	p := &pair{fine: d.begin(kernel, fine, periodic), coarse: d.begin(kernel, coarse, periodic), factor: factor[kernels.Y]}
	if p.aligned() {
		return p
	}
	return &pair{fine: d.beginWhole(kernel, fine, periodic), coarse: d.beginWhole(kernel, coarse, periodic), factor: p.factor}
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

// needs wants ghosts of an array of the fine grid, and more that would be of use; run fetches them.
func (p *pair) needs(b kernels.Buffer, reach, more int) {
	if own, ok := b.(*Buffer); ok && own != nil && own.layout != nil && p.fine.layout.split && p.fine.stands == nil {
		own.want(reach, more, p.fine.periodic)
	}
}

// needsCoarse wants ghosts of an array of the coarse grid.
func (p *pair) needsCoarse(b kernels.Buffer, reach, more int) {
	own, ok := b.(*Buffer)
	if !ok || own == nil || own.layout == nil || !p.fine.layout.split || p.fine.stands != nil {
		return
	}
	if own.layout.split || p.fine.periodic {
		own.want(reach, more, p.fine.periodic)
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
	if !p.asked {
		for _, a := range slices.Concat(p.fine.reads, p.coarse.reads) {
			a.b.ask(0, p.fine.options.Ghosts)
		}
	}
	p.fine.exchange()
	p.fine.alone = p.fine.alone || p.coarse.alone
	if p.fine.ok() {
		p.fine.queue(f)
	}
	p.fine.end()
	p.coarse.end()
	return p.fine.ok() && p.fine.stands == nil
}

// fineKnown says how many ghosts of an array of the fine grid are right, and how many could be.
func (p *pair) fineKnown(b kernels.Buffer, seam, wrap, could int) {
	own := b.(*Buffer)
	own.known(seam, wrap, p.fine.periodic)
	own.written(p.fine.kernel, could)
}

// coarseKnown says so of an array of the coarse grid, or delivers the rows of all where each rank has the whole.
func (p *pair) coarseKnown(b kernels.Buffer, seam, wrap, could int) {
	own := b.(*Buffer)
	if !p.fine.layout.split || own.layout.split {
		own.known(seam, wrap, p.fine.periodic)
		own.written(p.fine.kernel, could)
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
		p.needs(a.FineX, reach, d.options.Ghosts)
	} else {
		p.needsCoarse(a.CoarseX, reach, d.options.Ghosts)
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
	if a.Replaces {
		seam, wrap = ghosts, ghosts
	}
	if down {
		right := p.half(min(seam, ghosts), reach)
		p.coarseKnown(a.CoarseX, right, p.half(min(wrap, ghosts), reach), right)
		return
	}
	coarse, beyond := p.right(a.CoarseX)
	if !p.coarse.layout.split {
		coarse = ghosts
	}
	right := min(seam, ghosts-reach, p.twice(coarse, reach))
	p.fineKnown(a.FineX, right, min(wrap, ghosts-reach, p.twice(beyond, reach)), right)
}

// Restrict computes CoarseX = mask Pᵀ FineX.
func (d *Device) Restrict(a kernels.TransferArgs) {
	d.transfer("Restrict", a, true, 1, kernels.Device.Restrict)
}

// Prolong computes FineX += mask P CoarseX.
func (d *Device) Prolong(a kernels.TransferArgs) {
	d.transfer("Prolong", a, false, 1, kernels.Device.Prolong)
}

// ProlongCubic computes FineX += mask P₃ CoarseX, or FineX = mask P₃ CoarseX.
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
	p.needs(a.FineK, 1, d.options.Ghosts)
	done := p.run(func(r *rank) {
		l := a
		l.Fine, l.Coarse, l.Periodic = p.fine.boxOf(r), p.coarseBox(r), p.fine.periodicAxes(a.Periodic)
		l.H, l.FineK, l.CoarseK = p.fine.axes(r, a.H), p.fine.nodes(r, a.FineK), p.coarse.nodes(r, a.CoarseK)
		r.device.CoarsenCells(l)
	})
	if done {
		seam, wrap := p.right(a.FineK)
		right := p.half(min(seam, d.options.Ghosts), 0)
		p.coarseKnown(a.CoarseK, right, p.half(min(wrap, d.options.Ghosts), 0), right)
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
	sweeps := a.Sweeps
	p := d.beginPair(kernel, a.A.Box, a.Coarse, a.Factor, a.Periodic[kernels.Y])
	if p.fine.layout.split && sweeps+2 > d.options.Ghosts {
		periodic := a.Periodic[kernels.Y]
		p = &pair{fine: d.beginWhole(kernel, a.A.Box, periodic), coarse: d.beginWhole(kernel, a.Coarse, periodic), factor: p.factor}
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
	rows, under := p.expected(&a, down)
	p.wants(&a, down, coefficients, rows, under)
	p.narrow(&a, down, coefficients, rows, under)
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
	ofU, ofF, ofA := p.least(a.U), p.least(a.F), p.least(coefficients...)
	var out, coarse [2]int
	for n := range out {
		out[n], coarse[n] = p.after(sweeps, p.fine.ghosts, ofU[n], ofF[n], ofA[n])
	}
	could, couldBelow := p.could(&a, down, coefficients)
	if down {
		p.fineKnown(a.Out, out[0], out[1], could)
		p.coarseKnown(a.CoarseX, coarse[0], coarse[1], couldBelow)
		return
	}
	below, beyond := p.right(a.CoarseX)
	if !p.coarse.layout.split {
		below = d.options.Ghosts
	}
	p.fineKnown(a.Out, min(out[0], p.twice(below, 1)-sweeps), min(out[1], p.twice(beyond, 1)-sweeps), could)
}

// after returns how many ghosts are right after a pass of a cycle, of the fine grid and of the right side below: of so many that ranks compute, and of what is read. The flux
// between two rows is stored with the lower one.
func (p *pair) after(sweeps, computed, u, f, coefficients int) (fine, coarse int) {
	u = min(computed, u, coefficients)
	return min(u-sweeps, f-max(sweeps-1, 0)), p.half(min(u-sweeps-1, f-sweeps), 1)
}

// could is after, if ranks had computed all ghosts that they hold; of the way up what is read of the correction counts, too.
func (p *pair) could(a *kernels.CycleArgs, down bool, coefficients []kernels.Buffer) (fine, coarse int) {
	ghosts := p.fine.options.Ghosts
	most := func(all ...kernels.Buffer) int {
		least := ghosts
		for _, b := range all {
			if own, ok := b.(*Buffer); ok && own != nil {
				least = min(least, own.most())
			}
		}
		return least
	}
	fine, coarse = p.after(a.Sweeps, ghosts, most(a.U), most(a.F), most(coefficients...))
	if !down && p.coarse.layout.split {
		fine = min(fine, p.twice(most(a.CoarseX), 1)-a.Sweeps)
	}
	return fine, coarse
}

// expected returns how many ghosts are likely to be read of what a pass of a cycle writes: of the fine grid, and on the way down of the right side below.
func (p *pair) expected(a *kernels.CycleArgs, down bool) (fine, coarse int) {
	if !p.shared() {
		return 0, 0
	}
	if out, ok := a.Out.(*Buffer); ok && out != nil {
		fine = out.expected(p.fine.kernel)
	}
	if under, ok := a.CoarseX.(*Buffer); ok && under != nil && down && p.coarse.layout.split {
		coarse = under.expected(p.fine.kernel)
	}
	return fine, coarse
}

// shared tells whether ranks compute slabs.
func (p *pair) shared() bool { return p.fine.layout.split && p.fine.stands == nil && p.fine.ok() }

// wants wants what a pass of a cycle reads, so that so many ghosts of its results can be right.
func (p *pair) wants(a *kernels.CycleArgs, down bool, coefficients []kernels.Buffer, fine, coarse int) {
	p.asked = true
	most, sides := p.reach(a, down, fine, coarse)
	for _, b := range coefficients {
		p.needs(b, a.Sweeps+2, max(most-a.Sweeps-2, 0))
	}
	p.wallFaces(a.A)
	least, below := p.reach(a, down, 0, 0)
	if !down {
		p.needsCoarse(a.CoarseX, (a.Sweeps+2)/2, max(p.halved(most)-(a.Sweeps+2)/2, 0))
	}
	p.needs(a.F, below, sides-below)
	p.needs(a.U, least, most-least)
	p.fine.exchange()
}

// reach returns how many ghosts of what is corrected and of the right side are read, so that so many of the results are right.
func (p *pair) reach(a *kernels.CycleArgs, down bool, fine, coarse int) (most, sides int) {
	most, sides = a.Sweeps+fine, max(a.Sweeps-1, 0)+fine
	if down {
		beyond := 2*coarse + 1
		if p.factor == 1 {
			beyond = max(coarse, 1)
		}
		most, sides = max(most, a.Sweeps+1+beyond), max(sides, a.Sweeps+beyond)
	}
	return most, sides
}

// narrow lets ranks compute so many ghosts of what a pass of a cycle writes and no more, as far as what is read lets them be right. What faces conduct is made a wall at the last
// row that ranks hold.
func (p *pair) narrow(a *kernels.CycleArgs, down bool, coefficients []kernels.Buffer, fine, coarse int) {
	if !p.shared() || !p.fine.narrows() || a.A.Faces[kernels.Y] != nil {
		return
	}
	u, f, c := p.least(a.U), p.least(a.F), p.least(coefficients...)
	var most [2]int // of both ends
	for n := range most {
		ofFine, ofCoarse := p.after(a.Sweeps, p.fine.options.Ghosts, u[n], f[n], c[n])
		most[n], _ = p.reach(a, down, max(min(fine, ofFine), 0), max(min(coarse, ofCoarse), 0))
	}
	p.fine.compute(max(most[0], most[1]))
}

// halved returns how many ghosts of the coarse grid so many of the fine grid take, of which as many are wrong at the ends as sweeps are made.
func (p *pair) halved(ghosts int) int {
	if p.factor == 1 {
		return ghosts
	}
	return (ghosts + 2) / 2
}
