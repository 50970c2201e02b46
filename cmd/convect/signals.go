package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"convect/cmd/convect/launch"
)

// interruption is why the context of a run was cancelled by a signal.
type interruption struct{ signal syscall.Signal }

// Error names the signal.
func (i *interruption) Error() string { return "interrupted by " + unix.SignalName(i.signal) }

// signals turns signals into the end of a context and SIGUSR1 into requests for a checkpoint.
type signals struct {
	context context.Context
	cancel  context.CancelCauseFunc
	channel chan os.Signal

	mutex   sync.Mutex
	request func() // nil before bind
	early   bool   // a request came before bind
}

// newSignals returns signals that nobody listens to: the context never ends.
func newSignals() *signals {
	s := &signals{channel: make(chan os.Signal, 8)}
	s.context, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// watchSignals starts to listen, until the end of the process. SIGINT, SIGTERM, SIGXCPU (ulimit -t) and SIGUSR2 (for launchers that kill soon after the others)
// end the context, and so do SIGHUP and SIGQUIT unless the process was started with them ignored; a second SIGINT ends the process at once, but not one that
// comes within a second, since launchers send one to a process and another to its group. A reader of its output that is gone (SIGPIPE) and a file that may not
// grow (SIGXFSZ, ulimit -f) are left to the write that fails.
func watchSignals() *signals {
	s := newSignals()
	watched := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGUSR1, syscall.SIGUSR2}
	for _, hangup := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if launch.Ignored(hangup) {
			signal.Ignore(hangup)
		} else {
			watched = append(watched, hangup)
		}
	}
	signal.Notify(s.channel, watched...)
	signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ)
	go s.listen()
	return s
}

func (s *signals) listen() {
	var first time.Time // of the SIGINTs
	for got := range s.channel {
		switch got {
		case syscall.SIGUSR1:
			s.checkpoint()
			continue
		case syscall.SIGINT:
			switch {
			case first.IsZero():
				first = time.Now()
			case time.Since(first) > time.Second:
				os.Exit(exitFailed)
			}
		}
		s.cancel(&interruption{got.(syscall.Signal)})
	}
}

// until does what comes before a run has anything to lose, and does not wait for its end once a signal has come: then the error has the exit
// code of an interrupted run, and what is under way ends with the process.
func (s *signals) until(begin func() error) error {
	if s.context.Err() == nil {
		begun := make(chan error, 1)
		go func() { begun <- begin() }()
		select {
		case err := <-begun:
			return err
		case <-s.context.Done():
		}
	}
	return &exitError{exitInterrupted, fmt.Errorf("%w before the first step: nothing was written or removed", context.Cause(s.context))}
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
