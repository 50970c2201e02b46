package devicetest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"convect/kernels"
)

// runErrors checks that each kernel reports a buffer of the wrong type or length under its own name, and that the
// device does nothing more.
func runErrors(t *testing.T, open func() kernels.Device, seed uint64) {
	device := opened(t, open)
	for _, s := range samples() {
		if hasKernel(device, s.kernel) {
			runSampleErrors(t, &s, ownMethod(s.kernel), open, seed)
		}
	}
	runMemoryErrors(t, open, seed)
	runStencilErrors(t, open, seed)
}

// runSampleErrors checks what a kernel reports of its buffers and slots.
func runSampleErrors(t *testing.T, s *sample, launch launcher, open func() kernels.Device, seed uint64) {
	t.Run(s.kernel+"/none", func(t *testing.T) {
		b := newErrorBench(t, open, seed)
		launch(b.Device, settable(s.args(b)))
		b.sync()
	})
	for _, path := range s.paths {
		for _, damage := range []string{"wrong-type", "too-short"} {
			t.Run(fmt.Sprintf("%s/%s-%s", s.kernel, strings.ReplaceAll(path, ".", ""), damage), func(t *testing.T) {
				b := newErrorBench(t, open, seed)
				args := settable(s.args(b))
				b.damage(locate(args, path), damage)
				b.fails(s.kernel, func() { launch(b.Device, args) })
			})
		}
	}
	if s.slots > 0 {
		t.Run(s.kernel+"/Slot-out-of-range", func(t *testing.T) {
			b := newErrorBench(t, open, seed)
			args := settable(s.args(b))
			args.FieldByName("Slot").SetInt(int64(kernels.Slots - s.slots + 1))
			b.fails(s.kernel, func() { launch(b.Device, args) })
		})
	}
}

// runStencilErrors checks that kernels refuse the stencil that they cannot have.
func runStencilErrors(t *testing.T, open func() kernels.Device, seed uint64) {
	for _, s := range samples() {
		if s.kernel != "RedBlack" {
			continue
		}
		t.Run(s.kernel+"/27-points", func(t *testing.T) {
			b := newErrorBench(t, open, seed)
			args := settable(s.args(b))
			locate(args, "A.Stencil").SetUint(uint64(kernels.TwentySevenPoint))
			b.fails(s.kernel, func() { ownMethod(s.kernel)(b.Device, args) })
		})
	}
}

// runMemoryErrors checks the failures of uploads and downloads.
func runMemoryErrors(t *testing.T, open func() kernels.Device, seed uint64) {
	for _, c := range []struct {
		name string
		call func(b *bench)
	}{
		{"Upload", func(b *bench) { b.Device.Upload(b.Alloc(b.Elem, 3), make([]float64, 4)) }},
		{"UploadInts", func(b *bench) { b.Device.UploadInts(b.Alloc(b.Elem, 3), make([]int32, 3)) }},
		{"UploadBox", func(b *bench) {
			box := kernels.NewBox([3]int{5, 4, 3}, false)
			b.Device.UploadBox(b.Alloc(b.Elem, box.Len-1), box, make([]float64, box.Nodes()))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newErrorBench(t, open, seed)
			b.fails(c.name, func() { c.call(b) })
		})
	}
	t.Run("Download", func(t *testing.T) {
		b := newErrorBench(t, open, seed)
		if err := b.Device.Download(make([]float64, 4), b.Alloc(b.Elem, 3)); err == nil {
			t.Errorf("downloading 4 of 3 elements succeeded")
		}
	})
}

// newErrorBench opens a device for one failure.
func newErrorBench(t *testing.T, open func() kernels.Device, seed uint64) *bench {
	return &bench{
		Memory: Memory{TB: t, Device: opened(t, open), Elem: kernels.Float64},
		rng:    rand.New(rand.NewPCG(seed, 0)),
		seed:   seed,
	}
}

// settable returns an addressable copy of the arguments of a kernel.
func settable(args any) reflect.Value {
	v := reflect.New(reflect.TypeOf(args)).Elem()
	v.Set(reflect.ValueOf(args))
	return v
}

// launcher passes arguments to the kernel of a device.
type launcher func(d kernels.Device, args reflect.Value)

// hasKernel tells whether a device has a kernel of a name, which may be optional.
func hasKernel(d kernels.Device, kernel string) bool {
	return reflect.ValueOf(d).MethodByName(kernel).IsValid()
}

// ownMethod is the kernel of a name among a device's own.
func ownMethod(kernel string) launcher {
	return func(d kernels.Device, args reflect.Value) {
		reflect.ValueOf(d).MethodByName(kernel).Call([]reflect.Value{args})
	}
}

// locate returns the field that a dotted path names, through pointers and arrays.
func locate(v reflect.Value, path string) reflect.Value {
	for _, name := range strings.Split(path, ".") {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if i, err := strconv.Atoi(name); err == nil {
			v = v.Index(i)
			continue
		}
		v = v.FieldByName(name)
	}
	return v
}

// damage replaces a buffer by one of another type or one element shorter.
func (b *bench) damage(at reflect.Value, how string) {
	good := at.Interface().(kernels.Buffer)
	elem, n := good.Elem(), good.Len()
	switch {
	case how == "too-short":
		n--
	case elem == kernels.Int32:
		elem = kernels.Float32
	default:
		elem = kernels.Int32
	}
	at.Set(reflect.ValueOf(b.Alloc(elem, n)))
}

// fails checks that a call makes Sync return an error that names the kernel, that Sync keeps returning it, and
// that a later kernel has no effect.
func (b *bench) fails(kernel string, call func()) {
	b.Helper()
	x := b.array([]float64{1, 2, 3})
	b.sync()
	call()
	first := b.Device.Sync()
	if first == nil {
		b.Fatalf("Sync reports no error")
	}
	if !strings.Contains(strings.ToLower(first.Error()), strings.ToLower(kernel)) {
		b.Errorf("the error does not name %s: %v", kernel, first)
	}
	b.Device.Fill(kernels.FillArgs{X: x.Buffer, Value: 7})
	if again := b.Device.Sync(); again == nil || again.Error() != first.Error() {
		b.Errorf("Sync then returns %v, want the first failure %v", again, first)
	}
	after := make([]float64, x.Len())
	if err := b.Device.Download(after, x.Buffer); err == nil && !sameBits(after, x.host) {
		b.Errorf("a kernel ran after the failure: %v, want %v", after, x.host)
	}
}
