package casefile

import (
	"slices"
	"testing"
)

func TestCompleteKey(t *testing.T) {
	for word, want := range map[string][]string{
		"ti":                        {"title=", "time=", "time."},
		"physics.ray":               {"physics.rayleigh="},
		"output.every.":             {"output.every.time=", "output.every.steps=", "output.every.times="},
		"wel":                       {"wells=", "wells[0]."},
		"grid.grading.z.":           {"grid.grading.z.cluster=", "grid.grading.z.ratio="},
		"boundaries.patches[12].wa": {"boundaries.patches[12].wall="},
		"physics.permeability.l":    {"physics.permeability.layers=", "physics.permeability.layers[0].", "physics.permeability.lognormal=", "physics.permeability.lognormal."},
		"nothing.":                  nil,
		"physics.nothing":           nil,
	} {
		if got := CompleteKey(word); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
	}
	all := CompleteKey("")
	for _, key := range schema(nil)[""] {
		if !slices.Contains(all, key+"=") {
			t.Errorf("%s is not offered", key)
		}
	}
}
