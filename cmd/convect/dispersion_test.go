package main

import (
	"strings"
	"testing"
)

// check tells what dispersion is beside diffusion, and warns where cells are wide beside what spreads across the flow.
func TestCheckOfDispersion(t *testing.T) {
	for name, of := range map[string]struct {
		physics, cells string
		says, warns    bool
	}{
		"none":                         {"{rayleigh: 100}", "[16, 16]", false, false},
		"resolved":                     {"{rayleigh: 100, dispersion: {longitudinal: 0.02, transverse: 0.002}}", "[32, 32]", true, false},
		"misleads":                     {"{rayleigh: 4000, dispersion: {longitudinal: 0.2, transverse: 0.0002}}", "[16, 16]", true, true},
		"wide both":                    {"{rayleigh: 4000, dispersion: {longitudinal: 0.2, transverse: 0.2}}", "[16, 16]", true, false},
		"of a slow solute beside heat": {"{rayleigh: 100, solute: {buoyancy_ratio: 0.1, lewis: 1000}, dispersion: {longitudinal: 0.02, transverse: 0.0002}}", "[32, 32]", true, true},
		"of the solute of two":         {"{rayleigh: 100, solute: {buoyancy_ratio: 0.1, lewis: 1000}, dispersion: {concentration: {longitudinal: 0.02, transverse: 0.0002}}}", "[32, 32]", true, true},
		"of the heat of two":           {"{rayleigh: 100, solute: {buoyancy_ratio: 0.1, lewis: 1000}, dispersion: {temperature: {longitudinal: 0.02, transverse: 0.0002}}}", "[32, 32]", true, false},
		"of a solute alone":            {"{temperature: none, solute: {rayleigh: 100}, dispersion: {longitudinal: 0.02, transverse: 0.002}}", "[32, 32]", true, false},
	} {
		held := "temperature"
		if strings.Contains(of.physics, "none") {
			held = "concentration"
		}
		dir := writeCase(t, "grid: {cells: "+of.cells+", size: [1, 1]}\nphysics: "+of.physics+"\nboundaries: {bottom: {"+held+": 1}, top: {"+held+": 0}}\ntime: {end: 1}\n")
		out, _ := mustRun(t, dir, "check", "small.yaml")
		says, warns := strings.Contains(out, "dispersion   at the typical velocity"), strings.Contains(out, "physics.dispersion.transverse")
		if says != of.says || warns != of.warns || strings.Contains(of.physics, "dispersion: {concentration") && strings.Contains(out, "diffusion of the temperature along") || strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
			t.Errorf("%s: says %v, warns %v\n%s", name, says, warns, out)
		}
	}
}
