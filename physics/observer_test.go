package physics

import (
	"math"
	"testing"
)

func TestTransfer(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ hot, cold, want float64 }{{3, 2, 2.5}, {3, nan, 3}, {nan, 2, 2}, {nan, nan, nan}} {
		s := ScalarSample{Hot: c.hot, Cold: c.cold}
		if got := s.Transfer(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("hot %g, cold %g: %g, want %g", c.hot, c.cold, got, c.want)
		}
	}
}
