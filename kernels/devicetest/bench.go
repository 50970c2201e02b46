package devicetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"convect/kernels"
)

// bench is one case on one device: random data, calls that are made twice, and comparison with the reference.
type bench struct {
	Memory
	rng  *rand.Rand
	seed uint64
}

// number returns a normally distributed number, rounded to the element type.
func (b *bench) number() float64 { return round(b.Elem, b.rng.NormFloat64()) }

// between returns a number between low and high, rounded to the element type.
func (b *bench) between(low, high float64) float64 {
	return round(b.Elem, low+(high-low)*b.rng.Float64())
}

// numbers returns n values of draw.
func numbers(n int, draw func() float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = draw()
	}
	return v
}

// noise returns a field of random numbers, halo and padding included.
func (b *bench) noise(box kernels.Box) Field { return Field{box, numbers(box.Len, b.number)} }

// field returns a random field with its periodic halo filled; beyond walls and in the padding are random numbers.
func (b *bench) field(g *Grid) Field {
	f := b.noise(g.Box)
	g.wrapHalo(f)
	return f
}

// steps returns a field as field does, of few different values, so that many neighbours are equal.
func (b *bench) steps(g *Grid) Field {
	f := Field{g.Box, numbers(g.Box.Len, func() float64 { return float64(b.rng.IntN(3)) })}
	g.wrapHalo(f)
	return f
}

// put uploads a field.
func (b *bench) put(f Field) *array {
	a := b.array(f.V)
	a.box = f.Box
	return a
}

// fail reports a difference together with the seed.
func (b *bench) fail(format string, args ...any) {
	b.Helper()
	b.Errorf(format+" (TEST_SEED=%d)", append(args, b.seed)...)
}

// sync ends the case if the device has failed.
func (b *bench) sync() {
	b.Helper()
	if err := b.Device.Sync(); err != nil {
		b.Fatalf("%v (TEST_SEED=%d)", err, b.seed)
	}
}

// call runs a kernel twice from the same state. Both runs must leave the same bits in the arrays that the kernel
// writes, which are returned, and all other arrays as they were.
func (b *bench) call(kernel func(), written ...*array) (after [][]float64) {
	b.Helper()
	for run := range 2 {
		for _, a := range written {
			b.Device.Upload(a.Buffer, a.host)
		}
		kernel()
		b.sync()
		for i, a := range written {
			got := b.read(a.Buffer)
			if run == 0 {
				after = append(after, got)
				continue
			}
			before := Field{a.box, slices.Clone(after[i])}
			if a.box.Len > 0 {
				b.leaveGhosts(before, got)
			}
			if !sameBits(got, before.V) {
				b.fail("a second call with the same input gave other bits in output %d", i)
			}
		}
	}
	for _, a := range b.arrays {
		if !b.ghosts() && !slices.Contains(written, a) && !sameBits(b.read(a.Buffer), a.host) {
			b.fail("an input of %d elements was modified", a.Len())
		}
	}
	return after
}

// callSlots runs a kernel that reduces to count slots from slot on. Every run must give the same bits in them and
// leave the other slots.
func (b *bench) callSlots(slot, count int, kernel func()) []float64 {
	b.Helper()
	before := b.slots()
	b.call(kernel)
	first := b.slots()
	kernel()
	if !sameBits(first, b.slots()) {
		b.fail("another call with the same input gave other bits in the slots")
	}
	if !sameBits(before[:slot], first[:slot]) || !sameBits(before[slot+count:], first[slot+count:]) {
		b.fail("slots outside %d..%d were modified", slot, slot+count-1)
	}
	return first[slot : slot+count]
}

// slots returns a copy of all reduction slots.
func (b *bench) slots() []float64 {
	b.Helper()
	s, err := b.Device.Scalars()
	if err != nil {
		b.Fatalf("scalars: %v (TEST_SEED=%d)", err, b.seed)
	}
	if len(s) != kernels.Slots {
		b.Fatalf("Scalars returned %d slots, want %d", len(s), kernels.Slots)
	}
	return slices.Clone(s)
}

// sameBits compares values, zeros of either sign being equal and NaN equal to NaN.
func sameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(v, w float64) bool { return v == w || (math.IsNaN(v) && math.IsNaN(w)) })
}

// nodes compares the nodes of an output with the reference, to roundings * ε * size, and demands that all other
// elements are those of before.
func (b *bench) nodes(what string, got []float64, before Field, want result, roundings float64) {
	b.Helper()
	left := before.Clone()
	wrong := 0
	EachNode(before.Box, func(n Node) {
		g := Field{before.Box, got}.At(n)
		left.Set(n, g)
		w := sum{want.value.At(n), want.size.At(n)}
		if !within(g, w, roundings*b.Elem.Epsilon()) {
			if wrong++; wrong <= 3 {
				b.fail("%s at %v is %v, want %v ± %.2g", what, n, g, w.value, roundings*b.Elem.Epsilon()*w.size)
			}
		}
	})
	if wrong > 3 {
		b.fail("%s differs at %d of %d nodes", what, wrong, before.Box.Nodes())
	}
	b.leaveGhosts(left, got)
	if !sameBits(left.V, got) {
		b.fail("%s: halo or padding was modified", what)
	}
}

// ghostHolder is a device that keeps ghosts of its own beyond the ends of y.
type ghostHolder interface{ HoldsGhosts() bool }

// ghosts tells whether the device keeps ghosts beyond the ends of y, so that what is there says nothing.
func (b *bench) ghosts() bool {
	d, ok := b.Device.(ghostHolder)
	return ok && d.HoldsGhosts()
}

// leaveGhosts takes from an array what lies beyond the ends of y, if that says nothing.
func (b *bench) leaveGhosts(left Field, got []float64) {
	if !b.ghosts() || left.Box.Flat() {
		return
	}
	const w = kernels.HaloWidth
	for k := -w; k < left.Box.N[2]+w; k++ {
		for j := -w; j < left.Box.N[1]+w; j++ {
			if j < 0 || j >= left.Box.N[1] {
				at := left.Box.Index(-w, j, k)
				copy(left.V[at:at+left.Box.Stride[1]], got[at:])
			}
		}
	}
}

// values compares numbers with the reference, to roundings * ε * size.
func (b *bench) values(what string, got []float64, want []sum, roundings float64) {
	b.Helper()
	for i, w := range want {
		if bound := roundings * b.Elem.Epsilon(); !within(got[i], w, bound) {
			b.fail("%s %d is %v, want %v ± %.2g", what, i, got[i], w.value, bound*w.size)
		}
	}
}

// within tells whether got is want.value up to bound * want.size.
func within(got float64, want sum, bound float64) bool {
	return got == want.value || math.Abs(got-want.value) <= bound*want.size
}
