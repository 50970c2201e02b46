package physics

import (
	"testing"

	"convect/kernels"
)

// Each scalar has the dispersion that is given for it, to the bit, whatever the others have: tracers that move nothing, one with lengths of its own and one with none, beside a temperature with and without.
func TestDispersionOfEachScalar(t *testing.T) {
	dev := openDevice(t, 2)
	own, none := &Dispersion{0.2, 0.02}, &Dispersion{}
	for name, p := range map[string]Parameters{"2-D": seeded(plane(15), 200, [3]int{1, 0, 1}), "3-D, 27 points, graded, mixed": mixed(withPoints27(seeded(graded(cube(6)), 200, [3]int{1, 1, 1})))} {
		run := func(heat Dispersion, lengths ...*Dispersion) *Simulation {
			p := p
			p.Dispersion, p.Transport = heat, kernels.TVD
			for n, l := range lengths {
				p.Solutes = append(p.Solutes, Solute{Name: string(rune('a' + n)), Porosity: Uniform(0.5), Diffusivity: Uniform(0.3), Dispersion: l,
					Initial: Initial{Temperature: func(x, _, z, _ float64) float64 { return x * z }}})
			}
			s := simulate(t, dev, p, Controls{End: 1, Courant: 0.4, MaxStep: 1e-3})
			runTo(t, s, 12)
			return s
		}
		mixture, both, neither := run(Dispersion{}, own, none), run(Dispersion{}, own, own), run(Dispersion{}, none, none)
		common, apart := run(*own, nil, none), run(*own, own, none)
		for _, c := range []struct {
			field     string
			got, want *Simulation
			same      bool
		}{
			{"temperature", mixture, neither, true}, {"a", mixture, both, true}, {"b", mixture, neither, true}, {"a", mixture, neither, false}, {"b", mixture, both, false},
			{"a", common, apart, true}, {"temperature", common, apart, true}, {"temperature", common, mixture, false},
		} {
			got, want, same := download(t, c.got, c.field), download(t, c.want, c.field), true
			for n := range want {
				same = same && got[n] == want[n]
			}
			if same != c.same {
				t.Errorf("%s: %s has the bits of the other run: %v", name, c.field, same)
			}
		}
	}
}
