package multigrid

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"convect/kernels/devicetest"
	"convect/stencil"
)

// A fluid nearly at rest has a right side of any size down to none, and a first guess left of a larger one. Every solve ends: by its tolerance
// where the numbers of the cycles reach, else because what is left is no number of theirs.
func TestTinyRightSides(t *testing.T) {
	devicetest.Long(t)
	for _, p := range []problem{
		{cells: square(16)}, {cells: square(16), fixed: mixed}, {cells: cube(8), fixed: mixed, mass: 10},
		{cells: [3]int{4, 0, 60}, size: [3]float64{0.0667, 0, 1}, grading: [3]stencil.Grading{2: {Cluster: stencil.ClusterHigh, Ratio: 5}}},
	} {
		for name, opt := range map[string]Options{
			"float64, cycles": {}, "float64": {Method: ConjugateGradients}, "mixed, cycles": {Mixed: true}, "mixed": {Method: ConjugateGradients, Mixed: true},
			"mixed, FMG": {Mixed: true, Cycle: FullMultigrid}, "float32": {Method: ConjugateGradients}, "float32, cycles": {},
		} {
			p.float32 = strings.HasPrefix(name, "float32")
			s, u, f := p.solver(t, device(t), opt)
			for exponent := 0; exponent >= -60; exponent -= 3 {
				guess := 100 * math.Pow10(exponent)
				for _, size := range []float64{1, 0, 1e-50} { // of the right side
					size *= math.Pow10(exponent)
					t.Run(fmt.Sprintf("%s/%v/%g from %g", name, p.cells, size, guess), func(t *testing.T) {
						smoothRightSide(f)
						f.Combine(stencil.Sum{C: size, X: f})
						smoothRightSide(u)
						u.Combine(stencil.Sum{C: guess, X: u})
						s.op.Boundary.Impose(u)
						r, err := s.Solve(u, f, 0)
						if err != nil {
							t.Fatal(err)
						}
						last := r.Residuals[len(r.Residuals)-1]
						if least := 2e-38 * math.Sqrt(float64(u.Grid.Nodes())); !(last <= max(1e-8*r.Reference, 1e-4*guess, least)) {
							t.Errorf("residuals %v, reference %g, floor %g", r.Residuals, r.Reference, r.Floor)
						}
					})
				}
			}
		}
	}
}
