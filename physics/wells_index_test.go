package physics

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// The equivalent radius of a node is Peaceman's: 0.1985 of equal cells (e^-γ/√8), and in an anisotropic medium and for other proportions
// 0.28 [√(k_b/k_a) a² + √(k_a/k_b) b²]^½/[(k_b/k_a)^¼ + (k_a/k_b)^¼], which is 0.14 of the root in ρ.
func TestPeaceman(t *testing.T) {
	euler := 0.5772156649
	for _, of := range []struct{ width, height, ka, kb float64 }{{1, 1, 1, 1}, {1, 1, 4, 1}, {2, 1, 1, 1}, {2, 1, 1, 5}} {
		g, err := stencil.NewGrid(openDevice(t, 1), kernels.Float64, stencil.Extent{Cells: [3]int{30, 0, 30}, Size: [3]float64{30 * of.width, 0, 30 * of.height}})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Free()
		got := math.Exp(equivalent(g, kernels.SevenPoint, [2]int{0, 2}, [2]float64{15 * of.width, 15 * of.height}, [2]float64{of.ka, of.kb}))
		ratio := math.Sqrt(of.kb / of.ka)
		want := math.Exp(-euler) / 4 * math.Sqrt(ratio*of.width*of.width+of.height*of.height/ratio)
		within(t, fmt.Sprintf("%+v: equivalent radius", of), got, want, 2e-3)
	}
}
