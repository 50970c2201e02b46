package casefile

import (
	"math"
	"testing"

	"convect/physics"
)

// Lengths are in the height of the domain, in SI units in metres.
func TestDispersion(t *testing.T) {
	const dimensional = "physics:\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 10, height: 1000, conductivity: 10, heat_capacity: 4200}\n"
	c := load(t, "physics: {rayleigh: 100, dispersion: {longitudinal: 0.02, transverse: 0.002}}\n")
	if c.Parameters.Dispersion != (physics.Dispersion{Longitudinal: 0.02, Transverse: 0.002}) {
		t.Errorf("lengths %v", c.Parameters.Dispersion)
	}
	c = load(t, "grid:\n  cells: [8, 4]\n  size: [2000, 1000]\n"+dimensional+"  dispersion: {longitudinal: 20, transverse: 2}\n")
	if l, h := c.Parameters.Dispersion, c.Scales.Length; math.Abs(l.Longitudinal*h-20) > 1e-12 || math.Abs(l.Transverse*h-2) > 1e-12 {
		t.Errorf("lengths %v times %g m", l, h)
	}
	if c = load(t, "physics: {rayleigh: 100, dispersion: {longitudinal: 0, transverse: 0}}\n"); c.Parameters.Dispersion != (physics.Dispersion{}) {
		t.Errorf("lengths %v", c.Parameters.Dispersion)
	}
}
