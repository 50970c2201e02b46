package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func main() {
	o := options{}
	flag.DurationVar(&o.time, "time", 2*time.Minute, "how long")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "of the first draw")
	flag.Int64Var(&o.round, "round", -1, "repeat this round of the seed alone")
	flag.StringVar(&o.convect, "convect", "bin/convect", "the program")
	flag.StringVar(&o.dir, "dir", "", "folder to work in; default: a new one among the temporary ones")
	flag.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "rounds at a time")
	flag.IntVar(&o.most, "findings", 5, "end after so many")
	flag.Parse()
	found, err := soak(&o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	if found > 0 {
		os.Exit(1)
	}
}

// options are those of the command line, and what this machine permits.
type options struct {
	time       time.Duration
	seed       uint64
	round      int64
	convect    string
	dir        string
	jobs, most int

	traces, mounts bool
}

// soak runs rounds until the time is over and returns the number of findings.
func soak(o *options) (found int, err error) {
	if o.convect, err = filepath.Abs(o.convect); err != nil {
		return 0, err
	}
	if _, err := os.Stat(o.convect); err != nil {
		return 0, err
	}
	if o.dir == "" {
		o.dir, err = os.MkdirTemp("", "convect-soak-")
	} else {
		err = os.MkdirAll(o.dir, 0o777)
	}
	if err != nil {
		return 0, err
	}
	if o.dir, err = filepath.EvalSymlinks(o.dir); err != nil { // strace compares paths as they are
		return 0, err
	}
	left := o.probe()
	fmt.Printf("soak: seed %d, %v, %d at a time, in %s\n", o.seed, o.time, o.jobs, o.dir)
	for _, text := range left {
		fmt.Println("soak: LEFT OUT:", text)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	t := &tally{options: o, ends: map[string]map[string]int{}}
	t.work(ctx)
	t.print(left)
	if len(t.findings) == 0 {
		os.Remove(o.dir)
	}
	return len(t.findings), nil
}

// probe finds out what may be done here, and returns what may not.
func (o *options) probe() (left []string) {
	if err := traceable(o.dir); err != nil {
		left = append(left, fmt.Sprintf("faults and kills at calls of the system: strace cannot trace here (%v)", err))
	} else {
		o.traces = true
	}
	if err := mountable(filepath.Join(o.dir, "probe")); err != nil {
		left = append(left, fmt.Sprintf("small disks: tmpfs cannot be mounted here (%v); full disks come by injection and by ulimit -f", err))
	} else {
		o.mounts = true
	}
	return left
}

// tally counts what was done and found.
type tally struct {
	*options
	mutex    sync.Mutex
	rounds   int
	chains   int
	refused  int // cases that do not run undisturbed
	ends     map[string]map[string]int
	findings []string
}

// work does the rounds.
func (t *tally) work(ctx context.Context) {
	numbers := make(chan int64)
	over := time.Now().Add(t.time)
	go func() {
		defer close(numbers)
		if t.round >= 0 {
			numbers <- t.round
			return
		}
		for n := int64(0); time.Now().Before(over) && ctx.Err() == nil && t.few(); n++ {
			numbers <- n
		}
	}()
	var group sync.WaitGroup
	for range t.jobs {
		group.Go(func() {
			for n := range numbers {
				newRound(t, n, over).run(ctx)
			}
		})
	}
	group.Wait()
}

// few tells whether there are few findings yet.
func (t *tally) few() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.findings) < t.most
}

// count notes how a disturbed process ended.
func (t *tally) count(kind, end string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.ends[kind] == nil {
		t.ends[kind] = map[string]int{}
	}
	t.ends[kind][end]++
}

// find notes a finding.
func (t *tally) find(text string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.findings = append(t.findings, text)
	fmt.Printf("soak: FINDING\n%s\n", text)
}
