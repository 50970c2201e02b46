package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// errSignal is why the context of a run was cancelled by a signal.
var errSignal = errors.New("interrupted by a signal")

// signals turns signals into the end of a context (SIGINT, SIGTERM) and requests for a checkpoint (SIGUSR1).
type signals struct {
	context context.Context
	cancel  context.CancelCauseFunc
	channel chan os.Signal

	mutex   sync.Mutex
	request func() // nil before bind
	early   bool   // a request came before bind
}

// watchSignals starts to listen. A second SIGINT ends the process at once.
func watchSignals() *signals {
	s := &signals{channel: make(chan os.Signal, 8)}
	s.context, s.cancel = context.WithCancelCause(context.Background())
	signal.Notify(s.channel, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1)
	go func() {
		interrupts := 0
		for got := range s.channel {
			switch got {
			case syscall.SIGUSR1:
				s.checkpoint()
				continue
			case syscall.SIGINT:
				interrupts++
			}
			if interrupts > 1 {
				os.Exit(exitFailed)
			}
			s.cancel(errSignal)
		}
	}()
	return s
}

// bind tells what to call for a checkpoint.
func (s *signals) bind(request func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.request = request
	if s.early {
		request()
	}
}

func (s *signals) checkpoint() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.early = true
	if s.request != nil {
		s.request()
	}
}

// stop gives the signals back to the system.
func (s *signals) stop() {
	signal.Stop(s.channel)
	close(s.channel)
	s.cancel(nil)
}
