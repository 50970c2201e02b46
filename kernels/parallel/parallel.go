package parallel

import (
	"runtime"
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
