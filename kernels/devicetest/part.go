package devicetest

import (
	"maps"
	"slices"
	"testing"
)

// Draw returns a function that tells of one case after the other whether a test runs it: a short test one in so many, from one on that TEST_SEED says; a
// long test all, or one in as many as TEST_EVERY says if that is fewer. So that one is run at least, there must be as many cases.
func Draw(t *testing.T, every int) func() bool {
	t.Helper()
	if !testing.Short() {
		every = min(every, testEvery(t, 1))
	}
	n, drawn := -1, int(Seed(t)%uint64(every))
	return func() bool {
		n++
		return n%every == drawn
	}
}

// Long leaves a test to long ones: others look at most of it in a short one.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
}

// Part returns the cases of a list that Draw says, in the order of their names.
func Part[C any](t *testing.T, every int, cases map[string]C) map[string]C {
	t.Helper()
	drawn, part := Draw(t, min(every, len(cases))), map[string]C{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		if drawn() {
			part[name] = cases[name]
		}
	}
	return part
}
