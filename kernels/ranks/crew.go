package ranks

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew queues kernels on the GPUs of one host, all at a time: a launch takes the host some microseconds, and one GPU after the other would wait for it. Each rank but
// the first has a hand for it, which looks for work for a while before it sleeps, since waking one takes longer than a launch.
type crew struct{ hands []*hand }

// hand is a goroutine that queues what there is for a rank.
type hand struct {
	rank   *rank
	work   atomic.Pointer[func(r *rank)] // nil: it is done
	asleep atomic.Bool
	wake   chan struct{}
	end    atomic.Bool
}

// watchful is how long hands look for work before they sleep: longer than a step waits for a number.
const watchful = time.Millisecond

// newCrew makes the hands of some ranks, which look for work only where the host has cores to spare for it.
func newCrew(ranks []*rank) *crew {
	c, patience := &crew{}, watchful
	if runtime.GOMAXPROCS(0) < 2*(len(ranks)+1) {
		patience = 0
	}
	for _, r := range ranks {
		h := &hand{rank: r, wake: make(chan struct{}, 1)}
		c.hands = append(c.hands, h)
		go h.labour(patience)
	}
	return c
}

// labour does what comes until the end.
func (h *hand) labour(patience time.Duration) {
	runtime.LockOSThread() // so that the thread keeps its GPU
	for {
		h.await(patience)
		f := h.work.Load()
		if f == nil {
			return
		}
		(*f)(h.rank)
		h.work.Store(nil)
	}
}

// await returns when there is work, or the end has come.
func (h *hand) await(patience time.Duration) {
	came := func() bool { return h.work.Load() != nil || h.end.Load() }
	for {
		if seen(patience, came) {
			return
		}
		h.asleep.Store(true)
		if came() && h.asleep.CompareAndSwap(true, false) {
			return
		}
		<-h.wake
	}
}

// seen tells whether something comes true within a time, looking all the while.
func seen(patience time.Duration, came func() bool) bool {
	for until := time.Now().Add(patience); ; {
		for range 64 {
			if came() {
				return true
			}
		}
		if patience == 0 || time.Now().After(until) {
			return false
		}
	}
}

// rouse wakes a hand that sleeps.
func (h *hand) rouse() {
	if h.asleep.CompareAndSwap(true, false) {
		h.wake <- struct{}{}
	}
}

// run does something for the first rank and lets the hands do it for theirs, and waits.
func (c *crew) run(first *rank, f func(r *rank)) {
	for _, h := range c.hands {
		h.work.Store(&f)
		h.rouse()
	}
	f(first)
	for _, h := range c.hands {
		for !seen(watchful/10, func() bool { return h.work.Load() == nil }) {
			runtime.Gosched() // memory is made, or a module loaded
		}
	}
}

// dismiss ends the hands.
func (c *crew) dismiss() {
	for _, h := range c.hands {
		h.end.Store(true)
		h.rouse()
	}
}
