package devicetest

import (
	"maps"
	"slices"
	"testing"
)

// Short tests with seeds one after the other run all cases, and each of them some; long tests run all, or with TEST_EVERY one in so many.
func TestPart(t *testing.T) {
	t.Setenv("TEST_EVERY", "")
	cases := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
	for _, every := range []int{1, 2, 3, 5, 9} {
		found := map[string]int{}
		for _, seed := range []string{"0", "1", "2", "3", "4"} {
			t.Setenv("TEST_SEED", seed)
			part := Part(t, every, cases)
			if len(part) == 0 || testing.Short() && len(part) > (len(cases)+every-1)/every || !testing.Short() && len(part) != len(cases) {
				t.Errorf("one in %d of %d: %v", every, len(cases), part)
			}
			maps.Copy(found, part)
		}
		if !maps.Equal(found, cases) {
			t.Errorf("one in %d: only %v", every, slices.Sorted(maps.Keys(found)))
		}
	}
	t.Setenv("TEST_EVERY", "3")
	if part := Part(t, 5, cases); !testing.Short() && len(part) > 2 {
		t.Errorf("one in 3 of 5: %v", part)
	}
	if part := Part(t, 2, cases); len(part) < 2 {
		t.Errorf("one in 2 of 5, with one in 3 asked for: %v", part)
	}
}
