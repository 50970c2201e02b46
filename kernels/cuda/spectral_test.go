package cuda

import (
	"math"
	"testing"
)

// TestVectorsAreOrthogonal multiplies all vectors of an axis with each other and with the matrix (-1 2 -1), whatever lies at its ends.
func TestVectorsAreOrthogonal(t *testing.T) {
	for n := 2; n < 12; n++ {
		for _, e := range []axisEnds{{n, [2]bool{}, false}, {n, [2]bool{true, false}, false}, {n, [2]bool{false, true}, false},
			{n, [2]bool{true, true}, false}, {n, [2]bool{}, true}} {
			v := e.table()
			wide := padded(n)
			kappa, norm := v[2*wide*wide:2*wide*wide+n], v[2*wide*wide+wide:]
			at := func(i, m int) float64 { return v[i*wide+m] }
			vectors := 0
			for m := range n {
				if norm[m] == 0 {
					continue
				}
				vectors++
				for other := range n {
					product := 0.0
					for i := range n {
						share := 1.0
						if !e.periodic && (i == 0 || i == n-1) {
							share = 0.5
						}
						product += share * at(i, m) * at(i, other)
					}
					want := 0.0
					if other == m {
						want = 1 / norm[m]
					}
					if norm[other] != 0 && math.Abs(product-want) > 1e-13*float64(n) {
						t.Errorf("%+v: vectors %d and %d: product %g, want %g", e, m, other, product, want)
					}
				}
				for i := range n {
					if e.fixed[0] && i == 0 || e.fixed[1] && i == n-1 {
						if at(i, m) != 0 {
							t.Errorf("%+v: vector %d is %g at fixed node %d", e, m, at(i, m), i)
						}
						continue
					}
					low, high := i-1, i+1
					if e.periodic {
						low, high = (i+n-1)%n, (i+1)%n
					} else if i == 0 {
						low = 1
					} else if i == n-1 {
						high = n - 2
					}
					if got, want := 2*at(i, m)-at(low, m)-at(high, m), kappa[m]*at(i, m); math.Abs(got-want) > 1e-13*float64(n) {
						t.Errorf("%+v: vector %d, node %d: %g, want %g", e, m, i, got, want)
					}
				}
			}
			want := n
			for _, fixed := range e.fixed {
				if fixed {
					want--
				}
			}
			if vectors != want {
				t.Errorf("%+v: %d vectors, want %d", e, vectors, want)
			}
		}
	}
}
