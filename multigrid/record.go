package multigrid

import (
	"slices"

	"convect/kernels"
)

// Cycles are many small kernels. Where the device can, those that come again with the same arguments are recorded and replayed as one: some from zero in single
// precision, or one on a solution. They are run once as they are, which makes what memory they need, and recorded the next time.

// mostRecordings bounds how many records a solver keeps: solutions come in turn in a few buffers.
const mostRecordings = 16

// onSolution stands for the number of cycles where it is one that does not begin from zero.
const onSolution = 0

// record is one of cycles on the buffers that the levels had.
type record struct {
	cycles  int
	buffers []kernels.Buffer
	kernels kernels.Recording // nil: they have been run once
}

// run makes so many cycles from zero on the finest level's own fields, or one on what they hold. The levels' fields end with the buffers that they had.
func (s *Solver) run(cycles int) {
	s.descend(0, s.options.Cycle, cycles != onSolution)
	for range cycles - 1 {
		s.descend(0, s.options.Cycle, false)
	}
}

// recorded runs cycles, or replays them.
func (s *Solver) recorded(cycles int) {
	device, ok := s.op.Grid.Device.(kernels.Recorder)
	if !ok || !s.coarsest.single {
		s.run(cycles)
		return
	}
	buffers := s.buffers[:0]
	for _, l := range s.levels {
		buffers = append(buffers, l.u.Buffer, l.f.Buffer)
		if l.spare != nil {
			buffers = append(buffers, l.spare.Buffer)
		}
	}
	s.buffers = buffers
	n := slices.IndexFunc(s.records, func(r record) bool { return r.cycles == cycles && slices.Equal(r.buffers, buffers) })
	if n < 0 {
		if len(s.records) == mostRecordings {
			s.forget()
		}
		s.records = append(s.records, record{cycles: cycles, buffers: slices.Clone(buffers)})
		s.run(cycles)
		return
	}
	r := &s.records[n]
	if r.kernels != nil && r.kernels.Replay() {
		return
	}
	if r.kernels != nil {
		r.kernels.Free()
	}
	if r.kernels = device.Record(func() { s.run(cycles) }); r.kernels == nil || !r.kernels.Replay() {
		s.run(cycles)
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
