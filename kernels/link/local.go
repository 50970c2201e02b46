package link

import (
	"errors"
	"sync"
)

// Local returns the ends of links between so many goroutines, by rank.
func Local(size int) []Link {
	var all []Link
	hub := &hub{queues: map[[2]int][][]byte{}}
	hub.came.L = &hub.guard
	for n := range size {
		all = append(all, &local{hub, n, size})
	}
	return all
}

// Break lets all exchanges of local links fail that wait for a block, and those to come.
func Break(l Link) {
	if own, ok := l.(*local); ok {
		own.hub.guard.Lock()
		own.hub.broken = true
		own.hub.guard.Unlock()
		own.hub.came.Broadcast()
	}
}

// hub holds what is under way.
type hub struct {
	guard  sync.Mutex
	came   sync.Cond
	queues map[[2]int][][]byte // by sender and receiver
	broken bool
}

type local struct {
	hub        *hub
	rank, size int
}

func (l *local) Rank() int { return l.rank }

func (l *local) Size() int { return l.size }

var errBroken = errors.New("link: the other ranks have left")

func (l *local) Exchange(send, receive []Block) error {
	h := l.hub
	h.guard.Lock()
	defer h.guard.Unlock()
	for _, b := range send {
		way := [2]int{l.rank, b.Rank}
		h.queues[way] = append(h.queues[way], append([]byte(nil), b.Bytes...))
	}
	h.came.Broadcast()
	for _, b := range receive {
		way := [2]int{b.Rank, l.rank}
		for len(h.queues[way]) == 0 && !h.broken {
			h.came.Wait()
		}
		if h.broken {
			return errBroken
		}
		if len(h.queues[way][0]) > len(b.Bytes) {
			return errors.New("link: a block is longer than the room for it")
		}
		copy(b.Bytes, h.queues[way][0])
		h.queues[way] = h.queues[way][1:]
	}
	return nil
}
