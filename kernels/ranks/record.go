package ranks

import "convect/kernels"

var _ kernels.Recorder = Queued{}

// ghostState is what is said of the ghosts of an array.
type ghostState struct {
	seam, wrap int
	walled     bool
}

func (b *Buffer) state() ghostState     { return ghostState{b.seam, b.wrap, b.walled} }
func (b *Buffer) setState(s ghostState) { b.seam, b.wrap, b.walled = s.seam, s.wrap, s.walled }

// recording is a record of kernels of all ranks, with the copies of ghosts among them. It holds for ghosts as they were: where fewer are right they are fetched first.
type recording struct {
	device        *Device
	kernels       kernels.Recording
	touched       []*Buffer // in the order of their first use
	before, after map[*Buffer]ghostState
	periodic      bool
	spoiled       bool // something was asked of the host
}

// touch notes an array that is used.
func (r *recording) touch(b *Buffer) {
	if _, known := r.before[b]; !known {
		r.touched = append(r.touched, b)
		r.before[b] = b.state()
	}
}

// throughHost tells that the host is needed, so that what is recorded is thrown away, and whether something is recorded.
func (d *Device) throughHost() bool {
	if d.recording == nil {
		return false
	}
	d.recording.spoiled = true
	return true
}

// Record records the kernels of all ranks as one graph, where they reach each other.
func (q Queued) Record(f func()) kernels.Recording {
	d := q.Device
	if d.link != nil || d.apart || !d.ok() {
		return nil
	}
	var others []kernels.Device
	for _, r := range d.ranks[1:] {
		others = append(others, r.device)
	}
	r := &recording{device: d, before: map[*Buffer]ghostState{}, after: map[*Buffer]ghostState{}}
	d.recording = r
	r.kernels = d.ranks[0].device.(kernels.Queuer).RecordWith(others, f)
	d.recording = nil
	for _, b := range r.touched { // nothing has run
		r.after[b] = b.state()
		b.setState(r.before[b])
	}
	if r.kernels != nil && r.spoiled {
		r.kernels.Free()
		r.kernels = nil
	}
	if r.kernels == nil {
		return nil
	}
	return r
}

// Replay runs the kernels on ghosts that are right where they were.
func (r *recording) Replay() bool {
	for _, b := range r.touched {
		if b.freed {
			return false
		}
	}
	for _, b := range r.touched {
		if s := r.before[b]; b.layout != nil && b.layout.split && (b.seam < s.seam || r.periodic && b.wrap < s.wrap) {
			r.device.wanted = append(r.device.wanted, fetch{b, r.periodic})
		}
	}
	r.device.exchange()
	for _, b := range r.touched {
		if r.before[b].walled {
			b.wall()
		}
	}
	r.device.known = false
	if !r.kernels.Replay() {
		return false
	}
	for _, b := range r.touched {
		if b.setState(r.after[b]); b.layout != nil && !b.walled {
			b.prove(r.periodic)
		}
	}
	return true
}

// Free releases the record.
func (r *recording) Free() { r.kernels.Free() }
