package casefile

import (
	"errors"
	"strings"
	"testing"

	"convect/io/header"
)

const oldMaterial = "physics: {dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, " +
	"temperature_difference: 10, height: 1000, conductivity: 10, heat_capacity: 4200%}"

// A case in a file of an earlier version is refused where it would mean something else today, and only there; its grid can be
// read all the same. A file of today's version is what it is.
func TestEarlierCases(t *testing.T) {
	units := func(reference, keys string) string {
		return strings.Replace(oldMaterial, "%", reference, 1) + keys + "}\n"
	}
	for _, c := range []struct{ changes, key string }{
		{"", ""},
		{"physics: {rayleigh: 100, permeability: exp(-z), viscosity: 1 + z, diffusivity: 2}\n", ""},
		{"physics: {rayleigh: 100, porosity: 0.5}\n", "physics.porosity was the heat-capacity ratio"},
		{units("", ""), ""},
		{units("", ", heat_source: 1e-6"), ""},
		{units(", porosity: 0.6", ""), "physics.dimensional.porosity was the heat-capacity ratio"},
		{units("", ", porosity: 0.6"), "physics.porosity was the heat-capacity ratio"},
		{units("", ", permeability: 3"), "physics.permeability was a multiple of the reference"},
		{units("", ", permeability: {file: k.h5}"), "physics.permeability was a multiple of the reference"},
		{units("", ", permeability: 1e-9"), "physics.permeability was a multiple of the reference"},
		{units("", ", viscosity: 2"), "physics.viscosity was a multiple of the reference"},
		{units("", ", diffusivity: 2"), "physics.diffusivity was a multiple of the reference"},
	} {
		h := &header.Header{Format: 1, Version: "v0.9", Case: withSections(c.changes)}
		_, err := ParseFile("old.h5", h, nil)
		var earlier *EarlierError
		switch {
		case c.key == "" && err != nil:
			t.Errorf("%s: %v", c.changes, err)
		case c.key != "" && (!errors.As(err, &earlier) || !strings.Contains(err.Error(), c.key) || !strings.Contains(err.Error(), "old.h5: ") ||
			!strings.Contains(err.Error(), "v0.9")):
			t.Errorf("%s: %v, want %s", c.changes, err, c.key)
		}
		grid, err := ParseGrid("old.h5", h)
		if err != nil || grid.Extent().Cells != [3]int{8, 0, 4} {
			t.Errorf("%s: the grid: %v", c.changes, err)
		}
		h.Format = header.PropertiesInSI
		if _, err := ParseFile("old.h5", h, nil); errors.As(err, &earlier) {
			t.Errorf("%s in a file of today: %v", c.changes, err)
		}
	}
}
