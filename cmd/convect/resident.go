package main

import (
	"runtime/debug"

	"convect/cmd/convect/casefile"
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

// hostBytes returns what lies on the host for each node at the end of a run: the fields of a checkpoint, two snapshots (one that is
// written and one that is filled) as computed and as they are written, two quantities of the profiles, and the properties of the medium.
func hostBytes(s *physics.Simulation, c *casefile.Case) (float64, error) {
	const word, profiles, rooms = 8, 2, 2
	state, err := s.State()
	if err != nil {
		return 0, err
	}
	bytes := float64(word * (len(state.Fields) + profiles + cellArrays(s.Parameters()) + c.NodeArrays()))
	for _, name := range c.Output.Fields {
		computed, written := 1, 1
		if name == "velocity" {
			computed, written = s.Grid().Dimensions(), 3
		}
		bytes += float64(rooms * (word*computed + c.Output.Precision.Size()*written))
	}
	return bytes * (1 + garbage/100.0), nil
}
