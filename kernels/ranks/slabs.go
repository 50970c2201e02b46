package ranks

import (
	"sync"

	"convect/kernels"
)

// layout says how arrays of one box are shared out.
type layout struct {
	box   kernels.Box // the whole
	split bool        // each rank owns a slab; else every rank has the whole
	slabs []slab      // by rank

	guard   sync.Mutex // of fetched
	fetched map[ghostsKey][]move
	taken   map[ghostsKey][]int // on a link
}

// ghostsKey names the moves that fetch the ghosts of a rank.
type ghostsKey struct {
	rank int
	of   ghostsOf
}

// slab is the part of a box that a rank has: rows own[0] to own[1]-1 are its own, held[0] to held[1]-1 are in its arrays. Rows below 0 and from N on are those of the
// other end where y is periodic; where it is not they are the halo of the whole.
type slab struct {
	own, held [2]int
	box       kernels.Box // of the rows held
}

// layoutOf returns how arrays of a box are shared out.
func (d *Device) layoutOf(box kernels.Box) *layout {
	box.Own = [2]int{}
	if l := d.layouts[box]; l != nil {
		return l
	}
	l := d.share(box, !box.Flat() && d.size > 1 && box.Nodes() > d.options.Gather)
	d.layouts[box] = l
	return l
}

// wholeOf returns the layout of a box of which every rank has the whole.
func (d *Device) wholeOf(box kernels.Box) *layout {
	box.Own = [2]int{}
	if l := d.layoutOf(box); !l.split {
		return l
	}
	if d.wholes[box] == nil {
		d.wholes[box] = d.share(box, false)
	}
	return d.wholes[box]
}

// share shares a box out, if it has enough rows.
func (d *Device) share(box kernels.Box, split bool) *layout {
	l := &layout{box: box, slabs: make([]slab, d.size), fetched: map[ghostsKey][]move{}, taken: map[ghostsKey][]int{}}
	rows := box.N[kernels.Y]
	// A grid whose cells are halved has half of the rows, rounded up, with walls or periodic ends. Slabs begin where those of the coarsest shared grid do.
	coarsest, unit, least := rows, 1, d.options.Rows*d.size
	l.split = split && rows >= least
	for (coarsest+1)/2 >= least {
		coarsest, unit = (coarsest+1)/2, 2*unit
	}
	if l.split && (coarsest+1)/2 >= d.size { // the next one, which every rank has whole, has every second node of each slab
		coarsest, unit = (coarsest+1)/2, 2*unit
	}
	for r := range l.slabs {
		s := &l.slabs[r]
		s.own = [2]int{0, rows}
		if l.split {
			s.own = [2]int{unit * (r * coarsest / d.size), unit * ((r + 1) * coarsest / d.size)}
			if r == d.size-1 {
				s.own[1] = rows
			}
		}
		if box.Flat() {
			s.held, s.box = s.own, box
			continue
		}
		// A row more above, so that a slab that begins at a node of the coarse grid ends at one.
		s.held = [2]int{s.own[0] - d.options.Ghosts, s.own[1] + d.options.Ghosts + 1}
		s.box = kernels.NewBox([3]int{box.N[0], s.held[1] - s.held[0], box.N[2]}, false)
	}
	return l
}

// rows are rows of y of the whole grid, from the first to the one before the last.
type rows [2]int

// count returns how many there are.
func (r rows) count() int { return r[1] - r[0] }

// view returns the rows of a rank that a kernel runs on: all it holds, but no row beyond an end unless y is periodic there.
func (l *layout) view(rank int, periodic bool) rows {
	s := l.slabs[rank]
	return l.viewOf(rank, periodic, s.own[0]-s.held[0])
}

// viewOf returns them with no more than so many ghosts, an even number.
func (l *layout) viewOf(rank int, periodic bool, ghosts int) rows {
	n, s := l.box.N[kernels.Y], l.slabs[rank]
	if !l.split {
		return rows{0, n}
	}
	of := rows{s.own[0] - ghosts, s.own[1] + ghosts + 1}
	if periodic {
		return of
	}
	return rows{max(of[0], 0), min(of[1], n)}
}

// boxOf returns the box of some rows of a rank's arrays.
func (l *layout) boxOf(rank int, of rows) kernels.Box {
	s := l.slabs[rank]
	b := s.box
	if l.box.Flat() {
		return b
	}
	b.Origin = b.Index(0, of[0]-s.held[0], 0)
	b.N[kernels.Y] = of.count()
	if l.split {
		b.Own = [2]int{s.own[0] - of[0], s.own[1] - of[0]}
	}
	return b
}

// owner returns the rank that owns a row of the whole.
func (l *layout) owner(row int) int {
	for r, s := range l.slabs {
		if row < s.own[1] {
			return r
		}
	}
	return len(l.slabs) - 1
}

// modulo returns n mod m, which is not negative.
func modulo(n, m int) int { return (n%m + m) % m }

// Slab is what a rank has of a grid: rows Own[0] to Own[1]-1 of y are its own, and it computes rows Held[0] to Held[1]-1, those that it has of its neighbours among them.
type Slab struct {
	Own, Held [2]int
	Box       kernels.Box // of its arrays
}

// Share returns how ranks share arrays of a box, by rank; nil where each has the whole.
func Share(box kernels.Box, size int, periodic bool, o Options) ([]Slab, error) {
	o, err := o.whole()
	if err != nil {
		return nil, err
	}
	l := newDevice(size, o).layoutOf(box)
	if !l.split {
		return nil, nil
	}
	var all []Slab
	for r, s := range l.slabs {
		all = append(all, Slab{s.own, l.view(r, periodic), s.box})
	}
	return all, nil
}
