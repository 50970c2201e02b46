package kernels

import (
	"fmt"
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
