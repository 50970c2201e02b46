package main

import (
	"errors"
	"fmt"

	"convect/io/lock"
)

// take finds where the run begins or goes on and takes the directory, which nothing changes before; unlock is nil where there is nothing to
// do. What is found while another run is writing does not count; a lock that a killed one has left is removed.
func (s *session) take() (unlock func(), err error) {
	for {
		refused := s.locate()
		isDone := refused != nil || s.over != ""
		if isDone && !s.dir.mayBeLocked() {
			return nil, s.done(refused)
		}
		unlock, err := s.dir.lock()
		var held *lock.HeldError
		switch {
		case isDone && err != nil && !errors.As(err, &held):
			return nil, s.done(refused)
		case err != nil:
			return nil, err
		case s.seen != s.dir.state():
			unlock()
		case isDone:
			unlock()
			return nil, s.done(refused)
		default:
			return unlock, nil
		}
	}
}

// done says that there is nothing to do where the run is not refused.
func (s *session) done(refused error) error {
	if refused == nil {
		fmt.Fprintln(s.out, s.over)
	}
	return refused
}
