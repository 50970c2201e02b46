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
	for name, p := range map[string]Parameters{"2-D": rich(plane(16), kernels.TVD), "3-D, 27 points, mixed": withPoints27(mixed(rich(graded(cube(8)), kernels.TVD))),
		"2-D, dispersion": dispersing(rich(plane(16), kernels.TVD), 0.1, 0.01)} {
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

// What walls and patches do to a second scalar is asked of its own conditions: it has the bits of the temperature under the same ones, and is
// insulated without.
func TestConditionsOfASecondScalar(t *testing.T) {
	dev := openDevice(t, 1)
	p := rich(plane(16), kernels.TVD)
	p.Walls[kernels.Top], p.Walls[kernels.Left].Heat = tiedTo(4, 0.2), FixedTemperature
	p.Patches = []Patch{{Side: kernels.Top, Range: [3][2]float64{{0.2, 0.7}, {}, {}}, Heat: true, Wall: held(-1)},
		{Side: kernels.Right, Range: [3][2]float64{{}, {}, {0.5, 1}}, Wall: Wall{Inflow: Constant(0.9)}}}
	given := p
	second := besides(&p, 0, 0)
	second.at = nil
	given.beside, given.Patches = []substance{second}, slices.Clone(p.Patches)
	for s := range given.Walls {
		w := &given.Walls[s]
		*w.Of(0) = Condition{w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow}
	}
	for n := range given.Patches {
		patch := &given.Patches[n]
		w := &patch.Wall
		*w.Of(0) = Condition{w.Heat, w.HeatValue, w.HeatCoefficient, w.Inflow}
		patch.Beside = []bool{patch.Heat}
	}
	s := simulate(t, dev, given, Controls{End: 1, Courant: 0.4})
	for range 3 {
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(download(t, s, "concentration"), download(t, s, "temperature")) {
		t.Error("under the same conditions the second scalar differs from the temperature")
	}
	closed := heated(plane(8), 100)
	closed.Initial = Initial{Temperature: Constant(0.3)}
	insulated := besides(&closed, 0, 0)
	insulated.at = nil
	closed.beside = []substance{insulated}
	s = simulate(t, dev, closed, Controls{End: 0.01, Courant: 0.4})
	run(t, s)
	for _, v := range download(t, s, "concentration") {
		if math.Abs(v-0.3) > 1e-8 {
			t.Fatalf("insulated, it becomes %g", v)
		}
	}
}
