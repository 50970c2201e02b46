package main

import (
	"fmt"
	"io"

	"convect/cmd/convect/casefile"
	"convect/kernels"
	"convect/kernels/ranks"
)

// What messages between ranks take, and what a step sends: see docs/cluster.md, where both were measured.
const (
	linkBandwidth  = 10e9 // bytes a second each way
	linkLatency    = 5e-6 // seconds a message
	messagesAStep  = 200
	ghostFields    = 20 // arrays of the finest grid, in single precision, of which a step sends the ghosts; coarser grids are in it
	shownRanks     = 16
	bytesOfAnArray = 4
)

// checkRanks prints how so many ranks would share a case.
func checkRanks(w io.Writer, c *casefile.Case, t *trial, info kernels.Info, size int, o ranks.Options) error {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "  %-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	working, reason := slabsOf(c, size, o)
	if reason != "" {
		line("ranks", "%s: it runs on %d of %d, and the others wait", reason, working, size)
	}
	if working == 1 {
		return nil
	}
	if o.Ghosts == 0 {
		o.Ghosts = ghostsOf(c)
	}
	e := c.Extent()
	box := t.memory.box(e.Cells)
	slabs, err := ranks.Share(box, working, e.Periodic[kernels.Y], o)
	if err != nil {
		return err
	}
	memory := func(rank int) (bytes float64) {
		bytes = t.memory.same + t.memory.tables + t.memory.matrices
		for _, l := range t.memory.levels {
			of := t.memory.box(t.memory.onLevel(e.Cells, l))
			length := of.Len
			if parts, err := ranks.Share(of, working, e.Periodic[kernels.Y], o); err == nil && parts != nil {
				length = parts[rank].Box.Len
			}
			bytes += l.bytes * float64(length)
		}
		return bytes + t.memory.host.each*float64(box.Nodes())*float64(slabs[rank].Own[1]-slabs[rank].Own[0])/float64(box.N[kernels.Y])
	}
	line("ranks", "%d, which share %d rows of y; each holds up to %d more of its neighbours", working, box.N[kernels.Y], 2*o.Ghosts+1)
	fmt.Fprintf(w, "  %-12s %4s %16s %6s %6s %12s\n", "", "rank", "rows of y", "own", "held", "memory")
	most := 0
	for r, s := range slabs {
		own, held := s.Own[1]-s.Own[0], s.Held[1]-s.Held[0]
		most = max(most, held)
		switch {
		case r == shownRanks-1 && len(slabs) > shownRanks:
			fmt.Fprintf(w, "  %-12s %4s\n", "", "…")
		case r < shownRanks || r == len(slabs)-1:
			fmt.Fprintf(w, "  %-12s %4d %16s %6d %6d %12s\n", "", r, fmt.Sprintf("%d … %d", s.Own[0], s.Own[1]-1), own, held, bytesText(memory(r)))
		}
	}
	line("", "rank 0 holds %s besides, of the medium, the initial state and averages", bytesText(baseBytes+t.memory.host.first*float64(box.Nodes())))
	line("", "where not all see the run directory it holds %s, and writes all files", bytesText(baseBytes+t.memory.host.alone*float64(box.Nodes())))
	one := t.seconds * c.Nodes() / t.nodes
	row := float64(bytesOfAnArray * box.Stride[kernels.Y] * (box.N[kernels.Z] + 2*kernels.HaloWidth))
	sent := ghostFields * float64(o.Ghosts) * row
	if c.Parameters.Precision == kernels.Float64 && !c.Parameters.Mixed {
		sent *= 2
	}
	neighbours := 2.0
	if working == 2 && !e.Periodic[kernels.Y] {
		neighbours = 1
	}
	each := one*float64(most)/float64(box.N[kernels.Y]) + neighbours*sent/linkBandwidth + messagesAStep*linkLatency
	line("", "about %s a step to each neighbour", bytesText(sent))
	line("efficiency", "about %.0f %% with %s each (%s): %s a step for %s on one", 100*one/each/float64(working), threadsText(info),
		fmt.Sprintf("%.0f GB/s and %.0f µs a message", linkBandwidth/1e9, linkLatency*1e6), durationText(each), durationText(one))
	line("", "less where ranks of one machine share the bandwidth of its memory")
	return nil
}

// slabsOf returns on how many ranks, of so many, a case is shared out, and why on no more.
func slabsOf(c *casefile.Case, size int, o ranks.Options) (slabs int, reason string) {
	e := c.Extent()
	rows := e.Cells[kernels.Y]
	if rows == 0 {
		return 1, "the case is 2-D, and rows of y are what ranks share"
	}
	if !e.Periodic[kernels.Y] {
		rows++
	}
	if least := max(o.Gather, 0); c.Nodes() <= float64(least) {
		return 1, fmt.Sprintf("the case has %.0f nodes, and ranks share grids of more than %d", c.Nodes(), least)
	}
	if most := max(rows/o.Rows, 1); most < size {
		return most, fmt.Sprintf("the case has %d rows of y, and a rank takes at least %d", rows, o.Rows)
	}
	return size, ""
}

// ghostsOf returns the rows of neighbours that ranks hold for a case: two more than its cycles sweep at a time, so that one exchange serves them all.
func ghostsOf(c *casefile.Case) int {
	const most = 4 // of hard problems, and of the longer cycles of heat
	sweeps := max(c.Parameters.Pressure.Pre, c.Parameters.Pressure.Post, most)
	return (sweeps + 3) / 2 * 2
}
