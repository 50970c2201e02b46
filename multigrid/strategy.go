package multigrid

import "convect/stencil"

// strategy is a way to solve A u = f with cycles, in a file of its own. [New] chooses one for good:
//
//	cycles           cycle after cycle in the precision of the fields
//	singleCycles     cycle after cycle in float32, on residuals in float64
//	gradients        conjugate gradients preconditioned by a cycle, or by lines; the coarsest level's own where it is the only one
//	singleGradients  the same in float32, but for the solution and its residual
//	adaptive         the first or the third of these, or the second or the fourth, by what they have shown
//	full             a pass of full multigrid before any of these
type strategy interface {
	// begin measures the right side, or its residual with it, and makes it consistent.
	begin(u, f *stencil.Field) error
	// measuresFirst tells whether begin does so in a pass that a solve begins with anyway.
	measuresFirst() bool
	// iterate improves u until it has converged. It may leave u another buffer.
	iterate(u, f *stencil.Field) error
	// cycles makes so many cycles from zero, or one onSolution.
	cycles(u, f *stencil.Field, number int)
	// residual computes the residual of u, over a scale, for pass, which improves u by one of full multigrid (see climb for values).
	residual(u, f *stencil.Field) (norm, scale float64, err error)
	pass(p *full, u, f *stencil.Field, scale float64, values bool)
	// leavesZero tells whether a first guess of zero is neither written nor read.
	leavesZero() bool
	// attempts tells whether a solve from zero begins with cycles on the right side, and rooms which fields those for u have: right nil: the right side's own.
	attempts() bool
	rooms(u *stencil.Field) (e, right *stencil.Field)
	// outer runs what an iteration needs beside its cycles, in a solve from zero if so told; visits tells which of them begin from zero.
	outer(u, f *stencil.Field, zero bool)
	visits() []bool
	// scratch returns a field of the finest level that holds nothing between iterations.
	scratch() *stencil.Field
	// ends tells that a solve, which was to make such a reduction, has ended.
	ends(reduction float64)
	// free releases what the strategy has beside the hierarchy.
	free()
}

// choose makes the strategy of the options. One that is made is returned with an error, too.
func (s *Solver) choose() (chosen strategy, err error) {
	several, conjugate := len(s.levels) > 1, s.options.Method.conjugate()
	alone := !several && s.options.Method != LineGradients
	switch {
	case s.options.Method == Adaptive && several:
		chosen, err = newAdaptive(s)
	case s.options.Mixed && conjugate && !alone:
		chosen, err = newSingleGradients(s)
	case s.options.Mixed: // a single level is solved to single precision by itself
		chosen = &singleCycles{inSingle: inSingle{usual{s}}}
	case alone && s.coarsest.krylov != nil:
		chosen = &gradients{inField{usual{s}}, s.coarsest.krylov}
	case conjugate:
		chosen, err = newGradients(s)
	default:
		chosen = &cycles{inField{usual{s}}}
	}
	if err != nil || s.options.Cycle != FullMultigrid || !several {
		return chosen, err
	}
	return newFull(s, chosen)
}

// usual is the part of a strategy that most have in common.
type usual struct{ *Solver }

func (usual) measuresFirst() bool { return false }
func (usual) leavesZero() bool    { return false }
func (usual) attempts() bool      { return false }
func (usual) visits() []bool      { return []bool{true} }
func (usual) ends(float64)        {}
func (usual) free()               {}
