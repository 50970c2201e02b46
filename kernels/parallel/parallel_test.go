package parallel

import (
	"math"
	"slices"
	"testing"
)

func TestRangesCoverAllOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		seen := make([]int, n)
		Ranges(n, func(first, last int) {
			for i := first; i < last; i++ {
				seen[i]++
			}
		})
		if i := slices.IndexFunc(seen, func(times int) bool { return times != 1 }); i >= 0 {
			t.Errorf("of %d: number %d came %d times", n, i, seen[i])
		}
	}
}

func TestCopy(t *testing.T) {
	src := []int{3, 1, 4, 1, 5, 9, 2, 6}
	dst := make([]int, len(src))
	if Copy(dst, src); !slices.Equal(dst, src) {
		t.Errorf("%v, want %v", dst, src)
	}
}

func TestFoldJoinsInOrder(t *testing.T) {
	for _, n := range []int{1, 2, 7, 1000} {
		got := Fold(n, func(first, last int) []int {
			var part []int
			for i := first; i < last; i++ {
				part = append(part, i)
			}
			return part
		}, func(a, b []int) []int { return append(a, b...) })
		if len(got) != n || !slices.IsSorted(got) {
			t.Errorf("of %d: %v", n, got)
		}
	}
}

func TestExtremes(t *testing.T) {
	values := []float64{3, -1, 4, 1, -5, 9, 2, 6}
	if low, high := Min(values), Max(values); low != -5 || high != 9 {
		t.Errorf("%g to %g, want -5 to 9", low, high)
	}
	values[6] = math.NaN()
	if low, high := Min(values), Max(values); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("%g to %g with a NaN, want NaN", low, high)
	}
}

func TestFirst(t *testing.T) {
	for _, c := range []struct{ n, from, want int }{{1000, 700, 700}, {1000, 0, 0}, {10, 10, 10}, {0, 0, 0}} {
		if got := First(c.n, func(i int) bool { return i >= c.from }); got != c.want {
			t.Errorf("of %d from %d on: %d, want %d", c.n, c.from, got, c.want)
		}
	}
}
