package ranks

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"convect/kernels"
	"convect/kernels/link"
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
	// Poison makes ghosts that are not right NaN, and proves that those that are right are, for tests.
	Poison bool
}

// Common is what the devices that are made one have besides. All are of one kind.
type Common interface {
	kernels.Device
	kernels.RowReducer
	kernels.BlockMover
	// CopyBandwidth measures a plain copy: bytes read plus bytes written per second.
	CopyBandwidth(bytes int) (float64, error)
}

// Device is several devices, the ranks, as one. It implements [kernels.Device].
//
// One that [Join] makes has one rank here, and others behind a link: all make the same calls in the same order, and what comes to the host comes to rank 0 alone.
type Device struct {
	kernels.SlotBook
	options   Options
	size      int             // of ranks
	ranks     []*rank         // those here
	queued    bool            // they are kernels.Queuers, with memory of their own
	apart     bool            // some do not reach others
	meeting   kernels.Meeting // of kernels; nil: they wait by events
	staged    [][][]byte      // room of blocks on the host, by owner and taker, where they are apart
	link      link.Link       // to the others; nil: all are here
	tasks     map[string]kernels.Task
	joined    joined
	wanted    []fetch // ghosts that the next kernel needs
	layouts   map[kernels.Box]*layout
	wholes    map[kernels.Box]*layout              // where a shared grid is gathered
	idle      map[standKind][]*Buffer              // whole arrays that stood for shared ones
	zeros     map[standKind]map[int]kernels.Buffer // a row of them, on each rank
	columns   map[columnsKey]*columns
	allOf     []*columns      // in the order in which they were made, which ranks on a link share
	shares    map[int]*shares // by the number of planes
	cutArrays map[columnsKey]*cut
	slots     [kernels.Slots]float64
	sums      []float64 // room of parts of a slot
	known     bool      // slots are as they were: no kernel has run since
	states    [kernels.Slots]slotState
	recording *recording              // nil: kernels run
	records   map[*recording]struct{} // that have not been freed
	fresh     []int                   // slots that changed since rank 0 had them
	kernel    string                  // that is called, with a colon
	crew      *crew                   // of several GPUs of this process
	guard     sync.Mutex              // of setting the failure
	failure   atomic.Pointer[error]
	valuing   sync.Mutex // of the values of arrays on the host
}

// standKind is what arrays are alike in that stand for each other.
type standKind struct {
	layout *layout
	elem   kernels.Elem
}

// rank is one of the devices.
type rank struct {
	number    int
	device    Common
	operators map[operatorKey]*kernels.Elliptic
}

var _ kernels.Device = (*Device)(nil)

// New makes one device of several, which it closes when it is closed; its Whole may do more.
func New(devices []Common, o Options) (*Device, error) {
	if len(devices) == 0 {
		return nil, errors.New("ranks: no devices")
	}
	o, err := o.whole()
	if err != nil {
		return nil, err
	}
	d := newDevice(len(devices), o)
	for n, c := range devices {
		d.add(n, c)
	}
	for _, a := range devices {
		q, ok := a.(kernels.Queuer)
		d.queued = ok
		for _, b := range devices {
			d.apart = d.apart || ok && !q.Reaches(b)
		}
	}
	if d.queued && d.size > 1 {
		d.crew = newCrew(d.ranks[1:])
		if !d.apart {
			d.meet()
		}
	}
	return d, nil
}

// meet lets kernels of the ranks wait for each other, if they can.
func (d *Device) meet() {
	var others []kernels.Device
	for _, r := range d.ranks[1:] {
		others = append(others, r.device)
	}
	if m := d.ranks[0].device.(kernels.Queuer).Meet(others); m != nil {
		d.meeting = m
	}
}

// newDevice returns a device of so many ranks.
func newDevice(size int, o Options) *Device {
	return &Device{options: o, size: size, layouts: map[kernels.Box]*layout{}, wholes: map[kernels.Box]*layout{}, idle: map[standKind][]*Buffer{}, zeros: map[standKind]map[int]kernels.Buffer{}, columns: map[columnsKey]*columns{}, records: map[*recording]struct{}{}, shares: map[int]*shares{}, cutArrays: map[columnsKey]*cut{}}
}

// add adds the next rank that is here.
func (d *Device) add(number int, c Common) {
	d.ranks = append(d.ranks, &rank{number: number, device: c, operators: map[operatorKey]*kernels.Elliptic{}})
}

// whole returns the options with those that were left out.
func (o Options) whole() (Options, error) {
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
		return o, fmt.Errorf("ranks: %d ghosts: not an even number from 4 on", o.Ghosts)
	}
	return o, nil
}

// here returns a rank that is here, nil for another.
func (d *Device) here(number int) *rank {
	if d.link == nil {
		return d.ranks[number]
	}
	if r := d.ranks[0]; r.number == number {
		return r
	}
	return nil
}

// any returns a rank that is here, for what all have.
func (d *Device) any() *rank { return d.ranks[0] }

