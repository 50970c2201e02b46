package ranks

import "convect/kernels"

// How many rows a rank has at least where systems along y are cut between ranks: in all, and for each rank, since each gets six numbers from every other, where columns would be two
// for each row.
const (
	leastCut    = 8
	leastCutFor = 3
)

// cut is what ranks share of systems along y of which each has the nodes of its rows: own and all are arrays by rank.
type cut struct {
	own, all []kernels.Buffer
}

// Turns tells whether systems along y of a box are solved where their rows are: of ranks that queue kernels.
func (d *Device) Turns(box kernels.Box) bool {
	return d.queued && d.size > 1 && d.cuts(d.layoutOf(box))
}

// cuts tells whether each rank has enough rows of a box.
func (d *Device) cuts(l *layout) bool {
	return l.split && d.queued && l.least() >= max(leastCut, leastCutFor*d.size)
}

// least returns the rows of the rank that owns the fewest.
func (l *layout) least() int {
	least := l.box.N[kernels.Y]
	for _, s := range l.slabs {
		least = min(least, rows(s.own).count())
	}
	return least
}

// cutOf returns the arrays for a box; nil where there are none yet while kernels are recorded, or after a failure.
func (d *Device) cutOf(l *layout, e kernels.Elem) *cut {
	key := columnsKey{l.box, e}
	if s := d.cutArrays[key]; s != nil || d.throughHost() || !d.ok() {
		return s
	}
	systems := l.box.N[kernels.X] * l.box.N[kernels.Z]
	s := &cut{make([]kernels.Buffer, d.size), make([]kernels.Buffer, d.size)}
	n := d.cutArgs(l, s, 0).Entries(systems)
	for _, r := range d.ranks {
		for array, n := range map[*kernels.Buffer]int{&s.own[r.number]: n, &s.all[r.number]: n * d.size} {
			var err error
			if *array, err = r.device.Alloc(e, n); err != nil {
				s.free(d)
				d.fail("%w", err)
				return nil
			}
		}
	}
	d.cutArrays[key] = s
	return s
}

// cutArgs returns what a rank has of systems along y.
func (d *Device) cutArgs(l *layout, s *cut, rank int) *kernels.Cut {
	own := rows(l.slabs[rank].own)
	return &kernels.Cut{First: own[0], Rows: l.box.N[kernels.Y], Rank: rank, N: d.size, Own: s.own[rank], All: s.all[rank]}
}

func (s *cut) free(d *Device) {
	for _, r := range d.ranks {
		r.device.Free(s.own[r.number])
		r.device.Free(s.all[r.number])
	}
}

// gather gives every rank the numbers of all.
func (s *cut) gather(d *Device, entries int) {
	line := func(n int) kernels.Box { return kernels.Box{N: [3]int{n, 1, 1}, Stride: [3]int{1, n, n}, Len: n} }
	d.copyBlocks(func(rank int) (all []block) {
		for owner := range d.size {
			all = append(all, block{owner: owner, dst: s.all[rank], src: s.own[owner], dstBox: line(entries * d.size), srcBox: line(entries),
				to: [3]int{owner * entries, 0, 0}, n: [3]int{entries, 1, 1}})
		}
		return all
	}, nil)
}

// turnedModes solves systems along y: each rank finds what its rows are between their ends, which all gather, and solves for them; on whole arrays where ranks have few rows
// or do not queue.
func (d *Device) turnedModes(a kernels.ModesArgs) {
	c := d.begin("Modes", a.Box, false)
	cuts := d.cuts(c.layout)
	if !cuts {
		c = d.beginWhole("Modes", a.Box, false)
	}
	c.read(a.X, 0)
	c.write(d.options.Ghosts, a.X)
	c.write(d.options.Ghosts, a.Work)
	c.copy(a.Table)
	if !cuts {
		c.run(func(r *rank) {
			l := a
			l.Box, l.X, l.Work, l.Table = c.boxOf(r), c.nodes(r, a.X), c.nodes(r, a.Work), c.whole(r, a.Table)
			r.device.Modes(l)
		})
		return
	}
	x, isOne := a.X.(*Buffer)
	if !isOne || x == nil {
		d.fail("X is missing")
	}
	table, n := d.plain(a.Table), a.Turn(a.Box.N)
	if table == nil || d.tooShort(table, kernels.ModesEntries(n), "Table") || !d.ok() {
		return
	}
	s := d.cutOf(c.layout, x.elem)
	if s == nil {
		return
	}
	least := kernels.LeastModes(d.values(table), n, a.Mass)
	local := func(r *rank) (kernels.ModesArgs, kernels.Cut) {
		l, own := a, d.cutArgs(c.layout, s, r.number)
		own.Least = least
		l.Box, l.X, l.Work, l.Table = c.ownBox(r), c.nodes(r, a.X), c.nodes(r, a.Work), c.whole(r, a.Table)
		l.Low, l.High, own.Low = a.Low && r.number == 0, a.High && r.number == d.size-1, a.Low
		return l, *own
	}
	c.queue(func(r *rank) {
		l, own := local(r)
		r.device.(kernels.Queuer).ModesEnds(l, own)
	})
	s.gather(d, d.cutArgs(c.layout, s, 0).Entries(a.Box.N[kernels.X]*a.Box.N[kernels.Z]))
	c.run(func(r *rank) {
		l, own := local(r)
		r.device.(kernels.Queuer).ModesCut(l, own)
	})
}
