package ranks

import "convect/kernels"

var _ kernels.Recorder = leadQueued{}

// Record records the kernels of all ranks of a link, of each as a graph of its own, where devices send each other blocks by themselves.
func (l leadQueued) Record(f func()) kernels.Recording {
	if l.joined.way == nil || !l.ok() {
		return nil
	}
	l.begin(tellRecord)
	l.send()
	own := l.Device.record(f)
	l.begin(tellRecorded)
	l.send()
	if !l.keptByAll(own) {
		return nil
	}
	l.tape++
	return &ledRecording{l.Lead, own, l.tape}
}

// keptByAll tells whether all ranks have recorded all of their kernels; else this one frees its record.
func (d *Device) keptByAll(own *recording) bool {
	reason, err := d.agree(own.whole(), "no record")
	if err != nil {
		d.fail("%w", err)
	}
	if err != nil || reason != "" {
		own.Free()
		return false
	}
	return true
}

// ledRecording is a record of all ranks of a link, as rank 0 has it.
type ledRecording struct {
	lead   *Lead
	own    *recording
	number uint64
}

// Ready tells whether rank 0 can run its kernels; then the others can, too.
func (r *ledRecording) Ready() bool { return r.own.Ready() }

// Replay tells all to run their kernels.
func (r *ledRecording) Replay() bool {
	if !r.Ready() {
		return false
	}
	r.tell(tellReplay)
	return r.own.Replay()
}

// Free lets all forget the record.
func (r *ledRecording) Free() {
	if !r.lead.closed {
		r.tell(tellForget)
	}
	r.own.Free()
}

func (r *ledRecording) tell(what uint64) {
	r.lead.begin(what)
	r.lead.out.number(r.number)
	r.lead.send()
}

// record records what is told until rank 0 says that it is all.
func (r *reader) record() (err error) {
	own := r.device.record(func() {
		for {
			var what uint64
			if what, err = r.listen(); err == nil && what != tellRecorded {
				err = r.obey(what)
			}
			if err != nil || what == tellRecorded {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if r.device.keptByAll(own) {
		r.tape++
		r.records[r.tape] = own
	}
	return nil
}

// replay runs a record.
func (r *reader) replay(own *recording) {
	if !own.Replay() {
		r.device.kernel = ""
		r.device.fail("what was recorded cannot be run")
	}
}
