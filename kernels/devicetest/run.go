package devicetest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"convect/kernels"
)

// check is the suite of one kernel.
type check struct {
	kernel string
	run    func(s *suite)
}

// suite runs the cases of one kernel in one element type on one device.
type suite struct {
	*testing.T
	device kernels.Device
	elem   kernels.Elem
	seed   uint64
	every  int // run one of this many cases, and the first
	cases  int // named so far
}

// shortEvery is how many cases stand for one another in short tests, if TEST_EVERY does not say.
const shortEvery = 13 // a prime: lists repeat themselves after even numbers of cases, and each part is to have some that a device knows

// Run checks every kernel of a device in both element types against the reference, and its behaviour on errors; those that are optional if it has them.
// open returns a new device and ends the test if it cannot. Sub-tests are named kernel/type/case.
// It takes all cases, or with -short one in thirteen, or one in as many as TEST_EVERY says: which, TEST_SEED says.
func Run(t *testing.T, open func() kernels.Device) { RunEvery(1, t, open) }

// RunEvery is Run on one of every so many cases of a kernel, and on the first: for a device that differs little from one that Run has checked.
func RunEvery(every int, t *testing.T, open func() kernels.Device) {
	seed := Seed(t)
	every = sampled(t, every)
	runChecks(checksOf(opened(t, open)), every, seed, t, open)
	t.Run("Declared", func(t *testing.T) { runDeclared(t, open, seed) })
	t.Run("Errors", func(t *testing.T) { runErrors(t, open, seed) })
}

// checksOf returns the checks of all kernels that a device has.
func checksOf(d kernels.Device) []check {
	all := slices.Concat(memoryChecks(), vectorChecks(), ellipticChecks(), transferChecks(), cycleChecks(), cellsChecks(), darcyChecks(), dispersionChecks(),
		separableChecks())
	return slices.DeleteFunc(all, func(c check) bool { return c.optional() && !hasKernel(d, c.of()) })
}

// of returns the kernel that a check is of.
func (c check) of() string {
	if c.kernel == "PredictSingle" { // what Predict does for it
		return "ConserveMeasured"
	}
	return c.kernel
}

// optional tells whether not every device has the kernel.
func (c check) optional() bool {
	_, common := reflect.TypeFor[kernels.Device]().MethodByName(c.of())
	_, known := reflect.TypeFor[kernels.Optional]().MethodByName(c.of())
	return known && !common
}

// RunPasses checks the kernels that are optional, and cycles, which go by what one of them makes.
// Of cycles it takes one case in so many, of the others all: few of them are known to a device.
func RunPasses(every int, t *testing.T, open func() kernels.Device) {
	runChecks(slices.DeleteFunc(checksOf(opened(t, open)), func(c check) bool { return !c.optional() }), 1, Seed(t), t, open)
	runChecks(cycleChecks(), sampled(t, every), Seed(t), t, open)
}

// RunCycles checks the kernels that make a level of a cycle in one pass, for a device that cuts levels into tiles in some other way
// than it does by itself.
func RunCycles(t *testing.T, open func() kernels.Device) {
	runChecks(cycleChecks(), sampled(t, 1), Seed(t), t, open)
}

// sampled returns how many cases stand for one another, where so many do in long tests of all cases.
func sampled(t *testing.T, every int) int {
	if testing.Short() {
		return every * testEvery(t, shortEvery)
	}
	return every * testEvery(t, 1)
}

// testEvery returns the number that TEST_EVERY says, or another where it says none.
func testEvery(t *testing.T, otherwise int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("TEST_EVERY"), strconv.Itoa(otherwise)))
	if err != nil || n < 1 {
		t.Fatalf("TEST_EVERY: %d, %v", n, err)
	}
	return n
}

func runChecks(checks []check, every int, seed uint64, t *testing.T, open func() kernels.Device) {
	for _, c := range checks {
		t.Run(c.kernel, func(t *testing.T) {
			for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
				t.Run(e.String(), func(t *testing.T) {
					c.run(&suite{T: t, device: opened(t, open), elem: e, seed: seed, every: every})
				})
			}
		})
	}
}

// opened opens a device that is closed when the test ends.
func opened(t *testing.T, open func() kernels.Device) kernels.Device {
	d := open()
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return d
}

// Seed returns the seed of random numbers in tests: the one named by TEST_SEED, or a fresh one. It is logged.
func Seed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if named := os.Getenv("TEST_SEED"); named != "" {
		var err error
		if seed, err = strconv.ParseUint(named, 10, 64); err != nil {
			t.Fatalf("TEST_SEED: %v", err)
		}
	}
	t.Logf("TEST_SEED=%d", seed)
	return seed
}

// one runs a case under its name, with data that depend on the seed and the name alone.
func (s *suite) one(name string, run func(b *bench)) {
	s.Helper()
	if s.cases++; s.cases > 1 && s.cases%s.every != int(s.seed%uint64(s.every)) {
		return
	}
	s.Run(name, func(t *testing.T) {
		h := fnv.New64a()
		fmt.Fprint(h, t.Name())
		run(&bench{
			Memory: Memory{TB: t, Device: s.device, Elem: s.elem},
			rng:    rand.New(rand.NewPCG(s.seed, h.Sum64())),
			seed:   s.seed,
		})
	})
}

// found ends a check of cases of which a device may know some alone: of all cases it must have known one.
func (s *suite) found(known int, otherwise string) {
	s.Helper()
	if known == 0 && s.every == 1 {
		s.Error(otherwise)
	}
}

// each runs a case for every setting.
func (s *suite) each(settings []setting, run func(b *bench, c setting)) {
	s.Helper()
	for _, c := range settings {
		s.one(c.String(), func(b *bench) { run(b, c) })
	}
}
