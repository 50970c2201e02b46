package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// reports are what a kernel tells the host of slots: it writes them to memory of the host, and then the number of the report, for which the host looks. A copy by the
// driver, and a wait for all that was queued, would take 4 to 6 µs more (docs/notebook.md: five waits a step).
type reports struct {
	listener driver.Listener // nil: not asked yet, or the GPU is none
	memory   unsafe.Pointer  // values of slots as Scalars wants them, and as Follow does; the numbers of the last report for Scalars and of each slot that is followed
	last     uint32
	wanted   report // for Scalars
}

// report is one that has been queued; number 0: none.
type report struct {
	values, counter unsafe.Pointer
	number          uint32
}

// Bytes of the memory of reports, and where what is followed and the counters begin.
const (
	followedAt  = 8 * kernels.Slots
	countersAt  = 2 * followedAt
	reportBytes = countersAt + 4*(kernels.Slots+1)
)

// reportThreads is the size of the one block.
const reportThreads = 128

// listens tells whether the GPU tells the host by itself, and readies its memory when first asked.
func (d *Device) listens() bool {
	r := &d.reports
	if r.listener != nil {
		return true
	}
	l, ok := d.gpu.(driver.Listener)
	if !ok || d.failure.Err != nil {
		return false
	}
	memory, err := l.AllocHost(reportBytes)
	if err != nil {
		return false
	}
	clear(unsafe.Slice((*byte)(memory), reportBytes))
	r.listener, r.memory = l, memory
	return true
}

// report queues a report of n slots from the first on, into the memory from some byte on and with the counter of that number.
func (d *Device) report(what string, first, n, at, counter int) report {
	r := &d.reports
	if r.last++; r.last == 0 { // which stands for none
		r.last = 1
	}
	out := report{unsafe.Add(r.memory, at), unsafe.Add(r.memory, countersAt+4*counter), r.last}
	a := call.Report{Slot: d.slots + uintptr(8*first), To: uintptr(out.values), N: int64(n), Counter: uintptr(out.counter), Number: int64(out.number)}
	c := call.New(&d.failure, what)
	c.Elem = kernels.Float32
	d.launch(&c, "report", geometry{grid: [3]int{1, 1, 1}, block: [3]int{reportThreads, 1, 1}}, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return out
}

// hear waits for a report, which nobody makes while kernels are planned.
func (d *Device) hear(what string, r report) {
	if d.failure.Err == nil && d.plan == nil {
		d.keep(what, d.reports.listener.Heard(r.counter, r.number))
	}
}

// free gives the memory back; nothing that writes there may be queued.
func (r *reports) free() {
	if r.listener != nil {
		r.listener.FreeHost(r.memory)
		*r = reports{}
	}
}

// Scalars waits for all kernels that write reduction slots and returns these. Those beyond the last that a kernel was ever asked for are zero, and are not
// told; nor are those that the host has.
func (d *Device) Scalars() ([]float64, error) {
	r := &d.reports
	if d.failure.Err == nil && !d.known && r.wanted.number == 0 {
		d.FetchScalars()
	}
	switch {
	case r.wanted.number != 0:
		d.hear("Scalars", r.wanted)
		copy(d.scalars, unsafe.Slice((*float64)(r.wanted.values), max(d.written, 1)))
		r.wanted.number = 0
	case d.failure.Err == nil && !d.known:
		d.keep("Scalars", d.gpu.Download(unsafe.Pointer(&d.scalars[0]), d.slots, 8*max(d.written, 1)))
	}
	if d.failure.Err != nil {
		return nil, d.failure.Err
	}
	d.known = true
	return d.scalars, nil
}

// FetchScalars implements [kernels.Queuer]. Of a GPU that does not tell the host by itself Scalars downloads.
func (d *Device) FetchScalars() {
	if d.failure.Err == nil && d.listens() {
		d.reports.wanted = d.report("Scalars", 0, max(d.written, 1), 0, 0)
	}
}

// Follow returns what waits for the value that a slot has after the kernels called so far, while later ones run; by a GPU that does not tell the host by itself, after them:
// until then no other may write it.
func (d *Device) Follow(slot int) func() (float64, error) {
	if d.failure.Err == nil && d.listens() {
		d.slot(slot, 1)
		r := d.report("Follow", slot, 1, followedAt+8*slot, 1+slot)
		return func() (float64, error) {
			d.hear("Follow", r)
			return *(*float64)(r.values), d.failure.Err
		}
	}
	return func() (float64, error) {
		all, err := d.Scalars()
		if err != nil {
			return 0, err
		}
		return all[slot], nil
	}
}
