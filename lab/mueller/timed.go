package mueller

import "convect/kernels"

// Work is what a kernel does for one cell.
type Work struct {
	Words float64 // of the fields' type that must move if caches are perfect
	Ints  float64 // 32-bit indices likewise
	Flops float64
	// References are the memory references of the paper's table 2: with nothing, the vectors of levels, and also columns
	// kept in cache. Zero where the paper has none.
	References [3]int
}

// Bytes returns what must move for one cell.
func (w Work) Bytes(e kernels.Elem) float64 { return w.Words*float64(e.Size()) + 4*w.Ints }

// Part is a kernel of an iteration, to be timed alone.
type Part struct {
	Name string
	Work Work
	Run  func()
}

// Works lists the kernels of an iteration of a form in their order, without what runs them: the paper's SpMV and
// preconditioner, and the updates and sums (BLAS) of the forms that are not interleaved.
func Works(form Form) []Part {
	if form == Interleaved {
		return []Part{
			{Name: "interlvd. SpMV", Work: Work{7, 0, 29, [3]int{17, 13, 11}}},
			{Name: "interlvd. prec.", Work: Work{4, 0, 20, [3]int{16, 12, 9}}},
		}
	}
	apply, solve := Work{2, 0, 21, [3]int{12, 8, 6}}, Work{2, 0, 14, [3]int{12, 8, 5}}
	if form == Stored {
		apply, solve = Work{9, 8, 14, [3]int{22, 22, 22}}, Work{5, 0, 10, [3]int{}}
	}
	return []Part{
		{Name: "SpMV", Work: apply},
		{Name: "preconditioner", Work: solve},
		{Name: "BLAS", Work: Work{14, 0, 13, [3]int{16, 16, 16}}},
	}
}

// Total returns the work of a whole iteration of a form.
func Total(form Form) (w Work) {
	for _, part := range Works(form) {
		w.Words += part.Work.Words
		w.Ints += part.Work.Ints
		w.Flops += part.Work.Flops
		for n := range w.References {
			w.References[n] += part.Work.References[n]
		}
	}
	return w
}

// Parts returns the kernels of an iteration. They work on the fields of the solver and on u; what they compute means nothing.
func (s *Krylov) Parts(u kernels.Buffer) []Part {
	d, a, parts := s.problem.Device, &s.problem.a, Works(s.form)
	if s.form == Interleaved {
		parts[0].Run = func() {
			d.ColumnSearch(ColumnSearchArgs{A: a, U: u, P: s.p, Q: s.q, Z: s.z, Alpha: 1e-3, Beta: 0.5, Slot: slot})
		}
		parts[1].Run = func() {
			d.ColumnDescend(ColumnDescendArgs{A: a, R: s.r, Q: s.q, Z: s.z, Alpha: 1e-3, Slot: slot})
		}
		return parts
	}
	parts[0].Run = func() { s.apply(s.q, s.p) }
	parts[1].Run = func() { s.precondition(s.z, s.r) }
	parts[2].Run = func() { s.updates(u) }
	return parts
}

// updates makes the three sums and three updates of an iteration.
func (s *Krylov) updates(u kernels.Buffer) {
	p := s.problem
	for _, pair := range [][2]kernels.Buffer{{s.p, s.q}, {s.r, s.r}, {s.r, s.z}} {
		p.Device.ColumnDot(ColumnDotArgs{X: pair[0], Y: pair[1], Slot: slot})
	}
	p.add(u, 1, 1e-3, s.p)
	p.add(s.r, 1, -1e-3, s.q)
	p.add(s.p, 0.5, 1, s.z)
}

// Iteration returns the work of a whole iteration.
func (s *Krylov) Iteration() Work { return Total(s.form) }

// Cycle returns the work of a cycle for one cell of the finest level: on every level 2 words for the first sweep and 3 for the
// others, 2 and one on the coarser level for the residual, as many for the correction; and 5 to correct the solution.
func (s *Multigrid) Cycle() (w Work) {
	const sweep = 21 + 14 + 4
	finest := float64(s.levels[0].Panel.Cells())
	for n, l := range s.levels {
		cells := float64(l.Panel.Cells()) / finest
		sweeps := float64(len(l.pre) + len(l.post))
		words, flops := 3*sweeps-1, sweep*sweeps-21
		if n == 0 {
			words, flops = words+5, flops+21+4
		}
		if n < len(s.levels)-1 {
			coarse := float64(s.levels[n+1].Panel.Cells()) / float64(l.Panel.Cells())
			words += 2 * (2 + coarse)
			flops += 21 + 1 + 8
		}
		w.Words += cells * words
		w.Flops += cells * flops
	}
	return w
}
