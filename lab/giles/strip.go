package giles

import (
	"math"

	"convect/kernels/cuda"
)

// Strip is what a kernel of one sweep on strips (strip.cuh) is compiled for: the bytes of a row that a thread has and its rows, the threads of a block, and
// the blocks that a multiprocessor holds.
type Strip struct{ Bytes, Rows, Threads, Blocks int }

const (
	warp      = 32
	leastSlab = 4 // planes
)

// Launch returns how the threads of a sweep over the call's box are laid out, and how the kernel's name ends. It puts the vectors of a row and the groups of
// rows into the first two of tile.
func (s Strip) Launch(c *cuda.GuestCall, tile *[3]int64) (grid, block [3]int, suffix string) {
	nodes := s.Bytes / c.Elem.Size()
	*tile = [3]int64{int64(over(c.Box.N[0], nodes)), int64(over(c.Box.N[1], s.Rows)), 0}
	across := over(int(tile[0]*tile[1]), s.Threads)
	return [3]int{across, soonestSlabs(c, c.Box.N[2], across, s.Blocks, 2), 1}, [3]int{s.Threads, 1, 1}, wholeRows(c.Box.N[0], nodes)
}

// soonestSlabs returns how many slabs of n planes are done soonest if each of the blocks that the GPU holds at a time takes as long as the slab has planes
// and `more` around it.
func soonestSlabs(c *cuda.GuestCall, n, across, held, more int) int {
	held *= c.Multiprocessors()
	best, least := 1, math.MaxInt
	for s := 1; s <= max(over(n, leastSlab), 1); s++ {
		if cost := over(across*s, held) * (over(n, s) + more); cost < least {
			best, least = s, cost
		}
	}
	return best
}

// wholeRows names how rows of n nodes fall to threads with so many of them.
func wholeRows(n, nodes int) string {
	if n%nodes == 0 {
		return "whole"
	}
	return "any"
}

// over returns the number of blocks that cover n.
func over(n, block int) int { return (n + block - 1) / block }
