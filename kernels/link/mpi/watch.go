package mpi

// #include "mpi.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"strings"
	"time"
	"unsafe"
)

// Patience is for how long of its own running time a rank waits for a sign of life of another, unless options say otherwise.
const Patience = 10 * time.Second

// Signs are sent and looked for so often.
const (
	signEvery = 500 * time.Millisecond
	lookEvery = 100 * time.Millisecond
)

// failureRoom is the longest text of a failure.
const failureRoom = 1000

// LostError tells that a rank gives no sign of life.
type LostError struct {
	Rank int
	Host string
	For  time.Duration
}

// Error names the rank and its machine.
func (e *LostError) Error() string {
	return fmt.Sprintf("rank %d on %s has given no sign of life for %v: it hangs, or its machine cannot be reached", e.Rank, e.Host, e.For)
}

// FailedError tells that another rank has failed.
type FailedError struct {
	Rank int
	Host string
	Text string
}

// Error names the rank and its machine, and says what it says.
func (e *FailedError) Error() string { return fmt.Sprintf("rank %d on %s: %s", e.Rank, e.Host, e.Text) }

// watch sends and looks for signs of life.
type watch struct {
	w     *World
	peers []*peer
	stop  chan struct{}
	over  chan struct{}
}

// peer is a rank that is watched.
type peer struct {
	rank   int
	sign   *C.struct_link_message // to it, in memory of C
	moving bool                   // the sign is on its way
	silent time.Duration
}

// newWatch begins to watch: rank 0 all others, and they rank 0.
func newWatch(w *World) *watch {
	v := &watch{w: w, stop: make(chan struct{}), over: make(chan struct{})}
	first, last := 0, 1
	if w.rank == 0 {
		first, last = 1, w.size
	}
	for rank := first; rank < last; rank++ {
		v.peers = append(v.peers, &peer{rank: rank, sign: newMessage(1, rank, tagLife)})
	}
	go v.run()
	return v
}

// newMessage returns a message with room in memory of C.
func newMessage(bytes, rank, tag int) *C.struct_link_message {
	m := (*C.struct_link_message)(C.calloc(1, C.size_t(unsafe.Sizeof(C.struct_link_message{}))))
	m.bytes, m.count, m.rank, m.tag = C.calloc(1, C.size_t(bytes)), C.int(bytes), C.int(rank), C.int(tag)
	return m
}

func freeMessage(m *C.struct_link_message) {
	C.free(m.bytes)
	C.free(unsafe.Pointer(m))
}

// run goes on until the end. A process that is suspended does not count the time.
func (v *watch) run() {
	defer close(v.over)
	patience := v.w.patience
	if v.w.rank > 0 { // one of them speaks first where rank 0 is lost
		patience += time.Duration(min(v.w.rank-1, 8)) * signEvery
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last, sent := time.Now(), time.Time{}
	for {
		select {
		case <-v.stop:
			return
		case <-tick.C:
		}
		now := time.Now()
		passed := min(now.Sub(last), 2*lookEvery)
		last = now
		send := now.Sub(sent) >= signEvery
		if send {
			sent = now
		}
		for _, p := range v.peers {
			if send {
				v.tell(p)
			}
			v.look(p, passed, patience)
		}
	}
}

// tell sends a peer a sign, unless the last one is still on its way.
func (v *watch) tell(p *peer) {
	v.w.calls.Lock()
	defer v.w.calls.Unlock()
	if p.moving {
		var left C.int
		p.moving = C.link_wait(p.sign, 1, 0, &left) == 0 && left > 0
	}
	if !p.moving {
		p.moving = C.link_start(p.sign, 1) == 0
	}
}

// look takes what a peer has sent.
func (v *watch) look(p *peer, passed, patience time.Duration) {
	p.silent += passed
	for v.take(p.rank, tagLife, 1, nil) {
		p.silent = 0
	}
	if v.w.rank == 0 {
		text := make([]byte, failureRoom)
		if v.take(p.rank, tagFailure, failureRoom, text) {
			of, _, _ := strings.Cut(string(text), "\x00")
			v.w.fail(&FailedError{p.rank, v.w.Hosts[p.rank], of})
		}
	}
	if p.silent > patience {
		v.w.fail(&LostError{p.rank, v.w.Hosts[p.rank], v.w.patience})
	}
}

// take receives a message that has come, and tells whether there was one.
func (v *watch) take(rank, tag, bytes int, to []byte) bool {
	v.w.calls.Lock()
	defer v.w.calls.Unlock()
	var came C.int
	if C.link_probe(C.int(rank), C.int(tag), &came) != 0 || came == 0 {
		return false
	}
	m := newMessage(bytes, rank, tag)
	defer freeMessage(m)
	m.receives = 1
	code, left := C.link_start(m, 1), C.int(1)
	for code == 0 && left > 0 {
		code = C.link_wait(m, 1, C.int64_t(slice), &left)
	}
	copy(to, unsafe.Slice((*byte)(m.bytes), bytes))
	return code == 0
}

// end stops to watch.
func (v *watch) end() {
	close(v.stop)
	<-v.over
}

// drain takes the signs that are left.
func (v *watch) drain() {
	for _, p := range v.peers {
		for v.take(p.rank, tagLife, 1, nil) {
		}
		var left C.int
		v.w.calls.Lock()
		for p.moving && C.link_wait(p.sign, 1, C.int64_t(slice), &left) == 0 && left > 0 {
		}
		v.w.calls.Unlock()
	}
}

// Fail tells rank 0 that this rank has failed, and lets its own exchanges fail.
func (w *World) Fail(err error) {
	m := newMessage(failureRoom, 0, tagFailure)
	copy(unsafe.Slice((*byte)(m.bytes), failureRoom-1), err.Error())
	w.calls.Lock()
	code, left := C.link_start(m, 1), C.int(1)
	w.calls.Unlock()
	for until := time.Now().Add(w.patience); code == 0 && left > 0 && time.Now().Before(until); time.Sleep(longNap) {
		w.calls.Lock()
		code = C.link_wait(m, 1, C.int64_t(slice), &left)
		w.calls.Unlock()
	}
	w.fail(err)
}
