package ranks

import (
	"errors"
	"fmt"
	"sync"

	"convect/kernels"
)

// Options say how grids are shared out. The zero value is that of runs.
type Options struct {
	// Ghosts is the number of a neighbour's rows that a rank holds: even, and two more than the sweeps of a cycle before or after the correction. 0: 4, or 8 for
	// more than two sweeps.
	Ghosts int
	// Rows is the least number of rows that a rank owns of a grid that is shared out; 0: 32.
	Rows int
	// Gather is the largest number of nodes of a grid that every rank has whole; 0: 600,000, and -1: none.
	Gather int
	// Poison makes ghosts that are not right NaN, for tests.
	Poison bool
}

// Common is what the devices that are made one have besides.
type Common interface {
	kernels.Device
	kernels.RowReducer
	// CopyBandwidth measures a plain copy: bytes read plus bytes written per second.
	CopyBandwidth(bytes int) (float64, error)
	// CopyBlock copies n nodes along each axis, halos among them, from node `from` on of src, an array that another device of this kind may have.
	CopyBlock(dst kernels.Buffer, dstBox kernels.Box, to [3]int, src kernels.Buffer, srcBox kernels.Box, from, n [3]int)
}

// Device is several devices, the ranks, as one. It implements [kernels.Device].
type Device struct {
	kernels.SlotBook
	options Options
	size    int // of ranks
	ranks   []*rank
	layouts map[kernels.Box]*layout
	wholes  map[kernels.Box]*layout // where a shared grid is gathered
	columns map[columnsKey]*columns
	slots   [kernels.Slots]float64
	states  [kernels.Slots]slotState
	kernel  string     // that is called, with a colon
	guard   sync.Mutex // of failure
	failure error
}

// rank is one of the devices.
type rank struct {
	number    int
	device    Common
	operators map[operatorKey]*kernels.Elliptic
}

var _ kernels.Device = (*Device)(nil)

// New makes one device of several, which it closes when it is closed.
func New(devices []Common, o Options) (*Device, error) {
	if len(devices) == 0 {
		return nil, errors.New("ranks: no devices")
	}
	if o.Ghosts == 0 {
		o.Ghosts = 4
	}
	if o.Rows == 0 {
		o.Rows = 32
	}
	switch {
	case o.Gather == 0:
		o.Gather = 600_000
	case o.Gather < 0:
		o.Gather = 0
	}
	if o.Ghosts < 4 || o.Ghosts%2 != 0 {
		return nil, fmt.Errorf("ranks: %d ghosts: not an even number from 4 on", o.Ghosts)
	}
	d := &Device{options: o, size: len(devices), layouts: map[kernels.Box]*layout{}, wholes: map[kernels.Box]*layout{}, columns: map[columnsKey]*columns{}}
	for n, c := range devices {
		d.ranks = append(d.ranks, &rank{number: n, device: c, operators: map[operatorKey]*kernels.Elliptic{}})
	}
	return d, nil
}

// Info describes the ranks together.
func (d *Device) Info() kernels.Info {
	info := d.ranks[0].device.Info()
	if d.size == 1 {
		return info
	}
	for _, r := range d.ranks[1:] {
		info.Threads += r.device.Info().Threads
	}
	info.Name = fmt.Sprintf("%s:%d", info.Name, d.size)
	return info
}

// each runs something on every rank, all at a time, and waits.
func (d *Device) each(f func(r *rank)) {
	var running sync.WaitGroup
	for _, r := range d.ranks[1:] {
		running.Go(func() { f(r) })
	}
	f(d.ranks[0])
	running.Wait()
}

// HoldsGhosts tells that rows beyond the ends of y are not the caller's: along periodic axes they are ghosts.
func (d *Device) HoldsGhosts() bool { return d.size > 1 }

// fail keeps a failure unless there is one already.
func (d *Device) fail(format string, args ...any) {
	d.guard.Lock()
	defer d.guard.Unlock()
	if d.failure == nil {
		d.failure = fmt.Errorf("ranks: "+d.kernel+format, args...)
	}
}

// within names the kernel in failures of those that it is made of.
func (d *Device) within(kernel string, f func()) {
	ok := d.ok()
	f()
	if ok && d.Sync() != nil {
		d.failure = fmt.Errorf("%s: %w", kernel, d.failure)
	}
}

// Sync returns the first failure.
func (d *Device) Sync() error {
	for _, r := range d.ranks {
		if err := r.device.Sync(); err != nil {
			d.kernel = "" // it names its own
			d.fail("%w", err)
		}
	}
	return d.failure
}

// Close closes all ranks.
func (d *Device) Close() error {
	var all []error
	for _, c := range d.columns {
		c.free(d)
	}
	for _, r := range d.ranks {
		all = append(all, r.device.Close())
	}
	return errors.Join(all...)
}

// CopyBandwidth measures a plain copy of so many bytes on all ranks at a time: bytes read plus bytes written per second.
func (d *Device) CopyBandwidth(bytes int) (float64, error) {
	rates, errs := make([]float64, d.size), make([]error, d.size)
	d.each(func(r *rank) { rates[r.number], errs[r.number] = r.device.CopyBandwidth(bytes / d.size) })
	all := 0.0
	for _, v := range rates {
		all += v
	}
	return all, errors.Join(errs...)
}
