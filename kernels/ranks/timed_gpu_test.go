//go:build cuda

package ranks_test

import (
	"fmt"
	"testing"
	"time"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/ranks"
)

// TestTimes tells what ranks on two GPUs cost each other: an exchange of ghosts, the waits alone, a kernel alone.
func TestTimes(t *testing.T) {
	if err := driver.Available(); err != nil {
		t.Skip(err)
	}
	var devices []ranks.Common
	var gpus []*cuda.Device
	for n := range 2 {
		gpu, err := driver.Open(n)
		if err != nil {
			t.Skip(err)
		}
		d, err := cuda.New(gpu)
		if err != nil {
			t.Fatal(err)
		}
		devices, gpus = append(devices, d), append(gpus, d)
	}
	made, err := ranks.New(devices, ranks.Options{Ghosts: 6})
	if err != nil {
		t.Fatal(err)
	}
	d := made.Whole()
	defer d.Close()
	timed := func(name string, f func()) {
		const times = 200
		for range 20 {
			f()
		}
		d.Sync()
		begun := time.Now()
		for range times {
			f()
		}
		queued := time.Since(begun)
		if err := d.Sync(); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%-60s %8.1f µs, %8.1f µs to queue\n", name, time.Since(begun).Seconds()*1e6/times, queued.Seconds()*1e6/times)
	}
	timed("waits of two GPUs for each other, twice", func() {
		for range 2 {
			gpus[0].After(gpus[1])
			gpus[1].After(gpus[0])
		}
	})
	for _, n := range [][3]int{{513, 513, 129}, {1025, 1025, 257}} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			box := kernels.NewBox(n, false)
			x, err := d.(kernels.BoxAllocator).AllocBox(e, box)
			if err != nil {
				t.Fatal(err)
			}
			timed(fmt.Sprint("exchange of ", n, " ", e), func() { ranks.Exchange(x) })
			d.Free(x)
			slab := kernels.NewBox([3]int{n[0], 20, n[2]}, false)
			own, _ := gpus[0].Alloc(e, slab.Len)
			other, _ := gpus[1].Alloc(e, slab.Len)
			for name, from := range map[string]kernels.Buffer{"own": own, "the other's": other} {
				timed(fmt.Sprint("6 rows of ", name, " memory"), func() {
					gpus[0].CopyBlock(own, slab, [3]int{-3, 0, -3}, kernels.Block{Array: from, Box: slab, First: [3]int{-3, 10, -3}, N: [3]int{slab.Stride[1], 6, n[2] + 6}})
				})
			}
			gpus[0].Free(own)
			gpus[1].Free(other)
		}
	}
	box := kernels.NewBox([3]int{33, 130, 33}, false)
	x, _ := d.(kernels.BoxAllocator).AllocBox(kernels.Float32, box)
	y, _ := d.(kernels.BoxAllocator).AllocBox(kernels.Float32, box)
	small := func() {
		for range 10 {
			d.Copy(kernels.CopyArgs{Dst: y, Src: x})
		}
	}
	timed("ten small kernels on both", small)
	if record := d.(kernels.Recorder).Record(small); record == nil {
		fmt.Println("small kernels are not recorded")
	} else {
		timed("ten small kernels on both, recorded", func() { record.Replay() })
	}
	exchanged := func() {
		small()
		ranks.Exchange(x)
		small()
	}
	timed("ten, an exchange and ten", exchanged)
	if record := d.(kernels.Recorder).Record(exchanged); record == nil {
		fmt.Println("exchanges are not recorded")
	} else {
		timed("ten, an exchange and ten, recorded", func() { record.Replay() })
	}
	timed("scalars", func() { d.Scalars() })
}
