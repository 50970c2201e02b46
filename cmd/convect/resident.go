package main

import (
	"runtime/debug"

	"convect/cmd/convect/casefile"
	"convect/io/sampling"
	"convect/kernels"
	"convect/physics"
)

// What the process of a run holds beside the arrays of its case.
const (
	// baseBytes is the program with its libraries, tables and stacks, as far as it is resident.
	baseBytes = 56 << 20
	// hugePage is the unit in which large arrays lie in memory: on average each leaves half of one unused.
	hugePage = 2 << 20
	// garbage is how much more than what is in use the heap holds, in per cent: what the collector of a large run is set to, and
	// what it has not given back yet.
	collectAt, garbage = 15, 25
)

// collectEagerly keeps the heap of a run of many nodes near to what is in use. There it holds few arrays, all large and without
// pointers, so that collecting costs next to nothing.
func collectEagerly(c *casefile.Case) {
	const many = 50_000
	if c.Nodes() > many {
		debug.SetGCPercent(collectAt)
	}
}

// hostNeed is what lies on the host for each node: of a run on one process, and of one that processes share out, for each node of the whole grid on rank 0, and for
// each that a process owns there.
type hostNeed struct{ alone, first, each float64 }

// hostBytes returns what lies on the host at the end of a run: the fields of a checkpoint, two snapshots (one that is written and one that is filled) as computed and
// as they are written, the properties of the medium, and averages. Of a run that is shared out each process has its part of the fields of a checkpoint or of a snapshot,
// as computed, and rank 0 the rest, and at the start what the initial state is made of.
func hostBytes(s *physics.Simulation, c *casefile.Case) (hostNeed, error) {
	const word, rooms, initial = 8, 2, 2
	state, _, err := s.Live()
	if err != nil {
		return hostNeed{}, err
	}
	medium := float64(word * (cellArrays(s.Parameters()) + c.NodeArrays()))
	alone := medium + float64(word*len(state.Fields))
	frozen, snapshots := 0, 0.0
	for _, name := range c.Output.Fields {
		computed, written := components(s, name)
		frozen += computed
		snapshots += float64(rooms * (word*computed + c.Output.Precision.Size()*written))
	}
	first, averages := medium+word*initial, 0.0
	if c.Output.Compress { // rank 0 writes them
		first += snapshots
	}
	for _, a := range c.Output.Averages {
		averages += averageBytes(s, &a, c.Output.Precision)
	}
	const more = 1 + garbage/100.0
	return hostNeed{more * (alone + snapshots + averages), more * (first + averages), more * float64(word*max(len(state.Fields), frozen))}, nil
}

// components returns how many arrays of nodes a field is computed of and written as.
func components(s *physics.Simulation, name string) (computed, written int) {
	if name == "velocity" || name == physics.HeatFluxName {
		return s.Grid().Dimensions(), 3
	}
	return 1, 1
}

// averageBytes returns what an average takes of the host for each node: its sums, for a checkpoint and in the snapshots that are written. The sums themselves are on
// the device, and the trial of its memory has them.
func averageBytes(s *physics.Simulation, a *sampling.Average, precision kernels.Elem) (bytes float64) {
	const word, rooms = 8, 2
	if a.Over != [3]bool{} { // these are small
		return 0
	}
	sums := 1
	if a.Fluctuations {
		sums = 2
	}
	for _, name := range a.Fields {
		_, written := components(s, name)
		bytes += float64(sums * written * (word + rooms*(word+precision.Size())))
	}
	return bytes
}