// Info describes the ranks together.
func (d *Device) Info() kernels.Info {
	info := d.any().device.Info()
	if d.link != nil {
		return d.joined.info(info, d.size, d.queued)
	}
	if d.size == 1 {
		return info
	}
	names := []string{info.Name}
	for _, r := range d.ranks[1:] {
		other := r.device.Info()
		info.Threads += other.Threads
		if d.queued {
			info.MemoryTotal += other.MemoryTotal
			info.MemoryFree += other.MemoryFree
		}
		names = append(names, other.Name)
	}
	info.Name = nameOf(names)
	return info
}

// nameOf names devices together: cuda:0,1 of cuda:0 and cuda:1, and cpu:2 of two that have the same name.
func nameOf(names []string) string {
	if names[0] == names[1] {
		return fmt.Sprintf("%s:%d", names[0], len(names))
	}
	all := names[0]
	for _, name := range names[1:] {
		_, number, _ := strings.Cut(name, ":")
		all += "," + number
	}
	return all
}

// queue runs kernels on every rank, all at a time: where that only queues them by the crew, but one rank after the other while they are recorded.
func (d *Device) queue(f func(r *rank)) {
	if d.recording != nil && d.recording.spoiled {
		return
	}
	d.known = false
	switch {
	case !d.queued:
		d.each(f)
	case d.crew != nil && d.recording == nil:
		d.crew.run(d.ranks[0], f)
	default:
		d.inTurn(f)
	}
}

// inTurn runs kernels on one rank after the other.
func (d *Device) inTurn(f func(r *rank)) {
	d.known = false
	for _, r := range d.ranks {
		f(r)
	}
}

// each runs something on every rank, all at a time, and waits.
func (d *Device) each(f func(r *rank)) {
	d.known = false
	var running sync.WaitGroup
	for _, r := range d.ranks[1:] {
		running.Go(func() { f(r) })
	}
	f(d.ranks[0])
	running.Wait()
}

// HoldsGhosts tells that rows beyond the ends of y are not the caller's: along periodic axes they are ghosts.
func (d *Device) HoldsGhosts() bool { return d.size > 1 }

// why returns the failure, nil where there is none; set replaces it. Ranks ask while one of them fails.
func (d *Device) why() error {
	if p := d.failure.Load(); p != nil {
		return *p
	}
	return nil
}
func (d *Device) set(err error) { d.failure.Store(&err) }

// fail keeps a failure unless there is one already.
func (d *Device) fail(format string, args ...any) {
	d.guard.Lock()
	defer d.guard.Unlock()
	if d.ok() {
		d.set(fmt.Errorf("ranks: "+d.kernel+format, args...))
	}
}

// within names the kernel in failures of those that it is made of.
func (d *Device) within(kernel string, f func()) {
	ok := d.ok()
	f()
	if !d.queued { // what fails later is not this kernel's
		d.Sync()
	}
	if ok && !d.ok() {
		d.set(fmt.Errorf("%s: %w", kernel, d.why()))
	}
}

// Sync returns the first failure of the ranks that are here.
func (d *Device) Sync() error {
	for _, r := range d.ranks {
		if err := r.device.Sync(); err != nil {
			d.kernel = "" // it names its own
			d.fail("%w", err)
		}
	}
	return d.why()
}

// Close closes all ranks.
func (d *Device) Close() error {
	var all []error
	for r := range d.records {
		r.Free()
	}
	for _, all := range d.idle {
		for _, s := range all {
			d.Free(s)
		}
	}
	for _, z := range d.zeros {
		for _, r := range d.ranks {
			r.device.Free(z[r.number])
		}
	}
	for _, c := range d.columns {
		c.free(d)
	}
	for _, s := range d.cutArrays {
		s.free(d)
	}
	for _, s := range d.shares {
		s.free(d)
	}
	if d.crew != nil {
		d.crew.dismiss()
	}
	if d.meeting != nil {
		d.Sync()
		d.meeting.Close()
	}
	if d.joined.way != nil {
		d.Sync()
		all = append(all, d.joined.way.Close())
	}
	for _, r := range d.ranks {
		all = append(all, r.device.Close())
	}
	return errors.Join(all...)
}

// CopyBandwidth measures a plain copy of so many bytes on all ranks at a time: bytes read plus bytes written per second.
func (d *Device) CopyBandwidth(bytes int) (float64, error) {
	rates, errs := make([]float64, d.size), make([]error, d.size)
	d.each(func(r *rank) { rates[r.number], errs[r.number] = r.device.CopyBandwidth(bytes / len(d.ranks)) })
	all := 0.0
	for _, v := range rates {
		all += v
	}
	return all, errors.Join(errs...)
}

// WorkBytes returns the memory that kernels have taken beside buffers on the ranks that are here, as far as they tell.
func (d *Device) WorkBytes() (bytes int) {
	for _, r := range d.ranks {
		if own, ok := r.device.(interface{ WorkBytes() int }); ok {
			bytes += own.WorkBytes()
		}
	}
	return bytes
}
