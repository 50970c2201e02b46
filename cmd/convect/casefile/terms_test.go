package casefile

import (
	"math"
	"testing"
)

// A heat loss in W/(m³ K) is B = b H²/λ of the model, its surroundings are in units of the temperature difference; without a coefficient there is none.
func TestHeatLoss(t *testing.T) {
	const dimensional = "physics:\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 10, height: 1000, conductivity: 10, heat_capacity: 4200}\n"
	c := load(t, "grid:\n  cells: [8, 4]\n  size: [2000, 1000]\n"+dimensional+"  heat_loss: {coefficient: 20*z/1000, ambient: 5}\n")
	loss := &c.Parameters.HeatLoss
	if b, a := loss.Rate(0, 0, 0.5, 0), loss.Toward(0, 0, 0, 0); math.Abs(b/1e6-1) > 1e-12 || a != 0.5 || loss.Varies {
		t.Errorf("rate %g, surroundings %g, varies %v; want 1e6, 0.5, false", b, a, loss.Varies)
	}
	c = load(t, "physics: {rayleigh: 100, heat_loss: {coefficient: 2 + sin(t), ambient: 0}}\n")
	if loss = &c.Parameters.HeatLoss; !loss.Varies || loss.Rate == nil || loss.Toward != nil {
		t.Errorf("in time: %+v", loss)
	}
	if c = load(t, "physics: {rayleigh: 100, heat_loss: {coefficient: 0, ambient: 3}}\n"); c.Parameters.HeatLoss.Given() {
		t.Error("a coefficient of 0 is a loss")
	}
	// Heat that no wall takes is lost: a steady state exists.
	load(t, "physics: {rayleigh: 100, heat_source: 1, heat_loss: {coefficient: 1, ambient: 0}}\nboundaries:\n  bottom: {heat_flux: 1}\n  top: {heat_flux: 0}\ntime: {end: 1, steady: 1e-6}\n")
}
