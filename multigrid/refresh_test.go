package multigrid

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// TestRefreshIsAsGoodAsNew changes the conductivities under a solver: after Refresh it must need as many iterations as
// one made for them, whose weights alone may differ, and more without it.
func TestRefreshIsAsGoodAsNew(t *testing.T) {
	patch := func(s kernels.Side, x, y, _ float64) bool {
		return s == kernels.Top && math.Hypot(x-0.47, y-0.47) < 0.04
	}
	for name, p := range devicetest.Part(t, 2, map[string]problem{
		"closed": {cells: cube(32), fixed: closed, k: [3]float64{1, 1, 1}},
		"mixed, variable K": {cells: cube(32), fixed: mixed,
			layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }},
		"a patch that coarse levels lose": {cells: cube(32), patch: patch},
		"periodic":                        {cells: square(64), periodic: [3]bool{true, false, false}, fixed: mixed},
	}) {
		for label, opt := range map[string]Options{"": {}, ", mixed": {Mixed: true}} {
			t.Run(name+label, func(t *testing.T) {
				o := p.operator(t, device(t))
				m := steepMobility(t, o)
				old := must[*Solver](t)(New(o, opt))
				defer old.Free()
				temperature := newField(t, o)
				temperature.Upload(bump(o.Grid))
				m.Update(temperature)

				u, f := newField(t, o), newField(t, o)
				solve := func(s *Solver) (int, error) {
					u.Fill(0)
					smoothRightSide(f)
					r, err := s.Solve(u, f, 0)
					return r.Iterations, err
				}
				stale, _ := solve(old) // may not converge
				if err := old.Refresh(); err != nil {
					t.Fatal(err)
				}
				old.Learned = Learned{ConvergenceFactor: usualFactor}
				refreshed := must[int](t)(solve(old))
				fresh := must[*Solver](t)(New(o, opt))
				defer fresh.Free()
				if anew := must[int](t)(solve(fresh)); refreshed != anew || stale <= refreshed {
					t.Errorf("%d iterations without Refresh, %d with it, %d of a new solver", stale, refreshed, anew)
				}
				for n, l := range fresh.levels {
					if got := old.levels[n].leak; math.Abs(got-l.leak) > 1e-12*l.leak {
						t.Errorf("level %d leaks %g after Refresh, %g anew", n, got, l.leak)
					}
				}
				if n := testing.AllocsPerRun(2, func() { _ = old.Refresh() }); n != 0 {
					t.Errorf("Refresh allocates %g times", n)
				}
			})
		}
	}
}

// steepMobility returns a mobility that falls by exp(-8) from temperature 0 to 1.
func steepMobility(t *testing.T, o *stencil.Operator) *stencil.Mobility {
	t.Helper()
	const entries = 257
	m := must[*stencil.Mobility](t)(stencil.NewMobility(o, entries))
	steep := make([]float64, entries)
	for n := range steep {
		steep[n] = math.Exp(-8 * float64(n) / (entries - 1))
	}
	m.SetTable(0, 1, steep)
	return m
}

// bump returns temperatures between 0 and 1.
func bump(g *stencil.Grid) []float64 {
	x, z := g.Coordinates(0), g.Coordinates(2)
	v := make([]float64, g.Nodes())
	for n := range v {
		i, k := n%g.Box.N[0], n/(g.Box.N[0]*g.Box.N[1])
		v[n] = 0.5 + 0.5*math.Sin(2*math.Pi*x[i])*math.Cos(3*z[k])
	}
	return v
}

// Where k may have become nine times as large, the weights beside a mass know of k times 9 to the 3/4 above and of three times k below.
func TestStiffen(t *testing.T) {
	p := problem{cells: cube(8), fixed: closed, k: [3]float64{1, 1, 1}}
	s := must[*Solver](t)(New(p.operator(t, device(t)), Options{}))
	defer s.Free()
	const mass = 500
	l := s.levels[0]
	above := math.Pow(9, 0.75)
	k, sum := l.couplings[0], l.couplings[0]+l.couplings[1]+l.couplings[2]
	before := l.bounds(mass)
	s.Stiffen(9)
	got, want := l.bounds(mass), spectrum{(mass + 2*3*k) / (mass + 2*3*sum), (mass + 4*above*sum) / (mass + 2*above*sum)}
	if math.Abs(got.low-want.low) > 1e-12 || math.Abs(got.high-want.high) > 1e-12 {
		t.Errorf("bounds %v, want %v", got, want)
	}
	if s.Stiffen(1); l.bounds(mass) != before {
		t.Errorf("bounds %v, before %v", l.bounds(mass), before)
	}
}
