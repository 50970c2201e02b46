package devicetest

import (
	"reflect"
	"testing"

	"convect/kernels"
)

// Guest is the part of the suite that checks kernels of another package on a device.
type Guest struct {
	Checks  []GuestCheck
	Samples []GuestSample
}

// GuestCheck is the suite of one kernel: Run names its cases.
type GuestCheck struct {
	Kernel string
	Run    func(one func(name string, run func(b *Bench)))
}

// GuestSample is a valid call of a kernel: the paths of the buffers in its arguments that it cannot do without, and the number of reduction slots from
// its argument Slot on. Args returns the arguments, and Call passes them to a device.
type GuestSample struct {
	Kernel string
	Paths  []string
	Slots  int
	Args   func(b *Bench) any
	Call   func(d kernels.Device, args any)
}

// Bench is one case on one device: random data, calls that are made twice, and comparison with the reference.
type Bench = bench

// Array is a buffer of a bench with its content.
type Array = array

// RunGuest checks kernels of another package as [Run] does those of a device: on one of every so many cases, and on wrong buffers and slots.
func RunGuest(every int, t *testing.T, g Guest, open func() kernels.Device) {
	seed := Seed(t)
	var checks []check
	for _, c := range g.Checks {
		checks = append(checks, check{c.Kernel, func(s *suite) { c.Run(s.one) }})
	}
	runChecks(checks, sampled(t, every), seed, t, open)
	t.Run("Errors", func(t *testing.T) {
		for _, s := range g.Samples {
			launch := func(d kernels.Device, args reflect.Value) { s.Call(d, args.Interface()) }
			runSampleErrors(t, &sample{s.Kernel, s.Paths, s.Slots, s.Args}, launch, open, seed)
		}
	})
}

// Noise returns a field of random numbers, halo and padding included.
func (b *bench) Noise(box kernels.Box) Field { return b.noise(box) }

// Numbers returns n random numbers of the element type.
func (b *bench) Numbers(n int) []float64 { return numbers(n, b.number) }

// Put uploads values.
func (b *bench) Put(v []float64) *Array { return b.array(v) }

// Call runs a kernel twice from the same state. Both runs must leave the same bits in the arrays that the kernel writes, which are returned, and all
// other arrays as they were.
func (b *bench) Call(kernel func(), written ...*Array) [][]float64 {
	b.Helper()
	return b.call(kernel, written...)
}

// Nodes compares the nodes of an output with the reference, to roundings * ε * size, and demands that all other elements are those of before.
func (b *bench) Nodes(what string, got []float64, before, want, size Field, roundings float64) {
	b.Helper()
	b.nodes(what, got, before, result{want, size}, roundings)
}

// CallSlots runs a kernel that reduces to count slots from one on, which it returns. Every run must give the same bits in them and leave the other slots.
func (b *bench) CallSlots(slot, count int, kernel func()) []float64 {
	b.Helper()
	return b.callSlots(slot, count, kernel)
}

// Slots returns a copy of all reduction slots.
func (b *bench) Slots() []float64 {
	b.Helper()
	return b.slots()
}

// Value compares a number with the reference, to roundings * ε * size.
func (b *bench) Value(what string, got, want, size, roundings float64) {
	b.Helper()
	if bound := roundings * b.Elem.Epsilon(); !within(got, sum{want, size}, bound) {
		b.fail("%s is %v, want %v ± %.2g", what, got, want, bound*size)
	}
}

// Between returns a random number between two, of the element type.
func (b *bench) Between(low, high float64) float64 { return b.between(low, high) }

// Below returns a random number from 0 to n-1.
func (b *bench) Below(n int) int { return b.rng.IntN(n) }

// Read downloads a whole buffer.
func (b *bench) Read(buffer kernels.Buffer) []float64 {
	b.Helper()
	return b.read(buffer)
}

// Set gives an array other content.
func (b *bench) Set(a *Array, v []float64) {
	a.host = v
	b.Device.Upload(a.Buffer, v)
}

// Round returns a number as the element type holds it.
func (b *bench) Round(v float64) float64 { return round(b.Elem, v) }

// OperatorCase is a setting of an elliptic operator. Its String names it.
type OperatorCase = setting

// OperatorCases returns settings of all shapes of boxes, conductivities, masses and masks; one of four that are not large has 27 points.
func OperatorCases() []OperatorCase {
	all := operators()
	for i := range all {
		if i%4 == 3 && !all[i].Large() { // the reference is slow
			all[i].stencil = kernels.TwentySevenPoint
		}
	}
	return all
}

// Large tells whether the reference takes long on the box.
func (s setting) Large() bool { return s.large() }

// Operator builds the operator of a setting.
func (b *bench) Operator(c OperatorCase) *Operator { return b.operator(c) }

// SampleOperator uploads an operator that has a buffer in every place, whose paths in arguments as A OperatorPaths adds to others.
func (b *bench) SampleOperator() *kernels.Elliptic { return b.sampleOperator() }

// OperatorPaths returns paths with those of the buffers of A.
func OperatorPaths(paths ...string) []string { return elliptic(masked(paths...)...) }

// Relaxed returns U + Omega mask D^-1 (F - A U) at a node, with a size of which RelaxedRoundings roundings bound its own.
func (o *Operator) Relaxed(n Node, f, u Field, omega float64) (value, size float64) {
	s := o.relaxed(n, f, u, omega)
	return s.value, s.size
}

// RelaxedRoundings counts the roundings of Operator.Relaxed.
const RelaxedRoundings = ellipticRoundings
