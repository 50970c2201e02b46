package physics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"convect/kernels"
)

// Where sides alone vary in time their nodes alone are renewed, edges and corners among them: the sources have the bits of all nodes made anew.
func TestSourcesOfSidesAreThoseOfAll(t *testing.T) {
	for name, p := range surfaceCases() {
		s := simulate(t, openDevice(t, 2), p, Controls{End: 1, Courant: 0.4})
		m, changes := s.model, 0
		for _, time := range []float64{0.01, 0.2, 0.35} {
			must(t, m.setWalls(time, false))
			for _, u := range m.scalars {
				if u.source == nil {
					continue
				}
				part, err := u.source.Download()
				must(t, err)
				sides, sum := u.prescribed, u.sourceSum
				must(t, u.setWalls(time, true))
				all, err := u.source.Download()
				must(t, err)
				if !slices.Equal(part, all) || sides != u.prescribed || sum != u.sourceSum {
					t.Errorf("%s, t = %g: %s has other sources where sides alone are renewed", name, time, u.of.Name)
				}
				must(t, m.setWalls(time+0.1, false))
				next, err := u.source.Download()
				must(t, err)
				if !slices.Equal(next, all) {
					changes++
				}
			}
		}
		if name == "swinging, graded cube" && changes == 0 {
			t.Errorf("%s: nothing changes", name)
		}
	}
}

// A gain that is alike everywhere is multiplied with the volumes of nodes on the device: the sources are those that are made node by node, also at walls, and a restart has
// their bits.
func TestSourcesThatSwell(t *testing.T) {
	p := surfaceCases()["swinging, graded cube"]
	p.HeatSource, p.SourceVaries, p.SourceCourse = func(_, _, _, t float64) float64 { return 5 * math.Sin(30*t) }, true, Course{Uniform: true}
	p.HeatLoss = Term{}
	for _, dev := range []kernels.Device{openDevice(t, 2), emulatedGPU(t)} {
		c := Controls{End: 1, Courant: 0.4}
		s := simulate(t, dev, p, c)
		u := s.model.scalars[0]
		if u.feeding.swelling == nil {
			t.Fatal("it does not swell")
		}
		for _, time := range []float64{0.01, 0.2, 0.35} {
			must(t, s.model.setWalls(time, false))
			got, err := u.source.Download()
			must(t, err)
			want, sum := u.sources(time), 0.0
			for n := range want {
				if sum += want[n]; !(math.Abs(got[n]-want[n]) <= 1e-14) {
					t.Fatalf("t = %g, node %d: %g, not %g", time, n, got[n], want[n])
				}
			}
			if !(math.Abs(u.sourceSum-sum) <= 1e-12) {
				t.Errorf("t = %g: %g in all, not %g", time, u.sourceSum, sum)
			}
		}
		s = simulate(t, dev, p, c)
		for range 4 {
			must(t, s.advance())
		}
		state, err := s.State()
		must(t, err)
		again, err := Resume(dev, p, c, state)
		must(t, err)
		t.Cleanup(again.Free)
		for range 3 {
			must(t, s.advance())
			must(t, again.advance())
			if a, b := fmt.Sprint(s.Sample()), fmt.Sprint(again.Sample()); a != b {
				t.Fatalf("step %d: %s after a restart, %s without", s.Step(), b, a)
			}
		}
	}
}
