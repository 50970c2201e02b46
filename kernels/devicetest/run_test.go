package devicetest

import (
	"testing"

	"convect/kernels"
)

// The reference as a device must pass its own suite: the cases are consistent, and nothing but a device's own
// rounding can fail them. One case in five is enough for that.
func TestRunOnReference(t *testing.T) {
	RunEvery(5, t, func() kernels.Device { return &hostDevice{} })
}
