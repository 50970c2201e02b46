package physics

import (
	"fmt"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// manufacturedAll is a solution whose walls hold, feed and tie both scalars where fluid passes, with pressures and velocities.
var manufacturedAll = manufacturedCase{name: "held, fed and tied walls that fluid passes",
	walls: [6]condition{tiedVelocity, fluxPressure, tempVelocity, tiedPressure, tempPressure, tiedVelocity}, loss: 7,
	gx: around(0, 1, 0.7, 0.2), gy: around(1, 0.5, 1, 0.3), s: wave{0.1, 0.3, 2, 0.3}, upflow: 4, tau: [2]float64{0, 1}}

// wellsAtNodes are wells that together make a source everywhere.
func (m *manufactured) wellsAtNodes(e stencil.Extent) (all []Well) {
	var nodes, volumes [3][]float64
	for d := range 3 {
		nodes[d], volumes[d] = []float64{0}, []float64{1}
		if e.Cells[d] == 0 {
			continue
		}
		nodes[d], volumes[d] = e.Coordinates(d), make([]float64, e.Cells[d]+1)
		for i, width := range e.Widths(d) {
			volumes[d][i] += width / 2
			volumes[d][i+1] += width / 2
		}
	}
	for k, z := range nodes[2] {
		for j, y := range nodes[1] {
			for i, x := range nodes[0] {
				at := [3]float64{x, y, z}
				w := point(fmt.Sprintf("w%d_%d_%d", i, j, k), m.wells.d(1, z)*volumes[0][i]*volumes[1][j]*volumes[2][k], at, m.temperature(at))
				*w.Bring(1) = Constant(m.concentration(at))
				all = append(all, w)
			}
		}
	}
	return all
}

// The system with all its terms at once converges with second order: a buoyant solute that decays, the dispersion tensor of both scalars, loss of heat, K and both D that
// vary along all axes, a viscosity that depends on the temperature, graded cells, walls of all kinds, and wells at all nodes that inject below and produce above.
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
					m.wells = wave{0, 1, 3, -1.5}
				})
			})
		}
	}
}
