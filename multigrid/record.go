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

// recorded runs cycles, or replays them. run must leave the levels' fields with the buffers that they had.
func (s *Solver) recorded(cycles int, run func()) {
	device, ok := s.op.Grid.Device.(kernels.Recorder)
	if !ok || s.coarsest == nil || s.coarsest.krylov != nil {
		run()
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
		run()
		return
	}
	r := &s.records[n]
	if r.kernels != nil && r.kernels.Replay() {
		return
	}
	if r.kernels != nil {
		r.kernels.Free()
	}
	if r.kernels = device.Record(run); r.kernels == nil || !r.kernels.Replay() {
		run()
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
