package parallel

import (
	"runtime"
	"slices"
	"sync"
)

// Ranges calls do for parts [first, last) of [0, n), as many as there are processors, at the same time, and waits for all.
func Ranges(n int, do func(first, last int)) {
	parts := min(n, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for p := range parts {
		group.Go(func() { do(n*p/parts, n*(p+1)/parts) })
	}
	group.Wait()
}

// Copy copies src to dst, which is as long.
func Copy[T any](dst, src []T) {
	Ranges(len(src), func(first, last int) { copy(dst[first:last], src[first:last]) })
}

// Fold calls of for parts of [0, n) as Ranges does, and joins what they return in the order of the parts. n is 1 at least.
func Fold[T any](n int, of func(first, last int) T, join func(a, b T) T) T {
	parts := min(n, runtime.GOMAXPROCS(0))
	each := make([]T, parts)
	var group sync.WaitGroup
	for p := range parts {
		group.Go(func() { each[p] = of(n*p/parts, n*(p+1)/parts) })
	}
	group.Wait()
	all := each[0]
	for _, next := range each[1:] {
		all = join(all, next)
	}
	return all
}

// Min returns the least of at least one value, NaN if one is NaN.
func Min(values []float64) float64 {
	return Fold(len(values), func(first, last int) float64 { return slices.Min(values[first:last]) }, func(a, b float64) float64 { return min(a, b) })
}

// Max returns the largest of at least one value, NaN if one is NaN.
func Max(values []float64) float64 {
	return Fold(len(values), func(first, last int) float64 { return slices.Max(values[first:last]) }, func(a, b float64) float64 { return max(a, b) })
}

// First returns the first index below n for which is holds, n if there is none. A part stops at its own first.
func First(n int, is func(i int) bool) int {
	if n < 1 {
		return 0
	}
	return Fold(n, func(first, last int) int {
		for i := first; i < last; i++ {
			if is(i) {
				return i
			}
		}
		return n
	}, func(a, b int) int { return min(a, b) })
}
