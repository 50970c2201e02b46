package multigrid

import (
	"slices"

	"convect/kernels"
)

// Cycles are many small kernels. Where the device can, those that come again with the same arguments are recorded and replayed as one: some from zero in single
// precision, or one on a solution. They are run once as they are, which makes what memory they need, and recorded the next time. Records outlive new
// conductivities, which lie where the old ones did; the first cycles on them are run as they are, since they renew the factors of the coarsest grid.

// mostRecordings bounds how many records a solver keeps: solutions come in turn in a few buffers.
const mostRecordings = 16

// mostAttempts is how often cycles are recorded in vain before they are run as they are: once for memory that was made meanwhile, and once more.
const mostAttempts = 3

// onSolution stands for the number of cycles where it is one that does not begin from zero.
const onSolution = 0

// record is one of cycles on the buffers that the levels had.
type record struct {
	cycles  int
	longer  bool
	turn    turn
	way     int
	product product
	buffers []kernels.Buffer
	left    []kernels.Buffer  // those that the levels end with: sweeps of an odd number leave a solution in the spare field
	kernels kernels.Recording // nil: they have been run once
	failed  int               // attempts to record them
}

// run makes so many cycles from zero on the finest level's own fields, or one on what they hold. The levels' solutions and spare fields may end with each
// other's buffers.
func (s *Solver) run(cycles int) {
	s.inTurn(max(cycles, 1), func(n int) { s.descend(0, s.options.Cycle, n == 0 && cycles != onSolution) })
}

// recorded runs cycles, or replays them.
func (s *Solver) recorded(cycles int) {
	device, ok := s.op.Grid.Device.(kernels.Recorder)
	if !ok || !s.coarsest.single {
		s.run(cycles)
		return
	}
	if s.renewed {
		s.renewed = false
		s.run(cycles)
		return
	}
	s.buffers = s.levelBuffers(s.buffers[:0])
	buffers := s.buffers
	n := slices.IndexFunc(s.records, func(r record) bool {
		return r.cycles == cycles && r.longer == s.longer && r.turn == s.turn && r.way == s.way && r.product == s.product && slices.Equal(r.buffers, buffers)
	})
	if n < 0 {
		if len(s.records) == mostRecordings {
			s.forget()
		}
		s.records = append(s.records, record{cycles: cycles, longer: s.longer, turn: s.turn, way: s.way, product: s.product, buffers: slices.Clone(buffers)})
		s.run(cycles)
		return
	}
	r := &s.records[n]
	if r.kernels != nil && r.kernels.Replay() {
		s.setLevelBuffers(r.left)
		return
	}
	if r.kernels != nil {
		r.kernels.Free()
		r.kernels = nil
	}
	if r.failed == mostAttempts {
		s.run(cycles)
		return
	}
	if r.kernels = device.Record(func() { s.run(cycles) }); r.kernels == nil || !r.kernels.Replay() {
		r.failed++
		s.setLevelBuffers(r.buffers)
		s.run(cycles)
		return
	}
	r.left = s.levelBuffers(r.left[:0])
}

// levelBuffers appends the buffers of the levels' fields.
func (s *Solver) levelBuffers(buffers []kernels.Buffer) []kernels.Buffer {
	for _, l := range s.levels {
		buffers = append(buffers, l.u.Buffer, l.f.Buffer)
		if l.spare != nil {
			buffers = append(buffers, l.spare.Buffer)
		}
	}
	return buffers
}

// setLevelBuffers gives the levels' fields the buffers that levelBuffers has returned.
func (s *Solver) setLevelBuffers(buffers []kernels.Buffer) {
	for _, l := range s.levels {
		l.u.Buffer, l.f.Buffer = buffers[0], buffers[1]
		buffers = buffers[2:]
		if l.spare != nil {
			l.spare.Buffer, buffers = buffers[0], buffers[1:]
		}
	}
}

// forget frees all records, whose arguments are no longer those of the levels.
func (s *Solver) forget() {
	for _, r := range s.records {
		if r.kernels != nil {
			r.kernels.Free()
		}
	}
	s.records = s.records[:0]
}
