package labtest

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
	_ "convect/lab/emulated" // the kernels of the emulated GPU
)

// Run checks kernels on all devices: on the instructions that this machine takes by itself, on an emulated GPU and on this machine's, if it has one, in all
// cases, and in one of three on other instructions, on three threads, and on the emulated GPU with the last thread first.
func Run(t *testing.T, g devicetest.Guest) {
	own := Processor(t, cpu.Options{}).Info().Instruction
	for _, instruction := range cpu.Instructions() {
		every := 3
		if instruction == own {
			every = 1
		}
		t.Run(instruction, func(t *testing.T) {
			devicetest.RunGuest(every, t, g, func() kernels.Device { return open(t, cpu.Options{Instruction: instruction}) })
		})
	}
	t.Run("three-threads", func(t *testing.T) {
		devicetest.RunGuest(3, t, g, func() kernels.Device { return open(t, cpu.Options{Threads: 3}) })
	})
	t.Run("emulated", func(t *testing.T) {
		devicetest.RunGuest(1, t, g, func() kernels.Device { return emulated(t, emulation.Options{}) })
	})
	t.Run("emulated-in-reverse", func(t *testing.T) {
		devicetest.RunGuest(3, t, g, func() kernels.Device { return emulated(t, emulation.Options{Reverse: true}) })
	})
	t.Run("GPU", func(t *testing.T) {
		if err := driver.Available(); err != nil {
			t.Skip(err)
		}
		devicetest.RunGuest(1, t, g, func() kernels.Device {
			gpu, err := driver.Open(0)
			return onGPU(t, gpu, err)
		})
	})
}

// Processor opens the host's cores until the test ends.
func Processor(t testing.TB, o cpu.Options) *cpu.Device {
	d := open(t, o)
	t.Cleanup(func() { d.Close() })
	return d
}

// Emulated opens an emulated GPU until the test ends.
func Emulated(t testing.TB) *cuda.Device {
	d := emulated(t, emulation.Options{})
	t.Cleanup(func() { d.Close() })
	return d
}

func open(t testing.TB, o cpu.Options) *cpu.Device {
	t.Helper()
	d, err := cpu.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func emulated(t testing.TB, o emulation.Options) *cuda.Device {
	t.Helper()
	return onGPU(t, emulation.New(o), nil)
}

func onGPU(t testing.TB, gpu driver.GPU, err error) *cuda.Device {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	d, err := cuda.New(gpu)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Mean returns, at inner nodes of a box, the mean of the neighbours of u along all axes and f (if not nil); u on the walls. The size bounds its rounding.
func Mean(u devicetest.Field, f *devicetest.Field) (value, size devicetest.Field) {
	value, size = devicetest.NewField(u.Box), devicetest.NewField(u.Box)
	devicetest.EachNode(u.Box, func(n devicetest.Node) {
		sum, absolute, count := 0.0, 0.0, 0.0
		add := func(v float64) { sum, absolute = sum+v, absolute+math.Abs(v) }
		for d, extent := range u.Box.N {
			if d == kernels.Y && u.Box.Flat() {
				continue
			}
			if n[d] == 0 || n[d] == extent-1 {
				value.Set(n, u.At(n))
				return
			}
			low, high := n, n
			low[d], high[d] = n[d]-1, n[d]+1
			add(u.At(low))
			add(u.At(high))
			count += 2
		}
		if f != nil {
			add(f.At(n))
		}
		value.Set(n, sum/count)
		size.Set(n, absolute/count)
	})
	return value, size
}

// Read returns a field of a device.
func Read(d kernels.Device, box kernels.Box, b kernels.Buffer) devicetest.Field {
	f := devicetest.NewField(box)
	if err := d.Download(f.V, b); err != nil { // a test that goes on with zeros fails
		return devicetest.NewField(box)
	}
	return f
}
