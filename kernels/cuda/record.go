package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda/driver"
)

// mostLed is how many kernels of a recording of one device are launched as they are before the graph of the others, which takes the host some 50 µs to launch: the
// GPU has them to do meanwhile. Of several devices it is one of each, with the copies of blocks before them.
const mostLed = 2

// copyKernel copies blocks from one device to another.
const copyKernel = "copy_blocks"

// leading are the kernels that are launched before a graph, in their order.
type leading struct {
	steps []led
	left  int  // how many more are taken
	over  bool // something belongs to the graph
}

// led is a kernel of a device, or that it gives, or takes from another one.
type led struct {
	device *Device
	gives  bool
	of     *Device // nil where it does not take
	kernel string
	geometry
	args []byte
}

// open tells whether what comes is launched before the graph.
func (l *leading) open() bool { return l != nil && l.left > 0 }

// launch takes a kernel of a device.
func (l *leading) launch(d *Device, kernel string, k led) {
	if k.device = d; kernel != copyKernel {
		l.left--
	}
	l.steps = append(l.steps, k)
}

// close ends it: what comes belongs to the graph.
func (l *leading) close() {
	if l != nil {
		l.left, l.over = 0, true
	}
}

// recording is a graph of one device, or of several, with the kernels before it, and the addresses of the memory that their kernels have beside buffers, which
// it holds.
type recording struct {
	devices []*Device    // the first begins
	led     []led        // in their order
	graph   driver.Graph // nil: one device has no kernels behind them
	rooms   [][2]room
}

// Record records the kernels that f runs.
func (d *Device) Record(f func()) kernels.Recording { return d.RecordWith(nil, f) }

// RecordWith records kernels of several devices as one graph, which the first one launches.
func (d *Device) RecordWith(others []kernels.Device, f func()) kernels.Recording {
	r, ok := d.gpu.(driver.Recorder)
	devices := []*Device{d}
	for _, o := range others {
		own, isOne := o.(*Device)
		ok = ok && isOne && own.failure.Err == nil
		devices = append(devices, own)
	}
	if !ok || d.failure.Err != nil {
		return nil
	}
	if err := r.BeginCapture(); err != nil {
		return nil
	}
	d.fork(devices[1:])
	first := &leading{left: max(len(devices), mostLed), over: len(devices) > 1}
	for _, o := range devices {
		o.recording, o.grew, o.leading = true, false, first
	}
	f()
	for _, o := range devices {
		o.leading = nil
	}
	d.join(devices[1:])
	g, err := r.EndCapture()
	kept := err == nil
	rooms := make([][2]room, len(devices))
	for n, o := range devices {
		kept = kept && !o.grew && o.failure.Err == nil
		o.recording, rooms[n] = false, [2]room{o.scratch, o.partials}
	}
	if err == nil && (!kept || !first.over) {
		g.Close()
		g = nil
	}
	if !kept {
		return nil
	}
	return &recording{devices, first.steps, g, rooms}
}

// fork holds back what others queue from now on until all is done that this device has queued.
func (d *Device) fork(others []*Device) {
	if len(others) > 0 {
		d.Give()
	}
	for _, o := range others {
		o.Take(d)
	}
}

// join holds back what this device queues from now on until all is done that others have queued.
func (d *Device) join(others []*Device) {
	for _, o := range others {
		o.Give()
		d.Take(o)
	}
}

// Ready tells that no memory has moved, or that it is there still.
func (r *recording) Ready() bool {
	for n, o := range r.devices {
		if !o.keeps && r.rooms[n] != [2]room{o.scratch, o.partials} {
			return false
		}
	}
	return true
}

// Replay queues the kernels, unless their memory has moved.
func (r *recording) Replay() bool {
	if !r.Ready() {
		return false
	}
	for _, o := range r.devices {
		o.known = false
	}
	for n := range r.led {
		r.led[n].run()
	}
	if r.graph == nil {
		return true
	}
	d := r.devices[0]
	d.join(r.devices[1:])
	if d.failure.Err == nil {
		d.keep("Replay", r.graph.Launch())
	}
	d.fork(r.devices[1:])
	return true
}

// run launches what comes before a graph.
func (l *led) run() {
	d := l.device
	switch {
	case l.gives:
		d.Give()
	case l.of != nil:
		d.Take(l.of)
	case d.failure.Err == nil:
		copy(d.args, l.args)
		d.keep("Replay", d.gpu.Launch(l.kernel, l.grid, l.block, l.shared, unsafe.Pointer(&d.args[0]), uintptr(len(l.args))))
	}
}

// Free releases the graph.
func (r *recording) Free() {
	if r.graph != nil {
		r.graph.Close()
	}
}
