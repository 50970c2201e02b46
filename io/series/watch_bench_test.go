package series

import "testing"

// BenchmarkWatch times the look at a table that precedes each row.
func BenchmarkWatch(b *testing.B) {
	w, _ := watched(b, b.TempDir())
	run(b, w, 0, 9)
	for b.Loop() {
		must(b, w.watch())
	}
}
