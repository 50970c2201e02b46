package main

import (
	"errors"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"convect/io/checkpoint"
	"convect/io/pieces"
	"convect/kernels/link/mpi"
	"convect/kernels/ranks"
)

// leaveSignals leaves signals to rank 0.
func leaveSignals() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGXCPU, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGXFSZ)
}

// follow does what rank 0 orders, until the end.
func (p *processes) follow(errs io.Writer) int {
	dir := ""
	for {
		o, err := p.obey()
		switch {
		case err != nil:
		case o.End:
			if p.world.Close() != nil {
				return max(o.Code, exitFailed)
			}
			return o.Code
		case p.world.Rank() < o.Size:
			dir = o.Dir
			err = p.work(o)
		}
		if err != nil {
			p.broke(errs, dir, err)
		}
	}
}

// work does this rank's part of a run.
func (p *processes) work(o *order) error {
	debug.SetGCPercent(collectAt)
	d, _, err := p.join(o, pieces.NewDesk(p.world.Rank()))
	if err != nil {
		return err
	}
	return ranks.Follow(d, p.world.Fail)
}

// broke ends all processes where this one cannot go on. Where rank 0 is lost it says so for it.
func (p *processes) broke(errs io.Writer, dir string, err error) {
	rank, host := p.world.Rank(), p.world.Hosts[p.world.Rank()]
	var lost *mpi.LostError
	if errors.As(err, &lost) {
		newest := "there is no checkpoint yet"
		if path, _, err := checkpoint.Latest(dir); dir != "" && err == nil && path != "" {
			newest = "the last whole checkpoint is " + path + whenWritten(path)
		}
		fmt.Fprintf(errs, "convect: %v; the run failed; %s\n", lost, newest)
		p.world.Abort(exitFailed)
	}
	p.world.Fail(err)            // rank 0 says it, and ends all
	time.Sleep(2 * mpi.Patience) // unless it cannot
	fmt.Fprintf(errs, "convect: rank %d on %s: %v\n", rank, host, err)
	p.world.Abort(exitFailed)
}
