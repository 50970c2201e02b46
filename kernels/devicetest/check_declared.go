package devicetest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"convect/kernels"
)

// runDeclared checks what the declarations of kernels say of their arguments: they write what they say, and nothing that they read beyond the
// halo that they ask for counts, which is NaN here.
func runDeclared(t *testing.T, open func() kernels.Device, seed uint64) {
	for _, s := range declaredSamples() {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			t.Run(s.kernel+"/"+e.String(), func(t *testing.T) {
				device := opened(t, open)
				if !hasKernel(device, s.kernel) {
					t.Skip("the device does not have it")
				}
				b := &bench{Memory: Memory{TB: t, Device: device, Elem: e}, rng: rand.New(rand.NewPCG(seed, 1)), seed: seed}
				b.declared(&s)
			})
		}
	}
}

// declared runs a sample as it is, and with all that must not count destroyed.
func (b *bench) declared(s *declared) {
	b.Helper()
	args := settable(s.args(b))
	var written []*array // and, at the end, those that are lost
	for _, w := range s.written {
		written = append(written, b.arrayAt(args, w.array))
	}
	for _, path := range s.lost {
		written = append(written, b.arrayAt(args, path))
	}
	run := func() { ownMethod(s.kernel)(b.Device, args) }
	want := b.call(run, written...)
	slots := b.slots()
	for _, r := range s.read {
		a := b.arrayAt(args, r.array)
		destroyBeyond(a.host, locate(args, r.box).Interface().(kernels.Box), r.layers)
		b.Device.Upload(a.Buffer, a.host)
	}
	for n, got := range b.call(run, written...) {
		if n == len(s.written) {
			break // the others are lost
		}
		w := s.written[n]
		for _, v := range [...][]float64{got, want[n]} {
			destroyBeyond(v, locate(args, w.box).Interface().(kernels.Box), 0) // a halo counts for nothing
		}
		if !sameBits(got, want[n]) {
			b.fail("%s depends on what lies beyond the declared halo of an input", w.array)
		}
	}
	if !sameBits(slots, b.slots()) {
		b.fail("a slot depends on what lies beyond the declared halo of an input")
	}
}

// arrayAt returns the array whose buffer a path names.
func (b *bench) arrayAt(args reflect.Value, path string) *array {
	b.Helper()
	buffer := locate(args, path).Interface().(kernels.Buffer)
	for _, a := range b.arrays {
		if a.Buffer == buffer {
			return a
		}
	}
	b.Fatal("a buffer of the sample is no array of the bench")
	return nil
}

// destroyBeyond makes all NaN but the nodes of a box and so many layers around them.
func destroyBeyond(v []float64, box kernels.Box, layers int) {
	kept := make(map[int]bool)
	low, high := Node{-layers, -layers, -layers}, Node{box.N[0] + layers, box.N[1] + layers, box.N[2] + layers}
	if box.Flat() {
		low[kernels.Y], high[kernels.Y] = 0, 1
	}
	eachWithin(low, high, func(n Node) { kept[box.Index(n[0], n[1], n[2])] = true })
	for e := range v {
		if !kept[e] {
			v[e] = math.NaN()
		}
	}
}
