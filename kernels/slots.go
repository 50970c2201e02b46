package kernels

import (
	"fmt"
	"math"
	"strings"
)

// Slots is the number of reduction slots of a device.
const Slots = 1024

// SlotBook hands out the reduction slots of a device, once for every owner. The zero book has all of them.
type SlotBook struct {
	taken []taken
	next  int
}

// taken are the n slots of an owner from first on.
type taken struct {
	owner    string
	first, n int
}

// Reserve returns the first of n slots that an owner has to itself, such as "multigrid" or "temperature". Who asks again gets the same ones: all
// solvers of a device share theirs. It fails, and names the owners, where there are not so many left.
func (b *SlotBook) Reserve(owner string, n int) (first int, err error) {
	for _, t := range b.taken {
		if t.owner == owner && t.n == n {
			return t.first, nil
		}
		if t.owner == owner {
			return -1, fmt.Errorf("%s has %d reduction slots and asks for %d", owner, t.n, n)
		}
	}
	if b.next+n > Slots {
		return -1, fmt.Errorf("%s needs %d reduction slots; of %d are taken %s", owner, n, Slots, b.list())
	}
	b.taken = append(b.taken, taken{owner, b.next, n})
	b.next += n
	return b.next - n, nil
}

// list names the owners with the number of their slots.
func (b *SlotBook) list() string {
	var all []string
	for _, t := range b.taken {
		all = append(all, fmt.Sprintf("%d by %s", t.n, t.owner))
	}
	return strings.Join(all, ", ")
}

// Ratio is the quotient of two slots, Of over Over, which a device takes when it comes to a kernel, so that nobody waits for them. Where both are the same slot,
// as in the zero Ratio, it is 1.
type Ratio struct{ Of, Over int }

// RatioTaker is a Device that multiplies coefficients of Combine, Correct and Conjugate by a Ratio. Others refuse one that is not 1.
type RatioTaker interface{ TakesRatios() bool }

// TakesRatios asks the device: see [RatioTaker].
func (o Optional) TakesRatios() bool {
	d, ok := o.Device.(RatioTaker)
	return ok && d.TakesRatios()
}

// CycleMeasurer is a Device whose Ascend measures: see CycleArgs.
type CycleMeasurer interface{ MeasuresCycles() bool }

// MeasuresCycles asks the device: see [CycleMeasurer].
func (o Optional) MeasuresCycles() bool {
	d, ok := o.Device.(CycleMeasurer)
	return ok && d.MeasuresCycles()
}

// Quotient returns a ratio that a device takes and 1, or 1 and its value now, for which it waits: NaN after a failure, which the device keeps.
func (o Optional) Quotient(r Ratio) (Ratio, float64) {
	if r.Of == r.Over || o.TakesRatios() {
		return r, 1
	}
	v, err := o.Device.Scalars()
	if err != nil {
		return Ratio{}, math.NaN()
	}
	return Ratio{}, v[r.Of] / v[r.Over]
}
