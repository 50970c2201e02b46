package kernels_test

import (
	"testing"

	"convect/kernels"
)

// Owners have slots of their own, and the same when they ask again.
func TestSlotsAreHandedOut(t *testing.T) {
	var b kernels.SlotBook
	for _, c := range []struct {
		owner       string
		n, expected int
	}{{"one", 3, 0}, {"two", 5, 3}, {"one", 3, 0}, {"three", kernels.Slots - 8, 8}, {"two", 5, 3}} {
		if first, err := b.Reserve(c.owner, c.n); err != nil || first != c.expected {
			t.Errorf("%s gets slot %d, error %v, not %d", c.owner, first, err, c.expected)
		}
	}
}

// Slots that are not there are refused with the name of who asks and of those who have them.
func TestSlotsRunOut(t *testing.T) {
	var b kernels.SlotBook
	if _, err := b.Reserve("salt", kernels.Slots-14); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{15: "heat needs 15 reduction slots; of 1024 are taken 1010 by salt"} {
		if _, err := b.Reserve("heat", n); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := b.Reserve("salt", 49); err == nil || err.Error() != "salt has 1010 reduction slots and asks for 49" {
		t.Errorf("error %v", err)
	}
	if first, err := b.Reserve("heat", 14); err != nil || first != kernels.Slots-14 {
		t.Errorf("the last ones: slot %d, error %v", first, err)
	}
}
