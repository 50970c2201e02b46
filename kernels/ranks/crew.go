package ranks

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew queues kernels on the GPUs of one host, all at a time: a launch takes the host some microseconds, and one GPU after the other would wait for it. Each rank but
// the first has a hand for it, which looks for work for a while before it sleeps, since waking one takes longer than a launch.
type crew struct {
	hands    []*hand
	patience time.Duration // for how long one looks before it sleeps
}

// hand is a goroutine that queues what there is for a rank.
type hand struct {
	rank        *rank
	work        atomic.Pointer[func(r *rank)] // nil: it is done
	end         atomic.Bool
	begun, done bell
}

// watchful is how long hands look for work before they sleep: longer than a step waits for a number, also one of some hundred million nodes. One that sleeps begins some
// 70 µs later, and all GPUs wait for its own.
const watchful = 100 * time.Millisecond

// newCrew makes the hands of some ranks, which look for work only where the host has cores to spare for it.
func newCrew(ranks []*rank) *crew {
	c := &crew{patience: watchful}
	if runtime.GOMAXPROCS(0) < 2*(len(ranks)+1) {
		c.patience = 0
	}
	for _, r := range ranks {
		h := &hand{rank: r, begun: newBell(), done: newBell()}
		c.hands = append(c.hands, h)
		go h.labour(c.patience)
	}
	return c
}

// labour does what comes until the end.
func (h *hand) labour(patience time.Duration) {
	runtime.LockOSThread() // so that the thread keeps its GPU
	for {
		h.begun.await(patience, func() bool { return h.work.Load() != nil || h.end.Load() })
		f := h.work.Load()
		if f == nil {
			return
		}
		(*f)(h.rank)
		h.work.Store(nil)
		h.done.ring()
	}
}

// run does something for the first rank and lets the hands do it for theirs, and waits.
func (c *crew) run(first *rank, f func(r *rank)) {
	for _, h := range c.hands {
		h.work.Store(&f)
		h.begun.ring()
	}
	f(first)
	for _, h := range c.hands {
		h.done.await(c.patience, func() bool { return h.work.Load() == nil })
	}
}

// dismiss ends the hands.
func (c *crew) dismiss() {
	for _, h := range c.hands {
		h.end.Store(true)
		h.begun.ring()
	}
}

// bell wakes a goroutine that waits for what another one does before it rings.
type bell struct {
	asleep atomic.Bool
	wake   chan struct{}
}

func newBell() bell { return bell{wake: make(chan struct{}, 1)} }

// await returns when something has come true. It looks for a while before it sleeps.
func (b *bell) await(patience time.Duration, came func() bool) {
	for !seen(patience, came) {
		b.asleep.Store(true)
		if came() && b.asleep.CompareAndSwap(true, false) {
			return
		}
		<-b.wake
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

// ring wakes whoever sleeps.
func (b *bell) ring() {
	if b.asleep.CompareAndSwap(true, false) {
		b.wake <- struct{}{}
	}
}
