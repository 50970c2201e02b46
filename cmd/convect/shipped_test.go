package main

import (
	"path/filepath"
	"testing"

	"convect/cmd/convect/casefile"
	"convect/physics"
)

// TestShippedCases decodes and builds every case of runs/, with every variant of its expect.yaml. None has values that no real medium has.
func TestShippedCases(t *testing.T) {
	paths, err := filepath.Glob("../../runs/*/" + caseName)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in runs: %v", err)
	}
	for _, path := range paths {
		variants := []variant{{Name: "as it is"}}
		if c, err := readExpectation(filepath.Join(filepath.Dir(path), expectName)); err == nil {
			variants = append(variants, c.variants...)
		}
		for _, v := range variants {
			c, err := loadCase(path, overridesOf(v.Set))
			if err == nil {
				err = c.Build(casefile.BuildOptions{})
			}
			if err != nil {
				t.Errorf("%s, %s: %v", path, v.Name, err)
				continue
			}
			if absurd := absurdities(c, newMedium(c, physics.Values{High: [2]float64{1.25}}, 0)); len(absurd) > 0 { // of its scale: 250 K in runs/geothermal
				t.Errorf("%s, %s: %v", path, v.Name, absurd)
			}
		}
	}
}
