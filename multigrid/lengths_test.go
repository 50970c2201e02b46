package multigrid

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// massiveProblems are steps of the heat equation, whose masses are such that a usual cycle gains two to four digits.
var massiveProblems = map[string]problem{
	"closed":   {cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1}, mass: 5 * 32 * 32},
	"27":       {cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1}, mass: 5 * 32 * 32, stencil: kernels.TwentySevenPoint},
	"float32":  {cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1}, mass: 5 * 32 * 32, float32: true},
	"odd":      {cells: [3]int{31, 27, 33}, fixed: mixed, k: [3]float64{1, 1, 1}, mass: 5 * 30 * 30},
	"periodic": {cells: [3]int{32, 32, 16}, periodic: [3]bool{true, true, false}, fixed: mixed, k: [3]float64{1, 1, 1}, mass: 5 * 32 * 32},
	"flat":     {cells: square(64), fixed: mixed, k: [3]float64{1, 1, 1}, mass: 3 * 64 * 64},
}

// TestLongerCycles solves to tolerances that are a little less than a cycle or two give: with cycles that may be longer no solve makes more of them, and many make fewer.
func TestLongerCycles(t *testing.T) {
	fewer := 0
	for name, p := range massiveProblems {
		for _, tolerance := range []float64{1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5} {
			t.Run(fmt.Sprintf("%s, %g", name, tolerance), func(t *testing.T) {
				opt := Options{Method: Multigrid, Massive: true, Mixed: !p.float32, Tolerance: tolerance}
				open, longer := repeatedSolves(t, p, opt)
				opt.Pre, opt.Post = 2, 2
				usual, asked := repeatedSolves(t, p, opt)
				if asked {
					t.Error("cycles are longer than was asked for")
				}
				if open > usual {
					t.Errorf("%d cycles, of usual ones %d", open, usual)
				}
				if longer && open < usual {
					fewer++
				}
			})
		}
	}
	if fewer < len(massiveProblems) {
		t.Errorf("only %d solves make fewer cycles that are longer", fewer)
	}
}

// repeatedSolves returns the cycles of the last of ten solves, and whether they were longer.
func repeatedSolves(t *testing.T, p problem, opt Options) (iterations int, longer bool) {
	o := p.operator(t, device(t))
	s := must[*Solver](t)(New(o, opt))
	defer s.Free()
	u, f := newField(t, o), newField(t, o)
	for n := range uint64(10) { // the first tell what cycles gain
		u.Fill(0)
		f.Upload(noise(o.Grid.Nodes(), n+1))
		iterations = must[Result](t)(s.Solve(u, f, 0)).Iterations
	}
	return iterations, s.made.longer
}

// TestEffort compares efforts with those by hand, where a longer cycle gains 1.45 usual ones.
func TestEffort(t *testing.T) {
	p := massiveProblems["closed"]
	o := p.operator(t, device(t))
	s := must[*Solver](t)(New(o, Options{Method: Multigrid, Massive: true, Mixed: true}))
	defer s.Free()
	s.LongerGain = 1.45
	for _, c := range []struct {
		wanted float64
		most   int
		want   effort
	}{
		{-1, 3, effort{1, false}}, {0.5, 3, effort{1, false}}, {1, 3, effort{1, false}}, {1.2, 3, effort{1, true}}, {1.4, 3, effort{1, true}}, {1.42, 3, effort{2, false}},
		{2.5, 3, effort{2, true}}, {2.9, 3, effort{3, false}}, {4, 3, effort{3, true}}, {5, 3, effort{3, false}}, {4, 1, effort{1, true}}, {1, 1, effort{1, false}},
		{math.Inf(1), 1, effort{1, false}}, {math.NaN(), 3, effort{3, false}},
	} {
		if got := s.effortFor(c.wanted, c.most); got != c.want {
			t.Errorf("for %g of at most %d: %+v, not %+v", c.wanted, c.most, got, c.want)
		}
	}
}

// TestLongerCyclesGoOn takes what a solver knows of its cycles to another one, which then makes the same residuals.
func TestLongerCyclesGoOn(t *testing.T) {
	p := massiveProblems["closed"]
	opt := Options{Method: Multigrid, Massive: true, Mixed: true, Tolerance: 1e-3}
	o := p.operator(t, device(t))
	first, second := must[*Solver](t)(New(o, opt)), must[*Solver](t)(New(o, opt))
	defer first.Free()
	defer second.Free()
	u, f := newField(t, o), newField(t, o)
	solve := func(s *Solver, seed uint64) []float64 {
		u.Fill(0)
		f.Upload(noise(o.Grid.Nodes(), seed))
		return slices.Clone(must[Result](t)(s.Solve(u, f, 0)).Residuals)
	}
	for seed := range uint64(6) {
		solve(first, seed+1)
		second.ConvergenceFactor, second.LongerGain, second.LastFloor, second.FloorAge = first.ConvergenceFactor, first.LongerGain, first.LastFloor, first.FloorAge
		if got, want := solve(second, seed+100), solve(first, seed+100); !slices.Equal(got, want) {
			t.Errorf("after %d solves residuals are %g, not %g", seed+1, got, want)
		}
	}
	if first.LongerGain == 0 {
		t.Error("no cycle was longer")
	}
}

// TestCyclesInARow compares what cycles of a row leave of noise with what as many leave whose polynomials are alike: never more than a little, and much less on the whole.
func TestCyclesInARow(t *testing.T) {
	first, over := lowInTurn, lowInTurnOver
	t.Cleanup(func() { lowInTurn, lowInTurnOver = first, over })
	problems := maps.Clone(massiveProblems)
	for name, p := range massiveProblems {
		p.mass /= 100
		problems[name+", less mass"] = p
	}
	for name, layout := range map[string]func([3]int) []float64{"log-normal": func(n [3]int) []float64 { return lognormal(n, 1, 4, 1) }, "layers": func(n [3]int) []float64 { return layers(n, 10, 1) }} {
		problems[name] = problem{cells: cube(24), fixed: mixed, layout: layout, mass: 24 * 24}
	}
	problems["graded"] = problem{cells: cube(24), fixed: mixed, grading: [3]stencil.Grading{{}, {}, {Ratio: 4, Cluster: stencil.ClusterBoth}}}
	gained, tried := 0.0, 0.0
	for name, p := range problems {
		if p.float32 { // a row is one in float32 with mixed precision, too
			continue
		}
		o := p.operator(t, device(t))
		s := must[*Solver](t)(New(o, Options{Method: Multigrid, Smoother: Chebyshev, Mixed: true, Massive: p.mass > 0}))
		for number := 2; number <= 3; number++ {
			alike, differing := 0.0, 0.0
			for _, left := range []*float64{&differing, &alike} {
				s.levels[0].f.Upload(noise(o.Grid.Nodes(), 3))
				s.recorded(number)
				l := s.levels[0]
				l.op.Residual(l.residual, l.f, l.u)
				*left = must[float64](t)(norm(l.residual))
				lowInTurn, lowInTurnOver = lowOf{1, 1}, lowOf{1, 1}
			}
			lowInTurn, lowInTurnOver = first, over
			if differing > 1.02*alike {
				t.Errorf("%s: %d cycles leave %.3g, alike %.3g", name, number, differing, alike)
			}
			gained, tried = gained+math.Log(alike/differing), tried+1
		}
		s.Free()
	}
	mean := math.Exp(gained / tried)
	t.Logf("cycles of a row leave 1/%.3g of what alike ones do", mean)
	if !(mean > 1.25) {
		t.Error("that is too much")
	}
}
