package multigrid

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// TestCyclesEndWhereMassOutweighs solves beside masses of many sizes: cycles that end early must be as many as those that go on to the bottom, and a level on which they end
// must have so much mass that sweeps leave what they promise.
func TestCyclesEndWhereMassOutweighs(t *testing.T) {
	graded := [3]stencil.Grading{{}, {}, {Ratio: 4, Cluster: stencil.ClusterBoth}}
	problems := map[string]problem{
		"closed":   {cells: cube(32), fixed: closed, k: [3]float64{1, 1, 1}},
		"27":       {cells: cube(32), fixed: mixed, k: [3]float64{1, 1, 1}, stencil: kernels.TwentySevenPoint},
		"graded":   {cells: [3]int{24, 20, 32}, fixed: mixed, k: [3]float64{1, 1, 1}, grading: graded},
		"stiff z":  {cells: cube(24), fixed: mixed, k: [3]float64{1, 2, 7}},
		"periodic": {cells: square(64), periodic: [3]bool{true, false, false}, fixed: mixed, k: [3]float64{1, 1, 1}},
		"odd":      {cells: [3]int{31, 27, 33}, fixed: dirichlet, k: [3]float64{1, 1, 1}},
	}
	for name, p := range problems {
		for label, opt := range map[string]Options{"cycles": {Method: Multigrid, Mixed: true}, "gradients": {Method: ConjugateGradients}, "W": {Method: Multigrid, Cycle: WCycle}} {
			ended := map[int]bool{}
			for _, ratio := range []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10} { // of what ties a node to another to its mass
				t.Run(fmt.Sprintf("%s, %s, %g", name, label, ratio), func(t *testing.T) {
					p.mass = float64(p.cells[0]*p.cells[0]) / ratio
					o := p.operator(t, device(t))
					s := must[*Solver](t)(New(o, opt))
					defer s.Free()
					u, f := newField(t, o), newField(t, o)
					solve := func() (iterations int) {
						for range 2 { // the first tells how many cycles to make at once
							u.Fill(0)
							f.Upload(noise(o.Grid.Nodes(), 3))
							iterations = must[Result](t)(s.Solve(u, f, 0)).Iterations
						}
						return iterations
					}
					deepest := s.deepest()
					ended[deepest] = true
					early := solve()
					if l := s.levels[deepest]; len(l.alone) > 0 {
						if left := leftBySweeps(t, l); !(left <= 1.01*leftAlone) { // rounding of float32
							t.Errorf("sweeps on level %d leave %g of an error", deepest, left)
						}
					}
					for _, l := range s.levels {
						l.alone = l.alone[:0]
					}
					if all := solve(); early > all {
						t.Errorf("cycles that end on level %d of %d are %d, others %d", deepest, len(s.levels), early, all)
					}
				})
			}
			if len(ended) < 3 {
				t.Errorf("%s, %s: cycles end on levels %v alone", name, label, ended)
			}
		}
	}
}

// leftBySweeps returns what the sweeps of a level on which cycles end leave of the error of a random field, in the norm of energy.
func leftBySweeps(t *testing.T, l *level) float64 {
	t.Helper()
	energy := func() (sum float64) {
		l.op.Apply(l.residual, l.u)
		u, image := download(t, l.u), download(t, l.residual)
		for n := range u {
			sum += u[n] * image[n]
		}
		return sum
	}
	random(t, l.op, l.u, 5)
	l.f.Fill(0)
	before := energy()
	l.sweep(l.alone, false)
	return math.Sqrt(energy() / before)
}

// Levels that a Refresh has left out beside a large mass are renewed when the mass no longer outweighs what they do.
func TestRefreshFollowsTheMass(t *testing.T) {
	p := problem{cells: cube(32), fixed: mixed, layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}
	o := p.operator(t, device(t))
	m := steepMobility(t, o)
	old := must[*Solver](t)(New(o, Options{}))
	defer old.Free()
	temperature := newField(t, o)
	temperature.Upload(bump(o.Grid))
	m.Update(temperature)
	old.Stiffen(20)
	old.SetMassScale(1e7)
	if err := old.Refresh(); err != nil {
		t.Fatal(err)
	}
	if old.fresh != 2 || old.deepest() != 1 {
		t.Fatalf("%d of %d levels are renewed, and cycles end on level %d", old.fresh, len(old.levels), old.deepest())
	}
	old.Stiffen(0)
	old.SetMassScale(0)
	u, f := newField(t, o), newField(t, o)
	solve := func(s *Solver) int {
		u.Fill(0)
		smoothRightSide(f)
		return must[Result](t)(s.Solve(u, f, 0)).Iterations
	}
	later := solve(old)
	anew := must[*Solver](t)(New(o, Options{}))
	defer anew.Free()
	if want := solve(anew); later != want {
		t.Errorf("%d iterations after the mass has gone, %d of a new solver", later, want)
	}
}
