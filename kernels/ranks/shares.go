package ranks

import "convect/kernels"

// shares are arrays of sums on ranks that queue kernels: a rank's own, one for each plane, and those of all ranks, of each plane after each other.
type shares struct {
	planes   int
	own, all []kernels.Buffer // by rank
}

// sharesOf returns arrays for so many planes; nil where there are none yet while kernels are recorded, or after a failure.
func (d *Device) sharesOf(planes int) *shares {
	if s := d.shares[planes]; s != nil || d.throughHost() || !d.ok() {
		return s
	}
	s := &shares{planes, make([]kernels.Buffer, d.size), make([]kernels.Buffer, d.size)}
	for _, r := range d.ranks {
		for array, n := range map[*kernels.Buffer]int{&s.own[r.number]: planes, &s.all[r.number]: planes * d.size} {
			var err error
			if *array, err = r.device.Alloc(kernels.Float64, n); err != nil {
				d.fail("%w", err)
				return nil
			}
		}
	}
	d.shares[planes] = s
	return s
}

// free releases the arrays.
func (s *shares) free(d *Device) {
	for _, r := range d.ranks {
		r.device.Free(s.own[r.number])
		r.device.Free(s.all[r.number])
	}
}

// listOf returns the box of an array of numbers for each plane, so many elements apart.
func listOf(planes, apart int) kernels.Box {
	return kernels.Box{N: [3]int{1, 1, planes}, Stride: [3]int{1, 1, apart}, Len: planes * apart}
}

// gather gives every rank the sums of all.
func (s *shares) gather(d *Device) {
	d.copyBlocks(func(rank int) (all []block) {
		for owner := range d.size {
			all = append(all, block{owner: owner, dst: s.all[rank], src: s.own[owner], dstBox: listOf(s.planes, d.size), srcBox: listOf(s.planes, 1),
				to: [3]int{owner, 0, 0}, n: [3]int{1, 1, s.planes}})
		}
		return all
	}, nil)
}

// of returns the sums of all ranks for a rank, and the grid that they share.
func (s *shares) of(c *call, r *rank, w [3]kernels.Buffer) kernels.Shares {
	all := kernels.Shares{Sums: s.all[r.number], N: c.size, Box: c.layout.box}
	for axis, b := range w {
		all.W[axis] = b.(*Buffer).whole(r)
	}
	return all
}

// meanHeights averages over planes without the host. All count from the first value that rank 0 has of each plane, so that equal values have exactly that mean.
func (c *call) meanHeights(a kernels.HorizontalMeanArgs, out *Buffer, local func(r *rank) kernels.HorizontalMeanArgs) {
	x, planes := a.X.(*Buffer), a.Box.N[kernels.Z]
	if out.elem != x.elem || out.n < planes {
		c.fail("Out has %d elements of %v, not %d of %v", out.n, out.elem, planes, x.elem)
		return
	}
	s := c.sharesOf(planes)
	if s == nil {
		return
	}
	first := c.layout.boxOf(0, c.layout.view(0, c.periodic))
	c.copyBlocks(func(rank int) []block {
		return []block{{dst: out.local[rank], src: x.local[0], dstBox: listOf(planes, 1), srcBox: first, n: [3]int{1, 1, planes}}}
	}, nil)
	c.queue(func(r *rank) { r.device.(kernels.Queuer).SumHeights(local(r), s.own[r.number]) })
	s.gather(c.Device)
	c.queue(func(r *rank) { r.device.(kernels.Queuer).MeanHeights(local(r), s.of(c, r, a.W)) })
	out.changed()
}

// removeShares takes the mean of all away without the host.
func (c *call) removeShares(a kernels.RemoveMeanArgs, local func(r *rank) kernels.RemoveMeanArgs) {
	s := c.sharesOf(1)
	if s == nil {
		return
	}
	c.queue(func(r *rank) { r.device.(kernels.Queuer).SumVolume(local(r), s.own[r.number]) })
	s.gather(c.Device)
	c.run(func(r *rank) { r.device.(kernels.Queuer).RemoveShares(local(r), s.of(c, r, a.W)) })
}
