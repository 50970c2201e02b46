package ranks

import (
	"slices"

	"convect/kernels"
)

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
	kernels       []kernels.Recording // of all ranks together, or of each
	touched       []*Buffer           // in the order of their first use
	stands        []*Buffer           // whole arrays that stand for shared ones
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

// Record records the kernels of all ranks, where they reach each other: where kernels meet those of each rank apart, else as one graph.
func (q Queued) Record(f func()) kernels.Recording {
	d := q.Device
	if d.link != nil || d.apart || !d.ok() {
		return nil
	}
	if r := d.record(f); r.whole() {
		return r
	}
	return nil
}

// record records the kernels of the ranks that are here; where that cannot be it is not whole.
func (d *Device) record(f func()) *recording {
	d.allInRows()
	r := &recording{device: d, before: map[*Buffer]ghostState{}, after: map[*Buffer]ghostState{}}
	d.recording = r
	recorded := false
	all := func() {
		recorded = true
		f()
		d.allInRows()
	}
	if d.meeting != nil || d.link != nil {
		r.kernels = recordApart(d.ranks, all)
	} else {
		r.kernels = d.recordTogether(all)
	}
	if !recorded { // what is said of ghosts is noted all the same
		r.spoiled = true
		all()
	}
	d.recording = nil
	for _, b := range r.touched { // nothing has run
		r.after[b] = b.state()
		b.setState(r.before[b])
	}
	if r.spoiled {
		r.Free()
	} else {
		d.records[r] = struct{}{}
	}
	return r
}

// whole tells whether all kernels have been recorded.
func (r *recording) whole() bool { return len(r.kernels) > 0 }

// recordTogether records the kernels of all ranks as one; none where that cannot be.
func (d *Device) recordTogether(f func()) []kernels.Recording {
	var others []kernels.Device
	for _, r := range d.ranks[1:] {
		others = append(others, r.device)
	}
	if k := d.ranks[0].device.(kernels.Queuer).RecordWith(others, f); k != nil {
		return []kernels.Recording{k}
	}
	return nil
}

// recordApart records the kernels of each rank; none where that cannot be.
func recordApart(ranks []*rank, f func()) []kernels.Recording {
	if len(ranks) == 0 {
		f()
		return nil
	}
	var others []kernels.Recording
	own := ranks[0].device.(kernels.Queuer).RecordWith(nil, func() { others = recordApart(ranks[1:], f) })
	if own == nil || len(others) < len(ranks)-1 {
		for _, k := range others {
			k.Free()
		}
		if own != nil {
			own.Free()
		}
		return nil
	}
	return append([]kernels.Recording{own}, others...)
}

// Ready tells whether kernels and arrays are as they were.
func (r *recording) Ready() bool {
	freed := func(b *Buffer) bool { return b.freed }
	return !slices.ContainsFunc(r.touched, freed) && !slices.ContainsFunc(r.stands, freed) && !slices.ContainsFunc(r.kernels, func(k kernels.Recording) bool { return !k.Ready() })
}

// Replay runs the kernels on ghosts that are right where they were.
func (r *recording) Replay() bool {
	if !r.Ready() {
		return false
	}
	r.device.allInRows()
	for _, b := range r.touched {
		if s := r.before[b]; b.layout != nil && b.layout.split && (b.seam < s.seam || r.periodic && b.wrap < s.wrap) {
			r.device.wanted = append(r.device.wanted, fetch{b: b, periodic: r.periodic})
		}
	}
	r.device.exchange()
	for _, b := range r.touched {
		if r.before[b].walled {
			b.wall()
		}
	}
	r.device.known = false
	if len(r.kernels) == 1 {
		r.kernels[0].Replay()
	} else {
		r.device.queue(func(own *rank) { r.kernels[own.number].Replay() })
	}
	for _, b := range r.touched {
		if b.setState(r.after[b]); b.layout != nil && !b.walled {
			b.prove(r.periodic)
		}
	}
	return true
}

// Free releases the record; a second call does nothing.
func (r *recording) Free() {
	for _, k := range r.kernels {
		k.Free()
	}
	r.kernels = nil
	delete(r.device.records, r)
}
