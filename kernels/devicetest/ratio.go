package devicetest

import "convect/kernels"

// takesRatios tells whether the device does.
func (b *bench) takesRatios() bool { return kernels.Optional{Device: b.Device}.TakesRatios() }

// ratio draws a ratio of two slots that hold sums, and returns its value; 1 where the device takes none, and in every other case.
func (b *bench) ratio() (kernels.Ratio, float64) {
	b.Helper()
	if !b.takesRatios() || b.rng.IntN(2) == 0 {
		return kernels.Ratio{}, 1
	}
	r := kernels.Ratio{Of: 31, Over: 37}
	box := kernels.NewBox([3]int{3, 2, 2}, false)
	for _, slot := range []int{r.Of, r.Over} {
		x := compute(box, func(Node) sum { return sum{b.between(0.5, 1.5), 0} }).value
		b.Device.Reduce(kernels.ReduceArgs{Kind: kernels.Sum, Box: box, X: b.put(x).Buffer, Slot: slot})
	}
	s := b.slots()
	return r, s[r.Of] / s[r.Over]
}
