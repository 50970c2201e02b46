package parallel

import (
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
