package physics

import (
	"slices"
	"testing"
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
