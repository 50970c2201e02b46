package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// ownSlots is the number of slots for scalars between kernels, after the public ones.
const ownSlots = 64

var _ kernels.Device = (*Device)(nil)

// Device runs kernels on a GPU. It implements [kernels.Device]; kernels run after their method has returned.
type Device struct {
	kernels.SlotBook
	gpu      driver.GPU
	info     driver.Info
	failure  call.Failure
	slots    uintptr   // kernels.Slots + ownSlots numbers of float64
	written  int       // slots up to the last that a kernel was asked for
	scalars  []float64 // on their own, as are the arguments, since C may see them
	known    bool      // the numbers on the host are those of the slots: no kernel was given one since
	partials room      // of reductions
	scratch  room      // of kernels that need more memory than their arguments
	staging  room      // of copies between host and device
	packed   room      // of blocks on their way there
	outgoing room      // of those on their way to GPUs of other processes
	incoming room      // and from them
	keeps    bool      // rooms that grow keep their old memory, in which records go on
	outgrown []uintptr // that memory
	args     []byte

	pinned      [2]unsafe.Pointer // host memory of downloads, so many bytes each
	pinnedBytes int
	frozen      []*frozen
	live        map[*Buffer]struct{}
	tables      map[spectralTable]*Buffer
	waves       map[waveLines]waves // how lines were found to be transformed; without pairs: they are not
	cuts        map[cutKey]cut

	reports reports

	sizes           sizes
	plan            *plan    // notes kernels instead of running them; nil: they run
	recording, grew bool     // kernels are recorded; one needed more memory meanwhile
	leading         *leading // and the first of them kept
}

// room is memory that grows as it is needed.
type room struct {
	address uintptr
	bytes   int
}

var errClosed = errors.New("device is closed")

// New makes a device of a GPU, which it closes with itself.
func New(gpu driver.GPU) (*Device, error) {
	d := &Device{gpu: gpu, info: gpu.Info(), live: map[*Buffer]struct{}{}, cuts: map[cutKey]cut{}}
	d.scalars, d.args = make([]float64, kernels.Slots), make([]byte, maxArguments)
	d.failure.Backend = "cuda"
	var err error
	if d.slots, err = gpu.Alloc(8 * (kernels.Slots + ownSlots)); err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	return d, nil
}

// Info describes the GPU. Threads is the number of its multiprocessors.
func (d *Device) Info() kernels.Info {
	i := d.gpu.Info()
	return kernels.Info{
		Name:        i.Name,
		Description: i.Description,
		Instruction: fmt.Sprintf("sm_%d%d", i.Major, i.Minor),
		Threads:     i.Multiprocessors,
		MemoryTotal: int64(i.TotalMemory),
		MemoryFree:  int64(i.Memory),
		LastCache:   int64(i.CacheBytes),
		Products:    products(i.Major),
		Launch:      2_000_000, // some 3 µs of an H100
	}
}

// WorkBytes returns the memory that kernels have taken beside buffers, for scratch arrays, partial sums, and blocks on their way to GPUs of other processes and from them.
func (d *Device) WorkBytes() int {
	return d.scratch.bytes + d.partials.bytes + d.outgoing.bytes + d.incoming.bytes
}

// Sync waits for all kernels and returns the first failure.
func (d *Device) Sync() error {
	if d.failure.Err == nil {
		d.keep("Sync", d.gpu.Sync())
	}
	return d.failure.Err
}

// Close releases the GPU and all buffers.
func (d *Device) Close() error {
	if d.gpu == nil {
		return nil
	}
	for b := range d.live {
		d.Free(b)
	}
	for _, p := range append(d.outgrown, d.slots, d.partials.address, d.scratch.address, d.staging.address, d.packed.address, d.outgoing.address, d.incoming.address) {
		if p != 0 {
			d.gpu.Free(p)
		}
	}
	d.unpin()
	d.thaw()
	d.reports.free()
	err := d.gpu.Close()
	d.gpu = nil
	d.failure.Set(errClosed)
	return err
}

// DriverError is a failure of a GPU or its driver, not of what it was asked to do: the device is of no use any more. Kernels run
// after their method has returned, so that it may come up later than what it is of.
type DriverError struct {
	GPU string // "cuda:0 (model)"
	Err error
}

// Error names the GPU.
func (e *DriverError) Error() string { return e.GPU + ": " + e.Err.Error() }

// Unwrap returns what the driver says.
func (e *DriverError) Unwrap() error { return e.Err }

// failed makes a driver's failure one of the GPU.
func (d *Device) failed(err error) error {
	return &DriverError{GPU: fmt.Sprintf("%s (%s)", d.info.Name, d.info.Description), Err: err}
}

// keep keeps a driver's failure, named by what was being done.
func (d *Device) keep(what string, err error) {
	if err != nil {
		d.failure.Set(fmt.Errorf("%s: %w", what, d.failed(err)))
	}
}

// slot returns the address of the first of some reduction slots that a kernel writes; those from kernels.Slots on are for scalars between kernels.
func (d *Device) slot(n, count int) uintptr {
	if n < kernels.Slots {
		d.written = max(d.written, min(n+count, kernels.Slots))
	}
	d.known = false
	return d.slots + uintptr(8*n)
}

// reserve returns at least so many bytes of a room, whose content is lost where it grows; 0 after a failure.
func (d *Device) reserve(c *call.Call, r *room, bytes int) uintptr {
	if !c.OK() {
		return 0
	}
	if bytes > r.bytes && d.recording { // memory cannot be had now; what is recorded is thrown away
		d.grew = true
		return r.address
	}
	if bytes > r.bytes {
		switch {
		case r.address == 0:
		case d.keeps && r != &d.staging && r != &d.packed: // these pass through the host, which no record does
			d.outgrown = append(d.outgrown, r.address)
		default:
			d.keep(c.Kernel, d.gpu.Sync())
			d.gpu.Free(r.address)
		}
		*r = room{}
		p, err := d.gpu.Alloc(bytes)
		if err != nil {
			c.Fail("%w", d.failed(err))
			return 0
		}
		*r = room{p, bytes}
	}
	return r.address
}
