package physics

import (
	"math"
	"slices"
	"testing"

	"convect/kernels"
)

// A second scalar that no buoyancy comes from, under the same conditions as the temperature, has the temperature's bits; and the temperature has those
// that it has alone. So has a state that is resumed.
func TestSecondScalar(t *testing.T) {
	dev := openDevice(t, 2)
	for name, p := range map[string]Parameters{"2-D": rich(plane(16), kernels.TVD), "3-D, 27 points, mixed": withPoints27(mixed(rich(graded(cube(8)), kernels.TVD)))} {
		t.Run(name, func(t *testing.T) {
			p.Initial.Noise, p.Initial.Seed = 0.01, 1
			c := Controls{End: 1, Courant: 0.4, Steady: 1e-3}
			alone := simulate(t, dev, p, c)
			p.beside = []substance{besides(&p, 0, 0)}
			s := simulate(t, dev, p, c)
			for range 4 {
				for _, s := range []*Simulation{alone, s} {
					if err := s.advance(); err != nil {
						t.Fatal(err)
					}
				}
			}
			state, err := s.State()
			if err != nil {
				t.Fatal(err)
			}
			resumed, err := Resume(dev, p, c, state)
			if err != nil {
				t.Fatal(err)
			}
			defer resumed.Free()
			if err := s.advance(); err != nil {
				t.Fatal(err)
			}
			if err := alone.advance(); err != nil {
				t.Fatal(err)
			}
			if err := resumed.advance(); err != nil {
				t.Fatal(err)
			}
			want := download(t, alone, "temperature")
			for who, u := range map[string]*scalar{"temperature beside": s.model.temperature(), "second scalar": s.model.scalars[1], "resumed second scalar": resumed.model.scalars[1]} {
				got, err := u.now.Download()
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("the %s differs from the temperature alone", who)
				}
				if math.Float64bits(u.content) != math.Float64bits(alone.model.temperature().content) {
					t.Errorf("the %s has the content %g, the temperature alone %g", who, u.content, alone.model.temperature().content)
				}
			}
		})
	}
}
