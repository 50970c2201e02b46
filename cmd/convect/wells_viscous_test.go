package main

import "testing"

// A well that holds a pressure in a viscous fluid settles in float32 too, where rounding of the pressure leaves its rate uncertain: this run lasts long enough to meet that.
func TestHeldWellSettlesInFloat32(t *testing.T) {
	dir := writeCase(t, `grid: {cells: [17, 16], size: [1, 1]}
physics: {rayleigh: 200, viscosity: "exp(-2*T+S)", solute: {buoyancy_ratio: -0.3, lewis: 3}}
boundaries: {bottom: {temperature: 1, concentration: 1}, top: {temperature: 0, concentration: 0, flow: open}}
wells: [{name: a, at: [0.3, 0.4], pressure: 20, radius: 1e-3, temperature: 1, concentration: 0}]
initial: {perturbation: {mode: [1, 0, 1], amplitude: 0.1}}
solver: {precision: float32}
time: {end: 0.02}
`)
	mustRun(t, dir, "run", "small.yaml")
}
