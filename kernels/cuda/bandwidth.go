package cuda

import (
	"fmt"
	"slices"
	"time"

	"convect/kernels"
	"convect/kernels/cuda/driver"
)

// CopyBandwidth measures a plain copy of an array of so many bytes, by the clock of the GPU: bytes read plus bytes written per second,
// the median of several copies.
func (d *Device) CopyBandwidth(bytes int) (bytesPerSecond float64, err error) {
	const repeats = 15
	var b [2]kernels.Buffer
	for n := range b {
		if b[n], err = d.Alloc(kernels.Float32, bytes/4); err != nil {
			return 0, fmt.Errorf("measure the copy bandwidth: %w", err)
		}
		defer d.Free(b[n])
		d.Fill(kernels.FillArgs{X: b[n], Value: 1 + float64(n)})
	}
	var seconds [repeats]float64
	for n := range seconds {
		t, err := d.Time(func() { d.Copy(kernels.CopyArgs{Dst: b[0], Src: b[1]}) })
		if err != nil {
			return 0, fmt.Errorf("measure the copy bandwidth: %w", err)
		}
		seconds[n] = t.Seconds()
	}
	slices.Sort(seconds[:])
	return 2 * float64(bytes) / seconds[repeats/2], nil
}

// Time returns how long the GPU takes for what a function queues, by its own clock where it has one.
func (d *Device) Time(queue func()) (time.Duration, error) {
	clock, ok := d.gpu.(driver.Timer)
	if !ok {
		start := time.Now()
		queue()
		return time.Since(start), d.Sync()
	}
	d.keep("Time", clock.Mark(0))
	queue()
	d.keep("Time", clock.Mark(1))
	if d.failure.Err != nil {
		return 0, d.failure.Err
	}
	return clock.Elapsed(0, 1)
}
