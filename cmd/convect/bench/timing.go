package bench

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/kernels/parallel"
)

// The least time of a sample; shorter work is done several times, one after the other. A device's own clock starts before the host has prepared the first,
// some 10 µs that are to be a small part.
const (
	shortest    = time.Millisecond
	shortestOwn = 4 * time.Millisecond
)

// timing is what work took, and a copy in turns with it.
type timing struct {
	seconds float64 // median of one call
	copied  float64 // bytes read plus bytes written per second, the median of the copies
	samples int
}

// copyKey tells the copies of a run apart.
type copyKey struct {
	dev  kernels.Device
	elem kernels.Elem
	n    int
}

// plainCopy is a pair of arrays, random numbers in the one that is read.
type plainCopy struct {
	dev      kernels.Device
	dst, src kernels.Buffer
}

// copyOf returns a pair of arrays of n elements, the same for the same arguments.
func (r *run) copyOf(dev kernels.Device, elem kernels.Elem, n int) (*plainCopy, error) {
	key := copyKey{dev, elem, n}
	if c := r.copies[key]; c != nil {
		return c, nil
	}
	r.freeCopies() // those of another size
	c := &plainCopy{dev: dev}
	r.copies[key] = c
	for _, b := range []*kernels.Buffer{&c.dst, &c.src} {
		var err error
		if *b, err = dev.Alloc(elem, n); err != nil {
			return nil, fmt.Errorf("arrays to copy: %w", err)
		}
	}
	dev.Upload(c.src, noise(n, uint64(n)))
	return c, dev.Sync()
}

// freeCopies releases the arrays of all copies.
func (r *run) freeCopies() {
	for key, c := range r.copies {
		for _, b := range []kernels.Buffer{c.dst, c.src} {
			if b != nil {
				c.dev.Free(b)
			}
		}
		delete(r.copies, key)
	}
}

func (c *plainCopy) run() { c.dev.Copy(kernels.CopyArgs{Dst: c.dst, Src: c.src}) }

func (c *plainCopy) bytes() float64 { return float64(2 * c.src.Len() * c.src.Elem().Size()) }

// noisePiece is how many numbers of noise have a sequence of their own, so that all processors make some.
const noisePiece = 1 << 16

// noise returns n seeded numbers between 0.5 and 1.5, the same on any number of processors.
func noise(n int, seed uint64) []float64 {
	v := make([]float64, n)
	parallel.Ranges((n+noisePiece-1)/noisePiece, func(first, last int) {
		for piece := first; piece < last; piece++ {
			random := rand.New(rand.NewPCG(seed, 0x62656e6368+uint64(piece)<<40))
			for i := piece * noisePiece; i < min(n, (piece+1)*noisePiece); i++ {
				v[i] = 0.5 + random.Float64()
			}
		}
	})
	return v
}

// inTurns times work on a device in turns with a copy, Repeat times each or as often as the budget allows, at least
// three times, after one call each that is not counted.
func (r *run) inTurns(dev kernels.Device, c *plainCopy, work func() error) (timing, error) {
	least := shortest
	if ownClock(dev) {
		least = shortestOwn
	}
	both := [2]func() error{work, func() error { c.run(); return nil }}
	var calls [2]int
	for n, f := range both {
		if _, err := sample(dev, f, 1); err != nil {
			return timing{}, err
		}
		once, err := sample(dev, f, 1)
		if err != nil {
			return timing{}, err
		}
		calls[n] = 1 + int(least.Seconds()/max(once, 1e-7))
	}
	var times [2][]float64
	begin := time.Now()
	for n := 0; n < r.options.Repeat && (n < min(3, r.options.Repeat) || time.Since(begin) < r.options.Budget); n++ {
		for n, f := range both {
			t, err := sample(dev, f, calls[n])
			if err != nil {
				return timing{}, err
			}
			times[n] = append(times[n], t)
		}
	}
	return timing{seconds: median(times[0]), copied: c.bytes() / median(times[1]), samples: len(times[0])}, nil
}

// clock is a device that measures what is queued by a clock of its own.
type clock interface {
	Time(queue func()) (time.Duration, error)
}

// ownClock tells whether a device measures by a clock of its own, as GPUs do.
func ownClock(dev kernels.Device) bool {
	_, own := dev.(clock)
	return own
}

// onHost times what the processor does itself, as inTurns does, without a copy.
func (r *run) onHost(work func()) timing {
	var times []float64
	begin := time.Now()
	for n := 0; n < r.options.Repeat && (n < min(3, r.options.Repeat) || time.Since(begin) < r.options.Budget); n++ {
		start := time.Now()
		work()
		times = append(times, time.Since(start).Seconds())
	}
	return timing{seconds: median(times), copied: math.NaN(), samples: len(times)}
}

// sample returns the seconds of one of several calls, which end with the device at rest.
func sample(dev kernels.Device, work func() error, calls int) (float64, error) {
	var failed error
	all := func() {
		for n := 0; n < calls && failed == nil; n++ {
			failed = work()
		}
	}
	var took time.Duration
	var err error
	if own, ok := dev.(clock); ok {
		took, err = own.Time(all)
	} else {
		begin := time.Now()
		all()
		err = dev.Sync()
		took = time.Since(begin)
	}
	return took.Seconds() / float64(calls), errors.Join(failed, err)
}

// kernel makes a kernel call something to time.
func kernel(run func()) func() error {
	return func() error {
		run()
		return nil
	}
}

// median returns the middle value, of an even number the mean of both.
func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// Columns that several tables share.
var (
	columnPrecision = report.Column{Key: "precision", Title: "precision", Origin: report.Label}
	columnThreads   = report.Column{Key: "threads", Title: "threads", Origin: report.Label}
	columnTime      = report.Column{Key: "milliseconds", Title: "time", Unit: "ms", Origin: report.Measured, Format: "%.3f"}
	columnBytes     = report.Column{Key: "bytes_per_point", Title: "bytes", Unit: "/point", Origin: report.Counted, Format: "%.4g"}
	columnModel     = report.Column{Key: "model_milliseconds", Title: "bytes/copy", Unit: "ms", Origin: report.Model, Format: "%.3f"}
	columnSpeed     = report.Column{Key: "gigabytes_per_second", Title: "speed", Unit: "GB/s", Origin: report.Measured, Format: "%.2f"}
	columnCopy      = report.Column{Key: report.CopyKey, Title: "copy", Unit: "GB/s", Origin: report.Measured, Format: "%.2f"}
	columnFraction  = report.Column{Key: "fraction_of_copy", Title: "of copy", Origin: report.Measured, Format: "%.3f"}
	columnPoints    = report.Column{Key: "gigapoints_per_second", Title: "points", Unit: "G/s", Origin: report.Measured, Format: "%.3f"}
)

// row fills the shared columns of a kernel that moves so many bytes for each of so many points.
func (t timing) row(bytesPerPoint float64, points int) report.Row {
	bytes := bytesPerPoint * float64(points)
	return report.Row{
		columnTime.Key: t.seconds * 1e3, columnBytes.Key: bytesPerPoint, columnModel.Key: bytes / t.copied * 1e3,
		columnSpeed.Key: bytes / t.seconds / 1e9, columnCopy.Key: t.copied / 1e9,
		columnFraction.Key: bytes / t.seconds / t.copied, columnPoints.Key: float64(points) / t.seconds / 1e9,
	}
}

// with adds values to a row.
func with(r, more report.Row) report.Row {
	for k, v := range more {
		r[k] = v
	}
	return r
}
