package multigrid

import (
	"fmt"

	"convect/kernels"
)

// slots are the reduction slots of the package, which all solvers of a device share: what one has queued, it reads before it queues more.
type slots struct {
	norm    int    // of products and sums that are read at once
	sum     int    // of a right side
	product [2]int // r·z of conjugate gradients, of iterations in turn
	energy  int    // their p·A p
	correct int    // kernels.CorrectSlots of them
}

// slotsOf returns those of a device.
func slotsOf(d kernels.Device) (slots, error) {
	first, err := d.Reserve("multigrid", 5+kernels.CorrectSlots)
	if err != nil {
		return slots{}, fmt.Errorf("multigrid: %w", err)
	}
	return slots{norm: first, sum: first + 1, product: [2]int{first + 2, first + 3}, energy: first + 4, correct: first + 5}, nil
}
