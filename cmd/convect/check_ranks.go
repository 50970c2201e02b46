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
		bytes = t.memory.laws + t.memory.tables + t.memory.matrices
		for _, l := range t.memory.levels {
			of := t.memory.box(t.memory.onLevel(e.Cells, l))
			length := of.Len
			if parts, err := ranks.Share(of, working, e.Periodic[kernels.Y], o); err == nil && parts != nil {
				length = parts[rank].Box.Len
			}
			bytes += l.bytes * float64(length)
		}
		return bytes
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
	_, host := t.memory.need(kernels.Info{}, e.Cells)
	line("", "rank 0 holds %s besides, of whole fields, while a checkpoint is written", bytesText(host))
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
