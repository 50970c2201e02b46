package cuda

import (
	"convect/kernels"
	"convect/kernels/cuda/driver"
)

// recording is a graph, and the addresses of the memory that kernels have beside buffers, which it holds.
type recording struct {
	device *Device
	graph  driver.Graph
	rooms  [2]room
}

// Record records the kernels that f runs.
func (d *Device) Record(f func()) kernels.Recording {
	r, ok := d.gpu.(driver.Recorder)
	if !ok || d.failure.Err != nil {
		return nil
	}
	if err := r.BeginCapture(); err != nil {
		return nil
	}
	d.recording, d.grew = true, false
	f()
	d.recording = false
	g, err := r.EndCapture()
	if err != nil || d.grew || d.failure.Err != nil {
		if err == nil {
			g.Close()
		}
		return nil
	}
	return &recording{d, g, [2]room{d.scratch, d.partials}}
}

// Replay queues the kernels, unless their memory has moved.
func (r *recording) Replay() bool {
	d := r.device
	if r.rooms != [2]room{d.scratch, d.partials} {
		return false
	}
	if d.failure.Err == nil {
		d.keep("Replay", r.graph.Launch())
	}
	return true
}

// Free releases the graph.
func (r *recording) Free() { r.graph.Close() }
