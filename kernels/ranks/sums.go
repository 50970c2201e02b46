package ranks

import (
	"math"
	"slices"

	"convect/kernels"
)

// way is how the results of ranks are taken together.
type way uint8

const (
	addUp way = iota
	largest
)

// slotState says of a slot what its value is made of.
type slotState struct {
	split bool // of the results of ranks, in the way given; else all have the same
	way   way
	from  rows // the ranks that have one
	most  int  // of the rows of a rank
}

// Scalars returns the slots, on a link to rank 0.
func (d *Device) Scalars() ([]float64, error) {
	if d.link != nil {
		return d.joinedScalars()
	}
	if d.known && d.ok() {
		return d.slots[:], nil
	}
	of, err := d.slotsOfAll()
	if err != nil {
		return nil, err
	}
	for n, state := range d.states {
		switch {
		case !state.split:
			d.slots[n] = of[0][n]
		case state.way == largest:
			d.slots[n] = 0
			for r := state.from[0]; r < state.from[1]; r++ {
				d.slots[n] = math.Max(d.slots[n], of[r][n])
			}
		default:
			d.sums = d.sums[:0]
			for _, r := range d.ranks[state.from[0]:state.from[1]] {
				d.sums = append(d.sums, r.sums(n, of[r.number])...)
			}
			d.slots[n] = kernels.TreeSum(d.sums)
		}
	}
	d.known = true
	return d.slots[:], nil
}

// slotsOfAll returns the slots of each rank. GPUs are all asked before the first is waited for.
func (d *Device) slotsOfAll() (of [][]float64, err error) {
	if d.queued {
		for _, r := range d.ranks {
			r.device.(kernels.Queuer).FetchScalars()
		}
	}
	for _, r := range d.ranks {
		s, err := r.device.Scalars()
		if err != nil {
			d.kernel = "" // it names its own
			d.fail("%w", err)
		}
		of = append(of, s)
	}
	if d.queued { // they have been waited for
		return of, d.why()
	}
	return of, d.Sync()
}

// sums returns the sums of rows, or of all that count, in a slot of a rank, of which these are all.
func (r *rank) sums(slot int, slots []float64) []float64 {
	if r.device.SumsRows() {
		return r.device.RowSums(slot)
	}
	return slots[slot : slot+1]
}

// reduced notes what a kernel has left in its slots.
func (d *Device) reduced(slot int, l *layout, from rows, ways ...way) {
	for n, w := range ways {
		if s := slot + n; s >= 0 && s < kernels.Slots {
			if d.link != nil && d.recording != nil { // who has a slot is known when a kernel runs
				d.recording.spoiled = true
			}
			d.states[s] = slotState{l.split, w, from, l.most()}
			if d.link != nil && !slices.Contains(d.fresh, s) {
				d.fresh = append(d.fresh, s)
			}
		}
	}
}

// most returns the most rows that a rank owns.
func (l *layout) most() (n int) {
	for _, s := range l.slabs {
		n = max(n, rows(s.own).count())
	}
	return n
}

// length returns the sum of the dual widths of an axis, of so many nodes.
func (d *Device) length(w kernels.Buffer, nodes int) (sum float64) {
	for _, v := range d.values(w)[kernels.HaloWidth:][:nodes] {
		sum += v
	}
	return sum
}

// RemoveMean removes the mean: ranks sum up, and take the mean of all away.
func (d *Device) RemoveMean(a kernels.RemoveMeanArgs) {
	d.within("RemoveMean", func() { d.removeMean(a) })
}

func (d *Device) removeMean(a kernels.RemoveMeanArgs) {
	c := d.begin("RemoveMean", a.Box, false)
	c.read(a.X, 0)
	c.write(1, a.X)
	c.copy(a.W[:]...)
	if !c.ok() {
		return
	}
	local := func(r *rank) kernels.RemoveMeanArgs {
		return kernels.RemoveMeanArgs{Box: c.boxOf(r), X: c.nodes(r, a.X), W: c.axes(r, a.W), Integrated: a.Integrated}
	}
	if !c.layout.split {
		c.run(func(r *rank) { r.device.RemoveMean(local(r)) })
		return
	}
	if d.queued {
		c.removeShares(a, local)
		return
	}
	kind := kernels.VolumeSum
	if a.Integrated {
		kind = kernels.Sum
	}
	d.queue(func(r *rank) {
		l := local(r)
		r.device.Reduce(kernels.ReduceArgs{Kind: kind, Box: l.Box, X: l.X, W: l.W, Slot: kernels.Slots - 1})
	})
	sums := slices.Concat(d.sumsOfAll(c.layout, 1, func(r *rank) []float64 { return r.device.RowSums(kernels.Slots - 1) })...)
	if d.Sync() != nil {
		return
	}
	n := a.Box.N
	shift := kernels.TreeSum(sums) / (d.length(a.W[0], n[0]) * d.length(a.W[1], n[1]) * d.length(a.W[2], n[2]))
	c.run(func(r *rank) { r.device.(kernels.HostMeaner).Shift(local(r), shift) })
}

// HorizontalMean averages over every z plane.
func (d *Device) HorizontalMean(a kernels.HorizontalMeanArgs) {
	d.within("HorizontalMean", func() { d.horizontalMean(a) })
}

func (d *Device) horizontalMean(a kernels.HorizontalMeanArgs) {
	c := d.begin("HorizontalMean", a.Box, false)
	c.read(a.X, 0)
	if !c.ok() {
		return
	}
	out := d.plain(a.Out)
	if out == nil {
		return
	}
	out.copies()
	c.copy(a.W[:]...)
	if !c.ok() {
		return
	}
	local := func(r *rank) kernels.HorizontalMeanArgs {
		return kernels.HorizontalMeanArgs{Box: c.boxOf(r), X: c.nodes(r, a.X), W: c.axes(r, a.W), Out: out.whole(r)}
	}
	if !c.layout.split {
		c.run(func(r *rank) { r.device.HorizontalMean(local(r)) })
		out.changed()
		return
	}
	if d.queued {
		c.meanHeights(a, out, local)
		return
	}
	base := make([]float64, a.Box.N[2])
	if r := d.here(0); r != nil {
		first := local(r)
		column := first.Box
		column.N, column.Own = [3]int{1, 1, a.Box.N[2]}, [2]int{}
		if err := r.device.DownloadBox(base, first.X, column); err != nil {
			d.fail("%w", err)
		}
	}
	d.tell(base)
	d.each(func(r *rank) { r.device.Upload(out.whole(r), base) })
	parts := d.sumsOfAll(c.layout, a.Box.N[2], func(r *rank) []float64 { return r.device.(kernels.HostMeaner).HeightSums(local(r)) })
	if d.Sync() != nil {
		return
	}
	area := d.length(a.W[0], a.Box.N[0]) * d.length(a.W[1], a.Box.N[1])
	for k := range base {
		var sums []float64
		for _, p := range parts {
			n := len(p) / len(base)
			sums = append(sums, p[k*n:][:n]...)
		}
		base[k] += kernels.TreeSum(sums) / area
	}
	d.Upload(a.Out, base)
}
