package main

import (
	"strings"
	"testing"
)

// check and run say where a wall brings values in time at which the viscosity or the buoyancy is none, and nothing where they are numbers all over.
func TestLawsBeyondTheirNumbers(t *testing.T) {
	dir := writeCase(t, "grid: {cells: [8, 8], size: [1, 1]}\nphysics: {rayleigh: 10}\nboundaries: {bottom: {temperature: 1 + 10*t}, top: {temperature: 0}}\ntime: {end: 0.1, max_step: 0.01}\n")
	for set, want := range map[string]string{
		"physics.viscosity=2.5 - T": "", "physics.viscosity=1.5 - T": "physics.viscosity is not a positive number at some",
		"physics.buoyancy=log(3 - T)": "", "physics.buoyancy=log(1.7 - T)": "the expression of the buoyancy or the density is no number at some",
	} {
		out, log := mustRun(t, dir, "check", "small.yaml", "--set", set)
		_, ran := mustRun(t, dir, "run", "small.yaml", "--set", set, "--out", t.TempDir()+"/out")
		for _, said := range []string{out + log, ran} {
			if says := strings.Contains(said, "at the last value where it is one"); says != (want != "") || !strings.Contains(said, want) {
				t.Errorf("%s: want %q in\n%s", set, want, said)
			}
		}
	}
}
