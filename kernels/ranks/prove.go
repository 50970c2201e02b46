package ranks

import (
	"math"

	"convect/kernels"
)

// prove makes sure, with Options.Poison, that the ghosts of an array that was written are what is said of them: those that are right are those of their owners, and no
// result takes the others, which become NaN.
func (b *Buffer) prove(periodic bool) {
	d := b.device
	if !d.options.Poison || !b.layout.split || !d.ok() || d.recording != nil {
		return
	}
	if d.link == nil {
		b.compare(periodic)
	}
	b.poison(periodic)
}

// compare fails where a ghost that is said to be right has not the bits of its owner.
func (b *Buffer) compare(periodic bool) {
	d, l := b.device, b.layout
	values := func(rank, row int) []float64 {
		box := l.written(rank, row)
		v := make([]float64, box.Nodes())
		if err := d.here(rank).device.DownloadBox(v, b.local[rank], box); err != nil {
			d.fail("%w", err)
		}
		return v
	}
	for _, r := range d.ranks {
		b.ghosts(r, periodic, func(row int, right bool) {
			if from := modulo(row, l.box.N[kernels.Y]); right && d.ok() && (periodic || row != l.box.N[kernels.Y]-1) {
				own, ghost := values(l.owner(from), from), values(r.number, row)
				for i := range own {
					if own[i] != ghost[i] && !(math.IsNaN(own[i]) && math.IsNaN(ghost[i])) {
						d.fail("of %v nodes rank %d has %g at row %d, where its owner has %g", l.box.N, r.number, ghost[i], row, own[i])
						return
					}
				}
			}
		})
	}
}

// ghosts calls f with every row that a rank computes but does not own, and whether it is said to be right.
func (b *Buffer) ghosts(r *rank, periodic bool, f func(row int, right bool)) {
	l := b.layout
	s, view := l.slabs[r.number], l.view(r.number, periodic)
	for row := view[0]; row < view[1]; row++ {
		right := b.seam
		if row < 0 || row >= l.box.N[kernels.Y] {
			right = b.wrap
		}
		if row < s.own[0] || row >= s.own[1] {
			f(row, max(s.own[0]-row, row-s.own[1]+1) <= right)
		}
	}
}

// written returns the box of those nodes of a row that all kernels write: not the last ones along x and z, for which there is no cell or face.
func (l *layout) written(rank, row int) kernels.Box {
	box := l.boxOf(rank, rows{row, row + 1})
	box.N[kernels.X], box.N[kernels.Z] = max(box.N[kernels.X]-1, 1), max(box.N[kernels.Z]-1, 1)
	return box
}

// poison makes the ghosts that are not right NaN, but for the last row of the whole, for which there may be no cell or face either.
func (b *Buffer) poison(periodic bool) {
	for _, r := range b.device.ranks {
		b.ghosts(r, periodic, func(row int, right bool) {
			if right || !periodic && row == b.layout.box.N[kernels.Y]-1 {
				return
			}
			box := b.layout.written(r.number, row)
			bad := make([]float64, box.Nodes())
			for i := range bad {
				bad[i] = math.NaN()
			}
			r.device.UploadBox(b.local[r.number], box, bad)
		})
	}
}
