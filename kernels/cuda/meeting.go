package cuda

import (
	"os"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// meeting is where kernels of several GPUs wait for each other: each GPU has flags in its memory, which the others raise (vector/blocks.cu). One that waits sees the
// seconds that the host counts, so that it gives up if another GPU is lost, and not if the program was stopped for a while.
type meeting struct {
	devices []*Device
	flags   []uintptr // of each device
	clock   unsafe.Pointer
	over    chan struct{} // that it is told to end
	ended   chan struct{} // that it has
}

// noMeetings, in the environment, leaves kernels of several GPUs to events, as tools do that run one kernel at a time.
const noMeetings = "CONVECT_NO_MEETINGS"

// Meet implements [kernels.Queuer]. GPUs meet where all run kernels beside each other, and there are not too many.
func (d *Device) Meet(others []kernels.Device) kernels.Meeting {
	m := &meeting{devices: []*Device{d}, over: make(chan struct{}), ended: make(chan struct{})}
	for _, o := range others {
		own, ok := o.(*Device)
		if !ok {
			return nil
		}
		m.devices = append(m.devices, own)
	}
	host, ok := d.gpu.(driver.Streamer)
	if !ok || !m.possible() {
		return nil
	}
	var err error
	if m.clock, err = host.AllocHost(8); err != nil {
		return nil
	}
	*m.second() = 0
	if !m.prepare() {
		m.free()
		return nil
	}
	go m.count()
	return m
}

// possible tells whether all run beside each other.
func (m *meeting) possible() bool {
	if len(m.devices) > meetMost || os.Getenv(noMeetings) != "" || len(os.Getenv("CUDA_LAUNCH_BLOCKING")) > 0 && os.Getenv("CUDA_LAUNCH_BLOCKING") != "0" {
		return false
	}
	for _, a := range m.devices {
		for _, b := range m.devices {
			p, ok := a.gpu.(driver.Peer)
			if !ok || a != b && !p.Beside(b.gpu) {
				return false
			}
		}
	}
	return true
}

// prepare gives each device its flags, and loads the kernel: a GPU that waits might keep another one from loading it.
func (m *meeting) prepare() bool {
	for _, d := range m.devices {
		p, err := d.gpu.Alloc(4 * meetFlags)
		if err != nil {
			return false
		}
		m.flags = append(m.flags, p)
		if d.gpu.Set(p, 0, 4*meetFlags) != nil {
			return false
		}
		c := call.New(&d.failure, "Meet")
		c.Elem = kernels.Float32
		none := call.Copies{}
		d.launch(&c, copyKernel, geometry{grid: [3]int{1, 1, 1}, block: [3]int{blocksThreads, 1, 1}}, unsafe.Pointer(&none), unsafe.Sizeof(none))
		if d.Sync() != nil {
			return false
		}
	}
	return true
}

// second is the clock.
func (m *meeting) second() *uint32 { return (*uint32)(m.clock) }

// loads tells whether a GPU loads kernels, for which the others wait.
func (m *meeting) loads() bool {
	return slices.ContainsFunc(m.devices, func(d *Device) bool { return d.gpu.(driver.Peer).Loading() })
}

// count counts seconds while the program runs, and loads no kernels.
func (m *meeting) count() {
	defer close(m.ended)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if !m.loads() {
				atomic.AddUint32(m.second(), 1)
			}
		case <-m.over:
			return
		}
	}
}

// free releases flags and clock; nothing that waits may be queued.
func (m *meeting) free() {
	for n, p := range m.flags {
		m.devices[n].gpu.Free(p)
	}
	m.devices[0].gpu.(driver.Streamer).FreeHost(m.clock)
}

// CopyBlocks implements [kernels.Meeting].
func (m *meeting) CopyBlocks(device int, of func(taker, owner int) []kernels.Copy) {
	for _, k := range m.copies(device, of) {
		m.launch(device, &k)
	}
}

// launch queues what a device does in one meeting.
func (m *meeting) launch(device int, k *call.Copies) {
	d := m.devices[device]
	c := call.New(&d.failure, "CopyBlocks")
	c.Elem = kernels.Float32
	d.launch(&c, copyKernel, d.overParts(int(k.Parts[k.Size-1])), unsafe.Pointer(k), unsafe.Sizeof(*k))
}

// Close implements [kernels.Meeting].
func (m *meeting) Close() {
	close(m.over)
	<-m.ended
	m.free()
}
