package ranks

import (
	"slices"

	"convect/kernels"
)

var _ kernels.Recorder = leadQueued{}

// Record records the kernels of all ranks of a link, of each as a graph of its own, where devices send each other blocks by themselves.
func (l leadQueued) Record(f func()) kernels.Recording {
	if l.joined.way == nil || !l.ok() {
		return nil
	}
	l.begin(tellRecord)
	l.send()
	own := l.Device.record(f)
	number := uint64(0)
	if own.whole() {
		l.tape++
		number = l.tape
	}
	l.begin(tellRecorded)
	l.out.number(number)
	l.send()
	if number == 0 {
		return nil
	}
	return &ledRecording{l.Lead, own, number}
}

// ledRecording is a record of all ranks of a link, as rank 0 has it.
type ledRecording struct {
	lead   *Lead
	own    *recording
	number uint64
}

// Ready tells whether rank 0 can run its kernels. Others run theirs one by one where they cannot.
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

// taped is a record as another rank has it: with what it was told, in case that its kernels cannot be run as they were recorded.
type taped struct {
	tape *recording
	told []order
}

// order is something that a rank was told, and its arguments.
type order struct {
	what  uint64
	bytes []byte
}

// record records what is told until rank 0 says that it is all.
func (r *reader) record() (err error) {
	t := &taped{}
	t.tape = r.device.record(func() {
		for {
			var what uint64
			if what, err = r.listen(); err != nil || what == tellRecorded {
				return
			}
			t.told = append(t.told, order{what, slices.Clone(r.bytes)})
			if err = r.obey(what); err != nil {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if number := r.number(); number != 0 {
		r.records[number] = t
	} else {
		t.tape.Free()
	}
	return nil
}

// replay runs the kernels of a record, or what was told one by one, with the ghosts that were right then.
func (t *taped) replay(r *reader) error {
	if t.tape.whole() && t.tape.Replay() {
		return nil
	}
	t.tape.prepare()
	for _, b := range t.tape.touched {
		b.setState(t.tape.before[b])
	}
	for _, o := range t.told {
		r.bytes = o.bytes
		if err := r.obey(o.what); err != nil {
			return err
		}
	}
	r.device.allInRows()
	t.tape.settle()
	return nil
}
