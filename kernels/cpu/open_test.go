package cpu_test

import (
	"testing"

	"convect/kernels/cpu"
)

// open returns a device that is closed when the test ends.
func open(tb testing.TB, opts cpu.Options) *cpu.Device {
	tb.Helper()
	d, err := cpu.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

// TestSharersPartTheCache opens a device beside others that share the last cache.
func TestSharersPartTheCache(t *testing.T) {
	alone, one, four := open(t, cpu.Options{Threads: 1}), open(t, cpu.Options{Threads: 1, Sharers: 1}), open(t, cpu.Options{Threads: 1, Sharers: 4})
	whole, part := alone.Info().LastCache, four.Info().LastCache
	if got := one.Info().LastCache; got != whole {
		t.Errorf("a device that shares with none counts on %d bytes, alone on %d", got, whole)
	}
	if part != whole/4 {
		t.Errorf("one of four counts on %d bytes of %d", part, whole)
	}
}
