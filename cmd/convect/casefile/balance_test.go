package casefile

import (
	"math"
	"testing"
)

// What patches prescribe adds up to value times length wherever they lie, around the ends of a periodic axis too.
func TestPrescribedAddsUp(t *testing.T) {
	for _, grid := range []string{"{cells: [8, 4], size: [2, 1]}", "{cells: [8, 4], size: [2, 1], grading: {x: {cluster: both, ratio: 3}}}"} {
		for _, sides := range []string{"periodic", "{heat_flux: 0}"} {
			c := load(t, "grid: "+grid+`
boundaries:
  bottom: {heat_flux: 0}
  top: {heat_flux: 0}
  sides: `+sides+`
  patches:
    - {wall: top, x: [1.5, 2], flow: {velocity: -3}, heat_flux: 1}
    - {wall: top, x: [0, 0.01], flow: {velocity: -3}, heat_flux: 1}
    - {wall: bottom, x: [0.1, 0.5], flow: {velocity: 3}, heat_flux: -1}
    - {wall: bottom, x: [1.88, 1.99], flow: {velocity: 3}, heat_flux: -1}
initial: {temperature: conduction}
`)
			for name, of := range map[string]prescribed{"velocity": prescribedVelocity, "heat flux": prescribedHeat} {
				each := map[string]float64{"velocity": 3, "heat flux": 1}[name]
				if net, gross := c.overWalls(of, 0); math.Abs(net) > 1e-14 || math.Abs(gross-2*0.51*each) > 1e-14 {
					t.Errorf("%s, sides %s: %s adds up to %g of %g, want 0 of %g", grid, sides, name, net, gross, 2*0.51*each)
				}
			}
		}
	}
}
