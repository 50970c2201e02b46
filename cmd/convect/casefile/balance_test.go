package casefile

import (
	"math"
	"strings"
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

// A patch that holds no node changes nothing where it prescribes what nodes hold.
func TestPatchBetweenNodes(t *testing.T) {
	const between, around = "x: [1.05, 1.2]", "x: [1.2, 1.3]" // nodes every 0.25
	for patch, want := range map[string]string{
		between + ", temperature: 1":                     "boundaries.patches[0] lies between the nodes of the top: its temperature has no effect on this grid",
		between + ", temperature: 1, flow: open":         "temperature and flow has",
		between + ", flow: {pressure: 1}":                "its flow has",
		between + ", heat_flux: 1":                       "",
		around + ", temperature: 1, flow: {pressure: 0}": "",
		"x: [1.25, 1.3], temperature: 1":                 "",
	} {
		c := load(t, "boundaries:\n  bottom: {temperature: 1}\n  top: {temperature: 0}\n  patches:\n    - {wall: top, "+patch+"}\n")
		if got := strings.Join(c.Warnings(), "; "); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: warned %q, want %q", patch, got, want)
		}
	}
}
