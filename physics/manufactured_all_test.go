package physics

import (
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// manufacturedAll is a solution whose walls hold, feed and tie both scalars where fluid passes, with pressures and velocities.
var manufacturedAll = manufacturedCase{name: "held, fed and tied walls that fluid passes",
	walls: [6]condition{tiedVelocity, fluxPressure, tempVelocity, tiedPressure, tempPressure, tiedVelocity}, loss: 7,
	gx: around(0, 1, 0.7, 0.2), gy: around(1, 0.5, 1, 0.3), s: wave{0.1, 0.3, 2, 0.3}, upflow: 4, tau: [2]float64{0, 1}}

// The system with all its terms at once converges with second order: a buoyant solute that decays, the dispersion tensor of both scalars, loss of heat, K and both D that
// vary along all axes, a viscosity that depends on the temperature, graded cells, walls of all kinds. Wells have their own tests: a point has no smooth solution.
func TestObservedOrderOfAllTerms(t *testing.T) {
	t.Parallel()
	square := graded(stencil.Extent{Cells: [3]int{1, 0, 1}, Size: [3]float64{1, 0, 1}})
	box := graded(stencil.Extent{Cells: [3]int{1, 1, 1}, Size: [3]float64{1, 1, 1}})
	drawn := devicetest.Draw(t, 2)
	for _, points := range bothStencils {
		for _, l := range []convergence{
			{"square", square, 1, kernels.Central, [2]int{24, 48}, solutionErrors{1.9, 1.9, 1.9, 1.9}, -0.5},
			{"cube", box, 0.5, kernels.Central, [2]int{12, 24}, solutionErrors{1.9, 1.9, 1.9, 1.9}, -0.5},
		} {
			if testing.Short() && (l.extent.Cells[1] > 0 || !drawn()) {
				continue
			}
			t.Run(l.name+", "+stencilName(points), func(t *testing.T) {
				l.checkCases(t, points, []manufacturedCase{manufacturedAll}, func(m *manufactured) {
					m.saltShape, m.lengths, m.viscosity = true, Dispersion{0.2, 0.05}, exponential(0.5)
				})
			})
		}
	}
}
