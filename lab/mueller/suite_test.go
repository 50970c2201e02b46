package mueller_test

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/lab/labtest"
	"convect/lab/mueller"
)

// Node is a cell of a panel.
type Node = devicetest.Node

// sum adds terms and the absolute values of terms: value = Σ t, size = Σ |t|.
type sum struct{ value, size float64 }

// add adds the term t.
func (s *sum) add(t float64) {
	s.value += t
	s.size += math.Abs(t)
}

// addScaled adds c times another sum.
func (s *sum) addScaled(c float64, t sum) {
	s.value += c * t.value
	s.size += math.Abs(c) * t.size
}

// exact is a value that a device must reproduce to the bit.
func exact(v float64) sum { return sum{value: v} }

// shift returns the node d steps along an axis.
func shift(n Node, axis, d int) Node {
	n[axis] += d
	return n
}

// eachWithin calls visit for all low <= n < high, x fastest.
func eachWithin(low, high Node, visit func(n Node)) {
	for k := low[2]; k < high[2]; k++ {
		for j := low[1]; j < high[1]; j++ {
			for i := low[0]; i < high[0]; i++ {
				visit(Node{i, j, k})
			}
		}
	}
}

// bench is one case.
type bench struct{ *devicetest.Bench }

// suite names the cases of one kernel.
type suite struct {
	run func(name string, run func(b *devicetest.Bench))
}

func (s *suite) one(name string, run func(b *bench)) {
	s.run(name, func(b *devicetest.Bench) { run(&bench{b}) })
}

// on returns a device with the kernels.
func on(t testing.TB, d kernels.Device) mueller.Device {
	t.Helper()
	k, ok := mueller.On(d)
	if !ok {
		t.Fatal("the device has no kernels")
	}
	return k
}

// columns returns the device of a case with the kernels.
func (b *bench) columns() mueller.Device { return on(b, b.Device) }

// check is the suite of one kernel.
type check struct {
	kernel string
	run    func(s *suite)
}

// guest is the suite of the kernels.
func guest() devicetest.Guest {
	g := devicetest.Guest{Samples: columnSamples()}
	for _, c := range columnChecks() {
		g.Checks = append(g.Checks, devicetest.GuestCheck{Kernel: c.kernel, Run: func(one func(string, func(*devicetest.Bench))) { c.run(&suite{one}) }})
	}
	return g
}

func TestConformance(t *testing.T) { labtest.Run(t, guest()) }
